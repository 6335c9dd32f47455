#!/usr/bin/env python3
"""Prints which share of the product's lines the tests ran, by module, from what a build with --coverage left.

  coverage.py --build DIR [--uncovered FILE]

Lines are those that gcov counts: with code, of *.cpp and *.hpp of the product; one that was compiled several times counts
once. Left out: CUDA and NCCL (calibrate/probes/*nccl*, kernels/device*), which need a GPU. --uncovered FILE: one line of
text for each run of lines that no test ran.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from collections import defaultdict

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = ("netmodels", "files", "settings", "kernels", "command_line", "policies", "learning", "calibrate", "sim")
LEFT_OUT = re.compile(r"\.cuh?$|^kernels/device|^calibrate/probes/.*(nccl|cuda|device)")


def module_of(file):
    """sim/engine/x.cpp is of sim/engine, sim/x.cpp of sim, netmodels/nccl/x.cpp of netmodels/nccl."""
    return os.path.dirname(file)


def line_counts(build):
    """By file of the product: by line, how often it ran."""
    counts = defaultdict(lambda: defaultdict(int))
    notes = [os.path.join(place, name) for place, _, names in os.walk(build) for name in names if name.endswith(".gcno")]
    if not notes:
        sys.exit(f"{build} has no *.gcno: build it by `./dev coverage`")
    for note in notes:
        told = subprocess.run(["gcov", "--json-format", "--stdout", note], cwd=build, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True).stdout.decode()
        for text in told.splitlines():
            for file in json.loads(text)["files"]:
                path = os.path.normpath(os.path.join(build, file["file"]))
                name = os.path.relpath(path, ROOT)
                if name.split(os.sep)[0] not in MODULES or LEFT_OUT.search(name):
                    continue
                for line in file["lines"]:
                    number = line["line_number"]
                    counts[name][number] = max(counts[name][number], line["count"])
    return counts


def runs_of(numbers):
    """Lines that follow each other, as (first, last)."""
    runs = []
    for number in sorted(numbers):
        if runs and number - runs[-1][1] <= 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs


def write_uncovered(counts, path):
    with open(path, "w", encoding="utf-8") as out:
        for file in sorted(counts):
            with open(os.path.join(ROOT, file), encoding="utf-8") as text:
                lines = text.read().split("\n")
            for first, last in runs_of(number for number, count in counts[file].items() if count == 0):
                out.write(f"{file}:{first}-{last}: {lines[first - 1].strip()}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--uncovered")
    options = parser.parse_args()
    counts = line_counts(os.path.abspath(options.build))
    sums = defaultdict(lambda: [0, 0])
    for file, lines in counts.items():
        for name in (module_of(file), "all"):
            sums[name][0] += sum(1 for count in lines.values() if count > 0)
            sums[name][1] += len(lines)
    for name in sorted(sums, key=lambda name: (name == "all", name)):
        ran, lines = sums[name]
        print(f"{name:24} {100 * ran / lines:5.1f} %  {ran} of {lines} lines")
    if options.uncovered:
        write_uncovered(counts, options.uncovered)


if __name__ == "__main__":
    main()
