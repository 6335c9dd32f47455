#!/usr/bin/env bash
# Compares predictions with measured and published figures, by the programs of BIN_DIR, into two tables that notebooks read.
#
#   make_ledger.sh BIN_DIR DATA_DIR
#
# DATA_DIR/ledger.csv has a row for each figure, DATA_DIR/ledger_verdicts.csv one for each entry. Tables newer than the
# programs, the scenarios and the ledger are left alone. A file is written beside its place and then moved there.
set -euo pipefail

if [[ $# -ne 2 ]]; then
  echo 'usage: make_ledger.sh BIN_DIR DATA_DIR' >&2
  exit 2
fi
bin=$(realpath -m "$1")
mkdir -p "$2"
data=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for program in "$bin/sim" "$bin/calibrate"; do
  [[ -x $program ]] || { echo "make_ledger: $program is missing; './dev build' makes it" >&2 && exit 3; }
done
unfinished=$data/.unfinished
trap 'rm -rf "$unfinished"' EXIT

# Whether the tables are missing, or older than something that they may come from.
outdated() {
  [[ ! -e $data/ledger.csv || -n $(find "$bin/sim" "$bin/calibrate" scenarios tests/ledger.yaml tests/ledger/play_scenarios.sh \
    notebooks/make_ledger.sh -newer "$data/ledger.csv" -print -quit) ]]
}

# The verdict of `calibrate validate` on each entry, as CSV: not worse or worse than recorded, or its data are not there.
verdicts() {
  echo 'entry,verdict'
  sed -n -E -e 's/^skipped: (.*) \([^(]*$/"\1",skipped/p' \
    -e 's/^(.*[^ ]) +[0-9]+ figures: .*; not worse than recorded: .*$/"\1",not worse/p' \
    -e 's/^(.*[^ ]) +[0-9]+ figures: .*; WORSE THAN RECORDED: .*$/"\1",worse/p'
}

outdated || exit 0
rm -rf "$unfinished"
mkdir "$unfinished"
names=()
for file in scenarios/papers/*.yaml; do # GraVAC's Table 3 takes minutes: its entry is skipped
  [[ $file == */gravac_table3.yaml ]] || names+=("$(basename "$file" .yaml)")
done
bash tests/ledger/play_scenarios.sh "$bin" "$unfinished/results" "${names[@]}"
validate=("$bin/calibrate" validate tests/ledger.yaml --results "$unfinished/results") # 1: an entry is worse, ...
"${validate[@]}" >"$unfinished/ledger.txt" || [[ $? -eq 1 && -s $unfinished/ledger.txt ]] # ... which a notebook says
verdicts <"$unfinished/ledger.txt" >"$unfinished/ledger_verdicts.csv"
"${validate[@]}" --format csv >"$unfinished/ledger.csv" || [[ $? -eq 1 && -s $unfinished/ledger.csv ]]
mv "$unfinished/ledger_verdicts.csv" "$unfinished/ledger.csv" "$data"
touch "$data/ledger.csv"
