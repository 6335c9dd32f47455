#!/usr/bin/env bash
# Programs and modules are built so that an overflow or a planted file gets nowhere: reads their headers.
#
#   check_programs.sh BIN_DIR
set -euo pipefail

if ! command -v readelf >/dev/null; then
  echo "skipped: readelf is not installed"
  exit 77
fi
broken=0
demand() { # PROGRAM WHAT TEXT PATTERN
  if ! grep -qE "$4" <<<"$3"; then
    echo "$1: $2"
    broken=1
  fi
}

for program in "$1"/sim "$1"/calibrate "$1"/../lib/gradsim/*.so; do
  dynamic=$(readelf -dW "$program")
  segments=$(readelf -lW "$program")
  symbols=$(readelf --dyn-syms -W "$program")
  [[ $program == *.so ]] || demand "$program" 'is not at a new address in each run (PIE)' "$dynamic" 'FLAGS_1.*PIE'
  demand "$program" 'binds functions late (no -z now)' "$dynamic" 'BIND_NOW|FLAGS_1.*NOW'
  demand "$program" 'has a writable table of functions (no RELRO)' "$segments" 'GNU_RELRO'
  demand "$program" 'has an executable stack' "$segments" 'GNU_STACK.* RW '
  demand "$program" 'has no canaries on its stacks' "$symbols" '__stack_chk_fail'
  demand "$program" 'has no checked copies (_FORTIFY_SOURCE)' "$symbols" '_chk@|__[a-z]+_chk'
  if grep -qE 'RPATH|RUNPATH' <<<"$dynamic"; then
    echo "$program: looks for libraries in a folder of its own:"
    grep -E 'RPATH|RUNPATH' <<<"$dynamic"
    broken=1
  fi
done
exit "$broken"
