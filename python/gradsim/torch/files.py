"""Writes what a recorded job measured: NAME.yaml with its two tables, a workload of `sim`, and NAME.record.csv, a record."""

from __future__ import annotations

import math
import os
from pathlib import Path

from gradsim.torch.rows import Facts, Row
from gradsim.torch.steps import Times

DEFAULT_BUCKETS = (1 << 20, 25 << 20)  # bytes at which PyTorch closes the first and each later bucket: a scenario's defaults
BYTES = 4  # of a value, as `sim` counts gradients


_CURVES = ("samples", "learning_rate", "loss", "test_loss", "accuracy", "mean_squared_norm", "noise_scale", "relative_change")


def record_text(facts: Facts, rows: list[Row]) -> str:
    """The record, as learning/learners/record_file.hpp describes it; `facts.batch` is stated."""
    named = [(name, [getattr(row, name) for row in rows]) for name in _CURVES]
    named += [(f"squared_norm_{rank}", [row.squared_norms[rank] if row.squared_norms else None for row in rows])
              for rank in range(facts.ranks)]
    gains = [f"gain_{raw}{ratio!r}" for raw in ("", "raw_") for ratio in facts.ratios]
    named += [(name, [row.gains[at] if row.gains else None for row in rows]) for at, name in enumerate(gains)]
    columns = [(name, values) for name, values in named if any(map(_finite, values))]
    lines = [f"# {line}" for line in _record_facts(facts)]
    lines.append(",".join(["step", *(name for name, _ in columns)]))
    lines += [",".join([str(row.step), *(_cell(values[at]) for _, values in columns)]) for at, row in enumerate(rows)]
    return "\n".join(lines) + "\n"


def _record_facts(facts: Facts) -> list[str]:
    lines = [f"model: {facts.model}", f"data_set: {facts.data_set}", f"data_set_samples: {facts.data_set_samples}",
             f"workers: {facts.ranks}", f"batch: {facts.batch}", f"compression: {facts.compression}"]
    if facts.ratios:
        lines += ["gains_of: topk", f"gains_of_values: 1 of {facts.stride}"]
    lines += [f"source: {facts.source}", f"licence: {facts.licence}", f"relative_change_window: {facts.window}",
              f"relative_change_smoothing: {facts.smoothing!r}"]
    return lines + [f"Note {note}" for note in facts.notes]


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _cell(value: float | None) -> str:
    """A number, or an empty cell for what was not measured or is not finite."""
    if value is None or not math.isfinite(value):
        return ""
    return str(value) if isinstance(value, int) else f"{value:.9g}"


def workload_texts(facts: Facts, name: str, sizes: tuple[int, ...], times: Times) -> dict[str, str]:
    """The workload's files by the ending after NAME: a layer for each bucket, in forward order.

    sizes: values of each bucket, in the order in which they are sent. times: of one step of one rank.
    """
    whole = sum(times.backward) or 1.0
    layers = [(f"bucket_{index}", size, times.forward * backward / whole, backward)
              for index, (size, backward) in enumerate(zip(sizes, times.backward))][::-1]
    head = [f"{name}: {facts.model}, one step of one of {facts.ranks} ranks", f"Provenance: {facts.source}",
            f"Licence: {facts.licence}"]
    about = [*head, "A layer is a bucket. Backward: until the bucket was ready, from the one before; forward: shared by these times.",
             bucket_note(sizes), *facts.notes]
    table = ["layer,type,parameters,forward_flops_per_sample,backward_flops_per_sample,activation_bytes_per_sample"]
    table += [f"{layer},bucket,{size},0,0,0" for layer, size, _, _ in layers]
    timed = ["layer,forward_us,backward_us"]
    timed += [f"{layer},{1e6 * forward:.3f},{1e6 * backward:.3f}" for layer, _, forward, backward in layers]
    yaml = [f"name: {_quoted(name)}", f"provenance: {_quoted(facts.source)}", f"layers: {_quoted(name + '.layers.csv')}"]
    yaml += [f"buffers: {facts.buffer_bytes} B"] if facts.buffer_bytes else []
    yaml += ["times:", f"  measured: {_quoted(name + '.times.csv')}", f"  device: {_quoted(facts.device)}",
             f"  batch: {facts.batch}", f"  optimizer: {1e6 * times.optimizer:.3f} us",
             f"  host_overhead: {1e6 * times.host:.3f} us"]
    return {".yaml": _commented(about, yaml), ".layers.csv": _commented(head, table), ".times.csv": _commented(head, timed)}


def bucket_note(sizes: tuple[int, ...]) -> str:
    """Which `exchange` gives the recorded buckets: the defaults where they do."""
    default = all(BYTES * size >= DEFAULT_BUCKETS[min(index, 1)] for index, size in enumerate(sizes[:-1]))
    if default:
        return "The default bucket limits of a scenario give these buckets."
    return "To use these buckets, write `exchange: {first_bucket: 1 B, bucket: 1 B}`: each layer is a bucket."


def _commented(comments: list[str], lines: list[str]) -> str:
    return "".join(f"# {one}\n" for one in comments) + "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write(path: Path, texts: dict[str, str]) -> list[str]:
    """Writes PATH + ending for each, beside and renamed. Returns the paths."""
    written = []
    for ending, text in texts.items():
        target = f"{path}{ending}"
        Path(f"{target}.tmp").write_text(text, encoding="utf-8")
        os.replace(f"{target}.tmp", target)
        written.append(target)
    return written
