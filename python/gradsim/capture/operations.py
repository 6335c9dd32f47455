"""What a recording consists of: operations, value reads, and the step of one rank."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Callable


@dataclass(slots=True)
class Operation:
    """One operation of one rank, in the order of its launch.

    kind: `matmul`, `attention`, `pointwise`, `reduction`, `copy`, `embedding`, `optimizer`, `other`; `collective`, `send`,
    `recv`; `host` for a wait of the host. after: operations of other streams that must have ended; of a message, also earlier ones. flops: as
    torch.utils.flop_counter counts (a multiplication and an addition are two). memory_bytes: inputs and outputs.
    payload: bytes of a collective: what each rank holds (all-reduce, broadcast, all-to-all, send), or all contributions
    together (all-gather, reduce-scatter). ranks: the group. peer: of a message, the other end's number in the group. on_host: computed by the CPU of the script, not its device.
    reads, writes: number and bytes of each tensor; views have the number of what they view. gradient: DDP's own all-reduce of a
    bucket.
    """

    index: int
    kind: str
    name: str
    stream: str
    after: list[int]
    flops: int = 0
    memory_bytes: int = 0
    dtype: str = ""
    payload: int = 0
    ranks: tuple[int, ...] = ()
    peer: int | None = None
    on_host: bool = False
    place: str = ""
    reads: tuple[tuple[int, int], ...] = ()
    writes: tuple[tuple[int, int], ...] = ()
    gradient: bool = False

    def signature(self) -> tuple:
        """What must be equal in two steps for the steps to be equal."""
        return (self.kind, self.name, self.stream, self.flops, self.memory_bytes, self.payload, self.ranks, self.peer)

    @property
    def communicates(self) -> bool:
        return self.kind in ("collective", "send", "recv")


@dataclass
class Capture:
    """One step of one rank of a script.

    parameters: trainable values of the whole model. frozen: those that are not trained. samples: rows of the inputs of the
    model's forward passes, summed over the micro-batches; None where no forward pass was seen. compiled: the script calls torch.compile. replica: ranks
    that compute the same samples, as with tensor parallelism; None where nothing says so. notes: what was not understood,
    one sentence each.
    """

    script: str
    torch_version: str
    rank: int
    world: int
    per_node: int
    steps: int
    operations: list[Operation]
    parameters: int = 0
    frozen: int = 0
    samples: int | None = None
    micro_batches: int = 0
    compiled: bool = False
    replica: int | None = None
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    peak_bytes: int = 0

    @property
    def flops(self) -> int:
        return sum(one.flops for one in self.operations)

    def collectives(self) -> dict[tuple[str, tuple[int, ...]], tuple[int, int]]:
        """Number and bytes of the messages, by collective and ranks."""
        sums: dict[tuple[str, tuple[int, ...]], tuple[int, int]] = {}
        for one in self.operations:
            if one.communicates:
                count, size = sums.get((one.name, one.ranks), (0, 0))
                sums[one.name, one.ranks] = (count + 1, size + one.payload)
        return sums

    def host_waits(self) -> dict[str, int]:
        """How often the host waits for the device, by what waits and its place in the script."""
        waits: dict[str, int] = {}
        for one in self.operations:
            if one.kind == "host":
                key = f"{one.name} at {one.place}" if one.place else one.name
                waits[key] = waits.get(key, 0) + 1
        return waits


def cut_step(operations: list[Operation], begin: int, end: int) -> list[Operation]:
    """Operations begin to end - 1 as a step of their own: renumbered, without dependencies on earlier ones."""
    return [replace(one, index=one.index - begin, after=[i - begin for i in one.after if i >= begin])
            for one in operations[begin:end]]


def drop_operations(operations: list[Operation], keep: Callable[[Operation], bool]) -> list[Operation]:
    """The operations for which `keep(operation)` is true; dependencies on others pass to what those waited for."""
    replaced_by: list[list[int]] = []
    last_kept: dict[str, int] = {}
    kept: list[Operation] = []
    for one in operations:
        after = sorted({new for old in one.after for new in replaced_by[old]})
        if keep(one):
            replaced_by.append([len(kept)])
            last_kept[one.stream] = len(kept)
            kept.append(replace(one, index=len(kept), after=after))
        else:
            before = [last_kept[one.stream]] if one.stream in last_kept else []
            replaced_by.append(sorted({*after, *before}))
    return kept
