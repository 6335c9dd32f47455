#!/usr/bin/env bash
# An example of docs/examples that needs another package prints what is expected.
#
#   check_example.sh NAME SIM
#
# Python: GRADSIM_EXAMPLES_PYTHON, else python3, else build/notebooks-venv, the first that has the package; skipped without one.
set -euo pipefail

name=$1
GRADSIM_SIM=$(realpath "$2")
export GRADSIM_SIM
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
case $name in
  search_optuna)
    package=optuna
    expected='best of 20 trials: [0-9.]+ s to 95 %, at a ratio of 0\.[0-9]+% and batches of (8|16|32)
[0-9]+ trials pruned: they end below 95 %'
    ;;
  points_dask)
    package=dask.distributed
    expected="4 workers, 0.1 ms \{'ring': '160 ms', 'halving': '159 ms'\}
4 workers, 1 ms \{'ring': '190 ms', 'halving': '180 ms'\}
16 workers, 0.1 ms \{'ring': '206 ms', 'halving': '195 ms'\}
16 workers, 1 ms \{'ring': '355 ms', 'halving': '245 ms'\}
64 workers, 0.1 ms \{'ring': '275 ms', 'halving': '218 ms'\}
64 workers, 1 ms \{'ring': '898 ms', 'halving': '328 ms'\}"
    ;;
  tune_ray)
    package=ray.tune
    expected='.*1 MiB 485 ms
5 MiB 309 ms
25 MiB 245 ms
100 MiB 262 ms
shortest steps: 25 MiB'
    ;;
  *) echo "usage: check_example.sh search_optuna|points_dask|tune_ray SIM" >&2 && exit 2 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work PYTHONPATH=$PWD/python # Ray keeps results below HOME
for python in "${GRADSIM_EXAMPLES_PYTHON:-python3}" build/notebooks-venv/bin/python python3; do
  if ! "$python" -c "import $package" 2>/dev/null; then continue; fi
  printed=$("$python" -B "docs/examples/$name.py" 2>"$work/stderr") || { cat "$work/stderr" && exit 1; }
  [[ $printed =~ ^$expected$ ]] || { printf 'expected:\n%s\nprinted:\n%s\n' "$expected" "$printed" && exit 1; }
  exit 0
done
echo "skipped: no Python here has the package $package"
exit 77
