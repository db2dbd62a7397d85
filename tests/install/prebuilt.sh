#!/bin/sh
# usage: prebuilt.sh SOURCE BUILD CMAKE NINJA PYTHON   Wheels for several Pythons share the library and the command: a
# build of the module with the archives of BUILD compiles neither.
set -eu
source=$1 build=$2 cmake=$3 ninja=$4 python=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" -G Ninja -DCMAKE_MAKE_PROGRAM="$ninja" -S "$source" -B "$work" -DCMAKE_BUILD_TYPE=Release \
  -DRFNN_PREBUILT="$build" -DRFNN_BUILD_PYTHON=ON -DRFNN_BUILD_CLI=OFF -DRFNN_BUILD_TESTS=OFF -DRFNN_BUILD_EXAMPLES=OFF \
  -DPython_EXECUTABLE="$python" > "$work/said"
steps=$("$ninja" -C "$work" -t commands rfnn_python)
echo "$steps" | grep -q "/python/bindings/fit.cpp" || { echo "the module is not compiled:"; echo "$steps"; exit 1; }
for archive in librfnn.a librfnn_command.a; do
  test -e "$build/$archive" || { echo "$build has no $archive"; exit 1; }
  echo "$steps" | grep -q "$build/$archive" || { echo "the module is not linked with $archive:"; echo "$steps"; exit 1; }
done
if echo "$steps" | grep -E -- "-c $source/(src|cli)/"; then
  echo "what $build holds is compiled again" && exit 1
fi
