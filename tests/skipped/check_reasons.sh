#!/usr/bin/env bash
# No test of this repository skips without a reason; places that do are found.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tests"
cat >"$folder/tests/a_test.cpp" <<'CPP'
  if (none) GTEST_SKIP() << "skipped: none here";
  if (few)
    GTEST_SKIP()
        << "skipped: too few here";
  if (some) GTEST_SKIP() << "some are not here";
  GTEST_SKIP();
CPP
printf 'echo "skipped: no ip"\nexit 77\n\n\n\n[[ -x $1 ]] || exit 77\n' >"$folder/tests/check.sh"
printf 'print("skipped: no torch")\nsys.exit(77)\n' >"$folder/tests/check.py"
said=$(bash find_silent.sh "$folder/tests") && { echo "find_silent.sh: exit code 0" && exit 1; }
wanted='a_test.cpp:5: if (some) GTEST_SKIP() << "some are not here";
a_test.cpp:6: GTEST_SKIP();
check.sh:6: [[ -x $1 ]] || exit 77'
[[ $said == "$wanted" ]] || { diff -u --label wanted --label said <(echo "$wanted") <(echo "$said") && exit 1; }

bash find_silent.sh .. || { echo 'these skip without a reason: print `skipped: REASON`' && exit 1; }
