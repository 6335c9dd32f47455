#!/usr/bin/env bash
# `./dev ledger`: runs the scenarios of the ledger, compares every entry with its data, and writes ACCURACY.md, the pages of
# docs/accuracy and the table of README.md.
#
#   write_page.sh BIN_DIR
#
# The pages are rewritten where an entry is worse than recorded, too, so that they show which; the exit code says so all the same.
# Entries whose data is not there keep the figures of the last pages. Exit code 0: none is worse, 1: one is, or was refused.
set -euo pipefail

bin=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/ledger/pages.sh
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

reject() {
  printf 'dev: ledger: %s\n' "$*" >&2
  exit 1
}

bash tests/ledger/play_scenarios.sh "$bin" "$results"
text=$results/page.md
held=yes
last=()
if [[ -f ACCURACY.md ]]; then
  join_pages >"$results/last.md"
  last=(--last "$results/last.md")
fi
"$bin/calibrate" validate tests/ledger.yaml --results "$results" --format markdown "${last[@]}" -o "$text" || held=no
[[ -f $text ]] || reject "refused (above); ACCURACY.md is left as it was"
split_pages "$text" "$results/pages"
rm -f docs/accuracy/*.md
cp -r "$results/pages/." .
"$bin/calibrate" validate tests/ledger.yaml --results "$results" || held=no
[[ $held == yes ]] || reject "an entry is worse than recorded (above)"
