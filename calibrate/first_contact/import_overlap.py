"""Computing beside copies, as `pytorch_overlap.py` measured it: a table, a fit against channels, and the key of a device file."""
import csv
import dataclasses
import glob
import os
import re
import statistics

COLUMNS = ("what", "size", "channels", "asked_gb_per_s", "reached_gb_per_s", "alone_ms", "beside_ms", "slowdown", "multiprocessors")
# The setting whose backward passes become a device's default: as an exchange over network interfaces runs, with 2 to 4
# channels at 50 GB/s (400 Gbit/s). Links inside a node take more channels: state `exchange.overlap_slowdown` for them.
NIC_CHANNELS, NIC_RATE = (2, 4), 50
TRAFFIC = 2  # bytes of memory that each copied byte reads and writes


@dataclasses.dataclass(frozen=True)
class Row:
    """`rate` that was reached in GB/s, `slowdown` as a share of the time alone, `held` multiprocessors."""

    what: str
    size: int
    channels: int
    asked: float
    rate: float
    slowdown: float
    held: int

    def is_backward(self):
        return self.what.endswith("_backward")


def read_rows(text):
    """@returns ([(row, its line)], [reasons why others are left out])"""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    rows, left_out = [], []
    for line, cells in zip(lines[1:], csv.DictReader(lines)):
        try:
            alone, beside = float(cells["alone_ms"]), float(cells["beside_ms"])
            rates = (float(cells[key]) for key in COLUMNS[3:5])
            found = Row(cells["what"], int(cells["size"]), int(cells["channels"]), *rates, beside / alone - 1, int(cells["multiprocessors"]))
            whole = abs(float(cells["slowdown"]) - found.slowdown) < 0.01 and found.channels >= found.held > 0 and None not in cells
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            whole = False
        if whole:
            rows.append((found, line))
        else:
            left_out.append(f"overlap: `{line}` is not a whole row")
    return rows, left_out


def fact(text, pattern):
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1).strip() if found else None


def device_of(text):
    return fact(text, r"^# device=(.+)$")


def table(text, notes):
    """The file scenarios/measurements/DEVICE_overlap.csv. @returns (text or None, [what is left out])"""
    rows, left_out = read_rows(text)
    if not rows or device_of(text) is None:
        return None, [*left_out, "overlap: no row, or not said on which device"]
    head = [line for line in text.splitlines() if line.startswith("#")]
    return "\n".join([*head, *(f"# {note}" for note in notes), ",".join(COLUMNS), *(line for _, line in rows)]) + "\n", left_out


def of_products(channels, multiprocessors):
    """S / (S - c) - 1: the multiprocessors that the channels leave."""
    return multiprocessors / (multiprocessors - channels) - 1


def of_memory(rate, memory):
    """1 / (1 - traffic / memory rate) - 1 of what is bound by memory. @param rate, memory  GB/s"""
    share = min(TRAFFIC * rate / memory, 0.99)
    return 1 / (1 - share) - 1


@dataclasses.dataclass(frozen=True)
class Fit:
    """Slow-down of backward passes = share x of products + (1 - share) x of memory; errors in points, medians and the largest."""

    share: float
    backward_error: tuple
    products_error: tuple


def errors(pairs):
    """(median, largest) of differences in percentage points; (None, None) of none."""
    points = [100 * abs(measured - predicted) for measured, predicted in pairs]
    return (statistics.median(points), max(points)) if points else (None, None)


def fit(text):
    """@returns the fit, or None where multiprocessors, memory rate or backward passes are not known"""
    rows = [row for row, _ in read_rows(text)[0]]
    many, memory = fact(text, r"^# multiprocessors=(\d+)$"), fact(text, r"^# memory_gb_per_s=([0-9.e+]+)$")
    if many is None or memory is None:
        return None
    many, memory = int(many), float(memory)
    rows = [row for row in rows if row.held < many]
    backward = [row for row in rows if row.is_backward()]
    if not backward:
        return None
    terms = [(row.slowdown, of_products(row.held, many), of_memory(row.rate, memory)) for row in backward]
    below = sum((p - m) ** 2 for _, p, m in terms)
    above = sum((s - m) * (p - m) for s, p, m in terms)
    share = min(1.0, max(0.0, above / below)) if below > 0 else 0.0
    products = [(row.slowdown, of_products(row.held, many)) for row in rows if row.what == "matrix_product"]
    return Fit(share, errors((s, share * p + (1 - share) * m) for s, p, m in terms), errors(products))


def sentence(row, formula):
    name = row.what.replace("_backward", "").replace("_", " ")
    return f"* the backward pass of {name} is {100 * row.slowdown:.0f} % slower beside {row.channels} channels at {row.rate:.0f} GB/s; the formula says {100 * formula:.0f} %."


def page_lines(text):
    """Lines of a section of docs/performance.md; none where nothing was measured."""
    found = fit(text)
    if found is None:
        return []
    many, memory = int(fact(text, r"^# multiprocessors=(\d+)$")), float(fact(text, r"^# memory_gb_per_s=([0-9.e+]+)$"))
    lines = ["", "Computing beside a copy by as many thread blocks as a collective has channels:", ""]
    for row, _ in read_rows(text)[0]:
        if row.is_backward() and row.held < many:
            mixed = found.share * of_products(row.held, many) + (1 - found.share) * of_memory(row.rate, memory)
            lines.append(sentence(row, mixed))
    median, largest = found.backward_error
    lines += ["", f"Formula: {found.share:.2f} S/(S - c) + {1 - found.share:.2f} / (1 - traffic / memory rate), less 1, with {many} multiprocessors S,"]
    lines.append(f"c channels and {memory:.0f} GB/s; the share is fitted to these passes: error {median:.1f} points in the median, {largest:.1f} at most.")
    median, largest = found.products_error
    if median is not None:
        lines.append(f"Matrix products alone, S/(S - c), nothing fitted: error {median:.1f} points in the median, {largest:.1f} at most.")
    return lines


def device_key(text, notes):
    """Lines `overlap_slowdown:` of a device file: the median of backward passes beside 2 to 4 channels at 50 GB/s; None where none was measured."""
    rows = [row for row, _ in read_rows(text)[0] if row.is_backward() and row.asked == NIC_RATE]
    rows = [row for row in rows if NIC_CHANNELS[0] <= row.channels <= NIC_CHANNELS[1]]
    if not rows:
        return None
    names = ", ".join(sorted({row.what.replace("_backward", "").replace("_", " ") for row in rows}))
    spread = f"{100 * min(row.slowdown for row in rows):.1f} to {100 * max(row.slowdown for row in rows):.1f} %"
    source = f"backward passes ({names}) beside copies by {NIC_CHANNELS[0]} to {NIC_CHANNELS[1]} channels at {NIC_RATE} GB/s: {spread}; {'; '.join(notes)}"
    share = max(0.0, statistics.median(row.slowdown for row in rows))
    return f'overlap_slowdown:\n  share: {share:.4f}\n  source: "{source}"\n'


def text_of(state):
    """What the probe wrote below this folder; empty where it did not run."""
    for path in sorted(glob.glob(os.path.join(state, "*", "overlap.csv"))):
        with open(path, encoding="utf-8") as file:
            return file.read()
    return ""


def import_into(job, name):
    """Writes scenarios/measurements/NAME_overlap.csv of a job of import_results.py, where it was measured."""
    text = text_of(job.state)
    if not text:
        return
    made, left_out = table(text, job.provenance())
    job.left_out += left_out
    if made:
        job.write(f"scenarios/measurements/{name}_overlap.csv", made)
