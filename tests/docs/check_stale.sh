#!/usr/bin/env bash
# A generated page that differs from what the programs print by one key is found, and a rewrite mends it.
#
#   check_stale.sh BIN_DIR
set -euo pipefail

bin=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pages() { bash tests/docs/generated_pages.sh "$1" "$bin" "$folder"; }

cp docs/*.md docs/*.svg "$folder"
sed -i 's/`hysteresis: 5 %`/`hysteresis: 6 %`/' "$folder/reference.md"
if said=$(pages check); then
  echo "a changed key was not found" && exit 1
fi
[[ $said == *"reference.md is out of date"*"'./dev docs' rewrites it"*"6 %"* ]] || { echo "$said" && exit 1; }
pages rewrite
pages check
