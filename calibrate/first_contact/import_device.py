"""What a first contact says of a device: its file, made of its datasheet, or where there is none of what was recorded and measured."""
import csv
import dataclasses
import glob
import os
import re

import summary

VALUE_BYTES = 4
COPY_PASSES = 2  # a copy reads and writes


def datasheet(device, folder):
    """The text of the one shipped device file that has this name among its aliases; None where there is none or several."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*_datasheet.yaml"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        aliases = re.search(r"^aliases: \[(.*)\]$", text, re.MULTILINE)
        names = [name.strip(" '\"") for name in aliases.group(1).split(",")] if aliases else []
        if any(device.lower() == name.lower() for name in names):
            found.append(text)
    return found[0] if len(found) == 1 else None


def bytes_per_second(text):
    """`4.8 TB/s` of the key memory_bandwidth."""
    found = re.search(r"^memory_bandwidth: ([0-9.]+) (GB|TB)/s$", text, re.MULTILINE)
    return float(found.group(1)) * {"GB": 1e9, "TB": 1e12}[found.group(2)] if found else None


def copy_rate(rows):
    """Bytes per second of copies of the largest gradients, read and written; None where none are long enough."""
    long = [row for row in rows if row["elements"] >= summary.LONG and row["copy_us"] > 0]
    if not long:
        return None
    largest = max(row["elements"] for row in long)
    times = sorted(row["copy_us"] for row in long if row["elements"] == largest)
    return COPY_PASSES * VALUE_BYTES * largest / (times[len(times) // 2] * 1e-6)


# Results of fp32 fused multiply-adds per clock and multiprocessor, by compute capability; source: CUDA C++ Programming
# Guide, "Arithmetic Instructions".
FP32_LANES = {60: 64, 61: 128, 62: 128, 70: 64, 72: 64, 75: 64, 80: 64, 86: 128, 87: 128, 89: 128, 90: 128, 100: 128, 120: 128}
PRECISIONS = ("fp32", "tf32", "bf16", "fp16")


@dataclasses.dataclass(frozen=True)
class Recorded:
    """What the measuring program wrote of the device; None: it did not say."""

    compute_capability: int | None = None  # 90 is 9.0
    multiprocessors: int | None = None
    clock_hz: float | None = None  # the highest of the multiprocessors
    memory_bytes: int | None = None
    products: dict = dataclasses.field(default_factory=dict)  # precision: flop/s of the best matrix product


def recorded_facts(notes, products=None):
    """Of the lines of provenance of kernel times, and of a file of matrix products (None: there is none)."""
    text = "\n".join(notes)

    def number(pattern):
        found = re.search(pattern, text)
        return int("".join(found.groups())) if found else None

    megahertz = number(r"\d multiprocessors \(at most (\d+) MHz\)")
    return Recorded(
        number(r"compute capability (\d+)\.(\d)"),
        number(r"(\d+) multiprocessors"),
        1e6 * megahertz if megahertz else None,
        number(r", (\d+) bytes of memory"),
        read_products(products),
    )


def read_products(path):
    """Rows `precision,flop_per_s`, of which the best of each precision counts; rows that are not whole are left out."""
    best = {}
    if path is None or not os.path.exists(path):
        return best
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            try:
                rate = float(row["flop_per_s"])
            except (KeyError, TypeError, ValueError):
                continue
            if row["precision"] in PRECISIONS and 0 < rate < 1e18:
                best[row["precision"]] = max(rate, best.get(row["precision"], 0))
    return best


def fp32_peak(recorded):
    """Flop/s that the recorded multiprocessors and clock allow; None where one is unknown."""
    lanes = FP32_LANES.get(recorded.compute_capability)
    if None in (lanes, recorded.multiprocessors, recorded.clock_hz):
        return None
    return 2 * lanes * recorded.multiprocessors * recorded.clock_hz


def peaks_of(recorded):
    """[(precision, flop/s, source)], the first of which is the file's own."""
    found = [(of, recorded.products[of], "best matrix product that was measured") for of in PRECISIONS if of in recorded.products]
    bound = fp32_peak(recorded)
    if "fp32" not in recorded.products and bound is not None:
        source = f"upper bound: {recorded.multiprocessors} multiprocessors at {recorded.clock_hz / 1e6:.0f} MHz, as recorded; nothing was measured"
        found.insert(0, ("fp32", bound, source))
    return found


def measured_file(device, name, rows, notes, recorded):
    """As `device_file`, without a datasheet: bandwidth of copies, memory as recorded, peaks as measured or computed."""
    rate, peaks = copy_rate(rows), peaks_of(recorded)
    if rate is None:
        return None, f"no copy of {summary.LONG} values or more was measured"
    if not peaks:
        return None, "neither a matrix product nor multiprocessors with their clock were recorded, and no datasheet names it"
    measured = [of for of, _, _ in peaks if of in recorded.products]
    lacks = ["datasheet (alias in scenarios/devices)"]
    lacks += [f"matrix products in {of}" for of in PRECISIONS if of not in measured]
    lacks += ["memory"] if recorded.memory_bytes is None else []
    head = [f"# {device}: what was recorded and measured on it; no datasheet names it.", f"# Unknown: {', '.join(lacks)}."]
    head += [f"# {note}" for note in notes]
    head.append("# Licence: figures are facts and may be used freely.")
    body = [f"name: {name}", f'provenance: "measured on {device}; {peaks[0][0]}: {peaks[0][2]}; {"; ".join(notes)}"']
    body += [f"precision: {peaks[0][0]}", f"peak: {peaks[0][1] / 1e12:.6g} TFLOP/s", f"memory_bandwidth: {rate / 1e9:.6g} GB/s"]
    body += [f"memory: {recorded.memory_bytes} B"] if recorded.memory_bytes else []
    body += [f"compute_capability: {recorded.compute_capability}"] if recorded.compute_capability else []
    if len(peaks) > 1:
        body += ["peaks:", *(f"  - {{precision: {of}, peak: {peak / 1e12:.6g} TFLOP/s}}" for of, peak, _ in peaks[1:])]
    body.append("# The bandwidth is that of copies, reads and writes counted: it holds without an efficiency.")
    return "\n".join([*head, *body]) + "\n", f"written without {', '.join(lacks)}"


def device_file(device, name, rows, notes, folder, recorded=Recorded()):
    """@returns (text, what it lacks or None), or (None, why there is no file)"""
    sheet = datasheet(device, folder)
    if sheet is None:
        return measured_file(device, name, rows, notes, recorded)
    peak, rate = bytes_per_second(sheet), copy_rate(rows)
    if peak is None or rate is None:
        return None, f"no copy of {summary.LONG} values or more was measured"
    if rate > peak:
        return None, f"copies at {rate / 1e12:.2f} TB/s are above the datasheet's {peak / 1e12:.2f} TB/s"
    body = re.sub(r"^(#.*|aliases:.*)\n", "", sheet, flags=re.MULTILINE)
    body = re.sub(r"^memory_efficiency:\n(  .*\n)+", "", body, flags=re.MULTILINE)
    body = re.sub(r"^name: .*$", f"name: {name}", body, count=1, flags=re.MULTILINE)
    head = [f"# {device}: peaks of its datasheet, and the memory bandwidth that copies reached."]
    head += [f"# {note}" for note in notes]
    head.append("# Licence: figures are facts and may be used freely.")
    share = f"memory_efficiency:\n  share: {rate / peak:.4f}\n  source: \"{rate / 1e12:.3f} TB/s in device-to-device copies, reads and writes counted; {'; '.join(notes)}\"\n"
    return "\n".join(head) + "\n" + body.rstrip("\n") + "\n" + share, None
