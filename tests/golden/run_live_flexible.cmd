# The flexible policy trained for real while the network changes.
set -o pipefail; sim run scenarios/what_if/live_flexible_c2.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
