#!/usr/bin/env python3
"""Many points in many parts, a tenth of them killed and repeated, give the bytes of one process.

  check_parts.py SIM --points N --parts N

Points are closed forms. A part is killed at a random moment of its work (seed: its number), and repeated by the same command with
--resume. The merged export and the rows of the database in a fixed order are compared, times on the clock apart.
"""

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

SCENARIO = """# Does it pay?
workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}
cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}
training: {batch: 32, steps: 1}
"""
AT_A_TIME = 2  # parts, and processes that simulate without parts


class Failed(Exception):
    pass


def rows_of(file):
    """Each table's rows, sorted, without the column of times on the clock."""
    tables = {}
    with sqlite3.connect(file) as database:
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
            names = [name for (name,) in database.execute("SELECT name FROM pragma_table_info(?) ORDER BY cid", (table,))]
            columns = ", ".join(f'"{name}"' for name in names if name != "wall_s")
            tables[table] = sorted(database.execute(f"SELECT {columns} FROM {table}").fetchall(), key=repr)
    return tables


class Sweep:
    def __init__(self, sim, folder, points):
        self.sim, self.folder = sim, folder
        scenario = os.path.join(folder, "tiny.yaml")
        with open(scenario, "w", encoding="utf-8") as file:
            file.write(SCENARIO)
        self.command = [sim, "sweep", scenario, "--axis", f"seed=1..{points // 10}", "--axis", "cluster.workers=2..11",
                        "--quiet", "--resume"]  # fmt: skip

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments):
        done = subprocess.run([self.sim, "sweep", *arguments], capture_output=True, check=False)
        if done.returncode != 0:
            raise Failed(f"sim sweep {' '.join(arguments)}: exit code {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def begin(self, *arguments):
        return subprocess.Popen([*self.command, *arguments], stdout=subprocess.DEVNULL)


def kill_within(process, file, rng):
    """Kills a part once it has begun its file, somewhere in its first points. Returns whether it was still at work."""
    while process.poll() is None and not os.path.exists(file):
        time.sleep(0.001)
    time.sleep(rng.uniform(0, 0.1))
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def simulate_parts(sweep, parts, killed):
    """Runs all parts, a few at a time. Returns how many were killed at work."""
    cut = 0
    width = len(str(parts))
    waiting = list(range(1, parts + 1))
    while waiting:
        batch, waiting = waiting[:AT_A_TIME], waiting[AT_A_TIME:]
        begun = {part: sweep.begin("--db", sweep.path("all.db"), "--part", f"{part}/{parts}", "--jobs", "1") for part in batch}
        for part, process in sorted(begun.items(), key=lambda one: one[0] not in killed):
            file = sweep.path(f"all.part-{part:0{width}}-of-{parts}.db")
            if part in killed and kill_within(process, file, random.Random(part)):
                cut += 1
                killed.remove(part)
                waiting.insert(0, part)
            elif process.wait() != 0:
                raise Failed(f"part {part}: exit code {process.returncode}")
    return cut


def check(sim, points, parts):
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(sim, folder, points)
        if sweep.begin("--db", sweep.path("one.db"), "--jobs", str(AT_A_TIME)).wait() != 0:
            raise Failed("one process failed")
        cut = simulate_parts(sweep, parts, set(range(10, parts + 1, 10)))
        sweep.run("--merge", folder, "--db", sweep.path("all.db"), "--quiet")
        if sweep.run("--db", sweep.path("one.db"), "--export", "csv") != sweep.run("--db", sweep.path("all.db"), "--export", "csv"):
            raise Failed("the merged table differs from that of one process")
        one, merged = rows_of(sweep.path("one.db")), rows_of(sweep.path("all.db"))
        for table in one.keys() | merged.keys():
            if one.get(table) != merged.get(table):
                raise Failed(f"the table {table} differs from that of one process")
        with open(sweep.path("all.db"), "rb") as file:
            before = file.read()
        sweep.run("--merge", folder, "--db", sweep.path("all.db"), "--quiet")
        with open(sweep.path("all.db"), "rb") as file:
            if file.read() != before:
                raise Failed("merging again changed the file")
        return cut


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sim")
    parser.add_argument("--points", type=int, required=True)
    parser.add_argument("--parts", type=int, required=True)
    arguments = parser.parse_args()
    try:
        cut = check(os.path.abspath(arguments.sim), arguments.points, arguments.parts)
    except Failed as error:
        sys.exit(str(error))
    print(f"{arguments.points} points in {arguments.parts} parts, {cut} killed and repeated: the bytes of one process")


if __name__ == "__main__":
    main()
