#!/usr/bin/env bash
# Makes the data that the notebooks read: CSV tables and SQLite files of sweeps, by the programs of BIN_DIR.
#
#   make_data.sh BIN_DIR DATA_DIR
#
# What is there and newer than the programs, the scenarios and the ledger is left alone. A file is written beside its place
# and then moved there, so that what is there is whole.
set -euo pipefail

if [[ $# -ne 2 ]]; then
  echo 'usage: make_data.sh BIN_DIR DATA_DIR' >&2
  exit 2
fi
bin=$(realpath -m "$1")
mkdir -p "$2"
data=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for program in "$bin/sim" "$bin/calibrate"; do
  [[ -x $program ]] || { echo "make_data: $program is missing; './dev build' makes it" >&2 && exit 3; }
done
what_if=scenarios/what_if
unfinished=$data/.unfinished
rm -rf "$unfinished"
trap 'rm -rf "$unfinished"' EXIT

# Whether DATA_DIR/NAME is missing, or older than something that it may come from.
outdated() { # NAME
  [[ ! -e $data/$1 || -n $(find "$bin/sim" "$bin/calibrate" scenarios tests/ledger.yaml tests/ledger/play_scenarios.sh \
    notebooks/make_data.sh -newer "$data/$1" -print -quit) ]]
}

begin() { # NOTEBOOK NAME
  rm -rf "$unfinished"
  mkdir "$unfinished"
  echo "notebook $1: $2" >&2
}

finish() { # NAME
  rm -rf "${data:?}/$1"
  mv "$unfinished/$1" "$data/$1"
  touch "$data/$1"
}

# What a program prints.
table() { # NOTEBOOK NAME PROGRAM ARGUMENT...
  local notebook=$1 name=$2 program=$3
  shift 3
  outdated "$name" || return 0
  begin "$notebook" "$name"
  "$bin/$program" "$@" >"$unfinished/$name"
  finish "$name"
}

# Every point of a scenario's axes, by `sim sweep`, in one SQLite file.
sweep() { # NOTEBOOK NAME SCENARIO OPTION...
  local notebook=$1 name=$2 scenario=$3
  shift 3
  outdated "$name" || return 0
  begin "$notebook" "$name"
  "$bin/sim" sweep "$scenario" "$@" --db "$unfinished/$name" --quiet
  finish "$name"
}

# Every step of each arm, by `sim run --out`.
steps() { # NOTEBOOK NAME SCENARIO
  outdated "$2" || return 0
  begin "$1" "$2"
  "$bin/sim" run "$3" --out "$unfinished/run" --quiet >/dev/null
  mv "$unfinished/run/steps.csv" "$unfinished/$2"
  finish "$2"
}

# What `calibrate validate` says of each entry, as CSV: not worse or worse than recorded, or its data are not there.
verdicts() {
  echo 'entry,verdict'
  sed -n -E -e 's/^skipped: (.*) \([^(]*$/"\1",skipped/p' \
    -e 's/^(.*[^ ]) +[0-9]+ figures: .*; not worse than recorded: .*$/"\1",not worse/p' \
    -e 's/^(.*[^ ]) +[0-9]+ figures: .*; WORSE THAN RECORDED: .*$/"\1",worse/p'
}

# Predicted against measured, figure by figure, and the verdict on each entry. GraVAC's Table 3 takes minutes to play: its
# entry is skipped.
ledger() {
  outdated ledger.csv || return 0
  begin '1, 3 to 7' ledger.csv
  local file names=()
  for file in scenarios/papers/*.yaml; do
    [[ $file == */gravac_table3.yaml ]] || names+=("$(basename "$file" .yaml)")
  done
  bash tests/ledger/play_scenarios.sh "$bin" "$unfinished/results" "${names[@]}"
  local validate=("$bin/calibrate" validate tests/ledger.yaml --results "$unfinished/results") # 1: an entry is worse, ...
  "${validate[@]}" >"$unfinished/ledger.txt" || [[ $? -eq 1 && -s $unfinished/ledger.txt ]] # ... which a notebook says
  verdicts <"$unfinished/ledger.txt" >"$unfinished/ledger_verdicts.csv"
  "${validate[@]}" --format csv >"$unfinished/ledger.csv" || [[ $? -eq 1 && -s $unfinished/ledger.csv ]]
  mv "$unfinished/ledger_verdicts.csv" "$data/ledger_verdicts.csv"
  finish ledger.csv
}

ledger
table 1 workloads.csv sim list workloads --format csv
one_exchange=(--set training.steps=1 --set exchange.overlap=false --set 'exchange.bucket=0 B'
  --set 'exchange.first_bucket=0 B' --set compare.allgather.exchange.collective=recursive_doubling_allgather)
sweep 1 ag_or_ar.db $what_if/ag_or_ar.yaml "${one_exchange[@]}" \
  --axis 'cluster.link.bandwidth=0.1..1000 Gbit/s log 13' --axis 'cluster.link.latency=0.01..100 ms log 13' \
  --axis cluster.workers=4,8,32 --axis compression.ratio=0.1,0.01,0.001
sweep 2 does_compression_help.db $what_if/does_compression_help.yaml \
  --axis 'cluster.link.bandwidth=1..100 Gbit/s log 9' --axis cluster.workers=4,8,16,32,64 \
  --axis training.batch=16,32,64
sweep 3 live_selsync.db $what_if/live_selsync.yaml --axis seed=1..5
steps 3 live_selsync_steps.csv $what_if/live_selsync.yaml
sweep 3 which_steps_exchange.db $what_if/which_steps_exchange.yaml --axis seed=1..5
sweep 3 live_synchronisation.db $what_if/live_synchronisation.yaml --axis seed=1..5
sweep 4 heterogeneity_levels.db $what_if/live_dynamic_batching.yaml --axis seed=1..5 \
  --axis cluster=tyagi2020_h1,tyagi2020_h2,tyagi2020_h6,tyagi2020_h10
steps 4 dynamic_heterogeneity_steps.csv $what_if/dynamic_heterogeneity.yaml
sweep 5 live_scadles.db $what_if/live_scadles.yaml --axis seed=1..5
steps 5 live_scadles_steps.csv $what_if/live_scadles.yaml
steps 5 drying_streams_steps.csv $what_if/drying_streams.yaml
advise=$what_if/advise_resnet50.yaml
table 6 advise_on_demand.csv sim advise $advise --format csv --quiet
for rate in 0 0.05 0.2 1; do
  table 6 "advise_spot_$rate.csv" sim advise $advise --format csv --quiet \
    --set planning.price.spot=true --set "planning.price.interruptions_per_hour=$rate"
done
for bandwidth in 1 100; do
  table 6 "advise_${bandwidth}_gbit.csv" sim advise $advise --format csv --quiet \
    --set "cluster.link.bandwidth=$bandwidth Gbit/s"
done
