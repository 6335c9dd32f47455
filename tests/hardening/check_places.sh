#!/usr/bin/env bash
# Hostile places: devices, FIFOs and links as files, two runs into one folder, runs that are killed.
#
#   check_places.sh BIN_DIR
set -euo pipefail

sim=$(realpath "$1")/sim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*"
  exit 1
}
scenario=scenarios/quickstart.yaml

# Beyond its memory a program ends with a message (under sanitizers there is no limit).
if ! grep -q __asan_init "$sim"; then
  code=0
  "$sim" --memory 1MB run $scenario --quiet >/dev/null 2>"$work/log" || code=$?
  [[ $code == 3 ]] || fail "too little memory: exit code $code"
  grep -q 'more memory is needed than the limit of 1 MB; raise it by --memory' "$work/log" || fail "$(cat "$work/log")"

  # Messages of days meet traffic of milliseconds: more flows than fit.
  cat >"$work/flows.yaml" <<'EOF'
# What do messages of days cost?
workload: resnet50_v100
cluster:
  workers: 4
  link: {latency: 1e6 s, bandwidth: 10 Gbit/s}
  background: [{from: 0, to: 1, start: 0 s, rate: 1 Gbit/s, end: 5 ms, period: 10 ms}]
training: {batch: 32, steps: 2}
exchange: {collective: ring_allreduce}
EOF
  code=0
  timeout 120 "$sim" --memory 500MB run "$work/flows.yaml" --quiet >/dev/null 2>"$work/log" || code=$?
  [[ $code == 3 ]] || fail "flows beyond the memory: exit code $code"
  grep -q 'more memory is needed than the limit of 500 MB' "$work/log" || fail "$(cat "$work/log")"

  # Processes side by side have it together.
  code=0
  timeout 120 "$sim" --memory 500MB sweep "$work/flows.yaml" --quiet --jobs 2 --axis seed=1,2 >/dev/null 2>"$work/log" || code=$?
  [[ $code == 1 ]] || fail "flows beyond the shares of memory: exit code $code"
  grep -q 'more memory is needed than 250 MB, which each of 2 processes has of the limit' "$work/log" || fail "$(cat "$work/log")"
fi

# A limit on the size of files is an error like any other, and leaves nothing.
code=0
(ulimit -f 4 && exec "$sim" run $scenario --quiet --out "$work/limited") >/dev/null 2>"$work/log" || code=$?
[[ $code == 3 ]] || fail "files above their limit: exit code $code"
grep -q 'cannot be written: File too large' "$work/log" || fail "$(cat "$work/log")"
[[ ! -e $work/limited ]] || fail 'a folder is left behind'
code=0
"$sim" run $scenario --quiet --out '' >/dev/null 2>"$work/log" || code=$?
[[ $code == 1 ]] || fail "a folder without a name: exit code $code"
grep -q -- '--out: the name is empty' "$work/log" || fail "$(cat "$work/log")"

# What has no end, or no writer, is refused at once.
mkfifo "$work/fifo"
for place in "$work/fifo" /dev/zero; do
  for command in run check report; do
    code=0
    timeout 10 "$sim" $command "$place" >"$work/log" 2>&1 </dev/null || code=$?
    [[ $code == 1 ]] || fail "sim $command $place: exit code $code"
    grep -q 'not a regular file' "$work/log" || fail "sim $command $place: $(cat "$work/log")"
  done
done

# A page goes through a device, which stays one, and through no planted link.
"$sim" run $scenario --quiet --out "$work/run" >/dev/null
ln -s /dev/null "$work/null"
"$sim" report "$work/run" --quiet -o "$work/null"
[[ -L $work/null && -c /dev/null ]] || fail 'a device was replaced'
echo precious >"$work/precious"
ln -s precious "$work/.page.html.partial"
"$sim" report "$work/run" --quiet -o "$work/page.html"
[[ $(cat "$work/precious") == precious ]] || fail 'a planted link was followed'
[[ ! -L $work/page.html && -s $work/page.html ]] || fail 'no page was written'

# Which seed the files of a folder are of; fails where they disagree.
seed_of() { # FOLDER
  local name
  for name in scenario.resolved.yaml summary.json steps.csv timeline.json report.html; do
    [[ -s $1/$name ]] || fail "$1 has no $name"
  done
  grep -oE '^seed: [0-9]+' "$1/scenario.resolved.yaml"
}

# Of two runs at once one is refused, and the folder is of the other.
for round in 1 2 3; do
  codes=()
  "$sim" run $scenario --set "seed=1$round" --quiet --out "$work/both" >/dev/null 2>"$work/one" & one=$!
  "$sim" run $scenario --set "seed=2$round" --quiet --out "$work/both" >/dev/null 2>"$work/two" & two=$!
  for job in $one $two; do
    code=0
    wait "$job" || code=$?
    codes+=("$code")
  done
  seed=$(seed_of "$work/both")
  [[ $seed == *"1$round" || $seed == *"2$round" ]] || fail "the folder is of neither run: $seed"
  [[ " ${codes[*]} " == *' 0 '* ]] || fail "both were refused: $(cat "$work/one" "$work/two")"
  for code in "${codes[@]}"; do [[ $code == 0 || $code == 1 ]] || fail "exit codes ${codes[*]}"; done
done

# Killed at any moment, a run leaves the folder of the one before or its own, and the next one leaves nothing else.
for wait_ms in 0 2 4 6 8 10 12 14 16 18 20 25 30 40; do
  "$sim" run $scenario --set "seed=3$wait_ms" --quiet --out "$work/run" >/dev/null 2>&1 & job=$!
  sleep "0.0$(printf '%02d' "$wait_ms")"
  kill -9 "$job" 2>/dev/null || true
  wait "$job" 2>/dev/null || true
  seed_of "$work/run" >/dev/null
done
"$sim" run $scenario --set seed=99 --quiet --out "$work/run" >/dev/null
[[ $(seed_of "$work/run") == 'seed: 99' ]] || fail 'the last run is not in its folder'
left=$(find "$work" -name '*.partial' -not -name .page.html.partial -o -name '*.lock')
[[ -z $left ]] || fail "left behind: $left"
