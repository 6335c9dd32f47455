# Published figures, and how far ours are off.
set -o pipefail; sim run scenarios/papers/dynamic_batching_controller.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
