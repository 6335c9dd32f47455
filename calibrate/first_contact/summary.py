"""summary.md: each goal of the GPU compressors reached, missed by how much, or not measured; and each stage's state."""
import csv
import dataclasses
import glob
import io
import os

LONG = 25_000_000  # values from which the goals hold: beyond the caches


@dataclasses.dataclass(frozen=True)
class Goal:
    """Compressing n values may take at most `most` times a device-to-device copy of them, measured in turn."""

    what: str
    compressor: str
    ratios: tuple  # kept / original, from and to
    most: float


GOALS = (
    Goal("exact top-k with error feedback, ratio <= 0.01", "topk", (0, 0.01), 1.7),
    Goal("exact top-k with error feedback, ratio 0.1", "topk", (0.1, 0.1), 2.2),
    Goal("threshold known, with error feedback, ratio <= 0.01", "threshold", (0, 0.01), 1.6),
    Goal("threshold known, with error feedback, ratio 0.1", "threshold", (0.1, 0.1), 1.9),
    Goal("int8", "int8", (1, 1), 0.7),
    Goal("QSGD", "qsgd", (1, 1), 0.7),
    Goal("signs without error feedback", "signsgd", (1, 1), 0.6),
    Goal("signs with error feedback and an exact mean", "ef_sign", (1, 1), 2.8),
)


def read_times(text):
    """Rows of a file of `calibrate probe kernels`; lines that are not whole are left out."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    rows = []
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        try:
            times = {key: float(row[key]) for key in ("elements", "ratio", "median_us", "copy_us", "restore_us")}
        except (KeyError, TypeError, ValueError):
            continue
        rows.append({"compressor": row["compressor"], **times})
    return rows


def kernel_rows(state):
    rows = []
    for path in sorted(glob.glob(os.path.join(state, "kernels", "*.csv"))):
        if path.endswith("_samples.csv"):
            continue
        with open(path, encoding="utf-8") as file:
            rows += read_times(file.read())
    return rows


def worst(goal, rows):
    """@returns the largest ratio to a copy where the goal holds; None where nothing was measured there

    A step is compressing and restoring; the goals are of compressing alone.
    """
    ratios = [
        (row["median_us"] - row["restore_us"]) / row["copy_us"]
        for row in rows
        if row["compressor"] == goal.compressor
        and row["elements"] >= LONG
        and goal.ratios[0] <= row["ratio"] <= goal.ratios[1]
        and row["copy_us"] > 0
    ]
    return max(ratios, default=None)


def verdict(goal, rows):
    found = worst(goal, rows)
    if found is None:
        return "not measured", ""
    if found <= goal.most:
        return "reached", f"{found:.2f}"
    return f"missed by {100 * (found / goal.most - 1):.0f} %", f"{found:.2f}"


def compression_rows(state):
    """[(model, method, grain, ms)] of compression inside PyTorch; rows that are not whole are left out."""
    path, rows = os.path.join(state, "compression", "compression.csv"), []
    if not os.path.exists(path):
        return rows
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    for row in csv.DictReader(lines):
        try:
            rows.append((row["model"], row["method"], row["grain"], float(row["median_ms"])))
        except (KeyError, TypeError, ValueError):
            continue
    return rows


def compression_table(state):
    """Lines of what a whole model's message costs inside PyTorch; none where nothing was measured."""
    rows = compression_rows(state)
    if not rows:
        return []
    lines = ["", "| compression inside PyTorch, one message of a model | by | ms |", "|---|---|--:|"]
    return lines + [f"| {model}, {method} | {grain.replace('_', ' ')} | {median:.2f} |" for model, method, grain, median in rows]


def page(record, state):
    rehearsal = record.get("device") != "cuda"
    lines = ["# First contact", ""]
    if rehearsal:
        lines += ["Times of a processor: a rehearsal, no GPU was measured and no goal applies.", ""]
    lines += ["| goal (compressing / copy of the same values, from 25 million) | at most | measured | |", "|---|--:|--:|---|"]
    rows = [] if rehearsal else kernel_rows(state)
    for goal in GOALS:
        said, found = verdict(goal, rows)
        lines.append(f"| {goal.what} | {goal.most:g} | {found} | {said} |")
    lines += ["", "| stage | state | s | not done |", "|---|---|--:|---|"]
    for name, entry in record["stages"].items():
        bad = [f"{case}: {result['why']}" for case, result in entry["cases"].items() if result["state"] != "done"]
        bad += [entry["why"]] if entry.get("why") else []
        bad += [f"left out for size: {path}" for path in entry.get("left_out", [])]
        lines.append(f"| {name} | {entry['state']} | {entry['seconds']} | {'; '.join(bad)} |")
    return "\n".join(lines + compression_table(state)) + "\n"


NEXT = "./dev docs && ./dev golden && ./dev ledger && ./dev test"  # what an import changes beside its own files


def next_steps(folder):
    """For the page that is brought home: what to do with the results there."""
    return f"\nNext, where the results are kept: `./dev build calibrate && ./dev gpu-import {folder} && {NEXT}`.\n"
