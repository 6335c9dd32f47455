#!/usr/bin/env bash
# Names each place of a folder's tests that can skip one without printing `skipped: REASON`, as FILE:LINE: TEXT.
#
#   find_silent.sh FOLDER
#
# In C++ the reason follows GTEST_SKIP(); in a script it is printed at most three lines above the exit with 77, or by
# `testbed check`. FOLDER/skipped, which shows such places, is left out. Exit code 0 none found, 1 some.
set -euo pipefail

cd "$1"
mapfile -t files < <(find . -path ./skipped -prune -o -type f \( -name '*.[ch]pp' -o -name '*.cu' -o -name '*.sh' -o -name '*.py' -o -name testbed \) -print | sort)
awk '
  function report(file, line, text) {
    sub(/^\.\//, "", file)
    sub(/^ +/, "", text)
    printf "%s:%d: %s\n", file, line, text
    found = 1
  }
  function judge_skip() {  # the GTEST_SKIP() of an earlier line, whose reason may be on the next one
    if (skip != "" && skip following !~ /GTEST_SKIP\(\) *<< *"skipped: /) report(skip_file, skip_line, skip)
    skip = ""
  }
  FNR == 1 { following = ""; judge_skip(); above[1] = above[2] = above[3] = "" }
  skip != "" { following = /GTEST_SKIP/ ? "" : $0; judge_skip() }
  FILENAME ~ /\.(cpp|hpp|cu)$/ {
    if (/GTEST_SKIP\(\)/) { skip = $0; skip_file = FILENAME; skip_line = FNR }
    next
  }
  /(exit|return) 77|exit\(77\)/ && above[1] above[2] above[3] $0 !~ /skipped: |testbed" check/ { report(FILENAME, FNR, $0) }
  { above[3] = above[2]; above[2] = above[1]; above[1] = $0 }
  END { following = ""; judge_skip(); exit found }
' "${files[@]}"
