#!/usr/bin/env bash
# Compares trainings of `sim run` with PyTorch's, where a Python with PyTorch is at hand.
#
#   check_agreement.sh BUILD_DIR PYTHON
# Taken is the first that has it: GRADSIM_TORCH_PYTHON, BUILD_DIR/notebooks-venv, PYTHON, Debian's (which `./dev deps`
# installs).
set -euo pipefail

build=$(realpath "$1")
for python in "${GRADSIM_TORCH_PYTHON:-}" "$build/notebooks-venv/bin/python" "$2" /usr/bin/python3; do
  if [[ -n $python ]] && "$python" -c 'import numpy, torch' 2>/dev/null; then
    exec "$python" -B tests/agreement/agreement_test.py "$build/bin/sim"
  fi
done
echo "skipped: none of $build/notebooks-venv, $2 and /usr/bin/python3 has PyTorch"
exit 77
