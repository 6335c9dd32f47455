#!/usr/bin/env bash
# Commands load SimGrid, pagmo and MPI only where they need them, and name the file where it is missing.
#
#   check_modules.sh BIN_DIR
set -euo pipefail

bin=$(realpath "$1")
sim=$bin/sim
quickstart=$PWD/scenarios/quickstart.yaml
dragonfly=$PWD/tests/bench/cost/dragonfly_64.yaml
work=$(mktemp -d)
cat >"$work/flexible.yaml" <<'EOF'
# Does NSGA-II choose a ratio?
workload: resnet50_v100
learner: {kind: live, model: mlp_64, dataset: optdigits, optimizer: {method: sgd, learning_rate: 0.1}, evaluate_every: 60}
cluster: {workers: 2, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}
training: {batch: 64, steps: 60}
compression:
  times: [{method: topk, ratio: 1 %, time: 3 ms}, {method: ar_topk, ratio: 1 %, time: 3 ms}]
  policy: flexible
  flexible: {ratios: [10 %, 1 %], steps_each: 2, solver: nsga2}
EOF
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS=detect_leaks=0
fail() {
  echo "$*"
  exit 1
}

# The large libraries that a command opens, by name: simgrid pagmo mpi.
opened() { # ARGUMENT...
  LD_DEBUG=files LD_DEBUG_OUTPUT=$work/loader "$sim" "$@" >"$work/out" 2>"$work/log" || fail "sim $1: $(cat "$work/log")"
  cat "$work"/loader.* | grep -oE 'calling init: .*/lib(simgrid|pagmo|mpi)\.so' | sed 's/.*lib//; s/\.so//' | sort -u | tr '\n' ' '
  rm -f "$work"/loader.*
}

opens() { # LIBRARIES ARGUMENT...
  local expected=$1 found
  shift
  found=$(opened "$@") || fail "$found"
  [[ $found == "$expected" ]] || fail "sim $*: opens '$found', expected '$expected'"
}

opens '' version
opens '' check "$quickstart"
opens '' cost ring_allreduce --ranks 8 --size 100MB --latency 500ns --bandwidth 50GB/s
opens '' run "$quickstart" --quiet
opens '' sweep "$quickstart" --axis seed=1..2 --set training.steps=2 --jobs 1 --db "$work/sweep.db" --quiet
opens 'simgrid ' run "$quickstart" --quiet --audit 1
opens 'simgrid ' run "$dragonfly" --quiet
opens 'pagmo ' run "$work/flexible.yaml" --quiet
opens '' run "$work/flexible.yaml" --quiet --set compression.flexible.solver=exact

# A program without its modules does what needs none.
mkdir "$work/bin"
ln "$sim" "$work/bin/sim" 2>/dev/null || cp "$sim" "$work/bin/sim"
bare() { # EXIT_CODE ARGUMENT...
  local expected=$1 code=0
  shift
  "$work/bin/sim" "$@" >"$work/out" 2>"$work/log" || code=$?
  [[ $code == "$expected" ]] || fail "sim $* without modules: exit code $code, expected $expected: $(cat "$work/log")"
}
bare 0 run "$quickstart" --quiet
misses() { # MODULE ARGUMENT...
  local message
  message="sim: a part of gradsim cannot be loaded: $work/lib/gradsim/libgradsim_$1.so: cannot open shared object file: \
No such file or directory; build or install gradsim anew"
  shift
  bare 3 "$@"
  [[ $(tail -n 1 "$work/log") == "$message" ]] || fail "$(cat "$work/log")"
}
misses simgrid run "$dragonfly" --quiet
misses pagmo run "$work/flexible.yaml" --quiet

# No part of it needs an MPI: ranks of a sweep talk by their files.
for file in "$sim" "$bin"/../lib/gradsim/libgradsim_{simgrid,pagmo}.so; do
  libraries=$(ldd "$file")
  [[ $libraries != *libmpi* ]] || fail "$file loads MPI"
done

# They are looked for beside the program, wherever it is installed, and through a link to it.
mkdir -p "$work/lib"
cp -r "$bin/../lib/gradsim" "$work/lib/gradsim"
ln -s "$work/bin/sim" "$work/linked"
bare 0 run "$dragonfly" --quiet
"$work/linked" run "$dragonfly" --quiet >"$work/linked.out" || fail 'a link to the program finds no modules'
cmp "$work/out" "$work/linked.out"
