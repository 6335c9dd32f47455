#!/usr/bin/env bash
# Completes command lines by the bash script that the programs print; the other shells and `man` read theirs, where
# they are installed; colours appear only on a terminal.
#
#   check_shells.sh BIN_DIR
set -euo pipefail

bin=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*"
  exit 1
}

# shellcheck disable=SC1090,SC2034  # what the programs print; the variables are read by it
completes() { # TO WORD...
  local wanted=$1 seen program=$2
  shift
  seen=$(
    source <("$bin/$program" completion bash)
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    "_$program"
    echo "${COMPREPLY[*]}"
  )
  [[ $seen == "$wanted" ]] || fail "'$*' completes to '$seen' instead of '$wanted'"
}
completes 'run' sim ru
completes '--format' sim run --f
completes 'table csv json all' sim run scenarios/quickstart.yaml --format ''
completes 'scenarios/quickstart.yaml' sim run scenarios/q
completes 'clusters' sim list cl
completes 'bash' calibrate completion b
completes 'chakra' calibrate import ch
completes 'README.md' calibrate import osu READ

skipped=()
for tool in zsh fish groff; do command -v "$tool" >/dev/null || skipped+=("$tool"); done
for program in sim calibrate; do
  if command -v zsh >/dev/null; then zsh -n <("$bin/$program" completion zsh) || fail "zsh refuses $program's"; fi
  if command -v fish >/dev/null; then fish -n <("$bin/$program" completion fish) || fail "fish refuses $program's"; fi
  "$bin/$program" man >"$work/$program.1"
  if command -v groff >/dev/null; then
    groff -man -Tascii -ww -z "$work/$program.1" 2>"$work/warnings" || true
    [[ ! -s $work/warnings ]] || fail "$program.1: $(cat "$work/warnings")"
  fi
done

quickstart=("$bin/sim" run scenarios/quickstart.yaml --quiet)
"${quickstart[@]}" >"$work/piped" || fail 'the quickstart does not run'
[[ -s $work/piped ]] || fail 'the quickstart prints nothing'
if grep -q $'\033' "$work/piped"; then fail 'colours in a pipe'; fi
on_terminal() { # VARIABLE=VALUE...; prints the output, on a separate terminal
  script -qec "env TERM=xterm $* ${quickstart[*]@Q}" /dev/null </dev/null >"$work/terminal"
  grep -q 'dense-ring' "$work/terminal" || fail 'nothing came on a terminal'
}
if command -v script >/dev/null; then
  on_terminal
  grep -q $'\033\\[1m' "$work/terminal" || fail 'no colours on a terminal'
  on_terminal NO_COLOR=1
  if grep -q $'\033' "$work/terminal"; then fail 'colours in spite of NO_COLOR'; fi
else
  skipped+=(script)
fi
echo "shells: completion, manual pages and colours are as they should be; not tried, for lack of it: ${skipped[*]:-nothing}"
