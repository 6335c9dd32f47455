#!/usr/bin/env bash
# `./dev coverage`: runs the tests of build-coverage, which has counters, and prints which share of the product's lines ran.
#
#   measure.sh JOBS [CTEST OPTION...]
#
# Without those tests that compile for themselves, or measure time. Lines that no test ran are listed in
# build-coverage/uncovered.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf 'dev: %s\n' "$*" >&2; }

jobs=$1
shift
find build-coverage -name '*.gcda' -delete
ctest --preset coverage --parallel "$jobs" -E '^(adding|notebooks|live|campaign|bench)' "$@" >&2 ||
  say "some tests failed: what they would have run is missing below"
python3 -B tests/coverage/coverage.py --build build-coverage --uncovered build-coverage/uncovered.txt
say "lines that no test ran: $PWD/build-coverage/uncovered.txt"
