"""Compressors, from their publications: what a receiver restores of a vector; and the mean of what workers send."""
import math

import torch

import draws


def kept(ratio, size):
    return max(1, math.floor(ratio * size + 0.5))


def signs(vector):
    """Zero counts as positive."""
    return torch.where(vector < 0, -1.0, 1.0)


def largest(vector, count):
    """Indices of the largest magnitudes; among equals the lower one first."""
    return torch.sort(vector.abs(), descending=True, stable=True).indices[:count]


def by_block(size, compress):
    return lambda vector: torch.cat([compress(part) for part in torch.split(vector, size)])


def whole(vector):
    return vector.clone()


def sign_and_mean(vector):
    """1-bit Adam's: the sign times the mean magnitude."""
    return signs(vector) * vector.double().abs().mean().float()


def integers(levels):
    """Rounded to -levels..levels of the largest magnitude."""

    def compress(vector):
        most = vector.abs().max()
        return vector if most == 0 else torch.round(vector / most * levels) * (most / levels)

    return compress


def top_k(ratio):
    """Aji & Heafield 2017."""

    def compress(vector):
        sent = largest(vector, kept(ratio, len(vector)))
        return torch.zeros_like(vector).scatter(0, sent, vector[sent])

    return compress


def top_k_in_two_bits(ratio):
    """SparseLoCo (Sarfi et al. 2025): a sign, and the mean of the larger or of the smaller ones sent."""

    def mean_of(magnitudes):
        return magnitudes.mean() if len(magnitudes) else torch.tensor(0.0)

    def compress(vector):
        sent = largest(vector, kept(ratio, len(vector)))
        magnitudes = vector[sent].abs()
        large = magnitudes >= magnitudes.double().mean()
        levels = torch.where(large, mean_of(magnitudes[large]), mean_of(magnitudes[~large]))
        return torch.zeros_like(vector).scatter(0, sent, signs(vector[sent]) * levels)

    return compress


ONE_BIT, FOUR_BITS = by_block(256, sign_and_mean), by_block(256, integers(7))


class Mean:
    """The mean of what workers send.

    @param feedback  each worker adds what it has not sent yet, times `decay` (Stich et al. 2018)
    @param recoded   the sum is compressed once more where it is made, with a residual there (Tang et al. 2021)
    """

    def __init__(self, compress=whole, feedback=True, recoded=False, decay=1.0):
        self.compress, self.feedback, self.recoded, self.decay = compress, feedback, recoded, decay
        self.residuals = {}

    def sent(self, owner, vector):
        if self.feedback:
            vector = vector + self.decay * self.residuals.get(owner, torch.zeros_like(vector))
        message = self.compress(vector)
        if self.feedback:
            self.residuals[owner] = vector - message
        return message

    def __call__(self, vectors):
        mean = sum(self.sent(worker, vector) for worker, vector in enumerate(vectors)) / len(vectors)
        return self.sent("owner", mean) if self.recoded else mean


class MajoritySign:
    """Bernstein et al. 2018."""

    def __call__(self, gradients):
        return signs(sum(signs(gradient) for gradient in gradients))


class Qsgd:
    """Random rounding to `levels` shares of each bucket's norm (Alistarh et al. 2017)."""

    def __init__(self, seed, levels=127, bucket=128):
        self.levels, self.bucket = levels, bucket
        self.random = torch.Generator().manual_seed(seed)

    def rounded(self, bucket):
        norm = bucket.norm()
        if norm == 0:
            return bucket
        level = torch.floor(bucket.abs() / norm * self.levels + torch.rand(len(bucket), generator=self.random))
        return bucket.sign() * level * norm / self.levels

    def __call__(self, gradients):
        return sum(by_block(self.bucket, self.rounded)(gradient) for gradient in gradients) / len(gradients)


class PowerSgd:
    """One power iteration for each step from the last factors, with error feedback (Vogels et al. 2019)."""

    def __init__(self, job, rank):
        self.job, self.rank, self.factors = job, rank, {}
        self.residuals = [job.zeros() for _ in range(job.workers)]

    def first_factor(self, number, columns):
        seed = (draws.seed_of(self.job.seed, 2) + number) % 2**64
        return torch.from_numpy(draws.uniform(self.rank * columns, 0, seed, 1)).view(self.rank, columns).T

    def approximated(self, number, matrix):
        q = self.factors.get(number)
        if q is None:
            q = self.first_factor(number, matrix.shape[1])
        p = torch.linalg.qr(matrix @ (q / q.norm(dim=0)))[0]
        self.factors[number] = matrix.T @ p
        return p @ self.factors[number].T

    def __call__(self, gradients):
        fed = [gradient + residual for gradient, residual in zip(gradients, self.residuals)]
        parts = []
        for number, (shape, part) in enumerate(zip(self.job.shapes, self.job.split(sum(fed) / len(fed)))):
            parts.append(part if shape[0] == 1 else self.approximated(number, part.view(shape)).flatten())
        mean = torch.cat(parts)
        self.residuals = [vector - mean for vector in fed]
        return mean


def cosine_basis(size):
    """The orthonormal DCT-II: a row for each frequency."""
    place = torch.arange(size, dtype=torch.float64)
    basis = torch.cos(math.pi * (2 * place + 1) * place[:, None] / (2 * size)) * math.sqrt(2 / size)
    basis[0] /= math.sqrt(2)
    return basis.float()


class DeMo:
    """Peng et al. 2024: each worker sends the largest cosine coefficients of each tile of its momentum.

    @param count  sent of a tile of so many values
    """

    EDGE = 64

    def __init__(self, job, count, decay=0.999):
        self.job, self.count = job, count
        self.mean = Mean(self.compress, decay=decay)

    @classmethod
    def edge(cls, size):
        """The largest divisor up to 64, as in DeMo's released code."""
        return next(edge for edge in range(min(size, cls.EDGE), 0, -1) if size % edge == 0)

    def compress_matrix(self, matrix):
        height, width = (self.edge(size) for size in matrix.shape)
        down, across = cosine_basis(height), cosine_basis(width)
        tiles = matrix.view(matrix.shape[0] // height, height, matrix.shape[1] // width, width).transpose(1, 2)
        coefficients = (down @ tiles @ across.T).flatten(2)
        sent = coefficients.abs().topk(self.count(height * width)).indices
        coefficients = torch.zeros_like(coefficients).scatter(2, sent, coefficients.gather(2, sent))
        return (down.T @ coefficients.view(tiles.shape) @ across).transpose(1, 2).reshape(matrix.shape)

    def compress(self, vector):
        pairs = zip(self.job.shapes, self.job.split(vector))
        return torch.cat([self.compress_matrix(part.view(shape)).flatten() for shape, part in pairs])

    def __call__(self, gradients):
        return self.mean(gradients)
