#!/usr/bin/env bash
# The plan of NCCL over shaped links: its commands; one process that is given the ranks' namespaces, or a process in a
# namespace of its own for each rank, with NCCL's environment and one place for its id; measurements that fail, or find
# no time, take no other with them; loopback without namespaces.
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
[[ $(grep -c -- '--one-process .*--namespaces {namespaces} ' <<<"$plan") -eq 6 ]] || fail "not threads of one process: $plan"
plan=$("$here/nccl.sh" --dry-run --ranks 2 --messages --library other.so "$work/calibrate" "$work" "$work/none")
[[ $(wc -l <<<"$plan") -eq 4 ]] || fail "not four commands without compression and live_switch: $plan"
[[ $(grep -c -- '--limit 20 .*--library other.so' <<<"$plan") -eq 4 ]] || fail "no limit of a case, or no library: $plan"
if [[ -x $tools/live_switch && -c /dev/net/tun ]]; then
  plan=$("$here/nccl.sh" --dry-run --ranks 2 "$work/calibrate" "$tools" "$work/none")
  grep -q -- '--bandwidth 400 --delay 5000 .*point_to_point .*/ping_pong_400_5000us$' <<<"$plan" || fail "no delayed ping-pong: $plan"
  grep -q -- '--bandwidth 200 --delay 5000 .*all_reduce.*/n2_200_5000us$' <<<"$plan" || fail "no delayed exchanges: $plan"
fi

status=0
"$here/nccl.sh" --ranks x "$work/calibrate" "$tools" "$work/none" 2>"$work/err" || status=$?
[[ $status -eq 2 ]] || fail "a number that is none: exit code $status"
[[ $(cat "$work/err") == 'nccl.sh: --ranks: `x`; accepted: a whole number' ]] || fail "$(cat "$work/err")"

"$here/testbed" check --one-process || { # what is left can be shown everywhere
  "$here/nccl.sh" --ranks 3 "$work/calibrate" "$tools" "$work/loop" 2>/dev/null
  grep -q 'rank=none if=none' "$work/loop/n3_loopback/all" || fail "loopback: $(cat "$work"/loop/*/all)"
  exit 77
}

play() { # FOLDER OPTION...
  status=0
  "$here/nccl.sh" "${@:2}" "$work/calibrate" "$tools" "$work/$1" >"$work/said" 2>&1 || status=$?
}

play out --ranks 3 --from 500 --to 100 # the stub measures nothing, so that nothing can be compared
[[ $status -eq 3 ]] || fail "exit code $status: $(cat "$work/said")"
grep -q 'nothing to compare: ping-pongs and exchanges at two line rates are needed' "$work/said" || fail "$(cat "$work/said")"
line=$(cat "$work/out/n3_100/all")
[[ $line =~ --namespaces\ (gradsim-live-[0-9]+-r)0,(gradsim-live-[0-9]+-r)1,(gradsim-live-[0-9]+-r)2\  ]] || fail "one process: $line"
[[ $(ip netns list) != *"${BASH_REMATCH[1]}"* ]] || fail "namespaces are left: $(ip netns list)"

play none --ranks 3 --seconds 0
[[ $status -eq 3 ]] || fail "no time: exit code $status"
[[ $(grep -c 'no time left for' "$work/said") -ge 6 && ! -e $work/none/n3_200 ]] || fail "no time: $(cat "$work/said")"

if "$here/testbed" check >/dev/null; then
  play processes --processes --ranks 3 --from 500 --to 100
  for rank in 0 1 2; do
    line=$(cat "$work/processes/n3_100/$rank")
    [[ $line == "n$rank rank=$rank if=eth0 net=Socket probe nccl "*"--id 10.77.0.1:29500 --ranks 3"* ]] || fail "rank $rank: $line"
  done
  [[ $(ls "$work/processes/ping_pong_500") == $'0\n1' ]] || fail "ranks of a ping-pong: $(ls "$work/processes/ping_pong_500")"
fi

mkdir "$work/broken"
touch "$work/broken/break"
play broken --ranks 2
[[ $status -eq 3 ]] || fail "failed ping-pongs: exit code $status"
[[ -e $work/broken/n2_200/all ]] || fail 'a failed ping-pong took the exchanges with it'
