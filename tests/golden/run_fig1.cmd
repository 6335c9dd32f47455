# Published figures that nothing should be calibrated on.
set -o pipefail; sim run scenarios/papers/flexible_communication_fig1.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
