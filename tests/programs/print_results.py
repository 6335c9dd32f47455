#!/usr/bin/env python3
"""The last lines of a run of tests: why tests were skipped, which failed, and how many there were.

print_results.py RESULTS.xml FOLDER

RESULTS.xml is what `ctest --output-junit` writes; FOLDER holds NAME.json of each test NAME that ran a whole program
(run_program.py), whose own tests are counted in its place.
"""
import json
import os
import sys
import xml.etree.ElementTree as xml


def reason_of(case):
    output = case.findtext("system-out") or ""
    said = next((line for line in output.splitlines() if "skipped: " in line), "")
    return said.partition("skipped: ")[2].strip() or "the test does not say why"


def read_case(case, folder):
    """@returns (passed, names of failed, {reason: names of skipped})"""
    name, own = case.get("name"), os.path.join(folder, case.get("name") + ".json")
    if os.path.exists(own):
        with open(own, encoding="utf-8") as file:
            found = json.load(file)
        failed = [f"{name}: {test}" for test in found["failed"]]
        return found["passed"], failed, {reason: [f"{name}: {test}" for test in tests] for reason, tests in found["skipped"].items()}
    if case.find("skipped") is not None:
        return 0, [], {reason_of(case): [name]}
    if case.get("status") == "run" and case.find("failure") is None:
        return 1, [], {}
    return 0, [name], {}


def main(results, folder):
    if not os.path.exists(results):
        return
    passed, failed, skipped = 0, [], {}
    for case in xml.parse(results).getroot().iter("testcase"):
        more_passed, more_failed, more_skipped = read_case(case, folder)
        passed += more_passed
        failed += more_failed
        for reason, names in more_skipped.items():
            skipped.setdefault(reason, []).extend(names)
    for reason, names in skipped.items():
        print(f"skipped, {len(names)}: {reason} ({', '.join(names)})")
    for name in failed:
        print(f"failed: {name}")
    print(f"{passed} passed, {len(failed)} failed, {sum(map(len, skipped.values()))} skipped")


if __name__ == "__main__":
    main(*sys.argv[1:])
