# Published figures, and how far ours are off.
set -o pipefail; sim run scenarios/papers/scadles_fig1.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
