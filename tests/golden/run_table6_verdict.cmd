# Which exchange wins how often.
set -o pipefail; sim run scenarios/papers/flexible_communication_table6.yaml --quiet | grep -A1 '^fastest per sample'
