#!/usr/bin/env python3
"""`./dev gpu-import`: what a first contact brought home becomes devices, times, tables, workloads, records and a page section."""
import argparse
import glob
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import import_compression
import import_device
import import_overlap
import import_shaped
import results
import summary

EXIT_DONE, EXIT_REFUSED, EXIT_BROKEN = 0, 1, 3
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LICENCE = "facts: measured figures, free to use"


def say(text):
    print(f"dev gpu-import: {text}", file=sys.stderr)


def file_name(device):
    """NVIDIA H100 80GB HBM3 -> nvidia_h100_80gb_hbm3"""
    return re.sub(r"[^a-z0-9]+", "_", device.lower()).strip("_")


class Import:
    """One folder of results, unpacked; files go below `into`, which is laid out as the repository."""

    def __init__(self, state, record, into, calibrate, hash_of_results):
        self.state, self.record, self.into, self.calibrate = state, record, into, calibrate
        self.hash = hash_of_results
        self.rehearsal = record.get("device") != "cuda"
        self.written, self.left_out, self.compared = [], [], []

    def write(self, path, text):
        target = os.path.join(self.into, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        results.replace(target, text.encode())
        self.written.append(path)

    def run(self, what, *words):
        """@returns whether `calibrate` did it; what it could not do, all or in part, is named"""
        done = subprocess.run((self.calibrate, *words), capture_output=True, text=True, check=False)
        said = done.stderr.strip().splitlines() or ["no reason given"]
        if done.returncode != 0:
            self.left_out.append(f"{what}: {said[-1]}")
        else:
            mark = "left out: "
            self.left_out += [f"{what}: {line[len(mark):]}" for line in said if line.startswith(mark)]
        return done.returncode == 0

    def make(self, what, path, *words):
        """As `run`, into a file; what is there from an earlier import is replaced or, where that fails, kept."""
        target = os.path.join(self.into, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if self.run(what, *words, "-o", target):
            self.written.append(path)

    def provenance(self):
        label = ["rehearsal: times of a processor, not of a GPU"] if self.rehearsal else []
        return [*label, f"results {self.hash}"]


def each_once(header, rows):
    """Of a case that was measured twice, since its first try was broken off, the row with more repetitions."""
    columns = header.split(",")
    if not {"compressor", "elements", "ratio", "repetitions"} <= set(columns):
        return rows
    best = {}
    for row in rows:
        cells = dict(zip(columns, row.split(",")))
        key = tuple(cells.get(name) for name in ("compressor", "elements", "ratio"))
        many = int(cells["repetitions"]) if cells.get("repetitions", "").isdigit() else 0
        if key not in best or many > best[key][0]:
            best[key] = (many, row)
    return [row for _, row in best.values()]


def merged_times(paths):
    """Kernel times of one device as one file. @returns (device, text), or None; raises ValueError for two devices"""
    devices, notes, header, rows = [], [], None, []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        devices += [line[len("# device=") :] for line in lines if line.startswith("# device=")]
        notes += [line for line in lines if line.startswith("# ") and not line.startswith("# device=")]
        body = [line for line in lines if line and not line.startswith("#")]
        if not body:
            continue
        if header not in (None, body[0]):
            raise ValueError(f"{path}: its columns are not those of the other files")
        header = body[0]
        rows += body[1:]
    if not rows:
        return None
    if len(set(devices)) != 1:
        raise ValueError(f"kernels: expected one device, found {', '.join(sorted(set(devices))) or 'none'}")
    return devices[0], list(dict.fromkeys(notes)), [header, *each_once(header, rows)]


def import_kernels(job):
    paths = [
        path
        for path in sorted(glob.glob(os.path.join(job.state, "kernels", "*.csv")))
        if not path.endswith("_samples.csv")
    ]
    merged = merged_times(paths)
    if merged is None:
        job.left_out.append("kernel times: none were measured")
        return None
    device, notes, rows = merged
    name = file_name(device)
    notes += [f"# {note}" for note in job.provenance()]
    table = f"scenarios/kernel_times/{name}.csv"
    job.write(table, "\n".join([f"# device={device}", *notes, *rows]) + "\n")
    job.make("kernel costs", f"scenarios/kernel_times/{name}.yaml", "fit", "kernels", os.path.join(job.into, table), "--partial", "--quiet")
    recorded = import_device.recorded_facts(notes, os.path.join(job.state, "products", "matrix_products.csv"))
    sheets = os.path.join(ROOT, "scenarios", "devices")
    text, lacks = import_device.device_file(device, name, summary.kernel_rows(job.state), job.provenance(), sheets, recorded)
    if text:
        overlap = import_overlap.device_key(import_overlap.text_of(job.state), job.provenance())
        job.write(f"scenarios/devices/{name}.yaml", text + (overlap or ""))
    if lacks:
        job.left_out.append(f"device file: {lacks}")
    return name


def device_without_kernels(job):
    """The device's name where no compressor of ours was measured: as PyTorch or the driver says it; None where neither does."""
    found = [job.record.get("gpu"), import_overlap.device_of(import_overlap.text_of(job.state))]
    for path in sorted(glob.glob(os.path.join(job.state, "compression", "compression.csv"))):
        with open(path, encoding="utf-8") as file:
            found.append(import_compression.device_of(file.read()))
    return next((name for name in found if name), None)


def errors_of(job, entry):
    """Median and 90th percentile of held-out errors in %, as the ledger finds them; None where it cannot."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ledger.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("ledger:\n" + entry)
        done = subprocess.run(
            (job.calibrate, "validate", path, "--format", "json"), capture_output=True, text=True, check=False
        )
    try:
        found = json.loads(done.stdout)["entries"][0]["errors"]
        return found["median_percent"], found["p90_percent"]
    except (ValueError, KeyError, IndexError, TypeError):
        job.left_out.append(f"ledger: {(done.stderr.strip().splitlines() or ['no errors were found'])[-1]}")
        return None


def ledger_entry(job, name, tables, folder, bounds):
    note = "; ".join(job.provenance())
    return (
        f"  - name: 'NCCL on {name}'\n    question: nccl_measured\n    rule: every_second_size\n    folder: {folder}\n"
        f"    measurements: [{', '.join(tables)}]\n    median: {bounds[0]:g} %\n    p90: {bounds[1]:g} %\n"
        f"    source: 'calibrate probe nccl; {note}'\n"
    )


def entry_with_bounds(job, what, entry):
    """An entry whose bounds are what was found, rounded up; empty where nothing was. `entry(folder, bounds)` is its text."""
    measured = os.path.abspath(os.path.join(job.into, "scenarios/measurements"))
    found = errors_of(job, entry(measured, import_shaped.ANY_ERROR))
    if found is None:
        return ""
    job.compared.append(f"{what}: median error {found[0]:.1f} %, 90th percentile {found[1]:.1f} %")
    return entry("../scenarios/measurements", [math.ceil(10 * error + 0.1) / 10 for error in found])  # printed rounded


def import_ledger(job, name, tables):
    """An entry of all tables, and one of shaped links predicted from their ping-pongs."""
    entries = ""
    if tables:
        what = "NCCL, every second size from the others"
        entries += entry_with_bounds(job, what, lambda folder, bounds: ledger_entry(job, name, tables, folder, bounds))
    shaped = import_shaped.table(os.path.join(job.state, "nccl", "shaped"), job.provenance())
    if shaped:
        file, note = f"{name}_shaped_live.csv", "; ".join(job.provenance())
        job.write(f"scenarios/measurements/{file}", shaped)
        what = "NCCL over shaped links, predicted from the ping-pong at another rate"
        entries += entry_with_bounds(job, what, lambda folder, bounds: import_shaped.entry(name, file, folder, bounds, note))
    if not entries:
        return
    path = os.path.join(job.into, "tests/ledger.yaml")
    ledger = "ledger:\n"
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            ledger = file.read()
    job.write("tests/ledger.yaml", replace_section(ledger, name, entries, ("  # ", "\n"), "tests/ledger.yaml"))


def import_records(job, name):
    """Recorded statistics, with their provenance among their facts."""
    for path in sorted(glob.glob(os.path.join(job.state, "statistics", "*.csv"))):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        at = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
        if len(lines) < at + 2:
            job.left_out.append(f"{os.path.basename(path)}: no recorded step")
            continue
        notes = [f"# provenance: {'; '.join(job.provenance())}"]
        text = "\n".join([*lines[:at], *notes, *lines[at:]]) + "\n"
        job.write(f"scenarios/learners/{os.path.basename(path)[:-4]}_{name}.csv", text)


def import_nccl(job, name):
    tables = []
    folder = os.path.join(job.state, "nccl")
    found = [*glob.glob(os.path.join(folder, "*", "*.csv")), *glob.glob(os.path.join(folder, "shaped", "*", "*.csv"))]
    for path in sorted(found):
        collective = os.path.basename(path)[: -len(".csv")]
        if collective == "samples":
            continue
        table = os.path.relpath(os.path.dirname(path), folder).replace(os.sep, "_")
        if not table.endswith(f"_{collective}"):  # a folder has the tables of several collectives
            table += f"_{collective}"
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        notes = [f"# note={note}; table {table}" for note in job.provenance()]
        at = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
        file_name_of_table = f"{name}_{table}.csv"
        job.write(f"scenarios/measurements/{file_name_of_table}", "\n".join([*lines[:at], *notes, *lines[at:]]) + "\n")
        tables.append(file_name_of_table)
    own = [os.path.join(job.into, "scenarios/measurements", table) for table in tables if table.startswith(f"{name}_own_")]
    if own:
        job.make("times of collectives", f"scenarios/collective_times/{name}.yaml", "fit", *own, "--quiet")
    import_ledger(job, name, tables)


def batch_of(model):
    """The batch is in the name of a trace: resnet18_b32."""
    found = re.fullmatch(r".*_b(\d+)", model)
    return ("--batch", found.group(1)) if found else ()


def import_traces(job, name):
    """Workloads of traces; of a trace that was too large to be brought along, as it was imported on its machine."""
    folder = os.path.join(job.state, "traces")
    stems = {os.path.basename(path).partition(".")[0] for of in ("*.json.gz", "*.yaml") for path in glob.glob(os.path.join(folder, of))}
    for model in sorted(stems):
        trace, workload = (os.path.join(folder, f"{model}{ending}") for ending in (".json.gz", ".yaml"))
        target = f"scenarios/workloads/{model}_{name}.yaml"
        if os.path.exists(trace):
            source = "; ".join(["calibrate probe layers", *job.provenance()])
            words = ("import", "kineto", trace, *batch_of(model), "--source", source, "--licence", LICENCE, "--quiet")
            job.make(model, target, *words)
        else:
            with open(workload, encoding="utf-8") as file:
                notes = "".join(f"# {note}; imported where it was traced\n" for note in job.provenance())
                job.write(target, notes + file.read())


def replace_section(page, name, text, marks=("<!-- ", " -->\n"), path="docs/performance.md"):
    """The section of this device in a file, where it was or at the end; marks begin and end comments of the file."""
    begin, end = f"{marks[0]}measured on {name}{marks[1]}", f"{marks[0]}end of {name}{marks[1]}"
    section = begin + text + end
    at = page.find(begin)
    if at < 0:
        blank = "\n" if path.endswith(".md") else ""
        return page.rstrip("\n") + "\n" + blank + section
    after = page.find(end, at)
    if after < 0:
        raise ValueError(f"{path}: no line `{end.strip()}` after `{begin.strip()}`; add it")
    return page[:at] + section + page[after + len(end) :]


def import_page(job, name):
    path = os.path.join(job.into, "docs/performance.md")
    page = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            page = file.read()
    body = summary.page(job.record, job.state).replace("# First contact", f"## Measured on {name}", 1)
    overlap = import_overlap.page_lines(import_overlap.text_of(job.state))
    if overlap:
        body += "\n" + "\n".join(overlap) + "\n"
    if job.compared:
        body += "\nPredicted against measured:\n\n" + "".join(f"* {line}\n" for line in job.compared)
    job.write("docs/performance.md", replace_section(page, name, body))


def hash_of(folder):
    """Of the results themselves, so that the same folder is always named alike."""
    digest = hashlib.sha256()
    for name in sorted(os.listdir(folder)):
        if name.endswith(".tar.gz") or name == results.RECORD:
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(name.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return "sha256:" + digest.hexdigest()


def import_folder(said):
    """@returns the finished job; raises ValueError where the folder cannot be imported"""
    if not os.path.exists(os.path.join(said.folder, results.RECORD)):
        raise ValueError(f"no {results.RECORD} in `{said.folder}`; name a folder that ./dev gpu wrote")
    record = results.read_record(said.folder)
    if record.get("device") != "cuda" and not said.into:
        raise ValueError(f"`{said.folder}` is a rehearsal without a GPU; name a folder for it by --into")
    if not os.path.exists(said.calibrate):
        raise FileNotFoundError(f"no program `{said.calibrate}`; build it first: ./dev build calibrate")
    with tempfile.TemporaryDirectory() as state:
        damaged = results.unpack(said.folder, state)
        job = Import(state, record, said.into or ROOT, said.calibrate, hash_of(said.folder))
        job.left_out += [f"{path}: damaged" for path in damaged]
        name = import_kernels(job)
        if name is None:
            name = file_name(device_without_kernels(job) or "gpu_" + job.hash[-8:])
        import_nccl(job, name)
        import_compression.import_into(job, name, os.path.join(ROOT, "scenarios", "devices"))
        import_overlap.import_into(job, name)
        import_traces(job, name)
        import_records(job, name)
        import_page(job, name)
    return job


def main(words):
    parser = argparse.ArgumentParser(prog="./dev gpu-import", description=__doc__)
    parser.add_argument("folder", help="what ./dev gpu wrote")
    parser.add_argument("--into", metavar="FOLDER", help="laid out as the repository; default: the repository")
    parser.add_argument("--calibrate", default=os.path.join(ROOT, "build", "bin", "calibrate"), help="the program")
    said = parser.parse_args(words)
    try:
        job = import_folder(said)
    except ValueError as error:
        say(str(error))
        return EXIT_REFUSED
    except OSError as error:
        say(str(error))
        return EXIT_BROKEN
    for path in job.written:
        print(path)
    for line in job.compared:
        say(line)
    for reason in job.left_out:
        say(f"left out: {reason}")
    if job.written and not said.into:
        say(f"next: {summary.NEXT}")
    return EXIT_DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
