#!/usr/bin/env bash
# `./dev check`: what a change needs before it is sent anywhere, in a few minutes.
#
#   check_changes.sh [REVISION]
#
# Of what has changed since REVISION (default: origin/HEAD, origin/main, or else the last commit): format; then layers, words, and
# the tests of the changed folders by clang++ with sanitizers, their sources and those of the programs compiled with warnings
# as errors. Exit code 0: nothing was found, 1: something was, 3: a program is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf 'dev: check: %s\n' "$*" >&2; }

base_revision() {
  local name
  for name in origin/HEAD origin/main HEAD~1; do
    git merge-base HEAD "$name" 2>/dev/null && return
  done
  git rev-parse HEAD
}

base=${1:-$(base_revision)}
mapfile -t changed < <({ git diff --name-only --diff-filter=d "$base" && git ls-files --others --exclude-standard; } | sort -u)
[[ ${#changed[@]} -gt 0 ]] || { say "nothing has changed since $base" && exit 0; }

# The folder of a test program: the file's own below tests/, else that which mirrors it; sim/report is tests/report.
folder_of() { # FILE
  local folder=${1%/*}
  folder=${folder#tests/}
  folder=${folder#sim/}
  echo "${folder#calibrate/}"
}

code=()
folders=(layers words)
for file in "${changed[@]}"; do
  case $file in
    *.cpp | *.hpp | *.cu | *.cuh)
      code+=("$file")
      folders+=("$(folder_of "$file")")
      ;;
  esac
done
mapfile -t folders < <(printf '%s\n' "${folders[@]}" | tr / _ | sort -u)

if [[ ${#code[@]} -gt 0 ]]; then
  clang-format --dry-run --Werror "${code[@]}" || { say "format: run './dev format'" && exit 1; }
fi

# Programs of these folders that there are.
targets=() labels=''
for folder in "${folders[@]}"; do
  if ninja -C build-dev -t query "test_$folder" >/dev/null 2>&1; then
    targets+=("test_$folder")
    labels+="${labels:+|}$folder"
  fi
done
say "${#changed[@]} files since ${base:0:12}: sim, calibrate, and the tests of ${labels//|/, }"
cmake --build build-dev --parallel "${GRADSIM_JOBS:-$(nproc)}" --target sim calibrate "${targets[@]}" >&2 ||
  { say "it does not compile without warnings (above)" && exit 1; }
ctest --preset dev --parallel "${GRADSIM_JOBS:-$(nproc)}" -L "^($labels)\$" >&2 || { say "tests failed (above)" && exit 1; }
say "nothing was found"
