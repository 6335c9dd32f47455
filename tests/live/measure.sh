#!/usr/bin/env bash
# `./dev live`: measures MPI, or NCCL, over shaped links of this machine, as live.sh and nccl.sh describe. Needs root.
#
#   measure.sh BUILD_DIR [--slow|--rooted] [FOLDER]
#   measure.sh BUILD_DIR --nccl [OPTION...] FOLDER
#
# FOLDER gets the measurements. MPI's are left in BUILD_DIR/live-DATE-TIME where none is named.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1
shift
if [[ ${1:-} == --nccl ]]; then
  exec "$here/nccl.sh" "${@:2:$#-2}" "$build/bin/calibrate" "$build/tests/live" "${*: -1}"
fi
form=long
case ${1:-} in
  --slow | --rooted) form=${1#--} && shift ;;
esac
folder=${1:-}
[[ -n $folder ]] || folder=$build/live-$(date +%Y%m%d-%H%M%S)
printf 'dev: measurements, and predicted against measured: %s\n' "$folder" >&2
exec "$here/live.sh" "$form" "$build/bin" "$build/tests/live" "$folder"
