# What the search chooses on a published schedule of the network.
set -o pipefail; sim run scenarios/papers/flexible_communication_c1.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
