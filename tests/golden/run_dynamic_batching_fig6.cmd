# Published figures, and how far ours are off.
set -o pipefail; sim run scenarios/papers/dynamic_batching_fig6.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
