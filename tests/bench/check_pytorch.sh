#!/usr/bin/env bash
# Measures top-k by PyTorch's operators on this processor, and fits what the script writes.
#
#   check_pytorch.sh BIN_DIR PYTHON
set -euo pipefail

calibrate=$(realpath "$1")/calibrate
python=$2
if ! "$python" -c 'import torch' 2>/dev/null; then
  echo "skipped: $python has no PyTorch"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -B tests/bench/pytorch_top_k.py --device cpu --elements 1e4,2e4,4e4 --ratios 0.1,0.01 --seconds 0.1 -o "$work/times.csv"
"$calibrate" fit kernels "$work/times.csv" --force -o "$work/costs.yaml"
grep -q "{method: 'pytorch_topk', " "$work/costs.yaml"
grep -q 'restore: \[{ratio: 0.01, ' "$work/costs.yaml"
