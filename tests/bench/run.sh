#!/usr/bin/env bash
# `./dev bench`: runs the benchmark programs whose name matches REGEX; where none does, the benchmarks of all whose names match.
#
#   run.sh --names [REGEX]
#   run.sh PROGRAMS_DIR [REGEX]
#
# --names prints the programs that it would run, one a line.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1 regex=${2:-}
filter=. all=() programs=()
for file in "$here"/*_bench.cpp; do
  program=$(basename "$file" .cpp)
  all+=("$program")
  [[ -z $regex || $program =~ $regex ]] && programs+=("$program")
done
if [[ ${#programs[@]} -eq 0 ]]; then
  filter=$regex
  programs=("${all[@]}")
fi
if [[ $folder == --names ]]; then
  printf '%s\n' "${programs[@]}"
  exit
fi
for program in "${programs[@]}"; do
  printf 'dev: %s\n' "$program" >&2
  "$folder/$program" --benchmark_filter="$filter"
done
