"""Runs, sweeps and imports that are killed, stopped or run out of disk at a random moment: nothing is mixed, lost or left."""
import os
import resource
import signal
import subprocess
import time

from faults import IMPORTED, write_earlier_import
from program import content_of

FILES = ["scenario.resolved.yaml", "summary.json", "steps.csv", "timeline.json", "report.html"]


class Kills:
    """One case: a run into a folder that holds an earlier one, cut off by a signal, or by a limit of its files."""

    title = "runs cut off"

    def __init__(self, sim, root, scratch):
        self.sim = sim
        self.scenario = os.path.join(root, "scenarios", "quickstart.yaml")
        self.folder = os.path.join(scratch, "run")
        self.database = os.path.join(scratch, "sweep.db")
        self.scratch = scratch
        self.trace_file = os.path.join(root, "tests", "calibrate", "logs", "one_step_2_ranks.json")
        self.imports = os.path.join(scratch, "imports")
        os.makedirs(self.imports)
        self.imported = None  # its files, as an import that ends leaves them
        self.number = 0
        self.put(1)

    def put(self, seed):
        ended = self.sim.run(self.command(seed))
        if ended.code != 0:
            raise RuntimeError(ended.err.decode(errors="replace"))

    def command(self, seed):
        return ["run", self.scenario, "--set", f"seed={seed}", "--quiet", "--out", self.folder]

    def case(self, random):
        self.number += 1
        kind = random.choice(["kill", "kill", "term", "full", "sweep", "trace"])
        complaint = getattr(self, kind)(random)
        return kind, self.number, complaint or self.complaint()

    def kill(self, random):
        self.cut(self.command(self.number + 1), signal.SIGKILL, random.uniform(0, 0.06))

    def term(self, random):
        code = self.cut(self.command(self.number + 1), signal.SIGTERM, random.uniform(0, 0.06))
        return None if code in (0, 143, -signal.SIGTERM) else f"SIGTERM: exit code {code}"

    def full(self, random):
        most = random.choice([0, 100, 1000, 5000, 20000, 100000])

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        ended = self.sim.run(self.command(self.number + 1), preexec=limit)
        if ended.code in (0, 3):
            return None
        return f"files of at most {most} bytes: exit code {ended.code}"

    def sweep(self, random):
        sweep = ["sweep", self.scenario, "--axis", "cluster.workers=2,4,8", "--axis", "seed=1..3", "--jobs", "2", "--quiet",
                 "--db", self.database]
        self.cut(sweep + (["--resume"] if os.path.exists(self.database) else []), signal.SIGKILL, random.uniform(0, 0.3))
        ended = self.sim.run(sweep + (["--resume"] if os.path.exists(self.database) else []))
        if ended.code != 0:
            return f"resumed sweep: exit code {ended.code}: {ended.err.decode(errors='replace')}"
        checked = self.sim.run(["sweep", "--db", self.database, "--check"])
        for name in os.listdir(self.scratch):
            if name.startswith("sweep.db"):
                os.remove(os.path.join(self.scratch, name))
        return None if checked.code == 0 else f"the sweep is not whole: {checked.err.decode(errors='replace')}"

    def trace(self, random):
        """An import over an earlier one: of three files, all are of one of them; killed, each is whole."""
        calibrate = os.path.join(os.path.dirname(self.sim.path), "calibrate")
        command = ["import", "kineto", self.trace_file, "-o", os.path.join(self.imports, "model.yaml"), "--quiet"]
        if not self.imported:
            subprocess.run([calibrate, *command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.imported = content_of(self.imports)
        write_earlier_import(self.imports)
        number = random.choice([signal.SIGTERM, signal.SIGKILL])
        self.cut(command, number, random.uniform(0, 0.02), calibrate)
        found = {name: text for name, text in content_of(self.imports).items() if name in IMPORTED}
        new = [name for name in IMPORTED if found.get(name) == self.imported[name]]
        old = [name for name in IMPORTED if found.get(name) == b"an earlier import"]
        if len(new) + len(old) < len(IMPORTED):
            return "an imported file is half written"
        return "SIGTERM: the import is a mixture" if new and old and number == signal.SIGTERM else None

    def cut(self, command, number, after, program=None):
        process = subprocess.Popen([program or self.sim.path, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(after)
        process.send_signal(number)
        return process.wait(timeout=self.sim.seconds)

    def complaint(self):
        missing = [name for name in FILES if not os.path.isfile(os.path.join(self.folder, name))]
        if missing:
            return f"the folder lacks {', '.join(missing)}"
        seed = self.seed()
        if f'"seed": {seed}' not in self.text("summary.json"):
            return f"summary.json is not of the run with seed {seed}"
        left = [name for name in os.listdir(self.scratch) if name.endswith(".partial")]
        if len(left) > 1:
            return f"left behind: {', '.join(left)}"
        return None

    def seed(self):
        for line in self.text("scenario.resolved.yaml").split("\n"):
            if line.startswith("seed: "):
                return int(line[6:].split("#")[0])
        return None

    def text(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()
