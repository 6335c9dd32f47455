#!/usr/bin/env bash
# Sweeps on the ranks of an MPI job give the table of a sweep on one machine, also where a rank is killed.
#
#   check_ranks.sh BIN_DIR
set -euo pipefail

sim=$(realpath "$1")/sim
if ! command -v mpirun >/dev/null; then
  echo "skipped: mpirun is not installed"
  exit 77
fi
work=$(mktemp -d)
job=''
trap '[[ -z $job ]] || kill "$job" 2>/dev/null || true; rm -rf "$work"' EXIT

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # both, says Open MPI
export ASAN_OPTIONS=detect_leaks=0                               # MPI libraries keep what they have allocated
fail() {
  echo "$*" >&2
  cat "$work/log" >&2
  exit 1
}

ranks() { # OPTION...
  timeout 200 mpirun --oversubscribe --mca btl_vader_single_copy_mechanism none "$@" </dev/null
}

sweep=("$sim" sweep scenarios/what_if/ag_or_ar.yaml --set training.steps=20000
  --axis 'cluster.link.bandwidth=1Gbit/s,5Gbit/s,10Gbit/s' --axis compression.ratio=0.1,0.01,0.001 --axis seed=1..10)

same() { # FILE; its contents equal those of one machine
  "$sim" sweep --db "$1" --export csv | diff -q - "$work/alone.csv" >"$work/log" || fail "$1 holds another table"
}

# The process of a rank of the job that writes this file: a child of the launcher, unlike the points it runs.
process_of() { # RANK FILE
  local process parent
  for _ in $(seq 400); do
    for process in $(pgrep -f -- "--db $2" || true); do
      parent=$(awk '{print $4}' "/proc/$process/stat" 2>/dev/null || echo 1)
      if [[ $(cat "/proc/$parent/comm" 2>/dev/null) == mpirun ]] &&
        tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$1"; then
        echo "$process"
        return
      fi
    done
    sleep 0.02
  done
  fail "no rank $1 was found at work on $2"
}

# Kills a rank as soon as a few points are in the file.
kill_rank() { # RANK FILE
  local process
  process=$(process_of "$1" "$2")
  for _ in $(seq 2000); do
    if [[ $("$sim" sweep --db "$2" --export csv 2>/dev/null | wc -l) -gt 6 ]]; then
      kill -9 "$process"
      return
    fi
    sleep 0.01
  done
  fail "no points came into $2"
}

"${sweep[@]}" --quiet >"$work/alone.csv"

ranks -n 3 "${sweep[@]}" --db "$work/three.db" --export csv >"$work/three.csv" 2>"$work/log" ||
  fail "on 3 ranks: exit code $?"
diff -q "$work/three.csv" "$work/alone.csv" >"$work/log" || fail 'another table is printed on 3 ranks'
same "$work/three.db"

# The launcher ends the job with the rank; nothing finished is lost, and the same command goes on.
ranks -n 3 "${sweep[@]}" --db "$work/killed.db" >"$work/log" 2>&1 &
job=$!
kill_rank 2 "$work/killed.db"
if wait "$job"; then fail 'the job went on without its rank'; fi
[[ $("$sim" sweep --db "$work/killed.db" --export csv | wc -l) -lt $(wc -l <"$work/alone.csv") ]] ||
  fail 'the rank was killed too late'
ranks -n 3 "${sweep[@]}" --db "$work/killed.db" --resume >"$work/log" 2>&1 || fail "resumed: exit code $?"
grep -qE '^90 points: [0-9]+ simulated now, [1-9][0-9]* known before, 0 failed, 0 left' "$work/log" ||
  fail 'nothing was known before'
same "$work/killed.db"

# A launcher that lets the job outlive its rank: another runs the point, and the table is the same.
live=("$sim" sweep scenarios/what_if/live_topk.yaml --axis seed=1..20)
"${live[@]}" --quiet >"$work/live.csv"
ranks --enable-recovery -n 3 "${live[@]}" --db "$work/lost.db" --lost-after 3s --export csv >"$work/lost.csv" \
  2>"$work/log" &
job=$!
kill_rank 1 "$work/lost.db"
wait "$job" || fail "with a lost rank: exit code $?"
grep -q 'lost ranks: 1; their points were given to other ranks' "$work/log" || fail 'the lost rank is not named'
diff -q "$work/lost.csv" "$work/live.csv" >"$work/log" || fail 'another table with a lost rank'

# Without a database.
ranks -n 2 "${sweep[@]}" --quiet >"$work/two.csv" 2>"$work/log" || fail "on 2 ranks: exit code $?"
diff -q "$work/two.csv" "$work/alone.csv" >"$work/log" || fail 'another table on 2 ranks'

refused() { # TEXT OPTION...
  local text=$1
  shift
  if ranks -n 2 "$@" >"$work/log" 2>&1; then fail "not refused: $text"; fi
  [[ $(grep -cF -- "$text" "$work/log") -eq 1 ]] || fail "this was not said once: $text"
}
refused '--jobs: applies to one machine, but a launcher started several processes' "${sweep[@]}" --jobs 2
refused '--db: `' "${sweep[@]}" --db "$work/three.db"
refused '--lost-after: `1 s` is too short: ranks send a heartbeat once a second' "${sweep[@]}" --lost-after '1 s'
refused '--lost-after: `soon` does not begin with a number' "${sweep[@]}" --lost-after soon
echo "ranks: the same table on 1 machine, 2 and 3 ranks, and where a rank is killed"
