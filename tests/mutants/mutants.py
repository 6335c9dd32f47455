#!/usr/bin/env python3
"""Changes one place of the product's code at a time and asks the tests whether they notice.

  mutants.py --build DIR [--count N] [--seed S] [--minutes M] [--only REGEX] [--folder FOLDER...] [--jobs J] [--keep FILE]

Draws N mutants of netmodels, policies and sim/engine (relational, arithmetic, logical, constant, removed statement, negated
condition), each from a random file and operator. One mutant costs one compilation: its file is compiled by itself and linked
before the libraries of a release build, whose copy of that folder is compiled once such that the first definition of a
function is the one that is called. Then the tests of the file run, and, where they notice nothing, all of its folder.
Prints killed, survived and what did not compile; survivors with their lines, to be read: some are equivalent.
"""
import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

from operators import mutants_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = {"netmodels": "netmodels", "policies": "policies", "sim/engine": "sim_engine"}  # of sources: their library
ALONE = {"sim/engine"}  # SimGrid has one engine in a process, which so runs one test
INTERPOSED = ["-O1", "-fPIC", "-fsemantic-interposition", "-w"]  # calls go to the first definition that is linked
LONGEST = 60  # seconds that one process of tests may take


def run(command, folder, seconds=600, environment=None):
    """@returns its exit code (None: too slow) and output"""
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=seconds, env=environment, check=False)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, ""


class Folder:
    """A folder of sources with its test program."""

    def __init__(self, name, build):
        self.name = name
        self.build = build
        self.library = FOLDERS[name]
        self.program = "test_" + os.path.basename(name)
        self.work = os.path.join(build, "mutants", self.library)
        os.makedirs(self.work, exist_ok=True)
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
            self.units = [unit for unit in json.load(file) if f"/{self.library}.dir/" in unit.get("command", "")]
        self.prepare()

    def compile_command(self, source, output):
        words = [word for word in shlex.split(self.units[0]["command"]) if word not in ("-O2", "-fPIE", "-Werror")]
        words = words[words.index(next(word for word in words if word.endswith("c++"))):]
        for option in ("-c", "-o"):
            at = words.index(option)
            del words[at:at + 2]
        return [*words, *INTERPOSED, "-c", source, "-o", output]

    def prepare(self):
        """Compiles the folder once, and finds how its tests are linked."""
        objects = []
        for unit in self.units:
            source = os.path.join(unit["directory"], unit["file"])
            output = os.path.join(self.work, os.path.basename(source) + ".o")
            if not os.path.exists(output):
                code, text = run(self.compile_command(source, output), unit["directory"])
                if code != 0:
                    raise RuntimeError(text)
            objects.append(output)
        library = os.path.join(self.work, f"lib{self.library}.a")
        if os.path.exists(library):
            os.remove(library)
        subprocess.run(["ar", "rcs", library, *objects], check=True)
        text = subprocess.run(["ninja", "-t", "commands", f"tests/{self.program}"], cwd=self.build, check=True,
                              stdout=subprocess.PIPE).stdout.decode()
        link = next(line for line in reversed(text.splitlines()) if f"-o tests/{self.program} " in line)
        link = link.split("&& ")[1] if link.startswith(":") else link
        words = shlex.split(link)
        own = next(word for word in words if word.endswith(f"/lib{self.library}.a"))
        self.link = [library if word == own else word for word in words]
        at = self.link.index("-o")
        del self.link[at:at + 2]
        listed = subprocess.run([os.path.join(self.build, "tests", self.program), "--gtest_list_tests"], cwd=ROOT, check=True,
                                stdout=subprocess.PIPE).stdout.decode()
        self.tests = []
        for line in listed.splitlines():
            if line.startswith(" "):
                self.tests.append(suite + line.split("#")[0].strip())
            else:
                suite = line.split("#")[0].strip()

    def suites_of(self, file):
        """Names of the suites in the test file of a source."""
        test = os.path.join(ROOT, "tests", self.program.removeprefix("test_"),
                            os.path.splitext(os.path.basename(file))[0] + "_test.cpp")
        if not os.path.exists(test):
            return set()
        with open(test, encoding="utf-8") as text:
            return set(re.findall(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+)", text.read(), re.MULTILINE))

    def linked(self, objects, work):
        """@param work  the folder of the program\n@returns the path of the test program, or None"""
        program = os.path.join(work, self.program)
        first = next(i for i, word in enumerate(self.link) if word.endswith(".o"))
        code, text = run([*self.link[:first], "-Wl,--allow-multiple-definition", *objects, *self.link[first:], "-o", program],
                         self.build)
        if code != 0:
            print(text[-1500:], file=sys.stderr)
        return program if code == 0 else None

    def groups(self, file):
        """Filters of gtest: first the suites of the file, then all others."""
        suites = self.suites_of(file)
        near = [test for test in self.tests if any(test.split(".")[0].endswith(suite) or suite in test.split(".")[0].split("/")
                                                   for suite in suites)]
        rest = [test for test in self.tests if test not in set(near)]
        if self.name in ALONE:
            return near + rest
        return [":".join(tests) for tests in (near, rest) if tests]

    def must_pass(self):
        """Ends the program where the tests fail without a mutant."""
        program = self.linked([], self.work)
        killer = self.killer(program, "none") if program else "not linked"
        if killer:
            sys.exit(f"{self.name}: the tests fail without a mutant: {killer}")

    def killer(self, program, file):
        """The first tests that fail, or None."""
        for tests in self.groups(file):
            code, text = run([program, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={tests}"], ROOT, LONGEST)
            if code != 0:
                failed = re.search(r"FAILED  \] ([\w./]+)", text)
                return failed.group(1) if failed else f"{tests[:60]} ({'too slow' if code is None else f'exit code {code}'})"
        return None


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


def outcome(mutant, folder, lanes):
    """What became of a mutant: its state and the test that killed it."""
    lane = lanes.get()
    try:
        return outcome_in(os.path.join(folder.work, lane), mutant, folder)
    finally:
        lanes.put(lane)


def outcome_in(work, mutant, folder):
    """@param work  a folder that no other mutant uses meanwhile"""
    os.makedirs(work, exist_ok=True)
    source = os.path.join(work, os.path.basename(mutant.file))
    with open(os.path.join(ROOT, mutant.file), encoding="utf-8") as text:
        changed = mutant.apply(text.read())
    with open(source, "w", encoding="utf-8") as file:
        file.write(changed)
    output = source + ".o"
    code, _ = run(folder.compile_command(source, output), folder.units[0]["directory"])
    if code != 0:
        return "not compiled", ""
    program = folder.linked([output], work)
    if program is None:
        return "not linked", ""
    killer = folder.killer(program, mutant.file)
    return ("killed", killer) if killer else ("survived", "")


def tell(mutant, state, killer, keep):
    """Prints an outcome, and appends it to the file `keep`."""
    text = f"{state:12} {mutant.operator:10} {mutant.file}:{mutant.line}: {mutant.shown}  ->  {mutant.new.strip() or 'removed'}"
    text += f"  [{killer}]" if killer else ""
    print(text, flush=True)
    if keep:
        with open(keep, "a", encoding="utf-8") as file:
            file.write(text + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="a release build of all tests, by ninja")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--only", default="", help="files that match")
    parser.add_argument("--folder", nargs="+", default=list(FOLDERS), choices=list(FOLDERS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants that are tried at the same time")
    parser.add_argument("--keep", help="file to which each outcome is appended")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    folders = {}
    chance = random.Random(options.seed)
    pools = pools_of(options)
    until = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    counts = Counter()
    lanes = SimpleQueue()
    for lane in range(options.jobs):
        lanes.put(str(lane))
    with ThreadPoolExecutor(options.jobs) as workers:
        under_way = deque()
        while True:
            while len(under_way) < options.jobs and pools and time.monotonic() < until:
                mutant = draw(chance, pools)
                name = os.path.dirname(mutant.file)
                if name not in folders:
                    folders[name] = Folder(name, build)
                    folders[name].must_pass()
                under_way.append((mutant, workers.submit(outcome, mutant, folders[name], lanes)))
            if not under_way or counts["killed"] + counts["survived"] >= options.count:
                break
            mutant, running = under_way.popleft()
            state, killer = running.result()
            counts[state] += 1
            tell(mutant, state, killer, options.keep)
    judged = counts["killed"] + counts["survived"]
    share = f"{100 * counts['killed'] / judged:.1f} %" if judged else "none"
    print(f"mutants: {judged} judged, {counts['killed']} killed ({share}), {counts['survived']} survived, "
          f"{counts['not compiled']} did not compile")


if __name__ == "__main__":
    main()
