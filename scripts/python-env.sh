#!/bin/sh
# usage: python-env.sh FOLDER [build|oldest]   Makes a virtual environment with what the Python package's build and tests
# need, from Debian's Python (or RFNN_PYTHON). Does nothing when it is there and pyproject.toml has not changed since.
# build: only what the build needs. oldest: what the package and its tests need, in the oldest versions that
# pyproject.toml allows.
set -eu
folder=$1 kind=${2:-newest}
python=${RFNN_PYTHON:-/usr/bin/python3}
stamp=$folder/rfnn-$kind
wanted=$(mktemp)
trap 'rm -f "$wanted"' EXIT
"$python" - pyproject.toml "$kind" > "$wanted" <<'END'
import sys, tomllib
project = tomllib.load(open(sys.argv[1], "rb"))
build = project["build-system"]["requires"]
names = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["test"]
if sys.argv[2] == "build":
    names = build
elif sys.argv[2] == "oldest":
    # Jupyter is a program that tests start, no library of ours: whatever version there is.
    names = [name if name.startswith(("ipykernel", "jupyter")) else name.replace(">=", "==") for name in names]
else:
    names = build + names
print(*names, sep="\n")
END
if cmp -s "$wanted" "$stamp"; then exit 0; fi
echo "python-env: setting up $folder ($kind)" >&2
test -x "$folder/bin/python" || "$python" -m venv "$folder"
# Modules are compiled when they are first imported: of all that is installed, a small part.
"$folder/bin/python" -m pip install -q --disable-pip-version-check --no-compile --upgrade-strategy only-if-needed \
  -r "$wanted"
cp "$wanted" "$stamp"
