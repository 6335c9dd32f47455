"""A folder of the product with its tests: compiles and links mutants of it, and asks its tests about them."""
import json
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDERS = {"netmodels": "netmodels", "policies": "policies", "sim/engine": "sim_engine"}  # of sources: their library
INTERPOSED = ["-O1", "-fPIC", "-fsemantic-interposition", "-w"]  # calls go to the first definition that is linked


def run(command, folder, seconds=600):
    """@returns its exit code (None: too slow) and output"""
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=seconds, check=False)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, ""


def must_run(command, folder):
    """@returns its output; raises where it fails"""
    code, text = run(command, folder)
    if code != 0:
        raise RuntimeError(f"{' '.join(command)[:200]}: {text}")
    return text


def tests_of(program):
    """The names of the tests of a program."""
    tests = []
    for line in must_run([program, "--gtest_list_tests"], ROOT).splitlines():
        name = line.split("#")[0].strip()
        if line.startswith(" "):
            tests.append(suite + name)
        elif name.endswith("."):
            suite = name
    return tests


def failure_of(program, tests, seconds=600):
    """@param program  with one_by_one.cpp\n@returns the first of the tests that fails, or None"""
    code, text = run([program, "--gtest_brief=1", *tests], ROOT, seconds)
    if code == 0:
        return None
    failed = re.findall(r"^FAILED  \] (.+)", text, re.MULTILINE)
    return failed[-1] if failed else "too slow" if code is None else f"exit code {code}"


def show_modules(build, work):
    """Programs open modules in `lib` beside their own folder: that of the build, for programs in `work` and in its folders."""
    for place in (os.path.dirname(work), work):
        if not os.path.lexists(os.path.join(place, "lib")):
            os.symlink(os.path.join(build, "lib"), os.path.join(place, "lib"))


class Folder:
    """A folder of sources with its test program."""

    def __init__(self, name, build):
        self.name = name
        self.build = build
        self.library = FOLDERS[name]
        self.program = "tests/test_" + os.path.basename(name)
        self.work = os.path.join(build, "mutants", self.library)
        self.archive = os.path.join(self.work, f"lib{self.library}.a")
        self.main = os.path.join(self.work, "one_by_one.o")
        self.links = {}
        os.makedirs(self.work, exist_ok=True)
        show_modules(build, self.work)
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
            self.units = [unit for unit in json.load(file) if f"/{self.library}.dir/" in unit.get("command", "")]
        self.prepare()
        self.tests = tests_of(os.path.join(build, self.program))

    def unit_of(self, file):
        """What the build compiles with the options of a file: the file by itself, or the first unit of several files."""
        path = os.path.join(ROOT, file)
        together = [unit for unit in self.units if "/Unity/" in unit["file"]] or self.units
        return next((unit for unit in self.units if os.path.join(unit["directory"], unit["file"]) == path), together[0])

    def compile_command(self, unit, source, output):
        words = [word for word in shlex.split(unit["command"]) if word not in ("-O2", "-fPIE", "-Werror")]
        words = words[words.index(next(word for word in words if word.endswith("c++"))):]
        for option in ("-c", "-o"):
            at = words.index(option)
            del words[at:at + 2]
        return [*words, *INTERPOSED, "-c", source, "-o", output]

    def prepare(self):
        """Compiles the folder, where it has changed, and the main function of its tests."""
        built = os.path.getmtime(os.path.join(self.build, self.name, f"lib{self.library}.a"))
        objects = []
        for unit in self.units:
            source = os.path.join(unit["directory"], unit["file"])
            output = os.path.join(self.work, os.path.basename(source) + ".o")
            if not os.path.exists(output) or os.path.getmtime(output) < built:
                must_run(self.compile_command(unit, source, output), unit["directory"])
            objects.append(output)
        if os.path.exists(self.archive):
            os.remove(self.archive)
        must_run(["ar", "rcs", self.archive, *objects], self.work)
        must_run(["c++", "-std=c++20", "-O1", "-fPIC", "-c", os.path.join(HERE, "one_by_one.cpp"), "-o", self.main], self.work)

    def link_of(self, program):
        """The words that link a program of the build, with the folder as compiled here; none where it does not have it."""
        if program not in self.links:
            text = must_run(["ninja", "-t", "commands", program], self.build)
            link = next(line for line in reversed(text.splitlines()) if f"-o {program} " in line)
            words = shlex.split(link.split("&& ")[1] if link.startswith(":") else link)
            at = words.index("-o")
            del words[at:at + 2]
            own = {word for word in words if word.endswith(f"/lib{self.library}.a")}
            self.links[program] = [self.archive if word in own else word for word in words] if own else []
        return self.links[program]

    def linked(self, program, objects, work):
        """@param program  of the build, as ninja names it\n@param work  the folder of what is linked\n@returns its path, or None"""
        path = os.path.join(work, os.path.basename(program))
        words = self.link_of(program)
        first = next(i for i, word in enumerate(words) if word.endswith(".o"))
        if program.startswith("tests/"):
            objects = [*objects, self.main]
        code, text = run([*words[:first], "-Wl,--allow-multiple-definition", *objects, *words[first:], "-o", path], self.build)
        if code != 0:
            print(text[-1500:], file=sys.stderr)
        return path if code == 0 else None

    def suites_of(self, file):
        """Names of the suites in the test file of a source."""
        test = os.path.join(ROOT, "tests", self.program.removeprefix("tests/test_"),
                            os.path.splitext(os.path.basename(file))[0] + "_test.cpp")
        if not os.path.exists(test):
            return set()
        with open(test, encoding="utf-8") as text:
            return set(re.findall(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+)", text.read(), re.MULTILINE))

    def nearest_first(self, file):
        """The tests, those of the file first."""
        suites = self.suites_of(file)
        return sorted(self.tests, key=lambda test: not suites & set(test.split(".")[0].split("/")))

    def must_pass(self):
        """Ends the program where the tests fail without a mutant."""
        program = self.linked(self.program, [], self.work)
        killer = self.killer(program, "none") if program else "not linked"
        if killer:
            sys.exit(f"{self.name}: the tests fail without a mutant: {killer}")

    def killer(self, program, file):
        """The first test that fails, or None."""
        return failure_of(program, self.nearest_first(file))
