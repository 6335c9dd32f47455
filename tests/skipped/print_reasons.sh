#!/usr/bin/env bash
# Prints why tests were skipped, which ctest itself does not say: one line for each reason, with its tests.
#
#   print_reasons.sh RESULTS.xml
#
# RESULTS.xml: what `ctest --output-junit` writes. A skipped test has printed a line with `skipped: REASON`.
set -euo pipefail

[[ -f $1 ]] || exit 0
awk '
  function plain(text) {
    gsub(/&lt;/, "<", text)
    gsub(/&gt;/, ">", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&apos;/, "\047", text)
    gsub(/&amp;/, "\\&", text)
    return text
  }
  /<testcase / {
    test = $0
    sub(/^.*<testcase name="/, "", test)
    sub(/".*$/, "", test)
    skipped = 0
    reason = ""
  }
  /<skipped / { skipped = 1 }
  skipped && reason == "" && /skipped: / {
    reason = $0
    sub(/^.*skipped: /, "", reason)
    sub(/<\/system-out>.*$/, "", reason)
  }
  /<\/testcase>/ && skipped {
    if (reason == "") reason = "the test does not say why"
    if (!(reason in tests)) order[++count] = reason
    tests[reason] = tests[reason] (number[reason]++ ? ", " : "") test
  }
  END {
    for (i = 1; i <= count; ++i)
      printf "skipped, %d: %s (%s)\n", number[order[i]], plain(order[i]), plain(tests[order[i]])
  }
' "$1"
