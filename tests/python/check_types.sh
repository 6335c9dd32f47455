#!/usr/bin/env bash
# The package `gradsim` has the types that it states, by mypy --strict, and callers that confuse them are found.
#
#   check_types.sh
#
# Skipped where there is no mypy (Debian's package `mypy`, which `./dev deps` installs).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if ! command -v mypy >/dev/null; then
  echo "skipped: mypy is not installed"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MYPYPATH=python

mypy --cache-dir "$work/cache"

cat >"$work/caller.py" <<'CALLER'
import gradsim

study = gradsim.Scenario.load("quickstart").override(seed=3).run(steps=True)
rows: list[dict[str, object]] = [*study.phases, *study.steps, *study.arms.values()]
verdict: float = study.verdict
gradsim.cost("ring_allreduce", ranks="4", size="1 MB")
CALLER
if found=$(mypy --cache-dir "$work/cache" --strict "$work/caller.py"); then
  echo "a caller with two wrong types was not found" && exit 1
fi
for place in 'caller.py:5: error: Incompatible types in assignment' 'caller.py:6: error: Argument "ranks" to "cost"'; do
  [[ $found == *"$place"* ]] || { echo "expected $place, found: $found" && exit 1; }
done
[[ $found == *"Found 2 errors"* ]] || { echo "$found" && exit 1; }
