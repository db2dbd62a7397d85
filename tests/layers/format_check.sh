#!/bin/sh
# usage: format_check.sh FORMAT   scripts/format.sh finds a line out of order, and mends it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
printf 'int   f( );\n' > "$work/untidy.hpp"
code=0
"$1" check "$work" 2> /dev/null || code=$?
if [ $code -eq 77 ]; then exit 77; fi
[ $code -eq 1 ] || { echo "FAILED: an untidy file passes" >&2; exit 1; }
"$1" write "$work"
"$1" check "$work"
