"""Calls of the system that fail: a program is done all the same, or says which file and why, and mixes nothing."""
import errno
import os
import shutil
import sqlite3

from program import Program, content_of, fault_of

ERRORS = {  # what the n-th call of a kind may say; "short" does half of the bytes
    "open": [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EINTR, errno.EMFILE],
    "read": [errno.EIO, errno.EINTR, "short"],
    "write": [errno.ENOSPC, errno.EIO, errno.EINTR, "short"],
    "sync": [errno.ENOSPC, errno.EIO, errno.EINTR],
    "rename": [errno.ENOSPC, errno.EIO, errno.EACCES],
    "exchange": [errno.EINVAL, errno.EIO, errno.EACCES],
    "fork": [errno.EAGAIN, errno.ENOMEM],
    "mkdir": [errno.ENOSPC, errno.EACCES],
    "unlink": [errno.EIO, errno.EACCES],
    "list": [errno.ENOMEM],
}
HARMLESS = ("short", errno.EINTR)  # once, these change nothing
WORDS = ["disk is full", "disk I/O error", "unable to open database file", "readonly database", "image is malformed",
         "file is not a database",  # of SQLite
         "more memory is needed"]

IMPORTED = ("model.yaml", "model_layers.csv", "model_times.csv")


def writing_commands(root):
    """By name: program, arguments, and the commands that fill the folder before it."""
    scenario = os.path.join(root, "scenarios", "quickstart.yaml")
    table = os.path.join(root, "scenarios", "measurements", "aws_2x1_socket_all_reduce.csv")
    log = os.path.join(root, "tests", "calibrate", "logs", "all_gather_4_ranks.log")
    trace = os.path.join(root, "tests", "calibrate", "logs", "one_step_2_ranks.json")
    import_trace = ["import", "kineto", trace, "-o", "model.yaml", "--source", "made", "--licence", "facts"]
    sweep = ["sweep", scenario, "--axis", "cluster.workers=2,4", "--axis", "training.batch=16,32", "--jobs", "2", "--quiet",
             "--db", "sweep.db"]
    return {
        "run": ("sim", ["run", scenario, "--set", "seed=2", "--quiet", "--out", "run"],
                [["run", scenario, "--quiet", "--out", "run"]]),
        "run, new": ("sim", ["run", scenario, "--quiet", "--out", "new/run"], []),
        "platform": ("sim", ["run", "platform.yaml", "--quiet"], []),
        "sweep": ("sim", sweep, []),
        "resume": ("sim", [*sweep, "--resume"], [sweep]),
        "table": ("sim", ["sweep", "--db", "sweep.db", "--export", "csv"], [sweep]),
        "report": ("sim", ["report", "run", "--quiet", "-o", "page.html"], [["run", scenario, "--quiet", "--out", "run"]]),
        "import": ("calibrate", ["import", "nccl-tests", log, "-o", "table.csv"], []),
        "trace": ("calibrate", import_trace, []),
        "trace, again": ("calibrate", import_trace, []),
        "fit": ("calibrate", ["fit", table, "-o", "fit.yaml", "--quiet"], []),
    }


def write_earlier_import(folder):
    for name in IMPORTED:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("an earlier import")


class Faults:
    """One case: one command in which one call, or every one from there on, fails."""

    title = "simulated faults"

    def __init__(self, sim, root, scratch):
        self.library = os.path.join(os.path.dirname(os.path.dirname(sim.path)), "tests", "libfailing_calls.so")
        self.programs = {"sim": sim, "calibrate": Program(os.path.join(os.path.dirname(sim.path), "calibrate"), sim.seconds)}
        self.root = root
        self.scratch = scratch
        self.place = os.path.join(scratch, "place")
        self.commands = writing_commands(root)
        self.sweep = self.commands["sweep"][1]
        self.before = {}  # folders that the commands begin with
        self.after = {}  # what they leave, and print, when nothing fails
        self.cases = []
        for name in self.commands:
            self.prepare(name)
        self.rest = []

    def prepare(self, name):
        """The folder that a command begins with, what it does, and its cases."""
        program, arguments, first = self.commands[name]
        before = self.before[name] = os.path.join(self.scratch, f"before {name}")
        os.makedirs(before)
        with open(os.path.join(before, "platform.xml"), "w", encoding="utf-8") as file:
            file.write('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                       '<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" '
                       'speed="1Gf"/><link id="l" bandwidth="1GBps" latency="1us"/><route src="a" dst="b">'
                       '<link_ctn id="l"/></route></zone></platform>\n')
        with open(os.path.join(before, "platform.yaml"), "w", encoding="utf-8") as file:
            file.write("# Is a platform file read?\nworkload: resnet50_v100\ncluster: {workers: 2, topology: "
                       "{kind: platform, file: platform.xml}}\ntraining: {batch: 32, steps: 2}\n")
        for command in first:
            self.done(self.programs["sim"].run(command, cwd=before))
        if name == "resume":
            with sqlite3.connect(os.path.join(before, "sweep.db")) as database:
                database.executescript("DELETE FROM result WHERE point > 1; DELETE FROM point WHERE id > 1;")
            database.close()
        if name == "report":
            with open(os.path.join(before, "page.html"), "w", encoding="utf-8") as file:
                file.write("an earlier page")
        if name == "trace, again":
            write_earlier_import(before)
        self.begin(name)
        log = os.path.join(self.scratch, "calls")
        ended = self.failing(program, arguments, {"FAILING_CALLS_LOG": log})
        self.done(ended)
        self.after[name] = (ended.out, self.content(name))
        most = {}
        with open(log, encoding="utf-8") as lines:
            for line in lines:
                kind, number = line.split()[:2]
                most[kind] = max(most.get(kind, 0), int(number))
        os.remove(log)
        for kind, count in sorted(most.items()):
            for error in ERRORS[kind]:
                for number in range(1, count + 1):
                    self.cases.append((name, kind, error, number, ""))
                    if error not in HARMLESS:
                        self.cases.append((name, kind, error, number, "+"))

    @staticmethod
    def done(ended):
        if ended.code != 0:
            raise RuntimeError(ended.err.decode(errors="replace"))

    def begin(self, name):
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.before[name], self.place)

    def failing(self, program, arguments, environment):
        sanitizers = {"ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0"}
        return self.programs[program].run(arguments, cwd=self.place,
                                          environment={"LD_PRELOAD": self.library, **sanitizers, **environment})

    def case(self, random):
        if not self.rest:
            self.rest = list(self.cases)
            random.shuffle(self.rest)
        name, kind, error, number, on = case = self.rest.pop()
        program, arguments, _ = self.commands[name]
        self.begin(name)
        ended = self.failing(program, arguments, {"FAILING_CALLS": f"{kind}:{error}:{number}{on}"})
        complaint = fault_of(ended) or self.complaint(case, ended)
        if complaint:
            complaint += f" (exit code {ended.code}: {ended.err.decode(errors='replace').strip()[:600]})"
        return case, " ".join([program, *arguments]), complaint

    def complaint(self, case, ended):
        name, kind, error, _, _ = case
        out, complete = self.after[name]
        found = self.content(name)
        if kind == "unlink":  # what cannot be removed stays, under a name of its own
            found = {file: text for file, text in found.items() if not file.endswith((".partial", ".lock"))}
        begun = self.content(name, self.before[name])
        if ended.code == 0:
            if found != complete and not self.lacks_only_charts(found, complete):
                return f"done, and {self.difference(found, complete)}"
            return None if ended.out == out else "done, and prints something else"
        by_sqlite = name in ("sweep", "resume", "table") and kind == "sync"  # repeats none of these
        if error in HARMLESS and not by_sqlite:
            return "is stopped by a call that may be repeated"
        if name in ("sweep", "resume"):
            return self.resumed(name, ended, complete) or self.reason(error, ended)
        for file in set(found) | set(begun) | set(complete):
            if found.get(file) not in (begun.get(file), complete.get(file)):
                return f"`{file}` is half written"
        if "run/summary.json" in found and not any(
                all(found.get(file) == whole.get(file) for file in set(found) | set(whole) if file.startswith("run/"))
                for whole in (begun, complete)):
            return "the folder is a mixture"
        if name.startswith("trace") and found not in (begun, complete):
            return "the import is a mixture"
        return self.reason(error, ended)

    def resumed(self, name, ended, complete):
        """After a sweep that failed, the same command with --resume runs the rest."""
        again = self.programs["sim"].run([*self.sweep, "--resume"], cwd=self.place)
        if again.code != 0:
            return f"cannot be resumed: {again.err.decode(errors='replace')}"
        return None if self.content(name) == complete else "the resumed sweep has other results"

    @staticmethod
    def lacks_only_charts(found, complete):
        """Chart.js that cannot be read costs a run the charts of its page, and no result."""
        page = "run/report.html" if "run/report.html" in complete else "new/run/report.html"
        return set(found) == set(complete) and b"Charts are left out" in found.get(page, b"") and all(
            found[file] == complete[file] for file in complete if file != page)

    @staticmethod
    def reason(error, ended):
        text = ended.err.decode(errors="replace")
        if os.strerror(error) not in text and not any(words in text for words in WORDS):
            return f"does not say why: {os.strerror(error)}"
        return None

    @staticmethod
    def difference(found, complete):
        missing = sorted(set(complete) - set(found))
        more = sorted(set(found) - set(complete))
        other = sorted(file for file in set(found) & set(complete) if found[file] != complete[file])
        return f"lacks {missing}, has {more} too, differs in {other}"

    def content(self, name, folder=None):
        """The bytes of each file; of a sweep its table."""
        folder = folder or self.place
        texts = {file: text for file, text in content_of(folder).items() if not file.startswith("sweep.db")}
        if name in ("sweep", "resume", "table") and os.path.exists(os.path.join(folder, "sweep.db")):
            table = self.programs["sim"].run(["sweep", "--db", os.path.join(folder, "sweep.db"), "--export", "csv"])
            texts["sweep.db"] = table.out if table.code == 0 else table.err
        return texts
