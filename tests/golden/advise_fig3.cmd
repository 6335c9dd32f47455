# Scavenger, Fig. 3: sync in K and B against sync in K alone.
set -o pipefail; sim advise scenarios/papers/scavenger_fig3.yaml --strict --quiet | grep -vE "^ +[0-9]"
