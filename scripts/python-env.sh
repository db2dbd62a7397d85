#!/bin/sh
# usage: python-env.sh FOLDER   Makes a virtual environment with what the Python package's build and tests need, from
# Debian's Python (or RFNN_PYTHON). Does nothing when it is there and pyproject.toml has not changed since.
set -eu
folder=$1
python=${RFNN_PYTHON:-/usr/bin/python3}
stamp=$folder/rfnn-requirements
wanted=$(mktemp)
trap 'rm -f "$wanted"' EXIT
"$python" - pyproject.toml > "$wanted" <<'EOF'
import sys, tomllib
project = tomllib.load(open(sys.argv[1], "rb"))
for name in project["build-system"]["requires"] + project["project"]["dependencies"]: print(name)
for name in project["project"]["optional-dependencies"]["test"]: print(name)
EOF
if cmp -s "$wanted" "$stamp"; then exit 0; fi
echo "python-env: setting up $folder" >&2
test -x "$folder/bin/python" || "$python" -m venv "$folder"
"$folder/bin/python" -m pip install -q --disable-pip-version-check --upgrade-strategy only-if-needed -r "$wanted"
cp "$wanted" "$stamp"
