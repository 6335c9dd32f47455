# Speed-ups of compressors and of GraVAC.
set -o pipefail; sim run scenarios/papers/gravac_table2.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
