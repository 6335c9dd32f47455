#!/usr/bin/env bash
# `./dev test`: runs the tests of a build, and prints why some were skipped, which failed, and how many there were.
#
#   run_tests.sh PRESET BUILD_DIR JOBS [--slow|--programs] [CTEST OPTION...]
#
# --slow: only those that take minutes, which are left out otherwise; --programs: only those that are scripts. The exit code is
# that of ctest.
set -euo pipefail

preset=$1 build=$2 jobs=$3
shift 3
which=(-LE '^slow$') options=()
for word in "$@"; do
  case $word in
    --slow) which=(-L '^slow$') ;;
    --programs) which=(-L '^program$' -LE '^slow$') ;;
    *) options+=("$word") ;;
  esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
results=$build/Testing/results.xml
rm -rf "$results" "$build"/Testing/programs/*
status=0
ctest --preset "$preset" --parallel "$jobs" --output-junit "$results" "${which[@]}" "${options[@]}" || status=$?
! command -v python3 >/dev/null || python3 -B tests/programs/print_results.py "$results" "$build/Testing/programs"
exit "$status"
