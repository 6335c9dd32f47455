#!/usr/bin/env bash
# Runs `calibrate probe mpi` on 2 and 3 ranks of this machine, fits its output, and checks its errors.
#
#   check_mpi.sh BIN_DIR
set -euo pipefail

calibrate=$(realpath "$1")/calibrate
if ! command -v mpirun >/dev/null; then
  echo "skipped: mpirun is not installed"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # both, says Open MPI
export ASAN_OPTIONS=detect_leaks=0                               # MPI libraries keep what they have allocated
fail() {
  echo "$*"
  cat "$work/log"
  exit 1
}

play() { # RANKS EXIT-CODE OPTION...
  local ranks=$1 wanted=$2 status=0
  shift 2
  timeout 120 mpirun --oversubscribe --mca btl_vader_single_copy_mechanism none -n "$ranks" \
    "$calibrate" probe mpi "$@" >"$work/log" 2>&1 </dev/null || status=$?
  [[ $status -eq $wanted ]] || fail "on $ranks ranks, $*: exit code $status instead of $wanted"
}

logged() { # TEXT
  grep -qF -- "$1" "$work/log" || fail "this was not said: $1"
}

play 2 0 --sizes 4KiB..64KiB --repetitions 5 -o "$work/two"
play 3 0 --sizes 4B,100B,1000B,20KiB --repetitions 3 --ratio 0.1 --algorithm 'as installed' -o "$work/three" --quiet
for folder in two three; do
  files=("$work/$folder"/*.csv)
  [[ ${#files[@]} -eq 14 ]] || fail "$folder holds ${#files[@]} files instead of 13 exchanges and their samples"
  for file in "${files[@]}"; do
    [[ $file == */samples.csv ]] || "$calibrate" fit "$file" --force --quiet -o "$work/fit.yaml" 2>"$work/log" ||
      fail "$file cannot be fitted"
  done
done
grep -q '^# algorithm=as installed$' "$work/three/broadcast.csv" || fail 'the algorithm is not recorded'
grep -q 'compression ratio 0.1' "$work/three/ar_topk.csv" || fail 'the ratio is not recorded'
[[ $(tail -n +2 "$work/three/samples.csv" | cut -d, -f4 | sort -u) == 3 ]] || fail 'not 3 repetitions of each'

play 2 1 --sizes 5B -o "$work/none"
logged '--sizes: `5B` is not a size of whole fp32 values'
play 1 1 -o "$work/none"
logged 'one rank has no other rank to exchange with; start it by mpirun'
play 2 1 --most-time 1ns -o "$work/none"
logged '--most-time: nothing could be measured in the given time'

# Only rank 1 lacks memory while rank 0 waits for it in a broadcast. Sanitizers need more than it is left.
starved=no
# shellcheck disable=SC2016  # the inner shell's words
limited=(bash -c 'ulimit -v 400000 && exec "$0" "$@"' "$calibrate")
if "${limited[@]}" --version >"$work/log" 2>&1; then
  starved=yes status=0
  options=(probe mpi --collectives broadcast --sizes 256MiB --most-time 5s -o "$work/none")
  timeout 60 mpirun --oversubscribe --mca btl_vader_single_copy_mechanism none \
    -n 1 "$calibrate" "${options[@]}" : -n 1 "${limited[@]}" "${options[@]}" >"$work/log" 2>&1 </dev/null || status=$?
  [[ $status -eq 3 ]] || fail "a rank without memory: exit code $status instead of 3"
  logged 'calibrate: rank 1: std::bad_alloc'
fi
[[ ! -e $work/none ]] || fail 'a refused probe left files behind'
echo "calibrate probe mpi: 2 and 3 ranks measured, verified and fitted; 3 refusals as said; tried without memory: $starved"
