"""Communication hooks for DistributedDataParallel: each bucket is compressed, exchanged and restored as `sim` has it.

Annotations are no texts in this file: DistributedDataParallel compares them.
"""

import torch
import torch.distributed as dist
from torch import Tensor
from torch.futures import Future

from gradsim.torch.compressors import INT8_BLOCK, LowRank, from_int8, kept, largest_indices, to_int8
from gradsim.torch.refusal import Refused

# Methods and their arguments.
METHODS: dict[str, set[str]] = {"topk": {"ratio", "error_feedback"}, "fp16": set(), "int8": set(),
                                "powersgd": {"rank", "error_feedback"}}


class Residuals:
    """Values that earlier messages of each parameter left out, in the layout of the buckets.

    After its first step DistributedDataParallel forms its buckets anew; values then move with their parameters.
    """

    def __init__(self) -> None:
        self._of_bucket: dict[int, tuple[tuple[int, ...], Tensor]] = {}
        self._of_parameter: dict[int, Tensor] = {}

    def of(self, bucket: dist.GradBucket) -> Tensor:
        """The residual of a bucket (float32, one for each value), to be changed in place; zeros at first."""
        parameters = bucket.parameters()
        layout = tuple(map(id, parameters))
        known = self._of_bucket.get(bucket.index())
        if known is not None and known[0] == layout:
            return known[1]
        device = bucket.buffer().device
        zeros = (torch.zeros(one.numel(), device=device) for one in parameters)
        vector = torch.cat([self._of_parameter.get(id(one), zero) for one, zero in zip(parameters, zeros)])
        self._of_parameter |= dict(zip(layout, vector.split([one.numel() for one in parameters])))
        self._of_bucket[bucket.index()] = layout, vector
        return vector


def check_dense(bucket: dist.GradBucket) -> None:
    """Raises Refused for a bucket of sparse or integer gradients."""
    buffer = bucket.buffer()
    if buffer.layout != torch.strided or not buffer.is_floating_point():
        kind = str(buffer.layout).removeprefix("torch.")
        raise Refused("hook", f"bucket {bucket.index()} has gradients of {buffer.dtype}, {kind}",
                      "use dense gradients, such as Embedding(sparse=False)")


class Hook:
    """A hook and what it keeps from step to step. `model.register_comm_hook(group, hook)`; group None: all ranks.

    method: as in `sim list compressors`. compression: as in a record, such as `topk 0.01`; for powersgd empty, as its ratio
    belongs to a model (`low_rank_ratio`).
    """

    method = ""
    compression = ""

    def __init__(self) -> None:
        self.__name__ = self.__qualname__ = f"gradsim.torch.hook({self.method})"  # what PyTorch logs

    def __call__(self, state: object, bucket: dist.GradBucket) -> Future[Tensor]:
        """Exchanges one bucket. Returns the mean over the ranks in the bucket's buffer, as a future."""
        check_dense(bucket)
        group = state if isinstance(state, dist.ProcessGroup) else dist.group.WORLD
        assert group is not None, "DistributedDataParallel has initialised it"
        return self.exchange(group, bucket)

    def exchange(self, group: dist.ProcessGroup, bucket: dist.GradBucket) -> Future[Tensor]:
        raise NotImplementedError

    @staticmethod
    def done(bucket: dist.GradBucket, mean: Tensor) -> Future[Tensor]:
        """A future that has its value: the mean, in the bucket's buffer."""
        buffer = bucket.buffer()
        future: Future[Tensor] = Future(devices=None if buffer.device.type == "cpu" else [buffer.device])
        future.set_result(buffer.copy_(mean))
        return future


class TopK(Hook):
    """The k largest of each bucket and their indices, 4 bytes each, in one all-gather that overlaps the backward pass."""

    method = "topk"

    def __init__(self, ratio: float, error_feedback: bool):
        super().__init__()
        self.ratio = ratio
        self.residuals = Residuals() if error_feedback else None
        self.compression = f"topk {ratio!r}" + ("" if error_feedback else " without error feedback")

    def exchange(self, group: dist.ProcessGroup, bucket: dist.GradBucket) -> Future[Tensor]:
        buffer, ranks = bucket.buffer(), group.size()
        vector = buffer.to(torch.float32) if self.residuals is None else self.residuals.of(bucket).add_(buffer)
        count = kept(self.ratio, vector.numel())
        indices = largest_indices(vector, count)
        message = torch.cat([vector[indices].view(torch.int32), indices.to(torch.int32)])
        if self.residuals is not None:
            vector[indices] = 0
        received = message.new_empty(ranks * message.numel())
        work = dist.all_gather_into_tensor(received, message, group=group, async_op=True)
        assert work is not None, "this rank is of the group"

        def restore(_: Future) -> Tensor:
            mean = torch.zeros(buffer.numel(), device=buffer.device)
            for one in received.view(ranks, -1):  # in the order of the ranks: the same sum on each
                mean.index_add_(0, one[count:].to(torch.int64), one[:count].view(torch.float32))
            return buffer.copy_(mean.mul_(1 / ranks))

        return work.get_future().then(restore)


class Half(Hook):
    """Each value as a binary16, divided by the number of ranks, in one all-reduce that adds in binary16 and overlaps.

    Source: PyTorch's fp16_compress_hook.
    """

    method, compression = "fp16", "fp16 1"

    def exchange(self, group: dist.ProcessGroup, bucket: dist.GradBucket) -> Future[Tensor]:
        buffer = bucket.buffer()
        half = buffer.to(torch.float16).div_(group.size())
        work = dist.all_reduce(half, group=group, async_op=True)
        return work.get_future().then(lambda _: buffer.copy_(half))


class Int8(Hook):
    """Bytes with a scale for each block. Each rank owns a part of the bucket: it gets the codes of all, adds what they restore
    to, and all gather the codes of the means. The exchange has two rounds and is awaited within the hook."""

    method, compression = "int8", "int8 1"

    def __init__(self, block: int = INT8_BLOCK):
        super().__init__()
        self.block = block

    def exchange(self, group: dist.ProcessGroup, bucket: dist.GradBucket) -> Future[Tensor]:
        ranks = group.size()
        codes, scales = to_int8(bucket.buffer().to(torch.float32), self.block)
        elements = codes.numel()
        if ranks > 1:
            owned = -(-scales.numel() // ranks)  # blocks of each rank; zeros behind the last
            codes = _all_to_all(_padded(codes, ranks * owned * self.block), group)
            scales = _all_to_all(_padded(scales, ranks * owned), group)
            mean = torch.zeros(owned * self.block, device=codes.device)
            for code, scale in zip(codes.view(ranks, -1), scales.view(ranks, -1)):
                mean += from_int8(code, scale, self.block)
            codes, scales = (_all_gather(one, group) for one in to_int8(mean.mul_(1 / ranks), self.block))
        return self.done(bucket, from_int8(codes, scales, self.block)[:elements])


def _padded(vector: Tensor, elements: int) -> Tensor:
    return torch.nn.functional.pad(vector, (0, elements - vector.numel()))


def _all_to_all(vector: Tensor, group: dist.ProcessGroup) -> Tensor:
    received = torch.empty_like(vector)
    dist.all_to_all_single(received, vector, group=group)
    return received


def _all_gather(vector: Tensor, group: dist.ProcessGroup) -> Tensor:
    received = vector.new_empty(group.size() * vector.numel())
    dist.all_gather_into_tensor(received, vector, group=group)
    return received


class PowerSgd(Hook):
    """Two factors of low rank for the matrix of each parameter (first dimension x all others); vectors as they are.

    The exchange has two rounds and is awaited within the hook.
    """

    method = "powersgd"

    def __init__(self, rank: int, seed: int, error_feedback: bool):
        super().__init__()
        self.rank, self.seed = rank, seed
        self.residuals = Residuals() if error_feedback else None
        self._matrices: dict[int, LowRank] = {}  # by parameter
        self._steps: dict[int, int] = {}  # exchanges of each bucket so far

    def exchange(self, group: dist.ProcessGroup, bucket: dist.GradBucket) -> Future[Tensor]:
        step = self._steps.get(bucket.index(), 0)
        self._steps[bucket.index()] = step + 1
        vector = bucket.buffer().to(torch.float32) if self.residuals is None else self.residuals.of(bucket).add_(bucket.buffer())
        parameters = bucket.parameters()
        parts = vector.split([one.numel() for one in parameters])
        matrices = [(self._low_rank(one), part.view(one.shape[0], -1))
                    for one, part in zip(parameters, parts) if is_matrix(one.shape)]
        vectors = [part for one, part in zip(parameters, parts) if not is_matrix(one.shape)]
        first = _means([low.project(matrix, step) for low, matrix in matrices] + vectors, group)
        factors = [low.back_project(matrix, p) for (low, matrix), p in zip(matrices, first)]
        second = _means([q for _, q in factors], group)
        restored = iter([low.restore(p, q) for (low, _), (p, _), q in zip(matrices, factors, second)])
        whole = iter(first[len(matrices):])
        mean = torch.cat([next(restored if is_matrix(one.shape) else whole).flatten() for one in parameters])
        if self.residuals is not None:
            vector.sub_(mean)
            torch.nan_to_num(vector, nan=0.0, posinf=0.0, neginf=0.0, out=vector)
        return self.done(bucket, mean)

    def _low_rank(self, parameter: Tensor) -> LowRank:
        number = len(self._matrices)
        return self._matrices.setdefault(id(parameter), LowRank(self.rank, self.seed + number))


def is_matrix(shape: torch.Size) -> bool:
    """Whether PowerSGD factors a parameter: its first dimension and all others together are above 1."""
    return len(shape) > 1 and shape[0] > 1 and shape.numel() > shape[0]


def _means(parts: list[Tensor], group: dist.ProcessGroup) -> list[Tensor]:
    """The mean of each tensor over the ranks, in one all-reduce."""
    if not parts:
        return []
    flat = torch.cat([one.flatten() for one in parts])
    dist.all_reduce(flat, group=group)
    flat.mul_(1 / group.size())
    return [mean.view(one.shape) for one, mean in zip(parts, flat.split([one.numel() for one in parts]))]


def low_rank_ratio(model: torch.nn.Module, rank: int) -> float:
    """The `ratio` of `powersgd` in a scenario whose factors are those of this rank: rank (rows + columns) / (rows columns),
    over all matrices of the model together. Raises Refused where it has no matrix."""
    matrices = [one for one in model.parameters() if one.requires_grad and is_matrix(one.shape)]
    if not matrices:
        raise Refused("model", "it has no matrix that PowerSGD could factor", "use topk")
    values = sum(one.numel() for one in matrices)
    return min(1.0, rank * sum(one.shape[0] + one.numel() // one.shape[0] for one in matrices) / values)


def hook(method: str, *, ratio: float | None = None, rank: int | None = None, error_feedback: bool | None = None,
         seed: int = 0) -> Hook:
    """A communication hook that compresses gradients, for `DistributedDataParallel.register_comm_hook(None, hook)`.

    method: `topk`, `fp16`, `int8` or `powersgd`. ratio: of topk, kept / original values of each bucket, in (0, 1]. rank: of
    powersgd, at least 1. error_feedback: of topk and powersgd, whether what a message leaves out is added to the next gradient
    (the default). seed: of PowerSGD's first factors. Raises Refused for other arguments. A hook serves one model.

    Leaves out: gradients of other types than floating-point are refused; bfloat16 is compressed as float32.
    Source: of each method, in its class and in `sim list compressors`.
    """
    if method not in METHODS:
        raise Refused("method", f"unknown method `{method}`", f"accepted: {', '.join(METHODS)}")
    for name, value in (("ratio", ratio), ("rank", rank), ("error_feedback", error_feedback)):
        if value is not None and name not in METHODS[method]:
            raise Refused(name, f"`{method}` does not take `{name}`", "leave it out")
    fed = error_feedback is not False
    if method == "topk":
        return TopK(_checked_ratio(ratio), fed)
    if method == "powersgd":
        return PowerSgd(_checked_rank(rank), seed, fed)
    return Half() if method == "fp16" else Int8()


def _checked_ratio(ratio: object) -> float:
    if isinstance(ratio, (int, float)) and 0 < ratio <= 1:
        return float(ratio)
    raise Refused("ratio", f"expected a number above 0 and at most 1, found {ratio!r}", "such as ratio=0.01")


def _checked_rank(rank: object) -> int:
    if isinstance(rank, int) and rank >= 1:
        return rank
    raise Refused("rank", f"expected a whole number of at least 1, found {rank!r}", "such as rank=4")
