#!/usr/bin/env bash
# Measures NCCL over shaped links of one machine: one process per rank, each in its own network namespace, over sockets.
#
#   nccl.sh [--dry-run] [--ranks N] [--from MBIT] [--to MBIT] [--delay US] CALIBRATE TOOLS FOLDER
#
# A ping-pong of two ranks at --from and at --to, then at both the collectives of N ranks, the gradient exchanges (top-k
# all-gather, AR-Topk) as messages alone and with their compression in line on the device, and what those compute without
# messages. In the end each time at one rate is printed beside its prediction from the ping-pong at the other. TOOLS holds
# live_switch, which a delay needs.
# Each measurement is a folder of FOLDER, as `calibrate probe nccl` writes it. Where the machine permits no namespaces, all
# is measured once over loopback, unshaped, which the folders' names say. --dry-run prints the commands with namespaces. Exit code 0 done,
# 2 usage, 3 a measurement failed; the others are made all the same.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dry=no ranks=4 from=1000 to=200 delay=0
while [[ ${1:-} == --* ]]; do
  case $1 in
    --dry-run) dry=yes && shift && continue ;;
    --ranks | --from | --to | --delay) [[ ${2:-} =~ ^[0-9]+$ ]] || { echo "nccl.sh: $1: \`${2:-}\`; accepted: a whole number" >&2 && exit 2; } ;;
    *) echo "nccl.sh: unknown option $1; accepted: --dry-run, --ranks, --from, --to, --delay" >&2 && exit 2 ;;
  esac
  declare "${1#--}=$2"
  shift 2
done
[[ $# -eq 3 ]] || { sed -n '4s/^# *//p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
calibrate=$1 tools=$2 out=$3

exchanges=all_reduce,all_gather,broadcast,topk_all_gather_messages,ar_topk_messages
compressed=topk_all_gather,ar_topk,topk_all_gather_local,ar_topk_select,ar_topk_apply
sizes=64KiB..4MiB
ping_pong_sizes='4 B,64 B,4KiB..4MiB' # small ones for the latency
# Slow links: few calls, so that all ends in time. Rings, so that what was predicted is what runs.
measure=(--calls 2 --repetitions 5 --ratio 0.1 --algorithm Ring --protocol Simple)
limit_s=150
port=29500 # of rank 0, in a namespace where nobody else listens
first_host=10.77.0.1
failed=0 compared=yes
python=${PYTHON:-python3}

# NCCL takes eth0 of the namespace and nothing else.
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

sizes_of() { # OPERATIONS
  if [[ $1 == point_to_point ]]; then echo "$ping_pong_sizes"; else echo "$sizes"; fi
}

shaped() { # RANKS MBIT OPERATIONS FOLDER
  local switch=()
  [[ $delay -eq 0 ]] || switch=(--delay "$delay")
  play "$here/testbed" run --ranks "$1" --bandwidth "$2" "${switch[@]}" --tools "$tools" --timeout $limit_s -- \
    env "${environment[@]}" "$calibrate" probe nccl --quiet --id $first_host:$port --ranks "$1" --operations "$3" --sizes "$(sizes_of "$3")" "${measure[@]}" \
    --network "sockets over $2 Mbit/s per direction, $delay us added one way, one network namespace per rank" -o "$out/$4"
}

loopback() { # RANKS OPERATIONS FOLDER
  play "$calibrate" probe nccl --quiet --ranks "$1" --operations "$2" --sizes "$(sizes_of "$2")" "${measure[@]}" -o "$out/$3"
}

[[ $dry == yes ]] || mkdir -p "$out"
if [[ $dry == yes ]] || why=$("$here/testbed" check); then
  for mbit in "$from" "$to"; do
    shaped 2 "$mbit" point_to_point "ping_pong_${mbit}"
    shaped "$ranks" "$mbit" $exchanges "n${ranks}_${mbit}"
    shaped "$ranks" "$mbit" $compressed "compressed_n${ranks}_${mbit}"
  done
else
  echo "nccl.sh: $why; over loopback, unshaped" >&2
  loopback 2 point_to_point ping_pong_loopback
  loopback "$ranks" $exchanges "n${ranks}_loopback"
  loopback "$ranks" $compressed "compressed_n${ranks}_loopback"
  compared=no # of one rate nothing is predicted
fi
if [[ $dry == no && $compared == yes ]] && ! "$python" -B "$here/../../calibrate/first_contact/import_shaped.py" "$out" --calibrate "$calibrate"; then
  echo "nccl.sh: measured and predicted times were not compared" >&2
  failed=1
fi
[[ $failed -eq 0 ]] || exit 3
