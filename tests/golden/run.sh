#!/usr/bin/env bash
# Runs one golden run and compares it with its record byte by byte, or rewrites the record.
#
#   run.sh check|rewrite BIN_DIR NAME.cmd
#
# NAME.cmd: lines of `#` comment, then one shell line. It runs in the repository's root with BIN_DIR first on PATH,
# without input, and with its own empty folder as $OUT (which prints as $OUT in the record).
# NAME.out: what it wrote to stdout, and `exit: N`. When the first line of NAME.cmd is `# with stderr`, a line
# `stderr:` and its text come before the exit code.
set -euo pipefail

mode=$1
bin=$(realpath -m "$2")
command_file=$3
record=${command_file%.cmd}.out

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/out"

# The file, its last line always ended: the record stays a text file.
print_ended() { # FILE
  cat "$1"
  if [[ -s $1 && -n $(tail -c 1 "$1") ]]; then printf '\n(no newline at the end)\n'; fi
}

play() {
  local line status=0
  line=$(grep -v '^#' "$command_file" || true)
  env PATH="$bin:$PATH" OUT="$work/out" LC_ALL=C TERM=dumb NO_COLOR=1 \
    bash -c "$line" </dev/null >"$work/stdout" 2>"$work/stderr" || status=$?
  {
    print_ended "$work/stdout"
    if [[ $(head -n 1 "$command_file") == '# with stderr' ]]; then
      echo 'stderr:'
      print_ended "$work/stderr"
    fi
    echo "exit: $status"
  } | sed "s#$work/out#\$OUT#g; s#$PWD/##g" >"$work/seen"
}

check() {
  if [[ ! -f $record ]]; then
    echo "$record is missing; './dev golden' writes it. It would hold:"
    cat "$work/seen"
    return 1
  fi
  cmp -s "$record" "$work/seen" && return 0
  echo "$command_file: not what $record holds (- recorded, + now); './dev golden' rewrites it"
  diff -u --label recorded --label now "$record" "$work/seen" || true
  echo "stderr was:"
  cat "$work/stderr"
  return 1
}

rewrite() {
  if cmp -s "$record" "$work/seen"; then return; fi
  cp "$work/seen" "$record"
  echo "rewritten: $record" >&2
}

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
play
case $mode in
  check) check ;;
  rewrite) rewrite ;;
  *) echo "usage: run.sh check|rewrite BIN_DIR NAME.cmd" >&2 && exit 2 ;;
esac
