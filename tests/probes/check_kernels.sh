#!/usr/bin/env bash
# Interrupts `calibrate probe kernels`, and reads its output; gives it options with units, right and wrong.
#
#   check_kernels.sh BIN_DIR
set -euo pipefail

calibrate=$(realpath "$1")/calibrate
work=$(mktemp -d)
probe=''
trap 'kill "$probe" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() {
  echo "$*"
  cat "$work/log"
  exit 1
}

"$calibrate" probe kernels --compressors topk,qsgd,int8 --elements 2e6,4e6,8e6 --ratios 10%,0.01 \
  --seconds 300ms -o "$work/times.csv" --samples "$work/samples.csv" >"$work/log" 2>&1 &
probe=$!
for ((i = 0; i < 1200; ++i)); do
  grep -q '^6 of 12: ' "$work/log" && break
  kill -0 "$probe" 2>/dev/null || break
  sleep 0.1
done
kill -INT "$probe" || fail 'it ended before it was interrupted'
status=0
wait "$probe" || status=$?

[[ $status -eq 130 ]] || fail "exit code $status instead of 130"
stopped='stopped after ([6-9]|1[01]) of 12 cases'
grep -Eqx "$stopped" "$work/log" || fail 'it does not say that it was stopped'
grep -Eqx "# $stopped" "$work/times.csv" || fail 'the file does not say that it was stopped'
[[ $(grep -c '^topk,' "$work/times.csv") -eq 6 ]] || fail 'not all that was measured was kept'
[[ $(cut -d, -f1-3 "$work/samples.csv" | grep '^topk,' | sort -u | wc -l) -eq 6 ]] || fail 'the samples are of other cases'
grep -Ev '^(qsgd|int8),' "$work/times.csv" | "$calibrate" fit kernels --force --quiet -o "$work/costs.yaml" - >>"$work/log" 2>&1 ||
  fail 'what was kept cannot be fitted'

refused() { # OPTION VALUE TEXT
  if "$calibrate" probe kernels "$1" "$2" -o "$work/none.csv" >"$work/log" 2>&1; then fail "$1 $2 is taken"; fi
  grep -Fq "$3" "$work/log" || fail "$1 $2 is refused by other words"
}
refused --ratios 1x% '`1x%` is not a share; write it as 0.01 or 1%'
refused --ratios 200% 'the ratio 2; accepted: above 0, at most 1'
refused --seconds '3 km' 'write it as 0.5 or 500ms'
refused --seconds 0ms '`0ms` is not a time above 0'
refused --seconds nan '`nan` is not a time above 0; write it as 0.5 or 500ms'
refused --ratios nan '`nan` is not a share'
