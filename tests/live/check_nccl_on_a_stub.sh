#!/usr/bin/env bash
# NCCL over shaped links as a whole, without a GPU: ranks are threads in network namespaces, whose stub of NCCL sends by TCP
# in a ring. What is measured is what the links carry, and what the ping-pong at another rate predicts.
#
#   check_nccl_on_a_stub.sh CALIBRATE STUB_CALIBRATE STUB_LIBRARY TOOLS_DIR
#
# Bounds are wide: other processes may take the processor from the ranks for a while. No time may be below that of the line.
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

"$here/nccl.sh" --ranks 2 --messages --from 400 --to 200 --seconds 200 "$work/calibrate" "$tools" "$work/out" >"$work/said" 2>&1 ||
  fail "exit code $?: $(cat "$work/said")"
grep -q '^# note=measured .*one network namespace per rank$' "$work/out/n2_200/all_reduce.csv" || fail "$(head "$work/out/n2_200/all_reduce.csv")"
grep -q '^# network=sockets over 200 Mbit/s per direction, 0 us added one way$' "$work/out/n2_200/all_reduce.csv" ||
  fail "$(head "$work/out/n2_200/all_reduce.csv")"

# Of the largest size of a table: its time in multiples of what the line takes for that many bytes.
multiple_of_line() { # FILE MBIT
  awk -F, -v mbit="$2" '/^[0-9]/ { bytes = $1; us = $2 } END { print us * mbit / (8 * bytes) }' "$1"
}
for mbit in 400 200; do
  for table in ping_pong_$mbit/point_to_point n2_$mbit/all_reduce n2_$mbit/broadcast; do # 4 MiB go each way in all three
    found=$(multiple_of_line "$work/out/$table.csv" $mbit)
    awk -v found="$found" 'BEGIN { exit !(found > 1 && found < 2) }' || fail "$table takes $found times as long as the line"
  done
done

summary=$(tail -n 1 "$work/said")
median=$(sed -n -E 's/^predicted from the ping-pong at the other rate: median error ([0-9.]+) %.*/\1/p' <<<"$summary")
[[ -n $median ]] || fail "nothing was compared: $(cat "$work/said")"
awk -v median="$median" 'BEGIN { exit !(median < 25) }' || fail "$(cat "$work/said")"
if [[ -x $tools/live_switch && -c /dev/net/tun ]]; then
  grep -q '^allreduce ring .*delay 5 ms' "$work/said" || fail "no delayed links: $(cat "$work/said")"
fi
echo "$summary"
