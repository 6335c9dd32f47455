#!/usr/bin/env python3
"""Counts the instructions of small runs of `sim` and compares them with recorded counts, or records them.

  check_costs.py check|record BIN_DIR [--skip]

Counts are callgrind's, with children, on one core. `record` rewrites recorded_costs.json and the table in docs/performance.md,
both only when all cases have been counted. `check` names each case that costs over 10 % more than recorded. Where the compiler
or SimGrid is another one than recorded, counts are no longer comparable: then a case may cost up to twice as many starts of
`sim` as recorded. Without valgrind, the user time is compared, which may be up to three times the recorded one; under CI, where
nobody sees that, the exit code is 3, and with --skip the exit code is 77.

Exits with 0 (within bounds, or recorded), 1 (a case costs too much or fails), 3 (no valgrind under CI), 77 (skipped).
"""
import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECORD = HERE / "recorded_costs.json"
PAGE = ROOT / "docs" / "performance.md"
BEGIN = "<!-- counts: written by `./dev bench --record` -->"
END = "<!-- end of counts -->"

MORE = 1.10            # than recorded, with the same compiler and SimGrid
MORE_STARTS = 2.0      # with others
MORE_SECONDS = 3.0     # without valgrind: other machines, and other work on them
CLOCK_TICK = 0.02      # s, added to both: the shortest cases take no longer than the system's clock can tell
SECONDS_PER_CASE = 300

# The first case is the start of the program. OUT is a fresh folder. One process and one thread each where `sim` has the
# choice, and no compression whose time would be measured.
COST = "tests/bench/cost"
LIVE = f"run {COST}/live.yaml --threads 1 --quiet"
CASES = {
    "start": "version",
    "quickstart": "run scenarios/quickstart.yaml --quiet",
    "check": "check scenarios/quickstart.yaml",
    "ring_64": f"run {COST}/ring_64.yaml --quiet",
    "ring_1024": f"run {COST}/ring_1024.yaml --quiet",
    "trace_256": f"run {COST}/trace_256.yaml --quiet",
    "dragonfly_64": f"run {COST}/dragonfly_64.yaml --quiet",
    "asp_256": f"run {COST}/asp_256.yaml --quiet",
    "fsdp_70b_512": f"run {COST}/fsdp_512.yaml --quiet",
    "live_mlp": LIVE,
    "live_qsgd": f"{LIVE} --set compression.method=qsgd",
    "live_dct_topk": f"{LIVE} --set compression.method=dct_topk --set compression.ratio=0.01",
    "sweep_20": f"sweep {COST}/ring_64.yaml --axis seed=1..20 --set training.steps=10 --jobs 1 --db OUT/sweep.db --quiet",
    "advise": f"advise {COST}/advise.yaml --jobs 1 --quiet",
}


def say(text):
    print(text, flush=True)


def run(command):
    """One run on one core, in an environment that is the same everywhere. Returns nothing where it succeeded, else why not."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C"}
    core = {min(os.sched_getaffinity(0))}
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS_PER_CASE, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, core))
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS_PER_CASE} s"
    if done.returncode == 0:
        return None
    last = done.stdout.decode(errors="replace").strip().splitlines()[-3:]
    return f"exit code {done.returncode}: " + " / ".join(last)


def case_command(sim, name, folder):
    return [str(sim), *CASES[name].replace("OUT", str(folder)).split()]


def count_instructions(sim, name):
    """Returns (instructions of all processes, nothing) or (nothing, why not).

    A process that forks dumps its counts and begins anew, so that its child does not count them again.
    """
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts"
        counts.mkdir()
        fault = run(["valgrind", "--quiet", "--tool=callgrind", "--trace-children=yes", "--dump-before=fork",
                     f"--callgrind-out-file={counts}/%p", *case_command(sim, name, folder)])
        if fault:
            return None, fault
        found = [re.search(r"^(?:summary|totals): (\d+)", file.read_text(), re.MULTILINE) for file in counts.iterdir()]
        if not found or not all(found):
            return None, "valgrind wrote no counts"
        return sum(int(match[1]) for match in found), None


def user_seconds(sim, name):
    """As count_instructions; the least of three runs."""
    seconds = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            fault = run(case_command(sim, name, folder))
            seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        if fault:
            return None, fault
    return min(seconds), None


def measure(sim, how):
    """Returns ({case: figure}, [what failed])."""
    figures, failed = {}, []
    for name in CASES:
        figures[name], fault = how(sim, name)
        if fault:
            failed.append(f"{name}: {fault}")
    return figures, failed


def versions(sim):
    """What counts depend on: {"SimGrid": ..., "compiler": ...}, as `sim version` prints them."""
    lines = subprocess.run([sim, "version"], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    pairs = dict(line.strip().split(" ", 1) for line in lines if " " in line)
    return {key: pairs[key] for key in ("SimGrid", "compiler")}


def write_whole(path, text):
    """The file is the old one or the new one, whenever this is interrupted."""
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


def number(value, digits):
    """1 234.5: thousands apart."""
    return f"{value:,.{digits}f}".replace(",", " ")


def section(record):
    """The generated part of the page, with its markers."""
    made = record["made_with"]
    lines = [BEGIN, f"Recorded with {made['compiler']} and SimGrid {made['SimGrid']}.", "", "| case | command | million instructions |",
             "|---|---|--:|"]
    for name, figures in record["cases"].items():
        lines.append(f"| {name} | `sim {CASES[name]}` | {number(figures['instructions'] / 1e6, 1)} |")
    return "\n".join(lines) + "\n" + END


def page_with(record):
    text = PAGE.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"{PAGE} needs the line {BEGIN} once, and {END}")
    return text[:text.index(BEGIN)] + section(record) + text[text.index(END) + len(END):]


def make_record(sim):
    if not shutil.which("valgrind"):
        say("valgrind is needed: apt-get install valgrind")
        return 3
    counts, failed = measure(sim, count_instructions)
    seconds, _ = measure(sim, user_seconds) if not failed else ({}, [])
    for fault in failed:
        say(f"{fault}; nothing is recorded")
    if failed:
        return 1
    record = {"made_with": versions(sim),
              "cases": {name: {"instructions": counts[name], "user_seconds": round(seconds[name], 2)} for name in CASES}}
    write_whole(PAGE, page_with(record))
    write_whole(RECORD, json.dumps(record, indent=1) + "\n")
    say(f"recorded: {RECORD}, {PAGE}")
    return 0


def compare(unit, digits, recorded, now, bound):
    """Says how each case compares. Returns whether all are within the bound."""
    within = True
    for name in CASES:
        ratio = now[name] / recorded[name]
        note = ""
        if ratio > bound:
            within = False
            note = f": costs too much, at most {bound:.2f} times as recorded is accepted"
        elif ratio < 1 / bound:
            note = ": costs less; `./dev bench --record` keeps it so"
        say(f"{name:14}{number(recorded[name], digits):>16} -> {number(now[name], digits):>14} {unit}, x {ratio:.3f}{note}")
    return within


def check_counts(sim, record):
    now, failed = measure(sim, count_instructions)
    if failed:
        return failed, False
    recorded = {name: figures["instructions"] for name, figures in record["cases"].items()}
    if versions(sim) == record["made_with"]:
        return [], compare("instructions", 0, recorded, now, MORE)
    say(f"recorded with {record['made_with']}, built with {versions(sim)}: counts are not comparable, so only starts of `sim` "
        "are compared; `./dev bench --record` records anew")
    first = next(iter(CASES))
    return [], compare("starts of `sim`", 1, {name: recorded[name] / recorded[first] for name in CASES},
                       {name: now[name] / now[first] for name in CASES}, MORE_STARTS)


def check_seconds(sim, record):
    say(f"no valgrind: only user time is compared, of another machine, up to {MORE_SECONDS:.0f} times as much")
    now, failed = measure(sim, user_seconds)
    if failed:
        return failed, False
    now = {name: seconds + CLOCK_TICK for name, seconds in now.items()}
    recorded = {name: figures["user_seconds"] + CLOCK_TICK for name, figures in record["cases"].items()}
    return [], compare("s of user time", 2, recorded, now, MORE_SECONDS)


def check(sim, may_skip):
    can_count = shutil.which("valgrind") is not None
    if not can_count and os.environ.get("CI"):
        say("no valgrind: costs are not checked; install it, or unset CI to compare user time")
        return 3
    if not can_count and may_skip:
        say("skipped: no valgrind to count instructions with")
        return 77
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    if list(record["cases"]) != list(CASES):
        say(f"{RECORD} has other cases than the table of this program: `./dev bench --record`")
        return 1
    if PAGE.read_text(encoding="utf-8") != page_with(record):
        say(f"{PAGE} does not show what {RECORD} has: `./dev bench --record`")
        return 1
    failed, within = (check_counts if can_count else check_seconds)(sim, record)
    for fault in failed:
        say(fault)
    if not failed and not within:
        say("a case costs more than recorded (above): make it cheaper, or record it with the reason in the commit")
    return 0 if within else 1


def main(arguments):
    parser = argparse.ArgumentParser(description="Compares the instructions of small runs with recorded counts.")
    parser.add_argument("mode", choices=["check", "record"])
    parser.add_argument("bin", type=Path)
    parser.add_argument("--skip", action="store_true", help="without valgrind, exit with 77")
    options = parser.parse_args(arguments)
    sim = options.bin.resolve() / "sim"
    try:
        return check(sim, options.skip) if options.mode == "check" else make_record(sim)
    except KeyboardInterrupt:
        say("interrupted; nothing is recorded")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
