#!/usr/bin/env bash
# Runs the commands of the README and compares their output with that in the README.
#
#   check_readme.sh BIN_DIR README.md [ROOT]
#
# Looks at every fenced block that opens with ```console: a line `$ COMMAND` is run in ROOT (default: the repository's
# root), and the lines below it, up to the next command, must be exactly its stdout. A line `...` matches any
# number of lines. `./dev run ...` is run by BIN_DIR/sim, and build/bin/NAME by BIN_DIR/NAME. Words
# after `console` change the rules:
#   no-test   the block is not run          exit=N   its commands must end with N instead of 0
#   stderr    stderr is shown as well
# No command below `$ ` may read input. Exits with 0 (all as said), 1 (not so), 77 (no README).
set -euo pipefail

bin=$(realpath -m "$1")
readme=$2
cd "${3:-$(dirname "${BASH_SOURCE[0]}")/../..}"

if [[ ! -f $readme ]]; then
  echo "skipped: there is no $readme"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
commands=0
failures=0

# Whether the lines of file $2 are those of file $1, in which a line `...` matches any number of lines.
as_said() { # SAID SEEN
  awk '
    FILENAME == ARGV[1] { said[++said_count] = $0; next }
    { seen[++seen_count] = $0 }
    # matches(i, j): said from line i on fits seen from line j on
    function matches(i, j) {
      if (i > said_count) return j > seen_count
      if (said[i] == "...") {
        for (; j <= seen_count + 1; ++j) if (matches(i + 1, j)) return 1
        return 0
      }
      return j <= seen_count && said[i] == seen[j] && matches(i + 1, j + 1)
    }
    END { exit !matches(1, 1) }
  ' "$1" "$2"
}

# The command as it is run in this build tree.
played() { # COMMAND
  printf '%s\n' "$1" | sed -E "s#(^|[ ;&|(])\./dev run #\1sim run #g; s#(^|[ ;&|(])(\./)?build/bin/#\1$bin/#g"
}

fail() { # LINE COMMAND REASON
  echo "$readme:$1: $ $2: $3"
  failures=$((failures + 1))
}

check_command() { # LINE COMMAND OPTIONS; its expected output is in $work/said
  local line=$1 command=$2 options=$3 status=0 wanted=0
  commands=$((commands + 1))
  if [[ $command == *./dev\ * && $command != *./dev\ run\ * ]]; then
    fail "$line" "$command" 'a test cannot run this; open its block with ```console no-test'
    return
  fi
  [[ $options =~ exit=([0-9]+) ]] && wanted=${BASH_REMATCH[1]}
  env PATH="$bin:$PATH" LC_ALL=C TERM=dumb NO_COLOR=1 \
    bash -c "$(played "$command")" </dev/null >"$work/stdout" 2>"$work/stderr" || status=$?
  if [[ " $options " == *" stderr "* ]]; then cat "$work/stderr" >>"$work/stdout"; fi
  if [[ $status -ne $wanted ]]; then
    fail "$line" "$command" "ended with $status instead of $wanted; stderr:"
    cat "$work/stderr"
  elif ! as_said "$work/said" "$work/stdout"; then
    fail "$line" "$command" "prints something else (- README, + now):"
    diff -u --label README --label now "$work/said" "$work/stdout" || true
  fi
}

# Reads the README; a command is checked when the next one, or the end of its block, is reached.
check_blocks() {
  local number=0 inside=no options='' command='' at=0 line
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    if [[ $inside == no ]]; then
      if [[ $line =~ ^\`\`\`console(\ +(.*))?$ ]]; then inside=yes options=${BASH_REMATCH[2]:-} command=''
      elif [[ $line == '```'* ]]; then inside=other; fi
    elif [[ $line == '```' ]]; then
      if [[ -n $command ]]; then check_command "$at" "$command" "$options"; fi
      inside=no
    elif [[ $inside == other || " $options " == *" no-test "* ]]; then
      continue
    elif [[ $line == '$ '* ]]; then
      if [[ -n $command ]]; then check_command "$at" "$command" "$options"; fi
      command=${line#\$ } at=$number
      : >"$work/said"
    else
      printf '%s\n' "$line" >>"$work/said"
    fi
  done <"$readme"
}

check_blocks
echo "$readme: $commands commands run, $failures not as said"
[[ $failures -eq 0 ]]
