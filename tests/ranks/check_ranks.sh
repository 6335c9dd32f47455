#!/usr/bin/env bash
# Sweeps on the ranks of a launcher give the table of one process, also where a rank is killed. Ranks are processes with
# the variables that the launcher sets; with mpirun installed, its own ranks, too.
#
#   check_ranks.sh BIN_DIR
set -euo pipefail

sim=$(realpath "$1")/sim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*" >&2
  cat "$work/log" >&2
  exit 1
}

sweep=("$sim" sweep scenarios/what_if/ag_or_ar.yaml --set training.steps=20
  --axis 'cluster.link.bandwidth=1Gbit/s,5Gbit/s,10Gbit/s' --axis compression.ratio=0.1,0.01 --axis seed=1..5)

# Ranks 0 to N-1 of a launcher; rank 0 is in the foreground.
ranks() { # N LAUNCH ARGUMENT...
  local ranks=$1 launch=$2 rank status=0
  shift 2
  for ((rank = ranks - 1; rank > 0; --rank)); do
    env SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS="$ranks" SLURM_JOB_ID="$launch" "$@" </dev/null >"$work/rank$rank" 2>&1 &
  done
  env SLURM_PROCID=0 SLURM_STEP_NUM_TASKS="$ranks" SLURM_JOB_ID="$launch" "$@" </dev/null || status=$?
  wait
  return "$status"
}

same() { # FILE; its contents equal those of one process, and no part is left
  "$sim" sweep --db "$1" --export csv | diff -q - "$work/alone.csv" >"$work/log" || fail "$1 holds another table"
  [[ -z $(find "$work" -name '*.part-*') ]] || fail "parts of $1 are left"
}

"${sweep[@]}" --quiet >"$work/alone.csv"

ranks 3 1 "${sweep[@]}" --db "$work/three.db" --export csv >"$work/three.csv" 2>"$work/log" || fail "3 ranks: exit code $?"
diff -q "$work/three.csv" "$work/alone.csv" >"$work/log" || fail 'another table is printed on 3 ranks'
same "$work/three.db"

# Without rank 1, rank 0 names its part after a while; the same command with --resume goes on, on other ranks, too.
status=0
env SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 "${sweep[@]}" --db "$work/lost.db" --lost-after 1s >"$work/log" 2>&1 || status=$?
[[ $status == 3 ]] || fail "a lost rank: exit code $status"
grep -qF "sim sweep: 1 of 2 parts did not end, and nothing has changed there for 1 s: $work/lost.part-2-of-2.db" "$work/log" ||
  fail 'the lost part is not named'
grep -qF 'repeat the same command with --resume, or the command of one part with --part K/2 --resume, and join all by sim' \
  "$work/log" || fail 'no command is named'
"${sweep[@]}" --db "$work/lost.db" --part 2/2 >"$work/log" 2>&1 || fail "part 2/2: exit code $?"
"$sim" sweep --merge "$work" --db "$work/lost.db" >"$work/log" 2>&1 || fail "merging: exit code $?"
grep -qx '30 points: 30 simulated, 0 failed, 0 missing, from 2 files' "$work/log" || fail 'the merged points are not counted'
rm "$work"/*.part-*
same "$work/lost.db"
ranks 3 2 "${sweep[@]}" --db "$work/lost.db" --resume >"$work/log" 2>&1 || fail "resumed: exit code $?"
grep -qx '10 points: 0 simulated now, 10 known before, 0 failed, 0 left' "$work/log" || fail 'points were not known'
same "$work/lost.db"

refused() { # TEXT ARGUMENT...
  local text=$1
  shift
  if ranks 2 3 "$@" >"$work/log" 2>&1; then fail "not refused: $text"; fi
  cat "$work/rank1" >>"$work/log"
  [[ $(grep -cF -- "$text" "$work/log") -eq 1 ]] || fail "this was not said once: $text"
}
refused '--db: ranks write their parts beside the file of the sweep, and no file is given; name a file in a folder that all machines share' "${sweep[@]}"
refused "--db: \`$work/three.db\` already exists; continue it by --resume, or name another file" "${sweep[@]}" --db "$work/three.db"
refused '--lost-after: `0.5 s` is too short; accepted: at least 1 s' "${sweep[@]}" --db "$work/new.db" --lost-after '0.5 s'
refused '--lost-after: `soon` does not begin with a number' "${sweep[@]}" --db "$work/new.db" --lost-after soon
refused 'cluster.wrkers' "${sweep[@]}" --axis cluster.wrkers=1,2 --db "$work/new.db"

if ! command -v mpirun >/dev/null; then
  echo "ranks: as one process; mpirun is not installed"
  exit
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # both, says Open MPI
launched() { # ARGUMENT...
  timeout 200 mpirun --oversubscribe -n 3 "$@" </dev/null
}
launched "${sweep[@]}" --db "$work/mpi.db" --export csv >"$work/mpi.csv" 2>"$work/log" || fail "by mpirun: exit code $?"
diff -q "$work/mpi.csv" "$work/alone.csv" >"$work/log" || fail 'another table is printed by mpirun'
same "$work/mpi.db"

# A rank that dies: its point kills its worker's parent once. The launcher ends the job; --resume goes on.
cat >"$work/dying" <<'SCRIPT'
#!/usr/bin/env bash
# Rank 1 dies as soon as its file is there.
if [[ $OMPI_COMM_WORLD_RANK == 1 ]]; then
  "$@" &
  until compgen -G "$DYING_FILE" >/dev/null; do sleep 0.01; done
  kill -9 $!
  exit 1
fi
exec "$@"
SCRIPT
chmod +x "$work/dying"
export DYING_FILE="$work/killed.part-2-of-3.db"
if launched "$work/dying" "${sweep[@]}" --db "$work/killed.db" --set training.steps=20 >"$work/log" 2>&1; then
  fail 'the job went on without its rank'
fi
launched "${sweep[@]}" --db "$work/killed.db" --resume >"$work/log" 2>&1 || fail "resumed: exit code $?"
same "$work/killed.db"
echo 'ranks: the table of one process, by variables of srun and by mpirun, also where a rank is killed'
