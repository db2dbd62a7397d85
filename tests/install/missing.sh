#!/bin/sh
# usage: missing.sh SOURCE CMAKE
# A machine without what the build needs is told all of it at once, with the cure.
set -eu
source=$1 cmake=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
fail() { echo "FAILED: $*" >&2; cat "$work/log" >&2; exit 1; }

"$cmake" -S "$source" -B "$work/libraries" -DCMAKE_DISABLE_FIND_PACKAGE_SLEEF=ON -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON \
  -DRFNN_CHART_JS=RFNN_CHART_JS-NOTFOUND -DRFNN_BUILD_TESTS=OFF -DRFNN_BUILD_EXAMPLES=OFF >"$work/log" 2>&1 &&
  fail "configured without SLEEF and fmt"
for word in SLEEF fmt libsleef-dev libfmt-dev "make deps"; do
  grep -qF "$word" "$work/log" || fail "no word about $word"
done

# A PATH that has cmake's own programs and no compiler.
env -u CXX -u CC PATH="$work" "$cmake" -S "$source" -B "$work/compiler" -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF \
  >"$work/log" 2>&1 && fail "configured without a compiler"
grep -qF "make deps" "$work/log" && grep -qF "python-deps" "$work/log" || fail "no cure for a missing compiler"
