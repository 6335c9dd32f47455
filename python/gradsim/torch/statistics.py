"""Statistics of gradients that policies and learners of `sim` use: gains of top-k, noise scale, relative change."""

from __future__ import annotations

import math
from collections import deque

import torch
from torch import Tensor

from gradsim.torch.compressors import kept

# Every N-th value represents all in gains; primes, so that no shape of a layer is in step with them.
STRIDES = (61, 31, 13, 7, 3, 1)
FEWEST_VALUES = 100_000  # that are left: 100 of them at a ratio of 0.001
_PIECE = 1 << 20  # values that are summed in float32 at a time


def squared_norm(vector: Tensor) -> Tensor:
    """||vector||^2 as a float64 of no dimension, on the vector's device; a relative error of 1e-5."""
    pieces = vector.to(torch.float32).split(_PIECE)
    return torch.stack([torch.dot(one, one) for one in pieces]).to(torch.float64).sum()


def own_part(vector: Tensor, rank: int, ranks: int) -> Tensor:
    """The part of a vector, the same on all ranks, that this one measures; the parts of all ranks are the vector."""
    return vector[vector.numel() * rank // ranks:vector.numel() * (rank + 1) // ranks]


def stride_for(elements: int) -> int:
    """The largest stride that leaves enough of a gradient with this number of values; 1 where none does."""
    return next((one for one in STRIDES if elements // one >= FEWEST_VALUES), 1)


class Gains:
    """Energies that top-k would send of one rank's gradients, for each ratio, with and without error feedback.

    With error feedback each ratio has a residual of its own, which every step feeds and which sends nothing.
    Gain: ||sent||^2 / ||given||^2, each summed over the ranks. Source: Tyagi & Swany, "GraVAC: Adaptive Compression for
    Communication-Efficient Distributed DL Training", IEEE CLOUD 2023.

    ratios: kept / original, each in (0, 1).
    """

    def __init__(self, ratios: tuple[float, ...]):
        self.ratios = ratios
        self._residuals: list[Tensor] = []
        self._floors: list[float] = []  # by ratio: magnitudes below the last ones that were sent
        self._layout: object = None

    def add(self, gradient: Tensor, layout: object, without_feedback: bool = True) -> Tensor:
        """Feeds a gradient (float32, one dimension). Returns 4 energies for each ratio (float64): sent and given with error
        feedback, sent and given without, 0 where those are not asked for.

        layout: of the buckets; where it differs from the last one, residuals begin at zero.
        """
        if layout != self._layout:
            self._layout, self._residuals = layout, [torch.zeros_like(gradient) for _ in self.ratios]
            self._floors = [math.inf] * len(self.ratios)
        gradient = torch.nan_to_num(gradient, nan=0.0, posinf=0.0, neginf=0.0)
        given = squared_norm(gradient) if without_feedback else gradient.new_zeros((), dtype=torch.float64)
        raw = self._without_feedback(gradient) if without_feedback else [given] * len(self.ratios)
        return torch.stack([one for index, sent in enumerate(raw)
                            for one in (*self._with_feedback(gradient, index), sent, given)])

    def _with_feedback(self, gradient: Tensor, index: int) -> tuple[Tensor, Tensor]:
        residual = self._residuals[index]
        residual += gradient
        given = squared_norm(residual)
        values, indices = self._largest(residual.abs(), index)
        residual[indices] = 0
        return squared_norm(values), given

    def _largest(self, magnitudes: Tensor, index: int) -> tuple[Tensor, Tensor]:
        """The values that are sent and their indices. On a CPU they are first sought above the floor, where few others are;
        a GPU would have to wait for their number."""
        count = kept(self.ratios[index], magnitudes.numel())
        if magnitudes.device.type != "cpu":
            values, indices = magnitudes.topk(count, sorted=False)
            return values, indices
        near = (magnitudes >= self._floors[index]).nonzero().squeeze(1)
        if near.numel() >= count:
            values, among = magnitudes[near].topk(count, sorted=False)
            indices = near[among]
        else:
            values, indices = magnitudes.topk(count, sorted=False)
        self._floors[index] = 0.8 * float(values.min())
        return values, indices

    def _without_feedback(self, gradient: Tensor) -> list[Tensor]:
        counts = [kept(ratio, gradient.numel()) for ratio in self.ratios]
        largest = gradient.abs().topk(max(counts)).values.to(torch.float64).square().cumsum(0)  # largest first
        return [largest[count - 1] for count in counts]


class NoiseScale:
    """The gradient noise scale tr(Sigma) / |G|^2 in samples, from the norms of the ranks' gradients and of their mean.

    E ||g_w||^2 = |G|^2 + tr(Sigma) / b and E ||mean g||^2 = |G|^2 + tr(Sigma) / (N b); both unknowns are smoothed before their
    ratio is taken, as in learning/learners/noise_scale.hpp.
    Source: McCandlish, Kaplan, Amodei et al., "An Empirical Model of Large-Batch Training", arXiv:1812.06162, 2018, appendix A.1.
    """

    def __init__(self, smoothing: float = 0.02):
        self.smoothing = smoothing
        self._signal: float | None = None
        self._noise = 0.0

    def add(self, squared_norms: list[float], mean_squared_norm: float, batch: int) -> float | None:
        """The estimate with this step, None for one rank and while noise hides the signal. squared_norms: of each rank.
        batch: samples of each rank."""
        ranks = len(squared_norms)
        if ranks < 2:
            return None
        mean = sum(squared_norms) / ranks
        noise = (mean - mean_squared_norm) / (1 / batch - 1 / (batch * ranks))
        signal = mean - noise / batch
        if math.isfinite(noise) and math.isfinite(signal):
            weight = 1.0 if self._signal is None else self.smoothing
            self._signal = (self._signal or 0.0) + weight * (signal - (self._signal or 0.0))
            self._noise += weight * (noise - self._noise)
        if self._signal is None or self._signal <= 0 or self._noise < 0:
            return None
        return self._noise / self._signal


class RelativeChange:
    """SelSync's Delta of one rank: the relative change of its smoothed ||g||^2, as in policies/relative_change.hpp.

    Source: Tyagi & Swany, "Accelerating Distributed ML Training via Selective Synchronization", IEEE CLUSTER 2023, equation (2).
    """

    WINDOW = 25  # steps that the average spans: section III

    def __init__(self, smoothing: float):
        """smoothing: weight of a new norm, in (0, 1]."""
        self.smoothing = smoothing
        self._average: float | None = None
        self._values: deque[float] = deque(maxlen=self.WINDOW)

    def add(self, norm: float) -> float | None:
        """Delta, None in the first step and where the average rises from 0."""
        before = self._average
        leaving = self._values[0] if len(self._values) == self.WINDOW else None
        self._values.append(norm)
        now = norm if before is None else before + self.smoothing * (norm - before)
        if leaving is not None:
            now += (1 - self.smoothing) ** self.WINDOW * (self._values[0] - leaving)
        self._average = now
        if before is None or (before == 0 and now != 0):
            return None
        return 0.0 if before == 0 else (now - before) / before
