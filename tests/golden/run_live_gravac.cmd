# GraVAC trained for real: accuracy and bytes against dense gradients.
set -o pipefail; sim run scenarios/what_if/live_gravac.yaml --strict --quiet --details | sed -n '/^compared with published/,/^$/p'
