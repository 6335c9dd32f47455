#!/usr/bin/env bash
# NCCL over shaped links as a whole, without a GPU: ranks are threads in network namespaces, whose stub of NCCL sends by TCP
# in a ring. What is measured is what the links carry, and what the ping-pong at another rate predicts.
#
#   check_nccl_on_a_stub.sh CALIBRATE STUB_CALIBRATE STUB_LIBRARY TOOLS_DIR
#
# No time may be below that of the line. Upper bounds are wide, since other processes may take the processor from the ranks;
# missed ones are measured anew, and the third time nothing is said of them (exit code 77), unless they are missed by far.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/testbed" check --one-process || exit $?
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
real=$(realpath "$1") stub=$(realpath "$2") library=$(realpath "$3") tools=$(realpath "$4")

fail() {
  echo "$*"
  exit 1
}

mkdir -p "$work/nccl/lib"
cp "$library" "$work/nccl/lib/libnccl.so.2"
cat >"$work/calibrate" <<TEXT
#!/bin/sh
[ "\$1" != validate ] || exec '$real' "\$@"
export STUB_NCCL_TCP=1 STUB_CUDA_DEVICES=1 NCCL_HOME='$work/nccl'
exec '$stub' "\$@"
TEXT
chmod +x "$work/calibrate"

# Of the largest size of a table: its time in multiples of what the line takes for that many bytes.
multiple_of_line() { # FILE MBIT
  awk -F, -v mbit="$2" '/^[0-9]/ { bytes = $1; us = $2 } END { print us * mbit / (8 * bytes) }' "$1"
}

# Measures into $work/out$1; 1 where an upper bound is missed, which it names.
measure() { # TRY
  local out=$work/out$1 said=$work/said$1
  "$here/nccl.sh" --ranks 2 --messages --from 400 --to 200 --seconds 200 "$work/calibrate" "$tools" "$out" >"$said" 2>&1 ||
    fail "exit code $?: $(cat "$said")"
  grep -q '^# note=measured .*one network namespace per rank$' "$out/n2_200/all_reduce.csv" || fail "$(head "$out/n2_200/all_reduce.csv")"
  grep -q '^# network=sockets over 200 Mbit/s per direction, 0 us added one way$' "$out/n2_200/all_reduce.csv" ||
    fail "$(head "$out/n2_200/all_reduce.csv")"
  if [[ -x $tools/live_switch && -c /dev/net/tun ]]; then
    grep -q '^allreduce ring .*delay 5 ms' "$said" || fail "no delayed links: $(cat "$said")"
  fi
  summary=$(tail -n 1 "$said")
  local mbit table found median missed=0
  median=$(sed -n -E 's/^predicted from the ping-pong at the other rate: median error ([0-9.]+) %.*/\1/p' <<<"$summary")
  [[ -n $median ]] || fail "nothing was compared: $(cat "$said")"
  if awk -v median="$median" 'BEGIN { exit !(median >= 25) }'; then
    missed=1 && cat "$said"
  fi
  for mbit in 400 200; do
    for table in ping_pong_$mbit/point_to_point n2_$mbit/all_reduce n2_$mbit/broadcast; do # 4 MiB go each way in all three
      found=$(multiple_of_line "$out/$table.csv" $mbit)
      awk -v found="$found" 'BEGIN { exit !(found > 1) }' || fail "$table takes $found times as long as the line"
      if awk -v found="$found" 'BEGIN { exit !(found >= 2) }'; then
        missed=1 && echo "$table takes $found times as long as the line"
      fi
    done
  done
  far=$(awk -v median="$median" 'BEGIN { print (median >= 100) ? "yes" : "no" }')
  return $missed
}

for try in 1 2 3; do
  if measure $try; then
    echo "$summary"
    exit
  fi
done
[[ $far == no ]] || fail 'predictions are wrong by a factor of two'
echo "skipped: bounds were missed three times: other work takes the processor, or the times are wrong"
exit 77
