"""Tests of one process: what fails, ends it, hangs or is skipped is named, and the others are run; the last lines of all; what `./dev` refuses."""
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import print_results  # noqa: E402
import run_program  # noqa: E402

# In place of a gtest program: says of its tests what gtest says.
PROGRAM = """#!/usr/bin/env python3
import os, sys
tests = {tests!r}
if "--gtest_list_tests" in sys.argv:
    print("A.", *("  " + name + "  # GetParam() = 1" for name in tests), "  DISABLED_old", sep="\\n")
    sys.exit()
asked = next(word for word in sys.argv if word.startswith("--gtest_filter=")).partition("=")[2].split(":")
bad = False
for name, what in tests.items():
    if "A." + name not in asked:
        continue
    print(f"[ RUN      ] A.{{name}}", flush=True)
    exec(what)
    state = "FAILED  " if what.startswith("print('wrong") else "SKIPPED " if "skipped" in what else "      OK"
    bad |= "FAILED" in state
    print(f"[  {{state}} ] A.{{name}} (0 ms)" if "OK" not in state else f"[       OK ] A.{{name}} (0 ms)", flush=True)
sys.exit({end} or bad)
"""


class Scratch(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.base)


class Programs(Scratch):
    def run_tests(self, tests, part="1/1", end=0, seconds=60, regex=""):
        """@returns (exit code, what was printed, what was written)"""
        program, results = os.path.join(self.base, "program"), os.path.join(self.base, "results.json")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(tests=tests, end=end))
        os.chmod(program, 0o755)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = run_program.main(program, results, seconds, part, regex)
        with open(results, encoding="utf-8") as file:
            return status, said.getvalue(), json.load(file)

    def test_all_that_pass_are_counted(self):
        self.assertEqual(self.run_tests({"a": "pass", "b": "pass"}), (0, "2 passed, 0 failed, 0 skipped\n", {"passed": 2, "failed": [], "skipped": {}}))

    def test_one_that_fails_is_printed_with_its_words_and_named_last(self):
        status, said, _ = self.run_tests({"a": "print('wrong: 3')", "b": "pass"})
        self.assertEqual((status, said), (1, "--- A.a\nwrong: 3\nfailed: A.a\n1 passed, 1 failed, 0 skipped\n"))

    def test_one_that_ends_the_process_takes_no_other_with_it(self):
        status, said, found = self.run_tests({"a": "pass", "b": "print('abort', flush=True); os.kill(os.getpid(), 6)", "c": "pass"})
        self.assertEqual((status, found), (1, {"passed": 2, "failed": ["A.b"], "skipped": {}}))
        self.assertIn("--- A.b\nabort\nended the process: signal 6\n", said)

    def test_one_that_hangs_is_ended_and_named(self):
        _, said, found = self.run_tests({"a": "import time; time.sleep(1000)", "b": "pass"}, seconds=1)
        self.assertEqual(found["failed"], ["A.a"])
        self.assertIn("took longer than 1 s", said)

    def test_a_skipped_one_gives_its_reason(self):
        status, said, found = self.run_tests({"a": "print('skipped: no ip'); print('A.a_test.cpp:1: Skipped')", "b": "pass"})
        self.assertEqual((status, found["skipped"]), (0, {"no ip": ["A.a"]}))
        self.assertIn("skipped: no ip (A.a)", said)
        self.assertEqual(self.run_tests({"a": "print('skipped: no ip')"})[0], run_program.SKIPPED)

    def test_a_program_that_fails_in_its_end_fails(self):
        status, _, found = self.run_tests({"a": "pass"}, end=23)
        self.assertEqual((status, found["failed"]), (1, ["the end of the program"]))

    def test_one_whose_own_process_ends_badly_after_it_passed_fails(self):
        tests = {"a": "pass", "b": "print('[       OK ] A.b (0 ms)\\nleaked\\n[  FAILED  ] A.b')", "c": "pass"}
        status, said, found = self.run_tests(tests)
        self.assertEqual((status, found["passed"], found["failed"]), (1, 2, ["A.b"]))
        self.assertIn("--- A.b\nleaked\n", said)

    def test_a_regex_chooses_tests_or_leaves_them_out(self):
        tests = {"a": "pass", "long_b": "pass", "c": "print('wrong')"}
        self.assertEqual(self.run_tests(tests, regex="long")[2]["passed"], 1)
        status, _, found = self.run_tests(tests, regex="-long")
        self.assertEqual((status, found["passed"], found["failed"]), (1, 1, ["A.c"]))
        self.assertEqual(self.run_tests(tests, regex="-[.]c$")[0], 0)

    def test_parts_hold_each_test_once(self):
        tests = {name: "pass" for name in "abcde"}
        self.assertEqual([self.run_tests(tests, f"{part}/2")[2]["passed"] for part in (1, 2)], [3, 2])


RESULTS = """<testsuite>
<testcase name="a" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>skipped: no &apos;ip&apos;
</system-out></testcase>
<testcase name="b" status="run"><system-out>skipped: an entry of the ledger
</system-out></testcase>
<testcase name="c" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/><system-out>[ RUN      ] c
c_test.cpp:47: Skipped
skipped: no &apos;ip&apos;
</system-out></testcase>
<testcase name="d" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out></system-out></testcase>
<testcase name="e" status="fail"><failure message=""/></testcase>
<testcase name="netmodels" status="fail"><failure message=""/></testcase>
</testsuite>
"""


class LastLines(Scratch):
    def print_results(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            print_results.main(os.path.join(self.base, "results.xml"), self.base)
        return said.getvalue()

    def test_name_reasons_and_failed_tests_and_count_those_within_programs(self):
        with open(os.path.join(self.base, "results.xml"), "w", encoding="utf-8") as file:
            file.write(RESULTS)
        with open(os.path.join(self.base, "netmodels.json"), "w", encoding="utf-8") as file:
            json.dump({"passed": 300, "failed": ["Ring.Sends"], "skipped": {"no 'ip'": ["Tree.Waits"]}}, file)
        self.assertEqual(
            self.print_results(),
            "skipped, 3: no 'ip' (a, c, netmodels: Tree.Waits)\n"
            "skipped, 1: the test does not say why (d)\n"
            "failed: e\n"
            "failed: netmodels: Ring.Sends\n"
            "301 passed, 2 failed, 4 skipped\n",
        )

    def test_are_none_where_nothing_was_run(self):
        self.assertEqual(self.print_results(), "")


class Dev(unittest.TestCase):
    def refused(self, *words):
        """@returns what `./dev` says of words that it refuses before it installs or builds anything"""
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        done = subprocess.run(("./dev", *words), cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "GRADSIM_INSTALL": "no"})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def test_no_option_is_the_name_of_a_preset(self):
        message = "dev: --preset needs a name, as in '--preset dev'"
        self.assertEqual(self.refused("test", "--preset", "--slow"), message + "; found '--slow'\n")
        self.assertEqual(self.refused("test", "--preset=--slow"), message + "; found '--slow'\n")
        self.assertEqual(self.refused("test", "--slow", "--preset"), message + "\n")
        self.assertEqual(self.refused("build", "--preset="), message + "\n")

    def test_an_unknown_command_is_named(self):
        self.assertTrue(self.refused("tset").startswith("dev: unknown command 'tset'\nusage: ./dev COMMAND"))


if __name__ == "__main__":
    unittest.main()
