# Throughput over compression factors.
set -o pipefail; sim run scenarios/papers/gravac_fig3.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
