#!/usr/bin/env bash
# Fails where a figure of the ledger has become worse than its band, or where ACCURACY.md, docs/accuracy or the table of
# README.md is not what the ledger says now; entries whose data is not there are skipped by name.
#
#   check_ledger.sh BIN_DIR
set -euo pipefail

bin=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/ledger/pages.sh
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
bash tests/ledger/play_scenarios.sh "$bin" "$results"
"$bin/calibrate" validate tests/ledger.yaml --results "$results" | tee "$results/verdict"
if grep -q '^skipped: ' "$results/verdict"; then
  echo "entries are skipped: the pages are not compared"
  exit 0
fi

join_pages >"$results/last.md"
"$bin/calibrate" validate tests/ledger.yaml --results "$results" --format markdown --last "$results/last.md" -o "$results/page.md"
split_pages "$results/page.md" "$results/pages"
stale=0
for page in ACCURACY.md README.md docs/accuracy; do
  diff -ru "$page" "$results/pages/$page" >"$results/diff" && continue
  echo "$page is out of date (- kept, + now); './dev ledger' rewrites it"
  head -n 40 "$results/diff"
  stale=1
done
exit "$stale"
