#!/usr/bin/env bash
# Measures NCCL over shaped links of one machine, over sockets: ranks are threads of one process, each in a network
# namespace of its own. Needs root and iproute2; no MPI.
#
#   nccl.sh [--dry-run] [--ranks N] [--from MBIT] [--to MBIT] [--delay US] [--seconds S] [--library FILE] [--messages]
#           [--processes] CALIBRATE TOOLS FOLDER
#
# A ping-pong of two ranks at --from and at --to, then at both the collectives of N ranks, the gradient exchanges (top-k
# all-gather, AR-Topk) as messages alone and, without --messages, with their compression in line on the device, and
# what those compute without messages. Where TOOLS holds live_switch, which a delay needs, and --delay is not stated, some
# exchanges at --to again with 5 ms one way, and a ping-pong with them at twice --to. In the end each time at one rate is
# printed beside its prediction from the ping-pong at the other.
# --library is NCCL's file, as `calibrate probe nccl` takes it. --processes makes each rank a process under Open MPI
# instead. After --seconds (50 for each rank) no measurement is begun, and the one under way is ended.
# Each measurement is a folder of FOLDER, as `calibrate probe nccl` writes it. Where the machine permits no namespaces, all
# is measured once over loopback, unshaped, which the folders' names say. --dry-run prints the commands with namespaces. Exit code 0 done,
# 2 usage, 3 a measurement failed or found no time; the others are made all the same.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dry=no messages=no processes=no ranks=4 from=1000 to=200 delay=0 seconds='' library=()
while [[ ${1:-} == --* ]]; do
  case $1 in
    --dry-run) dry=yes && shift && continue ;;
    --messages | --processes) declare "${1#--}=yes" && shift && continue ;;
    --library) [[ -n ${2:-} ]] && library=(--library "$2") && shift 2 && continue ;;
    --ranks | --from | --to | --delay | --seconds) [[ ${2:-} =~ ^[0-9]+$ ]] || { echo "nccl.sh: $1: \`${2:-}\`; accepted: a whole number" >&2 && exit 2; } ;;
    *) echo "nccl.sh: unknown option $1; accepted: --dry-run, --ranks, --from, --to, --delay, --seconds, --library, --messages, --processes" >&2 && exit 2 ;;
  esac
  declare "${1#--}=$2"
  shift 2
done
[[ $# -eq 3 ]] || { sed -n '5,6s/^# *//p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
calibrate=$1 tools=$2 out=$3
seconds=${seconds:-$((50 * ranks))}

exchanges=all_reduce,all_gather,broadcast,topk_all_gather_messages,ar_topk_messages
delayed=all_reduce,all_gather,topk_all_gather_messages
compressed=topk_all_gather,ar_topk,topk_all_gather_local,ar_topk_select,ar_topk_apply
sizes=64KiB..4MiB
ping_pong_sizes='4 B,64 B,4KiB..4MiB' # small ones for the latency
delayed_sizes=64KiB..1MiB
delay_us=5000
# Slow links: few calls, so that all ends in time. Rings, so that what was predicted is what runs.
# A size takes 5 s at 200 Mbit/s; one that hangs may not take the time of all.
slower=$((from < to ? from : to))
case_limit_s=$((slower < 200 ? 4000 / (slower > 0 ? slower : 1) : 20))
measure=(--calls 2 --repetitions 5 --limit "$case_limit_s" --ratio 0.1 --algorithm Ring --protocol Simple "${library[@]}")
limit_s=150
port=29500 # of rank 0, in a namespace where nobody else listens
first_host=10.77.0.1
failed=0 compared=yes
python=${PYTHON:-python3}
testbed_way=(--one-process)
[[ $processes == no ]] || testbed_way=()

# A process of --processes: NCCL takes eth0 of the namespace and nothing else, and shares the device.
environment=(NCCL_NET=Socket NCCL_SOCKET_IFNAME=eth0 NCCL_SOCKET_FAMILY=AF_INET NCCL_IB_DISABLE=1 NCCL_NVLS_ENABLE=0
  NCCL_MNNVL_ENABLE=0 NCCL_RAS_ENABLE=0)

play() { # COMMAND...
  if [[ $dry == yes ]]; then
    echo "$*"
  elif ! "$@"; then
    echo "nccl.sh: failed: $*" >&2
    failed=1
  fi
}

# Seconds that the next measurement may take: at most what is left.
time_left() {
  local left=$((seconds - SECONDS))
  if [[ $left -gt $limit_s ]]; then echo $limit_s; else echo $left; fi
}

shaped() { # RANKS MBIT DELAY_US OPERATIONS SIZES FOLDER
  local left held=() place=(--namespaces '{namespaces}') before=()
  left=$(time_left)
  if [[ $left -lt 3 && $dry == no ]]; then
    echo "nccl.sh: no time left for $6" >&2
    failed=1
    return
  fi
  [[ $3 -eq 0 ]] || held=(--delay "$3")
  [[ $processes == no ]] || { place=(--id "$first_host:$port" --ranks "$1") && before=(env "${environment[@]}"); }
  play "$here/testbed" run "${testbed_way[@]}" --ranks "$1" --bandwidth "$2" "${held[@]}" --tools "$tools" --timeout "$left" -- \
    "${before[@]}" "$calibrate" probe nccl --quiet "${place[@]}" --operations "$4" --sizes "$5" "${measure[@]}" \
    --network "sockets over $2 Mbit/s per direction, $3 us added one way" -o "$out/$6"
}

loopback() { # RANKS OPERATIONS SIZES FOLDER
  play "$calibrate" probe nccl --quiet --ranks "$1" --operations "$2" --sizes "$3" "${measure[@]}" -o "$out/$4"
}

shaped_links() {
  local mbit
  for mbit in "$from" "$to"; do
    shaped 2 "$mbit" "$delay" point_to_point "$ping_pong_sizes" "ping_pong_$mbit"
    shaped "$ranks" "$mbit" "$delay" $exchanges $sizes "n${ranks}_$mbit"
    [[ $messages == yes ]] || shaped "$ranks" "$mbit" "$delay" $compressed $sizes "compressed_n${ranks}_$mbit"
  done
  [[ $delay -eq 0 && -x $tools/live_switch && -c /dev/net/tun ]] || return 0
  shaped 2 $((2 * to)) $delay_us point_to_point "$ping_pong_sizes" "ping_pong_$((2 * to))_${delay_us}us"
  shaped "$ranks" "$to" $delay_us $delayed $delayed_sizes "n${ranks}_${to}_${delay_us}us"
}

unshaped() {
  loopback 2 point_to_point "$ping_pong_sizes" ping_pong_loopback
  loopback "$ranks" $exchanges $sizes "n${ranks}_loopback"
  [[ $messages == yes ]] || loopback "$ranks" $compressed $sizes "compressed_n${ranks}_loopback"
}

[[ $dry == yes ]] || mkdir -p "$out"
if [[ $dry == yes ]] || why=$("$here/testbed" check "${testbed_way[@]}"); then
  shaped_links
else
  echo "nccl.sh: $why; over loopback, unshaped" >&2
  unshaped
  compared=no # of one rate nothing is predicted
fi
if [[ $dry == no && $compared == yes ]] && ! "$python" -B "$here/../../calibrate/first_contact/import_shaped.py" "$out" --calibrate "$calibrate"; then
  echo "nccl.sh: measured and predicted times were not compared" >&2
  failed=1
fi
[[ $failed -eq 0 ]] || exit 3
