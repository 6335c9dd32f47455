#!/usr/bin/env bash
# Compares the generated pages of docs/ with what the programs print now, or rewrites them.
#
#   generated_pages.sh check|rewrite BIN_DIR [FOLDER]
#
# FOLDER (default: docs) holds reference.md (every key of a scenario), catalogue.md (what the keys may name),
# imports.md (every key of the configurations that `calibrate import` reads), keys.md (a scenario in which each key matters) and
# support.md (what can be combined), quickstart.svg (the README's picture), and the table of validity.md between its marks. Exits with 0
# (up to date, or rewritten) or 1 (out of date).
set -euo pipefail

mode=$1
sim=$(realpath -m "$2")/sim
calibrate=$(realpath -m "$2")/calibrate
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${3:-docs}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sentence above the table of `sim list NAME`.
about() { # NAME
  case $1 in
    collectives) echo 'For `exchange.collective`. N: ranks, M: message size, L: latency, B: bandwidth.' ;;
    executions) echo 'For `exchange.execution`.' ;;
    shardings) echo 'For `parallelism.data` and `parallelism.compress`.' ;;
    compressors) echo 'For `compression.method`.' ;;
    policies) echo 'By role: `synchronisation.method`, `compression.policy`, `exchange.collective`, `batching.policy`, `planning.search.method`. Their keys: [reference.md](reference.md).' ;;
    learners) echo 'For `learner.kind`.' ;;
    models) echo 'For `learner.model` with `kind: live`.' ;;
    transports) echo 'For `transport` of `cluster.fabric` and `cluster.inner_fabric`: files of scenarios/transports.' ;;
    datasets) echo 'For `learner.dataset` with `kind: live`.' ;;
    workloads) echo 'For `workload`: files of scenarios/workloads.' ;;
    clusters) echo 'For `cluster` and `cluster.use`: files of scenarios/clusters.' ;;
    devices) echo 'For `roofline` and `device` of a workload: files of scenarios/devices.' ;;
    prices) echo 'For `planning.price.machine` and `advice.price.machine`.' ;;
    words) echo 'Keys of other programs and what a scenario writes in their place; a scenario that has one is refused with ours.' ;;
    metrics) echo 'For `metric` of a row of `expect`.' ;;
  esac
}

print_catalogue() {
  echo '# Catalogue'
  echo
  echo 'What a scenario may name, as `sim list` prints it. This page is generated: `./dev docs` rewrites it. The kinds of'
  echo 'network topologies are in [reference.md](reference.md#clustertopology), with the keys that each adds.'
  local name
  "$sim" list | grep -E '^[a-z]' | grep -v '^support$' | while read -r name; do
    printf '\n## %s\n\n' "$name"
    about "$name"
    echo
    "$sim" list "$name" --format markdown
  done
}

print_keys() {
  echo '# A scenario in which each key matters'
  echo
  echo 'Figures of each command differ from those without its last `--set`; a test runs them all, and tries values of'
  echo '`sim run` on other scenarios, where they act, too, or are refused or warned of. What keys mean is in [reference.md](reference.md).'
  echo 'This page is generated: `./dev docs` rewrites it.'
  echo
  echo '| key | command |'
  echo '|---|---|'
  awk -f tests/docs/key_scenarios.awk tests/audit/keys.yaml tests/audit/notes.yaml
}

print_support() {
  echo '# What can be combined'
  echo
  echo 'Each setting of a scenario that needs, offers or rules out something, what it needs, and the settings that a scenario'
  echo 'cannot have beside it: `sim list support` prints the same. All other settings can be combined. Settings that nothing would read'
  echo 'are refused as well. This page follows from the declarations beside the keys ([adding.md](adding.md)); `./dev docs` rewrites it.'
  echo
  echo '## Methods'
  echo
  echo 'By `synchronisation.method`: a dot marks what cannot be combined.'
  echo
  "$sim" list support --format csv | awk -f tests/docs/support_matrix.awk
  echo
  echo '## All settings'
  echo
  "$sim" list support --format markdown
}

# validity.md with what other programs have and a scenario does not, between its marks.
print_validity() {
  "$sim" list words --format markdown | awk -f tests/docs/not_modelled.awk - docs/validity.md
}

"$sim" schema --format markdown >"$work/reference.md"
print_validity >"$work/validity.md"
print_support >"$work/support.md"
print_keys >"$work/keys.md"
print_catalogue >"$work/catalogue.md"
"$calibrate" import keys >"$work/imports.md"
"$sim" run scenarios/quickstart.yaml --quiet --format csv | awk -f tests/docs/step_bars.awk >"$work/quickstart.svg"

stale=0
for page in reference.md catalogue.md imports.md keys.md support.md validity.md quickstart.svg; do
  cmp -s "$folder/$page" "$work/$page" && continue
  case $mode in
    rewrite) cp "$work/$page" "$folder/$page" && echo "rewritten: $folder/$page" >&2 ;;
    check)
      stale=1
      echo "$folder/$page is out of date (- file, + now); './dev docs' rewrites it"
      diff -u --label file --label now "$folder/$page" "$work/$page" | head -n 40 || true
      ;;
    *) echo "usage: generated_pages.sh check|rewrite BIN_DIR [FOLDER]" >&2 && exit 2 ;;
  esac
done
exit "$stale"
