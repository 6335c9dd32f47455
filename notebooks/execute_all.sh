#!/usr/bin/env bash
# `./dev notebooks`: compares predictions with published figures by the programs of BIN_DIR, and executes all notebooks.
#
#   execute_all.sh BIN_DIR PYTHON OUT_DIR
#
# PYTHON is one that has the packages of requirements.txt; OUT_DIR gets what execute.py keeps. Exit code 0 done, 1 a notebook
# failed, 3 the comparison could not be made.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$1 python=$2 out=$3

say() { printf 'dev: %s\n' "$*" >&2; }

"$here/make_ledger.sh" "$bin" "$here/data" || { say "the notebooks' ledger could not be made (above)" && exit 3; }
GRADSIM_SIM=$(realpath "$bin")/sim
export GRADSIM_SIM
"$python" "$here/execute.py" "$here/data" "$out" || { say "notebooks: one failed (above)" && exit 1; }
say "pages, executed notebooks and figures: $out"
