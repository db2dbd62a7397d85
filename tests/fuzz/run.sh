#!/bin/sh
# usage: run.sh FUZZER CORPUS   Runs one fuzz target for RFNN_FUZZ_SECONDS (default 5) from a copy of its seeds, which
# stay untouched. An input that breaks it is kept beside the fuzzer and named in the output.
set -eu
fuzzer=$1 seeds=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
mkdir "$work/corpus"
if [ -d "$seeds" ]; then cp -R "$seeds/." "$work/corpus"; fi
cd "$work"
TMPDIR=$work "$fuzzer" -max_total_time="${RFNN_FUZZ_SECONDS:-5}" -timeout=20 -rss_limit_mb=1024 -malloc_limit_mb=512 \
  -print_final_stats=1 -verbosity=0 -artifact_prefix="$fuzzer-broke-" "$work/corpus"
