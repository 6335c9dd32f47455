"""Gradient compressors in PyTorch operations, with the messages of the CPU references in kernels/.

Vectors are of type float32 and of one dimension, on any device. tests/kernels/recorded_messages.txt, which the references
write, is what both are tested with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

INT8_BLOCK = 4096  # values that share a scale: kernels/int8.hpp
INT8_LEVELS = 127
SAMPLE = 8192  # values that a threshold is taken from

_MAGNITUDE = 0x7FFFFFFF
_NOT_A_NUMBER = 0x7F800001  # all NaN are equal: kernels/magnitude.hpp
_WORD = 0xFFFFFFFF


def kept(ratio: float, elements: int) -> int:
    """How many of `elements` values a ratio in (0, 1] keeps: max(1, round), halves upwards; 0 of 0. kernels/magnitude.hpp."""
    if elements == 0:
        return 0
    share = ratio * elements
    rounded = math.floor(share) + (share - math.floor(share) >= 0.5)
    return min(max(rounded, 1), elements)


def largest_indices(vector: Tensor, count: int) -> Tensor:
    """Indices (int64, ascending) of the `count` largest magnitudes; the first of equals, NaN before infinity.

    Source: Stich, Cordonnier & Jaggi, "Sparsified SGD with Memory", NeurIPS 2018; ties as in kernels/top_k.hpp.
    """
    size = vector.numel()
    magnitude = (vector.view(torch.int32) & _MAGNITUDE).clamp_(max=_NOT_A_NUMBER)
    candidates = _candidates(magnitude, count) if vector.device.type == "cpu" else None
    if candidates is None:
        candidates = torch.arange(size, device=vector.device)
    else:
        magnitude = magnitude[candidates]
    keys = (magnitude.to(torch.int64) << 32) | (size - 1 - candidates)  # no two are equal
    top = torch.topk(keys, count, sorted=False).values & _WORD
    return (size - 1 - top).sort().values


def _candidates(magnitude: Tensor, count: int) -> Tensor | None:
    """Indices with all of the `count` largest magnitudes among them, by a sampled threshold, as in kernels/largest.hpp.

    None where the vector is small, where most values are wanted, and where the sample was unlucky.
    """
    sample = magnitude[::max(1, magnitude.numel() // SAMPLE) | 1]
    expected = count * sample.numel() / magnitude.numel()
    rank = math.ceil(expected + 3 * math.sqrt(expected) + 3)  # fewer than `count` pass in about 1 of 1000 calls
    if sample.numel() < SAMPLE // 2 or rank > sample.numel() // 2:
        return None
    passing = (magnitude >= sample.topk(rank).values[-1]).nonzero().flatten()
    return passing if passing.numel() >= count else None


def to_int8(vector: Tensor, block: int = INT8_BLOCK) -> tuple[Tensor, Tensor]:
    """Codes (int8, one for each value) and scales (float32, the largest magnitude of each block; NaN where it is not finite).

    code = round(127 v / scale), halves to even; the last block may be short.
    Source: kernels/int8.hpp; Dettmers et al., "8-bit Optimizers via Block-wise Quantization", ICLR 2022.
    """
    values = _blocks(vector, block)
    scales = values.abs().amax(dim=1)
    scales = torch.where(scales.isfinite(), scales, math.nan)
    usable = (scales > 0).unsqueeze(1)
    codes = torch.where(usable, (values / scales.unsqueeze(1)).mul_(INT8_LEVELS), 0.0)
    return codes.round_().to(torch.int8).flatten()[:vector.numel()], scales


def from_int8(codes: Tensor, scales: Tensor, block: int = INT8_BLOCK) -> Tensor:
    """The restored values (float32): scale / 127 times the code. Shapes as `to_int8` returns them."""
    levels = scales.new_full((), INT8_LEVELS)
    step = scales / levels
    overflows = scales.isfinite() & ~(step * levels).isfinite()
    step = torch.where(overflows, torch.nextafter(step, torch.zeros_like(step)), step)
    return (_blocks(codes.to(torch.float32), block) * step.unsqueeze(1)).flatten()[:codes.numel()]


def _blocks(vector: Tensor, block: int) -> Tensor:
    """The vector as rows of `block` values, zeros at the end."""
    rows = -(-vector.numel() // block)
    return torch.nn.functional.pad(vector, (0, rows * block - vector.numel())).view(rows, block)


def philox_words(seed: int, step: int, first: int, count: int) -> Tensor:
    """Words [first, first + count) of a random stream (int64 in [0, 2^32)), on the CPU: the same on every rank.

    Source: Salmon, Moraes, Dror & Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011; kernels/philox.hpp.
    """
    blocks = torch.arange(first // 4, (first + count + 3) // 4)
    counter = [blocks & _WORD, blocks >> 32, torch.full_like(blocks, step & _WORD), torch.full_like(blocks, step >> 32)]
    key = [seed & _WORD, seed >> 32]
    for _ in range(10):
        # Products wrap in int64 as they do in uint64; bits above 32 are masked.
        even, odd = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57
        counter = [(odd >> 32 & _WORD) ^ counter[1] ^ key[0], odd & _WORD, (even >> 32 & _WORD) ^ counter[3] ^ key[1], even & _WORD]
        key = [(key[0] + 0x9E3779B9) & _WORD, (key[1] + 0xBB67AE85) & _WORD]
    return torch.stack(counter, dim=1).flatten()[first % 4:first % 4 + count]


def uniform(seed: int, step: int, first: int, count: int) -> Tensor:
    """Values in [0, 1) (float32, on the CPU) of the upper 24 bits of `philox_words`."""
    return (philox_words(seed, step, first, count) >> 8).to(torch.float32) * 2.0**-24


@dataclass
class LowRank:
    """One matrix of PowerSGD: the factor Q of the step before, warm start of the next.

    `project` gives P = M Q, `back_project` Q = M^T P with P orthonormal, `restore` P Q^T; between them ranks take the means of
    P and Q. Sums are of float32, so that results differ from the reference, which adds in float64, by 1e-5 of the largest.
    Source: Vogels, Karimireddy & Jaggi, "PowerSGD: Practical Low-Rank Gradient Compression for Distributed Optimization",
    NeurIPS 2019, Algorithm 1; kernels/power_sgd.hpp.

    rank: columns of P and Q, cut to the smaller side of the matrix. seed: of the first Q, the same on all ranks.
    """

    rank: int
    seed: int
    q: Tensor | None = None  # columns x rank

    def project(self, matrix: Tensor, step: int) -> Tensor:
        """P (rows x rank). step: of the training, from 0; a column of Q that is zero or not finite is drawn by it."""
        rank = min(self.rank, *matrix.shape)
        if self.q is None or self.q.shape != (matrix.shape[1], rank):
            self.q = matrix.new_zeros(matrix.shape[1], rank)
        squares = self.q.to(torch.float64).square().sum(dim=0)
        usable = (squares > 0) & squares.isfinite()
        if not bool(usable.all()):
            drawn = 2 * uniform(self.seed, step, 0, self.q.numel()).view(rank, -1).t() - 1
            self.q = torch.where(usable, self.q, drawn.to(self.q.device))
        self.q = self.q / self.q.to(torch.float64).norm(dim=0).to(torch.float32)
        return matrix @ self.q

    def back_project(self, matrix: Tensor, p: Tensor) -> tuple[Tensor, Tensor]:
        """P orthonormal, and Q (columns x rank). p: the mean of what `project` returned on all ranks."""
        orthonormal = orthonormalise(p)
        return orthonormal, matrix.t() @ orthonormal

    def restore(self, p: Tensor, q: Tensor) -> Tensor:
        """The matrix that receivers have. q: the mean over all ranks, the warm start of the next step."""
        self.q = q
        return p @ q.t()


def orthonormalise(columns: Tensor) -> Tensor:
    """The columns made orthonormal in their order (float32, rows x rank): Gram-Schmidt, each projected out twice.

    A column that is a combination of those before it, to 1e-6 of its length, becomes zero. kernels/matrix.hpp.
    """
    made: list[Tensor] = []
    for column in columns.to(torch.float64).unbind(dim=1):
        column = column * _inverse_norm(column)
        for other in made * 2:
            column = column - torch.dot(other, column) * other
        factor = _inverse_norm(column)
        made.append(column * torch.where(factor >= 1e6, 0.0, factor))
    return torch.stack(made, dim=1).to(torch.float32)


def _inverse_norm(column: Tensor) -> Tensor:
    norm = torch.linalg.vector_norm(column)
    return torch.where(norm == 0, 0.0, 1 / norm)
