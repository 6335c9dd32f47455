#!/usr/bin/env bash
# `./dev format`: formats the C++ code by clang-format, or with --check names what is not formatted.
#
#   format_code.sh [--check]
#
# Exit code 1: --check found a file that is not formatted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf 'dev: format: %s\n' "$*" >&2; }

code_files() {
  local folder
  for folder in netmodels files settings kernels command_line policies learning calibrate sim tests; do
    [[ -d $folder ]] || continue # a packed tree has only some
    find "$folder" -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0
  done
}

if [[ ${1:-} != --check ]]; then
  code_files | xargs -0 -r clang-format -i
else
  code_files | xargs -0 -r clang-format --dry-run --Werror || { say "run './dev format'" && exit 1; }
  say "every file is as clang-format lays it out"
fi
