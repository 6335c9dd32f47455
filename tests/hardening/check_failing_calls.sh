#!/usr/bin/env bash
# One call of the system fails: results that are complete stay, and the message says what was lost.
#
#   check_failing_calls.sh BIN_DIR LIBRARY
set -euo pipefail

sim=$(realpath "$1")/sim
library=$(realpath "$2")
scenario=$PWD/scenarios/quickstart.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*"
  exit 1
}
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
cd "$work"

# The number of the last call of a kind, or of the last one for files of a name.
last_call() { # KIND [NAME]
  awk -v kind="$1" -v name="${2:-}" '$1 == kind && (name == "" || $3 ~ name "$") { last = $2 } END { print last }' calls
}

logged() { # ARGUMENT...
  rm -f calls
  FAILING_CALLS_LOG=$work/calls LD_PRELOAD=$library "$sim" "$@" >out 2>log || fail "sim $1: $(cat log)"
}

failing() { # CALL EXIT_CODE ARGUMENT...
  local call=$1 expected=$2 code=0
  shift 2
  FAILING_CALLS=$call LD_PRELOAD=$library "$sim" "$@" >out 2>log || code=$?
  [[ $code == "$expected" ]] || fail "sim $1 with $call: exit code $code, expected $expected: $(cat log)"
}

logged run "$scenario" --out run
chart=$(awk '/^open .*chart[^ ]*js$/ { print $3 }' calls)
[[ -n $chart ]] || fail "no chart library is looked for"

# Chart.js that cannot be read costs the charts, and no result.
if [[ -s $chart ]]; then
  failing "open:13:$(last_call open "$chart")" 0 run "$scenario" --out run
  grep -q 'warning: report.html has no charts: .*Permission denied' log || fail "no warning: $(cat log)"
  grep -q 'Charts are left out: Chart.js was not found, or could not be read' run/report.html || fail 'the page does not say so'
  [[ -s run/summary.json && -s run/steps.csv ]] || fail 'results are missing'
fi

# What cannot be known to be on the disk is in its place all the same.
failing "sync:5:$(last_call sync)" 3 run "$scenario" --set seed=7 --out run
grep -q 'run is complete and in its place, but may be lost.*Input/output error' log || fail "$(cat log)"
grep -q '^seed: 7' run/scenario.resolved.yaml || fail 'the new results are not in the folder'
logged report run --quiet -o page.html
rm page.html
failing "open:4:$(last_call open steps.csv)" 0 report run --quiet -o page.html  # a signal that interrupts is not an error
failing "sync:5:$(last_call sync)" 3 report run --quiet -o page.html
grep -q 'page.html is complete and in its place, but may be lost.*Input/output error' log || fail "$(cat log)"
[[ -s page.html ]] || fail 'no page'

# The first reason is told, and not that of what was tried after it.
logged run "$scenario" --quiet --out new
rm -r new
failing "rename:5:$(last_call rename)" 3 run "$scenario" --quiet --out new
grep -q 'new cannot be made: Input/output error' log || fail "$(cat log)"
[[ ! -e new ]] || fail 'a folder is left behind'

# Memory runs out at one allocation, or at one folder that is looked into: never another answer than this one.
memory_runs_out() { # KIND FROM STEP TO ARGUMENT...
  local kind=$1 from=$2 step=$3 to=$4 code number
  shift 4
  for ((number = from; number <= to; number += step)); do
    code=0
    FAILING_CALLS=$kind:12:$number LD_PRELOAD=$library "$sim" "$@" >out 2>log || code=$?
    [[ $code == 3 ]] || fail "$kind $number fails: exit code $code, expected 3: $(cat log)"
    grep -q 'memory' log || fail "$kind $number fails: $(cat log)"
  done
}
rm -rf calls
logged check "$scenario"
folders=$(last_call list)
[[ $folders -ge 2 ]] || fail "check looks into $folders folders"
memory_runs_out list 1 1 "$folders" check "$scenario"
if ! grep -q __asan_init "$sim"; then
  memory_runs_out allocate 900 37 6400 check "$scenario"
fi
