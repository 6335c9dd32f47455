"""The check of recorded costs: what is red, what is skipped, and what an interrupted record leaves; a fake valgrind counts."""

import contextlib
import importlib.util
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("check_costs", HERE / "check_costs.py")
check_costs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_costs)

SIM = """#!/bin/sh
case $1 in
  version) echo 'gradsim 1'; echo "SimGrid $(cat {folder}/simgrid)"; echo 'compiler c++ 1' ;;
  broken) echo 'no such file' >&2; exit 1 ;;
esac
"""
# Writes what the file `counts` has for the first argument, in two processes; fails as the command does.
VALGRIND = """#!/bin/sh
for option; do case $option in --callgrind-out-file=*) out=$(dirname "${{option#*=}}") ;; esac; done
while [ "${{1#--}}" != "$1" ]; do shift; done
"$@" || exit
count=$(sed -n "s/^$2 //p" {folder}/counts)
echo "summary: $((count - 1))" >"$out/1"
echo "totals: 1" >"$out/2"
"""


class CheckCosts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "bin").mkdir()
        self.write_program("bin/sim", SIM)
        self.write_program("bin/valgrind", VALGRIND)
        (self.folder / "simgrid").write_text("3.32")
        self.set_counts(version=1000, run=50000)
        page = self.folder / "page.md"
        page.write_text(f"# Page\n\n{check_costs.BEGIN}\n{check_costs.END}\n\nend\n")
        self.replace(check_costs, RECORD=self.folder / "recorded.json", PAGE=page, CASES={"start": "version", "ring": "run x.yaml"})
        self.environment(PATH=f"{self.folder}/bin:{os.environ['PATH']}", CI="")
        self.assertEqual(self.main("record")[0], 0)

    def write_program(self, name, text):
        file = self.folder / name
        file.write_text(text.format(folder=self.folder))
        file.chmod(0o755)

    def set_counts(self, **counts):
        (self.folder / "counts").write_text("".join(f"{name} {count}\n" for name, count in counts.items()))

    def replace(self, module, **values):
        for name, value in values.items():
            self.addCleanup(setattr, module, name, getattr(module, name))
            setattr(module, name, value)

    def environment(self, **values):
        for name, value in values.items():
            before = os.environ.get(name)
            self.addCleanup(os.environ.__setitem__ if before is not None else os.environ.pop, name, before)
            os.environ[name] = value

    def without_valgrind(self):
        self.replace(check_costs.shutil, which=lambda name: None)

    def main(self, mode, *options):
        """Returns (exit code, what was printed)."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = check_costs.main([mode, str(self.folder / "bin"), *options])
        return code, printed.getvalue()

    def test_what_was_recorded_is_green_and_on_the_page(self):
        self.assertEqual(self.main("check")[0], 0)
        self.assertIn("| ring | `sim run x.yaml` | 0.1 |", check_costs.PAGE.read_text())
        self.assertTrue(check_costs.PAGE.read_text().endswith("\n\nend\n"))

    def test_a_case_that_costs_a_tenth_more_is_named_with_both_counts_and_their_ratio(self):
        self.set_counts(version=1000, run=55001)
        code, printed = self.main("check")
        self.assertEqual(code, 1)
        self.assertRegex(printed, r"ring +50 000 -> +55 001 instructions, x 1.100: costs too much")
        self.assertNotRegex(printed, r"start .*too much")

    def test_a_case_that_costs_less_than_a_tenth_more_is_green(self):
        self.set_counts(version=1000, run=54999)
        self.assertEqual(self.main("check")[0], 0)

    def test_recorded_counts_that_are_lowered_by_a_fifth_are_red(self):
        record = json.loads(check_costs.RECORD.read_text())
        record["cases"]["ring"]["instructions"] = 40000
        check_costs.RECORD.write_text(json.dumps(record))
        check_costs.PAGE.write_text(check_costs.page_with(record))
        self.assertEqual(self.main("check")[0], 1)

    def test_a_case_that_costs_less_is_green_and_asks_for_a_new_record(self):
        self.set_counts(version=1000, run=20000)
        code, printed = self.main("check")
        self.assertEqual(code, 0)
        self.assertIn("x 0.400: costs less; `./dev bench --record` keeps it so", printed)

    def test_a_case_that_fails_is_red_and_says_why(self):
        check_costs.CASES["ring"] = "broken"
        record = json.loads(check_costs.RECORD.read_text())
        check_costs.PAGE.write_text(check_costs.page_with(record))
        code, printed = self.main("check")
        self.assertEqual(code, 1)
        self.assertIn("ring: exit code 1: no such file", printed)

    def test_with_another_simgrid_only_starts_are_compared_and_that_is_said(self):
        (self.folder / "simgrid").write_text("3.33")
        self.set_counts(version=2000, run=199000)
        code, printed = self.main("check")
        self.assertEqual(code, 0)
        self.assertIn("counts are not comparable", printed)
        self.set_counts(version=2000, run=201000)
        code, printed = self.main("check")
        self.assertEqual(code, 1)
        self.assertRegex(printed, r"ring +50.0 -> +100.5 starts of `sim`, x 2.010: costs too much")

    def test_a_page_that_shows_other_counts_is_red(self):
        check_costs.PAGE.write_text(check_costs.PAGE.read_text().replace("0.1", "0.2"))
        code, printed = self.main("check")
        self.assertEqual(code, 1)
        self.assertIn("does not show", printed)

    def test_a_case_that_was_never_recorded_is_red(self):
        check_costs.CASES["new"] = "run y.yaml"
        code, printed = self.main("check")
        self.assertEqual(code, 1)
        self.assertIn("has other cases", printed)

    def test_without_valgrind_user_time_is_compared_and_that_is_said(self):
        self.without_valgrind()
        code, printed = self.main("check")
        self.assertEqual(code, 0)
        self.assertIn("no valgrind: only user time is compared", printed)
        self.replace(check_costs, user_seconds=lambda sim, name: (1.0, None))
        code, printed = self.main("check")
        self.assertEqual(code, 1)
        self.assertIn("s of user time", printed)

    def test_without_valgrind_a_test_is_skipped_with_a_reason(self):
        self.without_valgrind()
        code, printed = self.main("check", "--skip")
        self.assertEqual(code, 77)
        self.assertTrue(printed.startswith("skipped: no valgrind"))

    def test_without_valgrind_ci_is_red(self):
        self.without_valgrind()
        self.environment(CI="true")
        self.assertEqual(self.main("check", "--skip")[0], 3)
        self.assertEqual(self.main("check")[0], 3)
        self.assertEqual(self.main("record")[0], 3)

    def test_a_record_that_is_interrupted_leaves_the_old_one(self):
        before = check_costs.RECORD.read_text(), check_costs.PAGE.read_text()

        def interrupted(sim, name):
            if name == "ring":
                raise KeyboardInterrupt
            return 7, None

        self.replace(check_costs, count_instructions=interrupted)
        self.assertEqual(self.main("record")[0], 130)
        self.assertEqual(before, (check_costs.RECORD.read_text(), check_costs.PAGE.read_text()))

    def test_a_record_with_a_case_that_fails_leaves_the_old_one(self):
        before = check_costs.RECORD.read_text()
        check_costs.CASES["ring"] = "broken"
        code, printed = self.main("record")
        self.assertEqual(code, 1)
        self.assertIn("nothing is recorded", printed)
        self.assertEqual(before, check_costs.RECORD.read_text())



if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=0))
