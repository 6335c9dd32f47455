#!/usr/bin/env bash
# Fails where a figure of the ledger has become worse than its band; entries whose data is not there are skipped by name.
#
#   check_ledger.sh BIN_DIR
set -euo pipefail

bin=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
bash tests/ledger/play_scenarios.sh "$bin" "$results"
"$bin/calibrate" validate tests/ledger.yaml --results "$results"
