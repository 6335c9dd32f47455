# Which exchange wins how often.
set -o pipefail; sim run scenarios/papers/flexible_communication_table6.yaml --quiet --details | grep -m1 -A1 '^fastest per sample'
