#!/usr/bin/env bash
# Follows docs/adding.md: adds a policy of each role, a compressor, a data set and an output format into a copy
# of the tree, one row each, builds what changed, links it with the rest of this build, and names all of them from a
# scenario.
#
#   check_adding.sh BUILD_DIR
#
# tests/adding/new holds the new files, tests/adding/rows what is added to existing ones: a line that says where (an
# array's first line: at its end; another line: before it), an #include, and the row.
set -euo pipefail

source_dir=$PWD
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

[[ -f $build/build.ninja && -f $build/compile_commands.json ]] || { echo "skipped: this build is not Ninja's" && exit 77; }

mkdir "$tree"
cp -r policies kernels learning command_line settings netmodels files sim "$tree/"
cp -r tests/adding/new/. "$tree/"

add_row() { # FILE
  awk -v rows="tests/adding/rows/$1.row" '
    BEGIN {
      getline place < rows
      getline include < rows
      while ((getline line < rows) > 0) row = row line "\n"
      at_end = place ~ /^constexpr/
    }
    { lines[NR] = $0; if ($0 ~ /^#include "/) last_include = NR; if (!found && index($0, place) == 1) found = NR }
    END {
      if (!found) exit 3
      insert = found
      if (at_end) for (insert = found; lines[insert] != "};" && lines[insert] != "});"; ) if (++insert > NR) exit 3
      for (i = 1; i <= NR; ++i) {
        if (i == insert) printf "%s", row
        print lines[i]
        if (i == last_include) print include
      }
    }' "$1" >"$tree/$1" || fail "$1: the place of the row was not found"
}
touched=()
while IFS= read -r row; do
  row=${row#tests/adding/rows/}
  touched+=("${row%.row}")
  add_row "${row%.row}"
done < <(find tests/adding/rows -name '*.row' | sort)

# Nothing else is touched: eight files with a row each, one per role.
changed=$(for folder in policies kernels learning command_line settings netmodels files sim; do
  diff -rq "$folder" "$tree/$folder" | sed -n 's/^Files \(.*\) and .* differ$/\1/p'
done | sort)
[[ $changed == "$(printf '%s\n' "${touched[@]}" | sort)" ]] || fail "other files were touched: $changed"

# The command that compiles the folder, for all of its sources in the copy at once.
compile() { # FOLDER ARCHIVE
  local folder=$1 archive=$2 command object=$work/${1//\//_}.o together=$work/${1//\//_}.cpp file
  for file in "$tree/$folder"/*.cpp; do printf '#include "%s"\n' "$file"; done >"$together"
  command=$(sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$build/compile_commands.json" | sed 's/\\"/"/g' |
    grep -E " -c [^ ]*/$folder/([^/]*|CMakeFiles/[^ ]*)\.(cpp|cxx)$") || fail "$folder: no command compiles it"
  command=${command%%$'\n'*}
  command=${command% -o *}
  command=${command//-I$source_dir /-I$tree }
  (cd "$build" && eval "$command" -O0 -Wno-error -o "$object" -c "$together") || fail "$folder: does not compile"
  ar rcs "$work/$archive" "$object"
}
for each in policies:libpolicies.a kernels:libkernels.a learning/datasets:liblearning_datasets.a \
  command_line:libcommand_line.a; do
  compile "${each%:*}" "${each#*:}"
done

link=$(ninja -C "$build" -t commands sim | grep -E ' -o bin/sim ') || fail "no command links sim"
link=${link%%$'\n'*}
link=${link#*: && }
link=${link%% && cd *}
for archive in policies/libpolicies.a kernels/libkernels.a learning/datasets/liblearning_datasets.a \
  command_line/libcommand_line.a; do
  link=${link//" $archive"/" $work/${archive##*/}"}
done
mkdir -p "$work/bin"
(cd "$build" && eval "${link/ -o bin\/sim / -o $work\/bin\/sim }") || fail "sim: does not link"
ln -s "$(cd "$build" && pwd)/lib" "$work/lib"  # the modules, where `sim` looks for them

cat >"$work/new.yaml" <<'YAML'
# Can every addition be named?
workload: resnet50
cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}
training: {steps: 6, batch: 8}
learner: {kind: live, model: softmax, dataset: {name: stripes, samples: 32}, evaluate_every: 2}
compare:
  local: {synchronisation: {method: dense_first, dense_steps: 2, every: 2}}
  compressed: {compression: {policy: every_other, method: every_nth, every_other: {ratio: 20 %}}}
  batches: {batching: double_first, exchange: {collective: last}}
YAML
"$work/bin/sim" run "$work/new.yaml" --format tsv --quiet >"$work/out.tsv" || fail "the scenario does not run"
grep -q $'\tcompressed\t' "$work/out.tsv" || fail "no rows with tabs: $(cat "$work/out.tsv")"
"$work/bin/sim" run "$work/new.yaml" --out "$work/run" --quiet >/dev/null || fail "the scenario does not run with --out"
steps=$work/run/steps.csv
grep '^compressed,0,' "$steps" | grep -q ',every_nth,0.2,gradients,' || fail "step 0 is not compressed: $(cat "$steps")"
grep '^compressed,1,' "$steps" | grep -q ',none,1,gradients,' || fail "step 1 is not dense"
grep '^local,1,' "$steps" | grep -q ',gradients,' || fail "the beginning is not dense"
grep '^local,2,' "$steps" | grep -q ',nothing,' || fail "step 2 is not local"
grep '^local,3,' "$steps" | grep -q ',parameters,' || fail "step 3 does not exchange parameters"
[[ $(grep -c '^batches,[0-5],.*,40,' "$steps") -eq 6 ]] || fail "the first worker has no 16 samples: $(cat "$steps")"

cat >"$work/plan.yaml" <<'YAML'
# Which cluster?
workload: resnet50
cluster: {workers: 2, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}
training: {epochs: 1, samples: 6400, batch: 32}
planning:
  workers: [2, 4]
  batches: [64, 128]
  price: {per_machine: 1 USD/h}
  search: {method: first_alone, iterations: 2}
YAML
"$work/bin/sim" advise "$work/plan.yaml" >"$work/plan.txt" || fail "the planner is not asked: $(cat "$work/plan.txt")"
grep -q first_alone "$work/plan.txt" || fail "the planner is not named: $(cat "$work/plan.txt")"

list=$("$work/bin/sim" list policies && "$work/bin/sim" list compressors && "$work/bin/sim" list datasets)
for name in dense_first every_other double_first last first_alone every_nth stripes; do
  grep -qw "$name" <<<"$list" || fail "sim list does not show $name"
done
"$work/bin/sim" schema >"$work/schema.json"
grep -q dense_steps "$work/schema.json" || fail "sim schema does not know dense_steps"
echo "added and named: 5 policies, a compressor, a data set and an output format, with one row each"
