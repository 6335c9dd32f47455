"""One step of a recorded job on this rank: its moments, and what was measured of its gradients."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor


def moment(device: torch.device) -> Any:
    """Now: seconds of the host, or an event on the current stream of a CUDA device, which nothing waits for."""
    if device.type != "cuda":
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def seconds(begin: Any, end: Any) -> float:
    """From one moment to another; waits for the later one."""
    if isinstance(end, float):
        return end - begin
    end.synchronize()
    return begin.elapsed_time(end) / 1e3


@dataclass
class Step:
    """number: from 1. layout: parameters of each bucket, by index; sizes: values of each. Moments as `moment` returns them."""

    number: int
    begin: Any
    samples: int = 0
    passes: int = 0  # forward passes
    forward: list[Any] = field(default_factory=list)  # first begin, last end
    ready: dict[int, Any] = field(default_factory=dict)  # by bucket
    done: dict[int, Any] = field(default_factory=dict)  # by bucket
    optimizer: list[Any] = field(default_factory=list)  # begin, end, begin, end, ...
    end: Any = None  # begin of the next step
    layout: tuple[tuple[int, ...], ...] = ()
    sizes: tuple[int, ...] = ()
    without_gradient: int = 0  # parameters
    exchanged: bool = False
    learning_rate: Any = None
    norms: dict[int, Tensor] = field(default_factory=dict)  # ||g||^2 by bucket
    mean_norms: dict[int, Tensor] = field(default_factory=dict)  # ||mean g||^2 of this rank's part, by bucket
    values: list[Tensor] = field(default_factory=list)  # of each bucket, those that gains are taken of
    energies: Tensor | None = None

    def statistics(self) -> Tensor:
        """Figures that ranks gather: samples, ||g||^2, ||mean g||^2 of its part, energies (float64, on the device)."""
        norms = (sum(one.values(), torch.zeros((), dtype=torch.float64)) for one in (self.norms, self.mean_norms))
        energies = self.energies if self.energies is not None else torch.zeros(0, dtype=torch.float64)
        device = energies.device
        samples = torch.tensor(self.samples, dtype=torch.float64, device=device)
        return torch.cat([torch.stack([samples, *(one.to(device) for one in norms)]), energies])


@dataclass(frozen=True)
class Times:
    """Of one step, in seconds. backward: until each bucket was ready, from the end of the forward pass or the bucket before.
    host: after the exchange, beside the optimizer, until the next step."""

    forward: float
    backward: tuple[float, ...]
    optimizer: float
    host: float


def times_of(step: Step) -> Times | None:
    """None for a step without an end, as the last one, or without a forward pass."""
    if step.end is None or len(step.forward) < 2 or not step.exchanged:
        return None
    marks = [step.forward[1], *(step.ready[index] for index in sorted(step.ready))]
    backward = tuple(max(0.0, seconds(*pair)) for pair in zip(marks, marks[1:]))
    pairs = zip(step.optimizer[::2], step.optimizer[1::2])
    optimizer = sum(seconds(*pair) for pair in pairs)
    after = seconds(step.done[max(step.done)], step.end)
    return Times(max(0.0, seconds(*step.forward)), backward, optimizer, max(0.0, after - optimizer))


def median_times(times: list[Times]) -> Times:
    """Of each time by itself, over steps with the same buckets; at least one."""
    return Times(statistics.median(one.forward for one in times),
                 tuple(map(statistics.median, zip(*(one.backward for one in times)))),
                 statistics.median(one.optimizer for one in times), statistics.median(one.host for one in times))
