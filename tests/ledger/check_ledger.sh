#!/usr/bin/env bash
# Fails where a figure of the ledger has become worse than its band; entries whose data is not there are skipped by name.
#
#   check_ledger.sh BIN_DIR
#
# Leaves out slow entries: the one on GraVAC's Table 3 is skipped here and run by `./dev ledger`.
set -euo pipefail

bin=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
names=()
for file in scenarios/papers/*.yaml; do
  name=$(basename "$file" .yaml)
  if [[ $name != gravac_table3 ]]; then names+=("$name"); fi
done
bash tests/ledger/play_scenarios.sh "$bin" "$results" "${names[@]}"
"$bin/calibrate" validate tests/ledger.yaml --results "$results"
