#!/usr/bin/env python3
"""Attacks `sim` for a while: prints how many cases there were and what they found, and keeps each in a file.

  campaign.py NAME... --bin DIR [--minutes M | --count N] [--seed S] [--seconds S] [--keep DIR]

NAME: commands, faults, full_disk, metamorphic, kills. Exit code 1 where anything was found, 77 where this machine lacks
what the campaign needs.
"""
import argparse
import os
import random
import sys
import tempfile
import time

from commands import Commands
from faults import Faults
from full_disk import FullDisk
from kills import Kills
from metamorphic import Metamorphic
from program import Ended, Program, Skipped, fault_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAMPAIGNS = {"commands": Commands, "faults": Faults, "full_disk": FullDisk, "metamorphic": Metamorphic, "kills": Kills}


def complaint_of(scenario, outcome):
    """What is wrong with a case's outcome (how a run ended, a complaint, an exception, or nothing), or None."""
    if isinstance(outcome, Ended):
        return fault_of(outcome, scenario if isinstance(scenario, str) else "")
    return None if outcome is None else str(outcome)


def run(name, options):
    with tempfile.TemporaryDirectory(prefix="gradsim_campaign.") as scratch:
        campaign = CAMPAIGNS[name](Program(os.path.join(os.path.abspath(options.bin), "sim"), options.seconds), ROOT, scratch)
        close = getattr(campaign, "close", lambda: None)
        chance = random.Random(options.seed)
        until = time.monotonic() + 60 * options.minutes if options.minutes else None
        cases = found = 0
        while cases < options.count if until is None else time.monotonic() < until:
            first, second, outcome = campaign.case(chance)
            cases += 1
            complaint = complaint_of(second, outcome)
            if complaint is None:
                continue
            found += 1
            text = f"{complaint}\n{first!r}\n{second}\n"
            if isinstance(outcome, Ended):
                text += (outcome.out[-2000:] + outcome.err[-2000:]).decode(errors="replace")
            if options.keep:
                os.makedirs(options.keep, exist_ok=True)
                with open(os.path.join(options.keep, f"{name}-{options.seed}-{cases}.txt"), "w", encoding="utf-8",
                          errors="surrogateescape") as file:
                    file.write(text)
            print(f"{name}, case {cases}: {text[:1500]}", file=sys.stderr)
        close()
        print(f"{campaign.title}: {cases} cases, {found} found")
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=sorted(CAMPAIGNS))
    parser.add_argument("--bin", required=True)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20, help="that one case may take")
    parser.add_argument("--keep")
    options = parser.parse_args()
    try:
        return 1 if sum(run(name, options) for name in options.names) else 0
    except Skipped as reason:
        print(f"skipped: {reason}")
        return 77


if __name__ == "__main__":
    sys.exit(main())
