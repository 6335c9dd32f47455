#!/usr/bin/env bash
# The plan of NCCL over shaped links: its commands; a process in a namespace of its own for each rank, with NCCL's
# environment and one place for its id; measurements that fail take no other with them; loopback without namespaces.
#
#   check_nccl.sh TOOLS_DIR
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$*"
  exit 1
}

# In place of calibrate: writes down where and how it was started.
cat >"$work/calibrate" <<'STUB'
#!/usr/bin/env bash
folder=${*: -1}
mkdir -p "$folder"
echo "$(hostname) rank=${OMPI_COMM_WORLD_RANK:-none} if=${NCCL_SOCKET_IFNAME:-none} net=${NCCL_NET:-none} $*" \
  >"$folder/${OMPI_COMM_WORLD_RANK:-all}"
[[ $* != *point_to_point* || ! -e ${folder%/*}/break ]] || exit 3
STUB
chmod +x "$work/calibrate"

plan=$("$here/nccl.sh" --dry-run --ranks 3 --from 500 --to 100 --delay 2000 "$work/calibrate" "$tools" "$work/none")
[[ $(wc -l <<<"$plan") -eq 6 ]] || fail "not six commands: $plan"
[[ $(grep -c -- '--delay 2000' <<<"$plan") -eq 6 ]] || fail "no delay: $plan"
grep -q -- '--ranks 2 --bandwidth 500 .*point_to_point .*/ping_pong_500$' <<<"$plan" || fail "no ping-pong: $plan"
grep -q -- '--ranks 3 --bandwidth 100 .*all_reduce.*/n3_100$' <<<"$plan" || fail "no exchanges: $plan"
grep -q -- '--ranks 3 --bandwidth 500 .*topk_all_gather,ar_topk,.*/compressed_n3_500$' <<<"$plan" || fail "no compression in line: $plan"
[[ ! -e $work/none ]] || fail 'a plan wrote a folder'

status=0
"$here/nccl.sh" --ranks x "$work/calibrate" "$tools" "$work/none" 2>"$work/err" || status=$?
[[ $status -eq 2 ]] || fail "a number that is none: exit code $status"
[[ $(cat "$work/err") == 'nccl.sh: --ranks: `x`; accepted: a whole number' ]] || fail "$(cat "$work/err")"

"$here/testbed" check || { # what is left can be shown everywhere
  "$here/nccl.sh" --ranks 3 "$work/calibrate" "$tools" "$work/loop" 2>/dev/null
  grep -q 'rank=none if=none' "$work/loop/n3_loopback/all" || fail "loopback: $(cat "$work"/loop/*/all)"
  exit 77
}

status=0 # the stub measures nothing, so that nothing can be compared
"$here/nccl.sh" --ranks 3 --from 500 --to 100 "$work/calibrate" "$tools" "$work/out" >"$work/said" 2>&1 || status=$?
[[ $status -eq 3 ]] || fail "exit code $status: $(cat "$work/said")"
grep -q 'nothing to compare: ping-pongs and exchanges at two line rates are needed' "$work/said" || fail "$(cat "$work/said")"
for rank in 0 1 2; do
  line=$(cat "$work/out/n3_100/$rank")
  [[ $line == "n$rank rank=$rank if=eth0 net=Socket probe nccl "*"--id 10.77.0.1:29500 --ranks 3"* ]] || fail "rank $rank: $line"
done
[[ $(ls "$work/out/ping_pong_500") == $'0\n1' ]] || fail "ranks of a ping-pong: $(ls "$work/out/ping_pong_500")"

mkdir "$work/broken"
touch "$work/broken/break"
status=0
"$here/nccl.sh" --ranks 2 "$work/calibrate" "$tools" "$work/broken" >"$work/said" 2>&1 || status=$?
[[ $status -eq 3 ]] || fail "failed ping-pongs: exit code $status"
[[ -e $work/broken/n2_200/1 ]] || fail 'a failed ping-pong took the exchanges with it'
