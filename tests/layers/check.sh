#!/usr/bin/env bash
# `./dev layers`: whether every #include keeps to the layers, by the test of them, which PROGRAM is.
#
#   check.sh PROGRAM
#
# Exit code 1: one does not.
set -euo pipefail

say() { printf 'dev: layers: %s\n' "$*" >&2; }

"$1" --gtest_brief=1 >&2 || { say "an #include breaks them (above)" && exit 1; }
say "every #include keeps to them"
