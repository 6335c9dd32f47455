"""Tables fit the terminal: each list and each command that prints tables, at a width of 80 characters.

check_width.py SIM SCENARIOS
"""
import os
import subprocess
import sys

WIDTH = 80
COMMANDS = [["list"],
            ["run", "quickstart.yaml", "--quiet", "--details", "--set", "training.steps=10", "--set", "cluster.changes=[]"],
            ["explain", "quickstart.yaml"],
            ["why", "quickstart.yaml"],
            ["diff", "quickstart.yaml", "what_if/ag_or_ar.yaml"],
            ["advise", "papers/scavenger_fig3.yaml"],
            ["cost", "ring_allreduce", "--ranks", "8", "--size", "100MB", "--latency", "500ns", "--bandwidth", "50GB/s"],
            ["cost", "all_reduce", "--cluster", "nvidia_dgx_h100", "--ranks", "16", "--size", "64MiB"]]


def lines_of(program, scenarios, arguments):
    """Lines of stdout."""
    environment = {**os.environ, "COLUMNS": str(WIDTH)}
    done = subprocess.run([program, *arguments], cwd=scenarios, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"sim {' '.join(arguments)} ends with {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


def main(program, scenarios):
    names = [line for line in lines_of(program, scenarios, ["list"]) if line and not line.startswith(" ")]
    if len(names) < 10:
        sys.exit(f"`sim list` names {len(names)} lists")
    wrong = 0
    for arguments in COMMANDS + [["list", name] for name in names]:
        lines = lines_of(program, scenarios, arguments)
        longest = max(lines, key=len, default="")
        if len(longest) > WIDTH:
            wrong += 1
            print(f"sim {' '.join(arguments)}: {len(longest)} characters: {longest}")
    sys.exit(1 if wrong else 0)


main(os.path.abspath(sys.argv[1]), sys.argv[2])
