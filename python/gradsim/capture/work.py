"""Work of rows of a graph: FLOPs and bytes by kind and precision, from which `sim run` predicts times on any device."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gradsim.capture.operations import Capture, Operation
from gradsim.capture.refusal import CaptureRefused
from gradsim.capture.roofline import PRECISIONS

if TYPE_CHECKING:
    from gradsim.capture.export import Row

KINDS = frozenset({"matmul", "attention", "pointwise", "copy", "optimizer", "embedding"})  # others count as pointwise
STATED = ("fp32", "bf16", "fp16", "fp8")  # precisions that a graph may state
_STATED_TEXT = f"{', '.join(STATED[:-1])} and {STATED[-1]} only"


@dataclass(frozen=True)
class Work:
    """FLOPs of matrix products and bytes of one row. precision: empty without FLOPs."""

    kind: str
    flops: int
    memory_bytes: int
    precision: str = ""


def precision_of(one: Operation) -> str:
    """The cell of the column `precision`; empty for types that a graph cannot state."""
    name = PRECISIONS.get(one.dtype, "")
    return name if name in STATED else ""


def check_precisions(capture: Capture) -> None:
    """Raises CaptureRefused where a graph of FLOPs cannot state the type of an operation: `sim` would take the device's first peak."""
    for one in capture.operations:
        if one.flops and not precision_of(one):
            raise CaptureRefused(one.place or capture.script, f"`{one.name}` computes in {one.dtype}, and a graph states FLOPs of {_STATED_TEXT}",
                                 f"`--durations` states times in their place; state the peak of {one.dtype} by `--flops-rate`")


def is_marked(one: Operation) -> bool:
    """Whether a collective has the mark `gradient`: `sim` derives the number of its values from their type."""
    return one.gradient and bool(precision_of(one))


def unmarked_gradients(capture: Capture) -> list[str]:
    """One sentence for each type of gradients that are not marked."""
    types = dict.fromkeys(one.dtype for one in capture.operations if one.gradient and not is_marked(one))
    return [f"gradients of {dtype} are not marked: a graph states values of {_STATED_TEXT}" for dtype in types]


def _kind_of(one: Operation) -> str:
    if one.flops:
        return one.kind if one.kind == "attention" else "matmul"
    return one.kind if one.kind in KINDS else "pointwise"


def _band_of(one: Operation) -> tuple[str, str, int | None]:
    """Operations that may share a row: of one kind and precision, and as many FLOPs for each byte up to a factor of 2."""
    if not one.flops:
        return _kind_of(one), "", None
    band = math.floor(math.log2(one.flops / one.memory_bytes)) if one.memory_bytes else None
    return _kind_of(one), precision_of(one), band


def work_of(operations: list[Operation]) -> Work | None:
    """The work of operations that share a row; None where they have none."""
    flops, memory = sum(one.flops for one in operations), sum(one.memory_bytes for one in operations)
    if not flops and not memory:
        return None
    kind, precision, _ = _band_of(operations[0])
    return Work(kind, flops, memory, precision)


def split_by_work(rows: list[Row]) -> list[Row]:
    """Rows whose operations are of one kind, precision and band: nothing waits inside of a row, so that their order is free.

    The time of such a row by a roofline is that of its operations one by one, unless the ratio of a device's rates lies in the band.
    """
    split: list[Row] = []
    last: list[int] = []  # row that ends each of `rows`
    for row in rows:
        after = [last[index] for index in row.after]
        bands: dict[tuple, list[Operation]] = {}
        for one in row.operations:
            alike = row.stream not in ("communication", "host")
            bands.setdefault(_band_of(one) if alike and (one.flops or one.memory_bytes) else (), []).append(one)
        if len(bands) > 1 and () in bands:
            idle = bands.pop(())
            next(iter(bands.values())).extend(idle)
        for operations in bands.values():
            split.append(replace(row, operations=operations, after=after))
            after = []
        last.append(len(split) - 1)
    return split
