#!/usr/bin/env python3
"""Runs all tests of one gtest program in one process, and names those that failed or were skipped in its last lines.

run_program.py PROGRAM RESULTS.json SECONDS PART/PARTS [REGEX|-REGEX]

Only tests whose name has REGEX are run, or those that do not (-REGEX). Of PARTS, the PARTth takes each PARTSth of them, from the PARTth on. A test that ends the process, or takes longer than SECONDS, is named as failed, and another process goes on behind it. RESULTS
gets {"passed": N, "failed": [NAME...], "skipped": {REASON: [NAME...]}}. Exit code 0: none failed and not all were skipped, 77:
all were skipped, else 1.
"""
import json
import os
import re
import select
import signal
import subprocess
import sys
import time

SKIPPED = 77


def reason_of(lines):
    """What comes behind `skipped: `, else what was said last."""
    said = [line.strip() for line in lines if line.strip()]
    return next((line.partition("skipped: ")[2] for line in said if "skipped: " in line), said[-1] if said else "the test does not say why")


class Tests:
    """What was said of each test so far."""

    def __init__(self):
        self.passed, self.failed, self.skipped, self.current, self.text = [], {}, {}, None, []

    def read(self, line):
        found = re.match(r"\[ +(RUN|OK|FAILED|SKIPPED) +\] ([\w/.]+)", line)
        if not found:
            self.text.append(line)
            return
        what, name = found.groups()
        if what == "RUN":
            self.current, self.text = name, []
        elif name == self.current:
            self.end(what)
        elif what == "FAILED" and name in self.passed[-1:]:  # as a leak that is found in the end of its process
            self.failed[self.passed.pop()] = "".join(self.text)

    def end(self, what):
        if what == "OK":
            self.passed.append(self.current)
        elif what == "FAILED":
            self.failed[self.current] = "".join(self.text)
        else:
            self.skipped.setdefault(reason_of(self.text), []).append(self.current)
        self.current = None

    def done(self):
        return [*self.passed, *self.failed, *(name for names in self.skipped.values() for name in names)]


def follow(process, tests, seconds):
    """Reads until the process ends. @returns False where one test took too long, and the process was killed"""
    rest, since, current = b"", time.monotonic(), None
    while True:
        ready, _, _ = select.select([process.stdout], [], [], 1)
        if ready:
            block = os.read(process.stdout.fileno(), 1 << 16)
            if not block:
                process.wait()
                return True
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                tests.read(line.decode(errors="replace") + "\n")
        if tests.current != current:
            current, since = tests.current, time.monotonic()
        if time.monotonic() - since > seconds:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return False


def list_tests(program):
    """@returns the names of all tests; raises subprocess.CalledProcessError"""
    listed = subprocess.run((program, "--gtest_list_tests"), capture_output=True, text=True, check=True).stdout
    names, suite = [], ""
    for line in listed.splitlines():
        words = line.split("#")[0].rstrip()
        if words.endswith(".") and not words.startswith(" "):
            suite = words
        elif words.startswith("  ") and suite:
            names.append(suite + words.strip())
    return [name for name in names if "DISABLED_" not in name]


def run(program, names, tests, seconds):
    """One process, of the tests that were not run yet. @returns whether all were run"""
    left = [name for name in names if name not in set(tests.done())]
    words = [program, "--gtest_color=no", f"--gtest_filter={':'.join(left)}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
        in_time = follow(process, tests, seconds)
    why = f"exit code {process.returncode}" if process.returncode >= 0 else f"signal {-process.returncode}"
    if tests.current is None:
        if process.returncode != 0 and not tests.failed:  # as a leak that is found in the end
            tests.failed["the end of the program"] = "".join(tests.text) + why + "\n"
        return True
    tests.failed[tests.current] = "".join(tests.text) + (f"ended the process: {why}\n" if in_time else f"took longer than {seconds:g} s\n")
    tests.current = None
    return set(names) <= set(tests.done())


def chosen(names, regex):
    wanted = not regex.startswith("-")
    return [name for name in names if bool(re.search(regex.removeprefix("-"), name)) == wanted]


def main(program, results, seconds, part, regex=""):
    tests = Tests()
    number, parts = map(int, part.split("/"))
    names = chosen(list_tests(program), regex)[number - 1 :: parts]
    while not run(program, names, tests, float(seconds)):
        pass
    for name, text in tests.failed.items():
        print(f"--- {name}\n{text}", end="")
    for reason, of in tests.skipped.items():
        print(f"skipped: {reason} ({', '.join(of)})")
    for name in tests.failed:
        print(f"failed: {name}")
    print(f"{len(tests.passed)} passed, {len(tests.failed)} failed, {sum(map(len, tests.skipped.values()))} skipped")
    with open(results, "w", encoding="utf-8") as file:
        json.dump({"passed": len(tests.passed), "failed": list(tests.failed), "skipped": tests.skipped}, file)
    if tests.failed or not tests.done():
        return 1
    return 0 if tests.passed else SKIPPED


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
