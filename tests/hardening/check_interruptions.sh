#!/usr/bin/env bash
# SIGTERM in the middle of a step that takes minutes: the program leaves at once and keeps what was finished.
#
#   check_interruptions.sh BIN_DIR
set -euo pipefail

sim=$(realpath "$1")/sim
work=$(mktemp -d)
job=
trap '[[ -z $job ]] || kill -9 "$job" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() {
  echo "$*"
  exit 1
}

# Every message of 1500 ranks is a flow: one step takes minutes.
cat >"$work/long.yaml" <<'EOF'
# May a step be left?
workload: {name: big, provenance: assumed, parameters: 25557032, compute: 3 ms, batch: 1}
cluster: {workers: 1500, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}
training: {batch: 1, steps: 3}
exchange: {collective: ring_allreduce}
compare: {short: {network: closed}, long: {network: simgrid}}
EOF

# Sends SIGTERM after the first line that matches, and waits for the end: at most 30 s, where the step takes minutes.
interrupt_after() { # PATTERN ARGUMENT...
  local pattern=$1 tries
  shift
  "$sim" "$@" >"$work/out" 2>"$work/log" & job=$!
  for ((tries = 0; tries < 600; ++tries)); do
    if grep -q "$pattern" "$work/log"; then break; fi
    kill -0 "$job" 2>/dev/null || fail "sim $1 ended before it could be interrupted: $(cat "$work/log")"
    sleep 0.1
  done
  kill -TERM "$job"
  for ((tries = 0; tries < 300; ++tries)); do
    if ! kill -0 "$job" 2>/dev/null; then break; fi
    sleep 0.1
  done
  if kill -0 "$job" 2>/dev/null; then fail "sim $1 works on after SIGTERM"; fi
  code=0
  wait "$job" || code=$?
  job=
  [[ $code == 143 ]] || fail "sim $1: exit code $code, expected 143: $(cat "$work/log")"
}

interrupt_after 'arm 2 of 2' run "$work/long.yaml" --out "$work/run"
grep -q '^short ' "$work/out" || fail "the finished arm is missing: $(cat "$work/out")"
grep -q 'interrupted: the results hold 1 of 2 arms' "$work/log" || fail "the missing arm is not mentioned: $(cat "$work/log")"
grep -q '"short"' "$work/run/summary.json" || fail 'the folder lacks the finished arm'
left=$(find "$work" -name '*.partial' -o -name '*.lock')
[[ -z $left ]] || fail "left behind: $left"

# A round of 4096 workers at their own pace takes minutes, too.
cat >"$work/apart.yaml" <<'EOF'
# May a round be left?
workload: {name: big, provenance: assumed, parameters: 5000000, compute: 30 ms, batch: 32}
cluster: {workers: 4096, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}
training: {batch: 32, steps: 2000}
compare:
  short: {training: {steps: 3}}
  long: {synchronisation: {method: decoupled_diloco, every: 4, fragments: 4}}
EOF
interrupt_after 'arm 2 of 2' run "$work/apart.yaml" --out "$work/apart"
grep -q '"short"' "$work/apart/summary.json" || fail 'the folder lacks the arm that was finished beside a long round'
if grep -q 'did not stop within' "$work/log"; then fail "a round was not left: $(cat "$work/log")"; fi

# Nothing finished: the folder of the run before stays.
sed 's/short: {network: closed}, //' "$work/long.yaml" >"$work/alone.yaml"
interrupt_after 'arm 1 of 1' run "$work/alone.yaml" --out "$work/run"
grep -q 'interrupted: the results hold 0 of 1 arms' "$work/log" || fail "the missing arm is not mentioned: $(cat "$work/log")"
grep -q '"short"' "$work/run/summary.json" || fail 'a run without results replaced the folder of another'
