# What multi-level compression saves.
set -o pipefail; sim run scenarios/papers/gravac_table3.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
