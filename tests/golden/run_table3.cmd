# Published figures, and how far ours are off.
set -o pipefail; sim run scenarios/papers/flexible_communication_table3.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
