#!/usr/bin/env python3
"""NCCL over shaped links, as `tests/live/nccl.sh` measured it: one table of all rates, which the ledger predicts from ping-pongs."""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

HEADER = "stack,collective,algorithm,ranks,bandwidth_mbit,latency_us,bytes,median_us"
STACK = "nccl"
# Operation of `calibrate probe nccl`: collective and algorithm of the table. NCCL was pinned to rings; broadcasts go down its chain.
ROWS = {
    "point_to_point": ("pingpong", "p2p"),
    "all_reduce": ("allreduce", "ring"),
    "all_gather": ("allgather", "ring"),
    "broadcast": ("bcast", "nccl_chain"),
    "topk_all_gather_messages": ("topk_allgather", "ring"),
    "ar_topk_messages": ("artopk", "ring"),
    "topk_all_gather": ("topk_exchange", "ring"),
    "ar_topk": ("artopk_exchange", "ring"),
    "topk_all_gather_local": ("topk_local", "compute"),
    "ar_topk_select": ("artopk_select", "compute"),
    "ar_topk_apply": ("artopk_apply", "compute"),
}


def read_table(path):
    """@returns (the text of its facts, [(bytes, us)]); what is no row is left out"""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    points = []
    for line in lines:
        found = re.fullmatch(r"([0-9.e+]+),([0-9.e+-]+)(?:,[^,]*)*", line)  # bandwidths may follow
        if found:
            points.append((float(found.group(1)), float(found.group(2))))
    return "\n".join(line for line in lines if line.startswith("#")), points


def size_of(operation, size, ranks, facts):
    """Bytes as the table counts them: of one rank's contribution where it is gathered, of kept values where it is sparse."""
    if operation == "all_gather":
        return size / ranks
    ratio = re.search(r"compression ratio ([0-9.e-]+)", facts)
    if "topk" in operation:
        return max(1, int(size / 4 * float(ratio.group(1)))) * 4 if ratio else None
    return size


def live_rows(folder):
    """Rows of all folders ping_pong_MBIT, nRANKS_MBIT and compressed_nRANKS_MBIT, with _DELAYus or without; ping-pongs count for every number of ranks that
    was measured."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*", "*.csv"))):
        operation = os.path.basename(path)[: -len(".csv")]
        place = re.fullmatch(r"(?:ping_pong|(?:compressed_)?n(\d+))_(\d+)(?:_\d+us)?", os.path.basename(os.path.dirname(path)))
        if place and operation in ROWS and (place.group(1) is None) == (operation == "point_to_point"):
            found.append((operation, place.group(1), int(place.group(2)), *read_table(path)))
    worlds = sorted({int(ranks) for _, ranks, *_ in found if ranks})
    rows = []
    for operation, ranks, mbit, facts, points in found:
        delay = re.search(r"(\d+) us added one way", facts)
        for world in [int(ranks)] if ranks else worlds:
            for size, time in points:
                counted = size_of(operation, size, world, facts)
                if counted:
                    rows.append(f"{STACK},{','.join(ROWS[operation])},{world},{mbit},{delay.group(1) if delay else 0},{counted:.0f},{time:g}")
    return rows


def table(folder, notes):
    """@returns the text of the table, or None where there are not ping-pongs and exchanges at two rates"""
    rows = live_rows(folder)
    rates = {(row.split(",")[1] == "pingpong", *row.split(",")[4:6]) for row in rows}
    can = any(not ping and any(other and at != rate and late == delay for other, at, late in rates) for ping, rate, delay in rates)
    if not can:
        return None
    head = ["# NCCL over shaped links of one machine, pinned to rings; allgather and topk_allgather: bytes of one rank's contribution"]
    return "\n".join([*head, *(f"# {note}" for note in notes), HEADER, *rows]) + "\n"


ANY_ERROR = (100000, 100000)  # bounds of an entry that is only asked for its errors


def entry(name, file, folder, bounds, note):
    return (
        f"  - name: 'NCCL over shaped links of {name}'\n    question: nccl_measured\n"
        f"    rule: nccl_other_bandwidth\n    folder: {folder}\n"
        f"    seen: [{file}]\n    measurements: [{file}]\n    median: {bounds[0]:g} %\n    p90: {bounds[1]:g} %\n"
        f"    source: 'calibrate probe nccl in network namespaces; {note}'\n"
    )


def compare(folder, calibrate):
    """Prints each measured time beside its prediction, and the errors, by the ledger's rule. @returns an exit code"""
    text = table(folder, ["measured on this machine"])
    if not text:
        print("import_shaped: nothing to compare: ping-pongs and exchanges at two line rates are needed", file=sys.stderr)
        return 3
    with open(os.path.join(folder, "live.csv"), "w", encoding="utf-8") as file:
        file.write(text)
    ledger = os.path.join(folder, "ledger.yaml")
    with open(ledger, "w", encoding="utf-8") as file:
        file.write("ledger:\n" + entry("this machine", "live.csv", ".", ANY_ERROR, "not kept"))
    done = subprocess.run((calibrate, "validate", ledger, "--format", "json"), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stderr.strip(), file=sys.stderr)
        return 3
    found = json.loads(done.stdout)["entries"][0]
    print(f"{'exchange':<28}{'':<46}{'measured (ms)':>14}{'predicted (ms)':>15}{'error (%)':>11}")
    for row in found["figures"]:
        exchange = row["table"].partition(": nccl ")[2]
        measured, predicted = row["measured"], row["predicted"]
        print(f"{exchange:<28}{row['figure']:<46}{1e3 * measured:>14.3f}{1e3 * predicted:>15.3f}{100 * (predicted / measured - 1):>11.1f}")
    errors = found["errors"]
    print(f"predicted from the ping-pong at the other rate: median error {errors['median_percent']:.1f} %, 90th percentile {errors['p90_percent']:.1f} %")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="of `tests/live/nccl.sh`")
    parser.add_argument("--calibrate", required=True, help="the program")
    said = parser.parse_args()
    return compare(said.folder, said.calibrate)


if __name__ == "__main__":
    sys.exit(main())
