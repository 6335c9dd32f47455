#!/usr/bin/env bash
# `./dev ledger`: runs the scenarios of the ledger, compares every entry with its data, and writes ACCURACY.md.
#
#   write_page.sh BIN_DIR
#
# The page is rewritten where an entry is worse than recorded, too, so that it shows which; the exit code says so all the same.
# Entries whose data is not there keep the figures of the last page. Exit code 0: none is worse, 1: one is, or was refused.
set -euo pipefail

bin=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

reject() {
  printf 'dev: ledger: %s\n' "$*" >&2
  exit 1
}

bash tests/ledger/play_scenarios.sh "$bin" "$results"
page=$results/page.md
held=yes
last=()
[[ -f ACCURACY.md ]] && last=(--last ACCURACY.md)
"$bin/calibrate" validate tests/ledger.yaml --results "$results" --format markdown "${last[@]}" -o "$page" || held=no
[[ -f $page ]] || reject "refused (above); ACCURACY.md is left as it was"
cp "$page" ACCURACY.md
"$bin/calibrate" validate tests/ledger.yaml --results "$results" || held=no
[[ $held == yes ]] || reject "an entry is worse than recorded (above)"
