#!/usr/bin/env bash
# What `calibrate import` writes of a configuration passes `sim check` and `sim run`; what it refuses names a way out, and no
# line of a scenario that is not written.
#
#   run_samples.sh BIN_DIR
#
# Each sample is imported twice: with a stack and with a stated utilisation. Exits with 0, or 1 after naming what does not
# run.
set -uo pipefail

bin=$(realpath "$1")
samples=$(realpath "$(dirname "${BASH_SOURCE[0]}")")/configs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
written=0
refused=0

complain() { # SENTENCE
  echo "$1"
  failed=1
}

format_of() { # FILE
  case $1 in
    *.toml) echo torchtitan ;;
    */hf_*.json | *_args.json) echo hf-trainer ;;
    *) echo deepspeed ;;
  esac
}

must_run() { # NAME
  "$bin/sim" check scenario.yaml >out.txt 2>&1 || complain "$1: sim check: $(tail -n 1 out.txt)"
  "$bin/sim" run scenario.yaml --quiet --set training.steps=2 >out.txt 2>&1 || complain "$1: sim run: $(tail -n 1 out.txt)"
}

cd "$work" || exit 1
for file in "$samples"/*.json "$samples"/*.toml "$samples"/with_model/*_args.json "$samples"/samples/*; do
  for time in '--stack pytorch-fsdp-2023' '--mfu 40%'; do
    model=(--model llama2_7b)
    case $file in *.toml | */with_model/*) model=() ;; esac
    # shellcheck disable=SC2086  # two words
    if "$bin/calibrate" import "$(format_of "$file")" "$file" --cluster nvidia_dgx_h100 --workers 16 --workers-per-node 8 \
      --device h100_sxm_datasheet $time --sequence 2048 "${model[@]}" -o scenario.yaml >out.txt 2>&1; then
      written=$((written + 1))
      must_run "$(basename "$file") $time"
    else
      refused=$((refused + 1))
      ! grep -q 'import\.yaml:[0-9]' out.txt || complain "$(basename "$file") $time: names a line that is not written: $(tail -n 1 out.txt)"
      grep -q '; ' out.txt || complain "$(basename "$file") $time: refused without a hint: $(tail -n 1 out.txt)"
    fi
    rm -f scenario.yaml
    [[ -z $(find . -name '.*.import.yaml') ]] || complain "$(basename "$file"): a trial is left"
  done
done
echo "$written scenarios written, $refused refused"
[[ $written -ge 25 ]] || complain 'too few are written'
exit "$failed"
