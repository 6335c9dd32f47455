"""Compressors of torch's operators, by gradsim's names: each step compresses one gradient and restores the message.

A step queues work on the device and never waits for it, but where the comment of a class says so: there the published
implementations wait, too, since their messages have as many values as the device counts.
"""
import math

RATIO = 0.01  # kept / original, of methods that select
RANK = 4  # of PowerSGD
SEED = 1  # of the indices of randomk, the same on all workers


def kept(values):
    return max(1, int(RATIO * values))


class Compressor:
    """Of one piece: a tensor, or the tensors of a bucket one after the other. `sum` is what arrives, `residual` what is kept."""

    tolerance = 1e-5  # of `error`

    def __init__(self, torch, gradient, shapes):
        self.torch, self.gradient, self.sizes = torch, gradient, [math.prod(shape) for shape in shapes]
        self.residual, self.sum = torch.zeros_like(gradient), torch.zeros_like(gradient)
        self.kept = kept(gradient.numel())

    @property
    def pieces(self):
        """How many vectors are compressed one by one."""
        return 1

    def error(self):
        """What neither arrives nor is kept, as a share of the largest gradient; to be asked after the first step."""
        return float((self.sum + self.residual - self.gradient).abs().max() / self.gradient.abs().max())

    def send(self, at, values):
        """The pairs added to a sum."""
        self.sum.zero_().index_add_(0, at, values)

    def send_kept_back(self, at):
        """The residual's values at the indices `at` are sent and kept no longer."""
        values = self.residual[at]
        self.residual.index_fill_(0, at, 0)
        self.send(at, values)


class TopK(Compressor):
    """The largest magnitudes of the piece, with error feedback (Stich et al. 2018)."""

    def step(self):
        self.residual.add_(self.gradient)
        self.send_kept_back(self.torch.topk(self.residual.abs(), self.kept, sorted=False)[1])


class LayerwiseTopK(Compressor):
    """The largest magnitudes of each tensor by itself (LWTopk of Tyagi & Swany 2023)."""

    def __init__(self, torch, gradient, shapes):
        super().__init__(torch, gradient, shapes)
        self.first = [sum(self.sizes[:i]) for i in range(len(self.sizes))]

    @property
    def pieces(self):
        return len(self.sizes)

    def step(self):
        self.residual.add_(self.gradient)
        tensors = self.residual.abs().split(self.sizes)
        found = [self.torch.topk(one, kept(len(one)), sorted=False)[1] + first for one, first in zip(tensors, self.first)]
        self.send_kept_back(self.torch.cat(found))


class ArTopK(Compressor):
    """One worker's largest magnitudes choose the indices, at which all values are summed (AR-Topk of Tyagi & Swany 2023)."""

    def step(self):
        self.residual.add_(self.gradient)
        chosen = self.torch.topk(self.residual.abs(), self.kept, sorted=False)[1].to(self.torch.int32)  # as they are broadcast
        self.send_kept_back(chosen.long())

    def send(self, at, values):
        self.sum.zero_().index_copy_(0, at, values)


class MsTopK(Compressor):
    """Exactly k values by 25 bisections of a threshold, and a run of those between two thresholds (Shi et al. 2021).

    The bisections stay on the device; the indices are waited for, as their numbers are not known before.
    """

    ROUNDS = 25

    def thresholds(self, size):
        """The lowest that at most k values pass, and the highest that more pass, or 0."""
        torch = self.torch
        mean, largest = size.mean(), size.max()
        left, right = torch.zeros_like(mean), torch.ones_like(mean)
        high, low = torch.full_like(mean, math.inf), torch.zeros_like(mean)
        for _ in range(self.ROUNDS):
            middle = (left + right) / 2
            threshold = mean + middle * (largest - mean)
            few = (size >= threshold).sum() <= self.kept
            high, low = torch.where(few, threshold, high), torch.where(few, low, threshold)
            right, left = torch.where(few, middle, right), torch.where(few, left, middle)
        return high, low

    def step(self):
        self.residual.add_(self.gradient)
        size = self.residual.abs()
        high, low = self.thresholds(size)
        sure = (size >= high).nonzero().view(-1)
        between = ((size < high) & (size >= low)).nonzero().view(-1)
        more = self.kept - len(sure)
        begin = (len(between) - more) // 2  # the published one draws it
        self.send_kept_back(self.torch.cat((sure, between[begin : begin + more])))


class Dgc(Compressor):
    """A threshold from a sample of 1 %, with momentum correction and factor masking (Lin et al. 2018).

    Waits for the number of values that pass, at least once, as the authors' code does.
    """

    SAMPLE, LOWER, UPPER, ROUNDS, MOMENTUM = 0.01, 0.8, 1.3, 10, 0.9

    def __init__(self, torch, gradient, shapes):
        super().__init__(torch, gradient, shapes)
        self.velocity = torch.zeros_like(gradient)
        self.sampled = min(gradient.numel(), math.ceil(max(self.SAMPLE * gradient.numel(), 2 / RATIO)))

    def select(self, size):
        n = len(size)
        sample = size if self.sampled == n else size[self.torch.randint(n, (self.sampled,), device=size.device)]
        threshold = self.torch.topk(sample, kept(self.sampled), sorted=False)[0].min()
        for _ in range(self.ROUNDS):
            at = (size >= threshold).nonzero().view(-1)
            if len(at) >= self.LOWER * self.kept:
                break
            threshold = threshold * self.LOWER
        if len(at) > self.UPPER * self.kept:
            at = at[self.torch.topk(size[at], self.kept, sorted=False)[1]]
        return at

    def step(self):
        self.velocity.mul_(self.MOMENTUM).add_(self.gradient)
        self.residual.add_(self.velocity)
        at = self.select(self.residual.abs())
        self.velocity.index_fill_(0, at, 0)
        self.send_kept_back(at)


class RedSync(Compressor):
    """k to 2k values above a threshold bisected between mean and maximum (Fang et al. 2019).

    Waits for the number of values that pass in each round, as the published search does. The first round is half way.
    """

    ROUNDS = 25

    def step(self):
        self.residual.add_(self.gradient)
        size = self.residual.abs()
        mean, largest = size.mean(), size.max()
        left, right, enough = 0.0, 1.0, None
        for _ in range(self.ROUNDS):
            middle = (left + right) / 2
            passing = size >= mean + middle * (largest - mean)
            count = int(self.torch.count_nonzero(passing))
            if count >= self.kept:
                left, enough = middle, passing
                if count <= 2 * self.kept:
                    break
            else:
                right = middle
        at = self.torch.topk(size, self.kept, sorted=False)[1] if enough is None else enough.nonzero().view(-1)
        self.send_kept_back(at)


class RandomK(Compressor):
    """Values at the first indices of a permutation that all workers draw from one seed (Stich et al. 2018)."""

    def __init__(self, torch, gradient, shapes):
        super().__init__(torch, gradient, shapes)
        self.generator, self.steps = torch.Generator(device=gradient.device), 0

    def step(self):
        self.residual.add_(self.gradient)
        self.generator.manual_seed(SEED + self.steps)
        self.steps += 1
        n = self.residual.numel()
        self.send_kept_back(self.torch.randperm(n, generator=self.generator, device=self.residual.device)[: self.kept])

    def send(self, at, values):
        self.sum.zero_().index_copy_(0, at, values)


class Signs(Compressor):
    """One bit per value, eight to a byte, so that the message is as short as its name says."""

    def __init__(self, torch, gradient, shapes):
        super().__init__(torch, gradient, shapes)
        device, n = gradient.device, gradient.numel()
        self.bits = torch.zeros(-(-n // 8) * 8, dtype=torch.uint8, device=device)
        self.weights = torch.tensor([1 << bit for bit in range(8)], dtype=torch.uint8, device=device)

    def sent_signs(self, values):
        """Packed and unpacked. @returns which are negative"""
        self.bits[: len(values)].copy_(values < 0)
        packed = (self.bits.view(-1, 8) * self.weights).sum(1, dtype=self.torch.uint8)
        return self.torch.bitwise_and(packed.unsqueeze(1), self.weights).view(-1)[: len(values)] != 0


class EfSign(Signs):
    """Signs times the mean magnitude, with error feedback (Karimireddy et al. 2019)."""

    def step(self):
        self.residual.add_(self.gradient)
        scale = self.residual.abs().mean()
        self.torch.where(self.sent_signs(self.residual), -scale, scale, out=self.sum)
        self.residual.sub_(self.sum)


class OneBit(Signs):
    """Signs with the means of the negative and of the other values, with error feedback (Seide et al. 2014)."""

    def step(self):
        self.residual.add_(self.gradient)
        negative = self.sent_signs(self.residual)
        below, count = self.residual.clamp(max=0).sum(), negative.sum()
        above = self.residual.clamp(min=0).sum() / (len(negative) - count).clamp(min=1)
        self.torch.where(negative, below / count.clamp(min=1), above, out=self.sum)
        self.residual.sub_(self.sum)


class SignSgd(Signs):
    """Signs alone (Bernstein et al. 2019); the majority of one message is itself."""

    def step(self):
        one = self.torch.ones((), device=self.sum.device)
        self.torch.where(self.sent_signs(self.gradient), -one, one, out=self.sum)

    def error(self):
        """The share of wrong signs; zero counts as positive."""
        return float(((self.sum < 0) != (self.gradient < 0)).float().mean())


class Half(Compressor):
    """To 16 bits and back, as DDP's hooks fp16_compress_hook and bf16_compress_hook do around their all-reduce."""

    def __init__(self, torch, gradient, shapes):
        super().__init__(torch, gradient, shapes)
        self.bits = getattr(torch, self.NAME)

    def step(self):
        self.sum.copy_(self.gradient.to(self.bits))


class Fp16(Half):
    NAME, tolerance = "float16", 2.0**-11


class Bf16(Half):
    NAME, tolerance = "bfloat16", 2.0**-8


class Int8(Compressor):
    """To 8 bits by one scale, and back, with a residual."""

    def step(self):
        self.residual.add_(self.gradient)
        scale = self.residual.abs().max().clamp_min(1e-30) / 127
        codes = (self.residual / scale).round_().to(self.torch.int8)
        self.sum.copy_(codes)
        self.sum.mul_(scale)
        self.residual.sub_(self.sum)


class PowerSgd(Compressor):
    """A matrix as a product of two thin ones, with a residual (Vogels et al. 2019); a vector or bucket is made square."""

    tolerance = 1e-4  # of the residual of a difference of products

    def __init__(self, torch, gradient, shapes):
        super().__init__(torch, gradient, shapes)
        matrix = len(shapes) == 1 and len(shapes[0]) > 1
        rows = shapes[0][0] if matrix else max(1, math.isqrt(gradient.numel()))
        columns = -(-gradient.numel() // rows)
        self.residual = torch.zeros(rows * columns, device=gradient.device)
        self.sum = torch.zeros_like(self.residual)
        self.shape, self.rank = (rows, columns), min(RANK, rows, columns)
        self.q = torch.randn(columns, self.rank, device=gradient.device)

    def step(self):
        self.residual[: self.gradient.numel()].add_(self.gradient)
        matrix = self.residual.view(self.shape)
        p, _ = self.torch.linalg.qr(matrix @ self.q)
        self.q = matrix.T @ p
        self.torch.mm(p, self.q.T, out=self.sum.view(self.shape))
        self.residual.sub_(self.sum)

    def error(self):
        n = self.gradient.numel()
        return float((self.sum[:n] + self.residual[:n] - self.gradient).abs().max() / self.gradient.abs().max())


METHODS = {
    "topk": TopK,
    "lwtopk": LayerwiseTopK,
    "ar_topk": ArTopK,
    "mstopk": MsTopK,
    "dgc": Dgc,
    "redsync": RedSync,
    "randomk": RandomK,
    "ef_sign": EfSign,
    "onebit": OneBit,
    "signsgd": SignSgd,
    "fp16": Fp16,
    "bf16": Bf16,
    "int8": Int8,
    "powersgd": PowerSgd,
}
