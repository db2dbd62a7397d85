#!/bin/sh
# usage: format.sh check|write [FOLDER...]   C++ formatted by .clang-format, in the folders given or in all of ours.
# `check` names the lines that differ and fails. Another clang-format than Debian 12's breaks lines elsewhere: it writes,
# but does not judge (exit code 77, which the tests count as skipped).
set -eu
mode=$1
shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- src cli python tests examples benchmarks
program=${CLANG_FORMAT:-clang-format}
files() { find "$@" \( -name '*.hpp' -o -name '*.cpp' \) -print0; }
case $mode in
  write) files "$@" | xargs -0 "$program" --style="file:$PWD/.clang-format" -i ;;
  check)
    if ! "$program" --version | grep -q ' version 14\.'; then
      echo "format: $("$program" --version) is not version 14, which the sources are formatted with" >&2
      exit 77
    fi
    files "$@" | xargs -0 "$program" --style="file:$PWD/.clang-format" --dry-run --Werror ||
      { echo "format: \`make format\` formats the files above" >&2; exit 1; } ;;
  *) echo "usage: format.sh check|write [FOLDER...]" >&2; exit 1 ;;
esac
