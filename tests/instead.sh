#!/bin/sh
# usage: instead.sh NAME OTHER COMMAND...   Runs COMMAND with OTHER in the place of the word NAME: a compiler launcher that
# hands a source to another compiler.
name=$1 other=$2
shift 2
for word; do
  shift
  [ "$word" != "$name" ] || word=$other
  set -- "$@" "$word"
done
exec "$@"
