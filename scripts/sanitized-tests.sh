#!/bin/sh
# usage: sanitized-tests.sh asan|tsan JOBS   Builds the tests with a sanitizer in build-<name>/ and runs them.
set -eu
cd "$(dirname "$0")/.."
name=$1 jobs=$2
unset RFNN_LONG_TESTS  # sanitizers look for broken code, not for rare statistics
export RFNN_SANITIZED=1
export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1"
export UBSAN_OPTIONS="print_stacktrace=1"
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1"

# The thread sanitizer cannot start where the kernel randomises addresses over more bits than it expects.
fixed_addresses=
if [ "$name" = tsan ] && setarch -R true 2>/dev/null; then fixed_addresses="setarch -R"; fi

cmake --preset "$name"
$fixed_addresses cmake --build "build-$name" -j "$jobs"
$fixed_addresses ctest --test-dir "build-$name" -j "$jobs" --output-on-failure
