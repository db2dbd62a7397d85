#!/bin/sh
# usage: instead.sh NAME OTHER COMMAND...   Runs COMMAND with OTHER in the place of the word NAME: a compiler launcher that
# hands a source to another compiler. A precompiled header that the first one has left in its place would be read and
# refused: it goes.
name=$1 other=$2
shift 2
for word; do
  shift
  [ "$word" != "$name" ] || word=$other
  case $word in *.gch) rm -f "$word" ;; esac
  set -- "$@" "$word"
done
exec "$@"
