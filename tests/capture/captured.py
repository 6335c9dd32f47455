"""Runs `gradsim capture` in a process of its own and reads what it writes; for the tests of this folder."""

import csv
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "python"))


def read_rows(path):
    """The rows of a CSV file with comments, as dictionaries."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@dataclass
class Run:
    """What a capture printed, wrote and took. rows: of NAME.csv; operations: of NAME.operations.csv."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    megabytes: float
    rows: list = field(default_factory=list)
    operations: list = field(default_factory=list)
    workload: str = ""
    graph: str = ""

    @property
    def flops(self):
        return sum(int(one["flops"] or 0) for one in self.operations)

    def exchanged(self):
        """Number and bytes of the messages, by collective and group."""
        sums = {}
        for one in self.operations:
            if one["collective"]:
                count, size = sums.get((one["collective"], one["group"]), (0, 0))
                sums[one["collective"], one["group"]] = (count + 1, size + int(one["bytes"]))
        return sums


def capture(script, *arguments, world, options=(), folder=None, name="step"):
    """Captures a script of this folder; in `folder`, or in one that is removed."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(folder or scratch)
        command = [sys.executable, "-B", "-m", "gradsim", "capture", "--world", str(world), "-o", name, *options, "--", str(script),
                   *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        began = time.monotonic()
        with open(folder / "stdout", "w+", encoding="utf-8") as out, open(folder / "stderr", "w+", encoding="utf-8") as err:
            process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=environment)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        run = Run(process.returncode, (folder / "stdout").read_text(), (folder / "stderr").read_text(), time.monotonic() - began,
                  usage.ru_maxrss / 1e3 * 1.024)
        if (folder / f"{name}.operations.csv").is_file():
            run.operations = read_rows(folder / f"{name}.operations.csv")
        if (folder / f"{name}.csv").is_file():
            run.rows, run.graph = read_rows(folder / f"{name}.csv"), (folder / f"{name}.csv").read_text()
            run.workload = (folder / f"{name}.yaml").read_text()
        return run
