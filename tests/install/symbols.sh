#!/bin/sh
# usage: symbols.sh SHARED STATIC NM CONFIG
# What the libraries show to the linker.
set -eu
shared=$1 static=$2 nm=$3 config=$4
fail() { echo "FAILED: $*" >&2; exit 1; }

# The shared library shows rfnn's API. Weak symbols of the standard library (template instantiations) may show; those of
# a private dependency may not: another version of it in the same process must not meet ours.
symbols=$("$nm" -D --defined-only -C "$shared" | cut -c 20-)
echo "$symbols" | grep -q 'rfnn::fit(' || fail "rfnn::fit is not exported"
echo "$symbols" | grep -q 'typeinfo for rfnn::InputError' || fail "rfnn::InputError cannot be caught across the library"
foreign=$(echo "$symbols" | grep -vE '^(((non-)?virtual|covariant) thunk to |(typeinfo|typeinfo name|vtable|VTT|guard variable|construction vtable) for )?(rfnn::|std::|__gnu_cxx::|operator (new|delete))' |
  grep -vE '^(bool|void|char|int|unsigned|long|double|auto|decltype|[^ (]*<.*>) .*(std|rfnn)::' || true)
[ -z "$foreign" ] || fail "the shared library shows foreign symbols:
$foreign"
hidden=$(echo "$symbols" | grep -E 'Eigen::|nlohmann::|fmt::|CLI::|r123::' || true)
[ -z "$hidden" ] || fail "the shared library shows symbols of a private dependency:
$hidden"

# The archive's symbols all meet those of the program it becomes part of: its copy of fmt has a namespace of its own.
foreign=$("$nm" -C --defined-only "$static" 2>/dev/null | grep -E ' fmt::' | grep -v 'fmt::rfnn_fmt::' || true)
[ -z "$foreign" ] || fail "the archive defines fmt's symbols under fmt's own names:
$foreign"

# Code compiled for AVX must stay inside its file: an inline function that it shares with the rest of the library could
# be the copy the linker keeps, and would crash an older CPU. (Without optimisation, nothing is inlined.)
if [ "$config" = Release ]; then
  shared_code=$("$nm" -A -C --defined-only "$static" 2>/dev/null | grep 'kernels_avx' | grep -E ' [WVu] ' || true)
  [ -z "$shared_code" ] || fail "the AVX kernels define symbols that other files may define too:
$shared_code"
fi
