#!/usr/bin/env bash
# Runs the scenarios of the papers and of measured steps, and keeps the JSON output of `sim`, for the ledger's published figures.
#
#   play_scenarios.sh BIN_DIR FOLDER [NAME...]
#
# FOLDER/NAME.json of each scenarios/papers/NAME.yaml; without names, of all of them. Then the scenarios of measured
# steps, of published gains of compression and of published peaks of memory, where python3 is: see measured_steps.py,
# compression_gains.py and memory_peaks.py.
set -euo pipefail

bin=$(realpath -m "$1")
folder=$(realpath -m "$2")
shift 2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p "$folder"
if [[ $# -eq 0 ]]; then
  for file in scenarios/papers/*.yaml; do set -- "$@" "$(basename "$file" .yaml)"; done
fi
for name in "$@"; do
  command=run
  if grep -q '^planning:' "scenarios/papers/$name.yaml"; then command=advise; fi
  "$bin/sim" "$command" "scenarios/papers/$name.yaml" --format json --quiet >"$folder/$name.json"
done

if ! command -v python3 >/dev/null; then
  echo "skipped: the scenarios of measured steps, of gains of compression and of memory (no python3)" >&2
else
  python3 -B tests/ledger/measured_steps.py "$bin" tests/data "$folder"
  python3 -B tests/ledger/compression_gains.py "$bin" tests/data "$folder"
  python3 -B tests/ledger/memory_peaks.py "$bin" tests/data "$folder"
fi
