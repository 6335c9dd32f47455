#!/usr/bin/env python3
"""How far the error of AdaptDL's steps depends on which step was measured: every one at the smallest batch in turn.

    measured_step_spread.py BIN DATA FOLDER

For each model: the mean error over all other steps, for the measured step of the ledger, for those on two nodes, and as
quartiles of all. Steps are simulated at some goodputs and interpolated between them; one that is faster than at the highest
goodput or slower than at the lowest has no goodput and is counted apart. Takes about a minute.
"""

import json
import sys
from pathlib import Path

import measured_steps as ledger

GOODPUTS = (2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 10, 14, 20)  # Gbit/s


def predictions(sim, folder, model, alone, rows):
    """For each row its predicted steps in s, one for each goodput."""
    columns = []
    batch = min(alone)
    for goodput in GOODPUTS:
        speed = goodput * 1.25e8
        arms = [
            (
                f"{label}:{size}",
                f"{ledger.adaptdl_workload(model, alone, size)}, {ledger.adaptdl_cluster(placement, speed)}, "
                f"training: {{batch: {size}}}",
                step,
                "AdaptDL",
            )
            for label, placement, size, step in rows
        ]
        head = "\n".join(
            (
                "# Steps at one goodput",
                ledger.adaptdl_workload(model, alone, batch),
                ledger.adaptdl_cluster(ledger.ADAPTDL_INPUT, speed),
                f"training: {{batch: {batch}, steps: 1, samples: 100000}}",
                "exchange: {execution: ddp_overlap, collective: ring_allreduce}",
            )
        )
        path = folder / f"spread_{model}.yaml"
        ledger.run_arms(sim, path, head, arms)
        result = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        columns.append([figure["ours"] for figure in result["expectations"]["figures"]])
    return list(zip(*columns))


def place_of(step, predicted):
    """Where a measured step lies: index of the goodput below it, and the share of the way to the next; or None."""
    for index, (slow, fast) in enumerate(zip(predicted, predicted[1:])):
        if slow >= step >= fast and slow > fast:
            return index, (slow - step) / (slow - fast)
    return None


def mean_error(rows, predicted, place, without):
    index, share = place
    errors = [
        abs((steps[index] * (1 - share) + steps[index + 1] * share) / row[3] - 1)
        for number, (row, steps) in enumerate(zip(rows, predicted))
        if number != without
    ]
    return sum(errors) / len(errors)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sim, data, folder = Path(sys.argv[1]) / "sim", Path(sys.argv[2]), Path(sys.argv[3])
    for model in ledger.ADAPTDL_MODELS:
        alone, rows = ledger.adaptdl_rows(data / "adaptdl" / model)
        predicted = predictions(sim, folder, model, alone, rows)
        errors = {}
        outside = 0
        for number, (row, steps) in enumerate(zip(rows, predicted)):
            if row[2] != min(alone):
                continue
            place = place_of(row[3], steps)
            if place is None:
                outside += 1
            else:
                errors[number] = mean_error(rows, predicted, place, number)
        ordered = sorted(errors.values())
        quartiles = ", ".join(f"{100 * ordered[len(ordered) * part // 4]:.1f}" for part in (1, 2, 3))
        own = next(error for number, error in errors.items() if rows[number][1] == ledger.ADAPTDL_INPUT)
        two = sorted(error for number, error in errors.items() if len(rows[number][1]) == 2)
        print(
            f"{model}: {100 * own:.1f} % by the ledger's step; quartiles of {len(ordered)} steps {quartiles} %; "
            f"on two nodes {100 * two[0]:.1f} to {100 * two[-1]:.1f} %; {outside} without a goodput"
        )


if __name__ == "__main__":
    main()
