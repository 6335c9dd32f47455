#!/usr/bin/env python3
"""Makes scenarios of published peaks of memory, runs them, and keeps the results as JSON.

    memory_peaks.py BIN DATA FOLDER

DATA is `tests/data`, or a folder with `llm/memory.csv`. What each run states is as in tests/scenario/memory_published_test.cpp, which
has the sources of what the table leaves out. Two results:

- memory_shown: what nvidia-smi showed (Megatron-DeepSpeed) or the allocator had reserved (torchtitan), against the memory of a
  worker with the framework's share, which was fitted to the medians of these two stacks.
- memory_allocated: what PyTorch had allocated (KempnerForge, NeMo), against the same without the framework's share, as
  `sim check` prints the parts, with three digits. Nothing was fitted to these.

Rows that are not modelled, and runs out of memory, are counted by reason.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import measured_steps as steps

QUESTION = "# How much memory does training take on each GPU?"
UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
LLAMA = (
    "transformer: {%s, kv_heads: 8, vocabulary: 128256, ffn_kind: swiglu, norm: rms, positions: rotary, bias: none, tied: false, "
    "sequence: %d}, recomputation: %s"
)
LLAMA_BLOCKS = {
    "13B": "layers: 40, hidden: 5120, heads: 40, ffn: 17920",
    "70B": "layers: 80, hidden: 8192, heads: 64, ffn: 28672",
    "": "layers: 32, hidden: 4096, heads: 32, ffn: 14336",
}
NEMOTRON = (
    "transformer: {layers: 32, hidden: 6144, heads: 48, kv_heads: 8, ffn: 24576, vocabulary: 256000, positions: rotary, bias: none, "
    "tied: false, sequence: 4096}"
)
KEMPNER_BATCHES = {"none": 2, "FSDP 2": 2, "FSDP 4 (7b.toml)": 8, "TP 4 FSDP 3": 4, "FSDP 32": 4}  # mfu_bench.sh, configs/train
# Megatron-DeepSpeed's log: first and last line, layers and width (tr11-176B-ml/chronicles-prequel.md).
MEGATRON_LOG = (
    (476, 529, 80, 14400), (583, 586, 80, 13824), (607, 617, 72, 14336), (632, 635, 84, 13824), (669, 729, 72, 14336),
    (739, 740, 78, 13824), (775, 809, 72, 14336), (818, 818, 96, 12288), (831, 884, 78, 13824), (891, 909, 106, 12288),
    (917, 920, 100, 12288), (928, 932, 82, 13312), (939, 939, 94, 13312), (946, 950, 70, 14336),
)  # fmt: skip


def llama(model, sequence, recomputation):
    blocks = next(shape for size, shape in LLAMA_BLOCKS.items() if size in model)
    return LLAMA % (blocks, sequence, recomputation)


def degree(row, word):
    """The number behind a word such as TP in `ZeRO-1 DP8 TP4 PP12` or `TP 4 FSDP 2`; 0 without it."""
    found = re.search(word + r" *(\d+)", row["sharding"])
    return int(found[1]) if found else 0


def arm(row, workload, parallelism, micro_batch=None, accumulation=1, per_node=8):
    gpus, micro_batch = int(row["gpus"]), micro_batch or int(row["micro_batch"])
    return (
        f"workload: {{name: published, provenance: 'see memory_peaks.py', {workload}, device: b200_sxm_datasheet, mfu: 40 %, "
        f"batch: {micro_batch}}}, cluster: {{workers: {gpus}, workers_per_node: {min(gpus, per_node)}, link: {{latency: 5 us, "
        "bandwidth: 400 Gbit/s}, inner_link: {latency: 2 us, bandwidth: 240 GB/s}}, "
        f"training: {{batch: {micro_batch * accumulation}, accumulation: {accumulation}, steps: 1}}, parallelism: {{{parallelism}}}"
    )


def kempner(row):
    tensor = degree(row, "TP") or 1
    parallelism = f"tensor: {tensor}{', split_embedding: false' if tensor > 1 else ''}, gradient_bytes: 4, optimizer_bytes: 4"
    if degree(row, "FSDP"):
        parallelism += ", data: fsdp, accumulate: whole"
    workload = llama(row["model"], 4096, "full") + f", logit_bytes: {6 * tensor}"
    return arm(row, workload, parallelism, KEMPNER_BATCHES.get(row["sharding"]), accumulation=2, per_node=4)


def nemo(row):
    workload = NEMOTRON if row["model"] == "Nemotron4-15B" else llama("8B", 4096, "none")  # CP 2: half of the sequence
    return arm(row, workload, f"data: zero1, tensor: {degree(row, 'TP') or 1}")


def torchtitan(row):
    if "405B" in row["model"]:
        return "126 blocks on 8 stages"
    recomputation = {"selective": "every_second_product"}.get(row["recomputation"], row["recomputation"])
    sequence = int(row["sequence"]) // (degree(row, "CP") or 1)  # that several GPUs share: a shorter one
    return arm(row, llama(row["model"], sequence, recomputation), f"data: fsdp, tensor: {degree(row, 'TP') or 1}")


def megatron(row):
    line = int(row["note"].split()[1].rstrip(";"))
    stretch = next((part for part in MEGATRON_LOG if part[0] <= line <= part[1]), None)
    if not stretch or "?" in row["sharding"]:
        return "shape or degrees are not stated"
    _, _, layers, hidden = stretch
    if (layers, hidden) == (80, 14400) and float(row["params"]) != 200e9:
        return "shape or degrees are not stated"
    tensor, stages = degree(row, "TP"), degree(row, "PP")
    if line >= 891:  # the embedding has the place of a block
        layers = ((layers + 2) // stages - 1) * stages
    if layers % stages:
        return "stages of unequal length"
    workload = (
        f"transformer: {{layers: {layers}, hidden: {hidden}, heads: 64, sequence: 2048, vocabulary: 250880, tied: true}}, "
        "recomputation: full"
    )
    data = "zero1" if row["sharding"].startswith("ZeRO-1") else "none"
    parallelism = f"data: {data}, tensor: {tensor}, pipeline: {stages}{', sequence_parallel: false' if tensor > 1 else ''}"
    return arm(row, workload, f"{parallelism}, gradient_bytes: {6 if line >= 905 else 2}", accumulation=stages)


# Which result a source belongs to, and bytes of its unit: KempnerForge's GB are GiB.
SOURCES = (
    ("BLOOM", "megatron", "shown", 1e9, megatron),
    ("torchtitan", "torchtitan", "shown", 2**30, torchtitan),
    ("KempnerForge", "kempner", "allocated", 2**30, kempner),
    ("dgxc", "nemo", "allocated", 1, nemo),
)


def peaks(rows, skipped):
    """(result, name, arm, measured bytes, source) of each row that is modelled."""
    for begin, short, result, unit, arm_of in SOURCES:
        number = 0
        for row in rows:
            if not row["source"].startswith(begin) or row["kind"] != "measured" or not row["gpus"]:
                continue
            number += 1
            if not re.fullmatch(r"[\d.]+", row["value"]):
                skipped[f"{begin}: no peak ({row['value']})"] += 1
                continue
            text = arm_of(row)
            if not text.startswith("workload"):
                skipped[f"{begin}: {text}"] += 1
                continue
            sharding = re.sub(r"[^\w.]+", "-", row["sharding"]).strip("-").lower()
            yield result, f"{short}-{number}-{sharding}", text, float(row["value"]) * unit, row["source"]


def scenario(path, name, text, peak, source):
    """A file with one arm: keys of an arm would be added to those of the file."""
    lines = [QUESTION, *steps.top_level(text), f'compare: {{"{name}": {{}}}}', "expect:"]
    lines.append(f'  - {{arm: "{name}", metric: worker_memory, value: {peak:.0f} B, source: "{source}"}}')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def allocated(sim, path):
    """Bytes of a worker without the framework's share, from the parts that `sim check` prints."""
    done = steps.subprocess.run([sim, "check", path], capture_output=True, text=True, check=True)
    parts = re.search(r"^# memory of each worker: .*?: (.*)$", done.stdout, re.MULTILINE)[1]
    sizes = re.findall(r"([\d.e+]+) ([kMGT]?B) of ", parts)
    return sum(float(size) * UNITS[unit] for size, unit in sizes[:-1])  # the last is the framework's


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sim, data, folder = Path(sys.argv[1]) / "sim", Path(sys.argv[2]), Path(sys.argv[3])
    skipped, results = Counter(), {}
    path = folder / "memory_peak.yaml"
    for result, *peak in peaks(steps.table(data / "llm/memory.csv"), skipped):
        scenario(path, *peak)
        figure = steps.simulate(sim, "run", path, "--quiet")["expectations"]["figures"][0]
        if result == "allocated":
            figure["ours"] = allocated(sim, path)
            figure["relative_error"] = figure["ours"] / figure["theirs"] - 1
        results.setdefault(f"memory_{result}", []).append(figure)
    for name, figures in results.items():
        kept = {"schema_version": 1, "scenario": f"{name}.yaml", "expectations": {"figures": figures}}
        (folder / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    for reason, count in sorted(skipped.items()):
        steps.log(f"left out: {count} {'row' if count == 1 else 'rows'}: {reason}")


if __name__ == "__main__":
    main()
