#!/usr/bin/env python3
"""Changes one place of the product's code at a time and asks the tests whether they notice.

  mutants.py --build DIR [--count N] [--seed S] [--minutes M] [--only REGEX] [--folder FOLDER...] [--jobs J] [--keep FILE]
             [--again FILE] [--folder-only]

Draws N mutants of netmodels, policies and sim/engine (relational, arithmetic, logical, constant, removed statement, negated
condition), each from a random file and operator. One mutant costs one compilation: its file is compiled by itself and linked
before the libraries of a release build, whose copy of that folder is compiled once such that the first definition of a
function is the one that is called. Then the tests of the file run, and, where they notice nothing, all of its folder.
What these do not notice is asked of the rest of the suite (suite.py): golden records and the tests of other folders.
Mutants in equivalent.txt, which no test can notice, are not judged. Prints what noticed each mutant, and both scores; what
survived is to be read.
"""
import argparse
import os
import random
import re
import sys
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

from folder import FOLDERS, ROOT, Folder, run
from operators import mutants_of
from suite import Suite

HERE = os.path.dirname(os.path.abspath(__file__))


def draw(chance, pools):
    """A mutant: each folder as often as it has files, each operator of a file alike."""
    file = chance.choice(sorted(pools))
    operator = chance.choice(sorted(pools[file]))
    mutants = pools[file][operator]
    mutant = mutants.pop(chance.randrange(len(mutants)))
    if not mutants:
        del pools[file][operator]
        if not pools[file]:
            del pools[file]
    return mutant


def pools_of(options):
    """By file and operator, all mutants."""
    pools = {}
    for name in options.folder:
        for entry in sorted(os.listdir(os.path.join(ROOT, name))):
            file = f"{name}/{entry}"
            if not entry.endswith(".cpp") or not re.search(options.only, file):
                continue
            with open(os.path.join(ROOT, file), encoding="utf-8") as text:
                for mutant in mutants_of(file, text.read()):
                    pools.setdefault(file, {}).setdefault(mutant.operator, []).append(mutant)
    return pools


def equivalents():
    """Those that equivalent.txt names: file, line as it is, line as it becomes."""
    with open(os.path.join(HERE, "equivalent.txt"), encoding="utf-8") as text:
        blocks = re.findall(r"^(\S+)\n- (.*)\n\+ (.*)\n", text.read(), re.MULTILINE)
    return set(blocks)


def unnoticed_in(file):
    """What the tests of their folder did not notice in an earlier run, as `tell` wrote it."""
    with open(file, encoding="utf-8") as text:
        lines = text.read()
    survived = re.findall(r"^survived +(.*)$", lines, re.MULTILINE)
    return {*survived, *re.findall(r"^by suite +(.*)  \[.*\]$", lines, re.MULTILINE)}


def outcome(mutant, folder, suite, lanes):
    """What became of a mutant: its state and the test that killed it."""
    lane = lanes.get()
    try:
        return outcome_in(os.path.join(folder.work, lane), mutant, folder, suite)
    finally:
        lanes.put(lane)


def outcome_in(work, mutant, folder, suite):
    """@param work  a folder that no other mutant uses meanwhile\n@param suite  None: it is not asked"""
    os.makedirs(work, exist_ok=True)
    source = os.path.join(work, os.path.basename(mutant.file))
    with open(os.path.join(ROOT, mutant.file), encoding="utf-8") as text:
        changed = mutant.apply(text.read())
    with open(source, "w", encoding="utf-8") as file:
        file.write(changed)
    output = source + ".o"
    unit = folder.unit_of(mutant.file)
    code, _ = run(folder.compile_command(unit, source, output), unit["directory"])
    if code != 0:
        return "not compiled", ""
    program = folder.linked(folder.program, [output], work)
    if program is None:
        return "not linked", ""
    if killer := folder.killer(program, mutant.file):
        return "killed", killer
    if suite and (killer := suite.killer(folder, [output], work)):
        return "by suite", killer
    return "survived", ""


def tell(mutant, state, killer, keep):
    """Prints an outcome, and appends it to the file `keep`."""
    text = f"{state:12} {mutant.where_and_what()}" + (f"  [{killer}]" if killer else "")
    print(text, flush=True)
    if keep:
        with open(keep, "a", encoding="utf-8") as file:
            file.write(text + "\n")


def summary(counts):
    """The scores of what was judged."""
    judged = counts["killed"] + counts["by suite"] + counts["survived"]
    if not judged:
        return "mutants: none judged"
    noticed = counts["killed"] + counts["by suite"]
    return (f"mutants: {judged} judged; the tests of their folder noticed {counts['killed']} ({100 * counts['killed'] / judged:.1f} %), "
            f"the suite {noticed} ({100 * noticed / judged:.1f} %); {counts['survived']} survived; not judged: "
            f"{counts['equivalent']} equivalent, {counts['not compiled'] + counts['not linked']} did not compile")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="a release build of the programs and of all tests, by ninja")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--only", default="", help="files that match")
    parser.add_argument("--folder", nargs="+", default=list(FOLDERS), choices=list(FOLDERS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants that are tried at the same time")
    parser.add_argument("--keep", help="file to which each outcome is appended")
    parser.add_argument("--again", help="only what no test of its folder noticed in this file of an earlier run")
    parser.add_argument("--folder-only", action="store_true", help="do not ask the rest of the suite")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    suite = None if options.folder_only else Suite(Folder("netmodels", build))
    folders = {}
    chance = random.Random(options.seed)
    pools = pools_of(options)
    unnoticeable = equivalents()
    wanted = unnoticed_in(options.again) if options.again else None
    until = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    counts = Counter()
    lanes = SimpleQueue()
    for lane in range(options.jobs):
        lanes.put(str(lane))
    with ThreadPoolExecutor(options.jobs) as workers:
        under_way = deque()
        while True:
            while len(under_way) < 4 * options.jobs and pools and time.monotonic() < until:
                mutant = draw(chance, pools)
                if (mutant.file, mutant.shown, mutant.changed) in unnoticeable:
                    counts["equivalent"] += 1
                    continue
                if wanted is not None and mutant.where_and_what() not in wanted:
                    continue
                name = os.path.dirname(mutant.file)
                if name not in folders:
                    folders[name] = Folder(name, build)
                    folders[name].must_pass()
                under_way.append((mutant, workers.submit(outcome, mutant, folders[name], suite, lanes)))
            if not under_way or counts["killed"] + counts["by suite"] + counts["survived"] >= options.count:
                break
            mutant, running = under_way.popleft()
            state, killer = running.result()
            counts[state] += 1
            tell(mutant, state, killer, options.keep)
        workers.shutdown(cancel_futures=True)
    print(summary(counts))


if __name__ == "__main__":
    main()
