# The beginning of the JSON schema: every key of a scenario.
set -o pipefail; sim schema | sed -n "1,55p"
