#!/usr/bin/env bash
# The testbed gives each rank its own host, or one process the hosts' namespaces, passes exit codes on, and leaves nothing
# behind, however it ends.
#
#   check_testbed.sh TOOLS_DIR
set -euo pipefail

testbed=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/testbed
tools=$(realpath "$1")
"$testbed" check --one-process || exit $?
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$*"
  exit 1
}

play() { # OPTION... -- COMMAND...; its process is left in $maker, its output in $work/out
  : >"$work/out" # at once: `until_up` must not see what the one before printed
  "$testbed" run --ranks 3 --bandwidth 100 --tools "$tools" --timeout 60 "$@" >"$work/out" 2>"$work/err" </dev/null &
  maker=$!
}

ends_with() { # EXIT-CODE WHAT
  local status=0
  wait "$maker" || status=$?
  [[ $status -eq $1 ]] || fail "$2: exit code $status instead of $1: $(cat "$work/err")"
}

namespaces() { ip netns list | grep -c "^gradsim-live-$maker-" || true; }

is_gone() { # WHAT
  [[ $(namespaces) -eq 0 ]] || fail "$1 leaves namespaces behind: $(ip netns list)"
}

until_up() {
  local i
  for ((i = 0; i < 100; ++i)); do
    grep -q up "$work/out" && return
    sleep 0.1
  done
  fail "the ranks did not start: $(cat "$work/err")"
}

addresses() { # NAMESPACE,...; of its shaped network
  local name
  for name in ${1//,/ }; do ip -n "$name" -4 -o addr show eth0 | awk '{ print $4 }'; done
}
export -f addresses

for option in '' '--delay 2000'; do
  # shellcheck disable=SC2086  # two words or none
  play --one-process $option -- bash -c 'addresses "$1"; hostname' bash '{namespaces}'
  ends_with 0 'one process'
  [[ $(cat "$work/out") == "$(printf '10.77.0.%d/24\n' 1 2 3 && hostname)" ]] || fail "one process: $(cat "$work/out")"
  is_gone 'one process'
done
play --one-process -- sh -c 'exit 7'
ends_with 7 'one process that fails'
play --one-process --timeout 1 -- sleep 50
ends_with 124 'one process that takes too long'
is_gone 'one process that takes too long'
play --one-process -- sh -c 'echo up; sleep 50'
until_up
kill -TERM "$maker"
ends_with 143 'an ended testbed of one process'
is_gone 'an ended testbed of one process'

"$testbed" check || exit $? # ranks under MPI from here on
for delay in 0 2000; do
  option=()
  [[ $delay -eq 0 ]] || option=(--delay "$delay")
  play "${option[@]}" -- sh -c 'hostname; ip -4 -o addr show eth0'
  ends_with 0 'three ranks'
  [[ $(grep '^n' "$work/out" | sort | tr '\n' ' ') == 'n0 n1 n2 ' ]] || fail "hosts: $(cat "$work/out")"
  [[ $(grep -c 'inet 10\.77\.0\.' "$work/out") -eq 3 ]] || fail "addresses: $(cat "$work/out")"
  is_gone 'an ordinary end'
done

play --delay 5000 -- sh -c '[ "$(hostname)" != n0 ] || ping -c 3 -i 0.2 -q 10.77.0.2 || true; echo up'
ends_with 0 'a round trip'
round_trip=$(sed -n -E 's#.* = ([0-9.]+)/.*#\1#p' "$work/out")
if [[ -n $round_trip ]]; then # where there is a ping
  awk -v ms="$round_trip" 'BEGIN { exit !(ms >= 10 && ms < 12) }' || fail "twice 5 ms are $round_trip ms"
fi

play -- sh -c 'exit 7'
ends_with 7 'a command that fails'
is_gone 'a command that fails'

play -- sh -c 'echo up; sleep 50'
until_up
kill -TERM "$maker"
ends_with 143 'an ended testbed'
is_gone 'an ended testbed'

play -- sh -c 'echo up; sleep 50'
until_up
kill -KILL "$maker"
ends_with 137 'a killed testbed'
[[ $(namespaces) -gt 0 ]] || fail 'a killed testbed left nothing to clean'
"$testbed" clean
is_gone 'testbed clean'
echo 'testbed: hosts, delay, exit codes; nothing is left behind'
