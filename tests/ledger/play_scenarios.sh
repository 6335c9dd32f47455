#!/usr/bin/env bash
# Runs the scenarios of the papers and keeps the JSON output of `sim`, for the ledger's published figures.
#
#   play_scenarios.sh BIN_DIR FOLDER [NAME...]
#
# FOLDER/NAME.json of each scenarios/papers/NAME.yaml; without names, of all of them.
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
