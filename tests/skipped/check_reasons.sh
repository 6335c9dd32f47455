#!/usr/bin/env bash
# Each reason is one line with its tests; tests that ran are not named.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
results=$(mktemp)
trap 'rm -f "$results"' EXIT
cat >"$results" <<'XML'
<testsuite>
	<testcase name="a" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
		<system-out>skipped: no &apos;ip&apos;
</system-out>
	</testcase>
	<testcase name="b" status="run">
		<system-out>skipped: an entry of the ledger
</system-out>
	</testcase>
	<testcase name="c" status="notrun">
		<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
		<system-out>[ RUN      ] c
c_test.cpp:47: Skipped
skipped: no &apos;ip&apos;
</system-out>
	</testcase>
	<testcase name="d" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
		<system-out></system-out>
	</testcase>
</testsuite>
XML
said=$(bash print_reasons.sh "$results")
wanted="skipped, 2: no 'ip' (a, c)
skipped, 1: the test does not say why (d)"
[[ $said == "$wanted" ]] || { diff -u --label wanted --label said <(echo "$wanted") <(echo "$said") && exit 1; }
bash print_reasons.sh "$results.none"
