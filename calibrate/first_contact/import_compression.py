"""Compression inside PyTorch, as `pytorch_compression.py` measured it: a file of kernel times, the default stack of its device."""
import csv
import glob
import math
import os
import re

import import_device

STACK = "PyTorch"
RATIO = "0.01"
# Methods whose implementations take a bucket or the whole gradient as one vector; all others launch for each tensor.
WHOLE = ("fp16", "bf16", "mstopk")
SELECTING = ("topk", "lwtopk", "ar_topk", "mstopk", "dgc", "redsync", "randomk")
GRAINS = ("tensor", "bucket")
MIN_ROWS = 2  # a fit has two unknowns


def read_rows(text):
    """@returns ([rows of messages], [reasons why others are left out]); rows of DDP's passes are neither"""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    rows, left_out = [], []
    for row in csv.DictReader(lines):
        name = f"{row.get('model')}, {row.get('method')} by {row.get('grain')}"
        if row.get("grain") == "ddp_pass":
            continue
        try:
            one = {"method": row["method"], "grain": row["grain"], "ms": float(row["median_ms"])}
            one |= {key: int(row[key]) for key in ("pieces", "values")}
        except (KeyError, TypeError, ValueError):
            left_out.append(f"{name}: the row is not whole")
            continue
        if one["grain"] not in GRAINS or min(one["ms"], one["pieces"], one["values"]) <= 0:
            left_out.append(f"{name}: unknown grain, or a figure of 0")
            continue
        rows.append(one)
    return rows, left_out


def fit(rows):
    """Least squares of relative errors of ms = pieces a + values b, neither below 0. @returns (a, b), or None where rows tell nothing"""
    points = [(row["pieces"] / row["ms"], row["values"] / row["ms"]) for row in rows]
    xx, xy, yy = sum(x * x for x, _ in points), sum(x * y for x, y in points), sum(y * y for _, y in points)
    x, y = sum(x for x, _ in points), sum(y for _, y in points)
    determinant = xx * yy - xy * xy
    if determinant <= 1e-12 * xx * yy:
        return None
    a, b = (x * yy - y * xy) / determinant, (y * xx - x * xy) / determinant
    if a < 0:
        return 0.0, y / yy
    if b < 0:
        return x / xx, 0.0
    return a, b


def outward(share, rounding):
    """To two digits behind the point, so that the range holds what was measured."""
    return rounding(round(100 * share, 6)) / 100


def entry(method, rows, source):
    """@returns (lines of the file, None), or (None, why there are none)"""
    if len(rows) < MIN_ROWS:
        return None, f"{method}: only {len(rows)} of its times; a fit needs {MIN_ROWS}"
    found = fit(rows)
    if found is None:
        return None, f"{method}: all models have as many values in a tensor; a fit needs both grains, or models that differ"
    launch, slope = found
    shares = [row["ms"] / (row["pieces"] * launch + row["values"] * slope) for row in rows]
    ratios = f"smallest_ratio: {RATIO}, largest_ratio: {RATIO}" if method in SELECTING else "smallest_ratio: 1, largest_ratio: 1"
    times = f"{'fixed' if method in WHOLE else 'per_tensor'}: {1e3 * launch:.6g} us, per_million_values: {1e9 * slope:.6g} us"
    sizes = [row["values"] for row in rows]
    return [
        f"  - {{method: {method}, {times},",
        f"     smallest: {min(sizes)}, largest: {max(sizes)}, {ratios}, "
        f"low: {outward(min(1, *shares), math.floor):g}, high: {outward(max(1, *shares), math.ceil):g},",
        f'     source: "{source}"}}',
    ], None


def hook_comments(text):
    """Passes with DDP's hooks as comments: no key holds them."""
    rows = [line.split(",") for line in text.splitlines() if ",ddp_pass," in line]
    return [f"# {row[0]}, a pass with DDP's hook {row[1]}: {row[6]} ms" for row in rows if len(row) == 7]


def device_of(text):
    found = re.search(r"^# device=(.+)$", text, re.MULTILINE)
    return found.group(1).strip() if found else None


def memory_bandwidth(device, folder):
    """Of the device's datasheet among the files of `folder`, as its file writes it; None where no datasheet names it."""
    sheet = import_device.datasheet(device, folder)
    found = re.search(r"^memory_bandwidth: (.+)$", sheet or "", re.MULTILINE)
    return found.group(1) if found else None


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def stack_file(text, provenance, bandwidth=None):
    """The file scenarios/kernel_times/pytorch_DEVICE.yaml.

    Times of a piece (a tensor, or for methods of WHOLE a call) and of a value are fitted to both grains together: tensors tell
    most of launches, buckets of values. `low` and `high` are the ends of measured over fitted.
    @param text  of compression.csv
    @param provenance  lines
    @param bandwidth  of the device's memory, as a device file writes it; None: unknown
    @returns (text or None, [what is left out, and why])
    """
    device = device_of(text)
    if device is None:
        return None, ["compression inside PyTorch: the file does not say on which device"]
    version = re.search(r"PyTorch ([^;\s]+)", text)
    source = f"pytorch_compression.py, PyTorch {version.group(1) if version else 'of unknown version'}; {'; '.join(provenance)}"
    rows, left_out = read_rows(text)
    lines = []
    for method in dict.fromkeys(row["method"] for row in rows):
        made, why = entry(method, [row for row in rows if row["method"] == method], quoted(source)[1:-1])
        lines += made or []
        left_out += [why] if why else []
    if not lines:
        return None, [*left_out, "compression inside PyTorch: no method has enough rows"]
    head = [f"# Compression inside PyTorch as it was measured on {device}: `per_tensor` is the time of launches, `low` and `high` are"]
    head += ["# the ends of measured over fitted, of the models that were measured; 1 % kept where a method selects."]
    head += [f"# {note}" for note in provenance]
    head += hook_comments(text)
    head += ["# Licence: figures are facts and may be used freely."]
    body = [f"device: {quoted(device)}", f"stack: {STACK}", "measured: true"]
    body += [f"memory_bandwidth: {bandwidth}"] if bandwidth else []
    return "\n".join([*head, *body, "kernels:", *lines]) + "\n", left_out


def import_into(job, name, sheets):
    """Writes scenarios/kernel_times/pytorch_NAME.yaml of a job of import_results.py, where compression was measured.

    @param sheets  the folder of device files
    """
    for path in sorted(glob.glob(os.path.join(job.state, "*", "compression.csv"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        made, left_out = stack_file(text, job.provenance(), memory_bandwidth(device_of(text) or "", sheets))
        job.left_out += left_out
        if made:
            job.write(f"scenarios/kernel_times/pytorch_{name}.yaml", made)
