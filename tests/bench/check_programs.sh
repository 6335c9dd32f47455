#!/usr/bin/env bash
# Each benchmark program runs: one of its benchmarks, once. What it measures is not looked at.
#
#   check_programs.sh PROGRAMS_DIR PROGRAM...
set -euo pipefail

folder=$1
shift
[[ $# -gt 0 ]]
# Where the first takes seconds.
declare -A shorter=([training_bench]=streaming_steps/dynamic/1000/iterations:1 [policies_bench]=uniform_batch)

for program in "$@"; do
  listed=$("$folder/$program" --benchmark_list_tests) || { echo "$program lists no benchmarks" && exit 1; }
  one=${shorter[$program]:-${listed%%$'\n'*}}
  said=$("$folder/$program" --benchmark_filter="^${one//[^A-Za-z0-9_]/.}\$" --benchmark_min_time=0 2>&1) ||
    { echo "$program: $one: $said" && exit 1; }
  [[ $said == *$'\n'"$one "* && $said != *ERROR* ]] || { echo "$program: $one: $said" && exit 1; }
done
