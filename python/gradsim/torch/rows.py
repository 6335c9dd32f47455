"""The rows of a record: made on every rank alike of what the ranks gathered, written by one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from gradsim.torch.refusal import Refused
from gradsim.torch.statistics import NoiseScale, RelativeChange
from gradsim.torch.steps import Step


@dataclass
class Facts:
    """What is the same in all steps. samples: of the training set. batch: samples of a rank and step; None before the first."""

    model: str
    data_set: str
    data_set_samples: int
    ranks: int
    source: str
    licence: str
    device: str
    compression: str
    ratios: tuple[float, ...]
    smoothing: float  # of the relative change
    window: int
    stride: int = 1
    batch: int | None = None
    buffer_bytes: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass
class Row:
    """One step of the record. None or an empty list: not measured. gains: in the order of the ratios, with error feedback first."""

    step: int
    samples: int
    learning_rate: float | None = None
    loss: float | None = None
    test_loss: float | None = None
    accuracy: float | None = None
    mean_squared_norm: float | None = None
    noise_scale: float | None = None
    relative_change: float | None = None
    squared_norms: list[float] = field(default_factory=list)
    gains: list[float] = field(default_factory=list)


class Rows:
    """All rows so far.

    every: steps from one with all columns to the next. whole: whether ranks exchange whole gradients, of whose mean the noise
    scale is.
    """

    def __init__(self, facts: Facts, every: int, whole: bool):
        self.facts, self.every, self.whole = facts, every, whole
        self.rows: list[Row] = []
        self._noise = NoiseScale()
        self._changes = [RelativeChange(facts.smoothing) for _ in range(facts.ranks)]

    def add(self, step: Step, ranks: list[list[float]], noted: dict[str, Any]) -> None:
        """Adds a step. ranks: of each, what `Step.statistics` returns. noted: by the script.

        Raises Refused where ranks have different batches or none.
        """
        batch = self._batch(step, [int(one[0]) for one in ranks])
        row = Row(step.number, (self.rows[-1].samples if self.rows else 0) + batch * len(ranks))
        self.rows.append(row)
        norms, mean = [one[1] for one in ranks], sum(one[2] for one in ranks)
        changes = [change.add(norm) for change, norm in zip(self._changes, norms)]
        row.relative_change = max((one for one in changes if one is not None), default=None) if None not in changes else None
        noise = self._noise.add(norms, mean, batch) if self.whole else None
        for name, value in noted.items():
            setattr(row, name, float(value))
        if self.keeps(step.number):
            row.learning_rate = None if step.learning_rate is None else float(step.learning_rate)
            row.squared_norms, row.mean_squared_norm, row.noise_scale = norms, mean, noise
            row.gains = _gains([one[3:] for one in ranks]) if all(map(math.isfinite, norms)) else []

    def keeps(self, number: int) -> bool:
        """Whether a step has all columns."""
        return number == 1 or number % self.every == 0

    def _batch(self, step: Step, batches: list[int]) -> int:
        if min(batches) == 0:
            raise Refused("batch", "no tensor that the model is given counts its samples",
                          "state the samples of a rank and step: batch=32")
        if min(batches) < max(batches):
            raise Refused("batch", f"ranks took from {min(batches)} to {max(batches)} samples in step {step.number}",
                          "give each rank as many, or state their mean: batch=32")
        if self.facts.batch is None:
            self.facts.batch = batches[0]
        return batches[0]

    def any_finite(self) -> bool:
        """Whether `sim` could replay them: some step has the norms of all ranks."""
        return any(all(map(math.isfinite, row.squared_norms)) for row in self.rows if row.squared_norms)


def _gains(energies: list[list[float]]) -> list[float]:
    """Of the energies of each rank, as `Gains.add` returns them: all ratios with error feedback, then without."""
    sums = [sum(column) for column in zip(*energies)]

    def gain(sent: float, given: float) -> float:
        return 1.0 if given == 0 else sent / given

    return [gain(sums[at + part], sums[at + part + 1]) for part in (0, 2) for at in range(0, len(sums), 4)]
