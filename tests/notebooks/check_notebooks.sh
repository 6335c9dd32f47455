#!/usr/bin/env bash
# Makes the notebooks' table of the ledger with the programs of BIN_DIR, executes every notebook, and checks its stored data and output.
#
#   check_notebooks.sh BIN_DIR
#
# Python: GRADSIM_NOTEBOOK_PYTHON, else the environment that `./dev notebooks` makes, else python3. Skipped where it lacks
# the packages.
set -euo pipefail

bin=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=${GRADSIM_NOTEBOOK_PYTHON:-build/notebooks-venv/bin/python}
if [[ -z ${GRADSIM_NOTEBOOK_PYTHON:-} && ! -x $python ]]; then python=python3; fi
if ! command -v "$python" >/dev/null; then
  echo "skipped: there is no $python"
  exit 77
fi
if ! missing=$("$python" -c 'import ipykernel, matplotlib, nbclient, nbconvert, pandas' 2>&1); then
  echo "skipped: $python: ${missing##*$'\n'}; './dev notebooks' installs what is missing"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GRADSIM_SIM=$bin/sim MPLCONFIGDIR=$work/matplotlib IPYTHONDIR=$work/ipython # no user settings

bash notebooks/make_ledger.sh "$bin" "$work/data"
first=$(cd "$work/data" && find . -type f -printf '%f %T@\n' | sort)
bash notebooks/make_ledger.sh "$bin" "$work/data"
if [[ $(cd "$work/data" && find . -type f -printf '%f %T@\n' | sort) != "$first" ]]; then
  echo 'notebooks/make_ledger.sh makes again what is up to date'
  exit 1
fi
"$python" notebooks/execute.py "$work/data" "$work/executed"
"$python" tests/notebooks/check_notebooks.py notebooks "$work/executed"
