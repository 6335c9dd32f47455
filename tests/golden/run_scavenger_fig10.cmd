# Scavenger, Figs. 8 to 10: what partial, full and no search predict, and the bounds; sim run answers a question to a planner, too.
set -o pipefail; sim run scenarios/papers/scavenger_fig10.yaml --strict --quiet --details | grep -vE "^ +[0-9]"
