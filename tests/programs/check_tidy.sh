#!/usr/bin/env bash
# `./dev tidy`: clang-tidy on every source file, by a build that is configured for it.
#
#   check_tidy.sh BUILD_DIR JOBS
#
# Goes on after a file that has findings. Exit code 1: there are some.
set -euo pipefail

say() { printf 'dev: tidy: %s\n' "$*" >&2; }

on=-k
[[ -f $1/build.ninja ]] && on=-k0
cmake --build "$1" --parallel "$2" -- "$on" >&2 || { say "there are findings (above)" && exit 1; }
say "clean"
