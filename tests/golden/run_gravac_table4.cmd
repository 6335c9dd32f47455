# What Accordion would send and take over GraVAC.
set -o pipefail; sim run scenarios/papers/gravac_table4.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
