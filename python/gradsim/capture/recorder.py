"""The recorder: a dispatch mode that sees every aten operation and every collective of one rank, in the order of launch."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import (DataDependentOutputException, DynamicOutputShapeException, FakeTensor,
                                           UnsupportedOperatorException)
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves

from gradsim.capture import figures
from gradsim.capture.messages import COMMUNICATION, message_of
from gradsim.capture.operations import Operation
from gradsim.capture.pairs import MESSAGES
from gradsim.capture.refusal import CaptureRefused, script_place
from gradsim.capture.streams import Stream, stream_types
from gradsim.capture.values import Reads

LOWERED = frozenset({"DTensor", "AsyncCollectiveTensor"})  # they become operations on local tensors first
REAL_VALUES = 1 << 22  # larger host tensors are fake, too


class Recorder(TorchDispatchMode):
    """Records operations while it is active, on top of a FakeTensorMode.

    rank, world, per_node: of the process that is pretended. reads: what reads of values return.
    Fake tensors are those of the device; real ones are small data of the host (indices, permutations, counters) and run for
    real. A fake tensor that is marked by `mark_host` is large data of the host.
    """

    def __init__(self, rank: int, world: int, per_node: int, reads: Reads | None = None):
        super().__init__()
        self.rank, self.world, self.local_rank = rank, world, rank % per_node
        self.reads = reads or Reads()
        self.operations: list[Operation] = []
        self.reads.position = lambda: len(self.operations)
        self.notes: dict[str, None] = {}  # in order, each once
        self.asked_for_device = False
        self.optimizer_depth = 0
        self.replica: int | None = None  # ranks that compute the same samples, by the names of mesh dimensions
        self.flat_modules: list[Any] = []  # of FSDP1, whose parameters are pieces of flat ones
        self.asynchronous = False
        self.paused = False
        self.refused: CaptureRefused | None = None
        self.compiled = False
        self._streams = 0
        self._numbers = 0
        self._fence: int | None = None
        self._awaited: set[int] = set()  # what the host waited for last
        self._queues: dict[tuple[int, ...], Stream] = {}
        self._group_ranks: dict[Any, tuple[int, ...]] = {}
        self.stream_type, self.event_type = stream_types(self)
        self.compute: Stream = self.stream_type(name="compute")
        self.current: Stream = self.compute
        self.host: Stream = self.stream_type(name="host")

    # What patches and streams ask.

    def new_stream_number(self) -> int:
        self._streams += 1
        return self._streams

    def note(self, text: str) -> None:
        """Adds a sentence to what was not understood, once."""
        self.notes.setdefault(text)

    def refuse(self, what: str, hint: str = "", place: str | None = None) -> CaptureRefused:
        """The exception to raise; the first one is kept, in case the script catches it."""
        return self.keep(CaptureRefused(script_place() if place is None else place, what, hint))

    def keep(self, refusal: CaptureRefused) -> CaptureRefused:
        self.refused = self.refused or refusal
        return refusal

    @contextlib.contextmanager
    def without_waiting(self) -> Iterator[None]:
        """Collectives that are launched inside leave the current stream free (`async_op=True`)."""
        before, self.asynchronous = self.asynchronous, True
        try:
            yield
        finally:
            self.asynchronous = before

    @contextlib.contextmanager
    def pause(self) -> Iterator[None]:
        """Operations inside only find out shapes: they are not of the step."""
        before, self.paused = self.paused, True
        try:
            yield
        finally:
            self.paused = before

    def synchronize_device(self) -> None:
        heads = self.compute.head().union(self.current.head(), *(queue.head() for queue in self._queues.values()))
        self.wait_on_host("synchronize", heads)

    def wait_on_host(self, name: str, awaited: set[int]) -> None:
        """The host waits; what it launches afterwards starts no earlier than the wait has ended.

        Where nothing was launched since the last wait, and nothing else is awaited, there is nothing to wait for.
        """
        if self.operations and self.operations[-1].kind == "host" and awaited <= self._awaited:
            return
        self._awaited = set(awaited)
        self.host.waits |= awaited
        self._fence = self._add("host", name, self.host).index

    def mark_host(self, tensor: Any, on_host: bool = True) -> Any:
        if isinstance(tensor, FakeTensor):
            tensor._gradsim_host = on_host
        return tensor

    @staticmethod
    def is_on_host(tensor: torch.Tensor) -> bool:
        return not isinstance(tensor, FakeTensor) or getattr(tensor, "_gradsim_host", False)

    # Operations.

    def _add(self, kind: str, name: str, stream: Stream, **values: Any) -> Operation:
        waits, stream.waits = stream.waits, set()
        if stream is not self.host and stream.fence != self._fence and self._fence is not None:
            waits.add(self._fence)
            stream.fence = self._fence
        latest: dict[str, int] = {}
        for index in waits:
            other = self.operations[index].stream
            # Operations of one stream follow each other; a message is sent with its other end, which may come later.
            if other != stream.name or kind in MESSAGES and self.operations[index].kind in MESSAGES:
                latest[other] = max(index, latest.get(other, -1))
        operation = Operation(len(self.operations), kind, name, stream.name, sorted(latest.values()),
                              place=script_place(), **values)
        self.operations.append(operation)
        stream.last = operation.index
        return operation

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if any(one.__name__ in LOWERED for one in types):
            return NotImplemented
        if self.paused:
            return func(*args, **kwargs)
        if func.namespace in COMMUNICATION:
            return self._communicate(func, args, kwargs)
        inputs = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
        fakes = [one for one in inputs if isinstance(one, FakeTensor)]
        name = func._schema.name.partition("::")[2]
        if inputs and not fakes and sum(one.numel() for one in inputs) <= REAL_VALUES:
            with _disable_current_modes():
                return func(*args, **kwargs)
        if name == "_local_scalar_dense":
            return self._read_value(inputs[0])
        out = self._run(func, args, kwargs)
        on_host = bool(fakes) and all(map(self.is_on_host, fakes))
        outputs = [one for one in tree_leaves(out) if isinstance(one, torch.Tensor)]
        if on_host:
            for one in outputs:
                self.mark_host(one)
        if func.is_view or name in figures.WITHOUT_WORK:
            self._pass_work_on(fakes, outputs)
            self._pass_number_on(inputs, outputs)
        if not inputs and not outputs or func.is_view or name in figures.WITHOUT_WORK or func.namespace == "prim":
            return out
        if all(one.device.type == "meta" for one in inputs + outputs):
            return out
        flops = figures.flops_of(func, args, kwargs, out)
        kind = "optimizer" if self.optimizer_depth else figures.kind_of(func, name, flops)
        self._add(kind, figures.device_name_of(name), self.current, flops=flops, on_host=on_host,
                  memory_bytes=figures.moved_bytes(func, name, args, kwargs, inputs, outputs),
                  dtype=_dtype_of(fakes or outputs), reads=self._numbered(inputs),
                  writes=self._numbered(outputs or figures.changed_tensors(func, args, kwargs)))
        if not flops and func.namespace not in ("aten", "fsdp", "prims", "profiler"):
            self.note(f"FLOPs of `{func.namespace}::{name}` are unknown and count as 0")
        return out

    def _numbered(self, tensors: list[torch.Tensor]) -> tuple[tuple[int, int], ...]:
        """Numbers that tensors keep for the whole recording, with their bytes."""
        for one in tensors:
            if not hasattr(one, "_gradsim_number"):
                self._numbers += 1
                one._gradsim_number = self._numbers
        return tuple((one._gradsim_number, figures.tensor_bytes(one)) for one in tensors)

    def number_of(self, tensor: torch.Tensor) -> int:
        return self._numbered([tensor])[0][0]

    def _pass_number_on(self, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        if inputs:
            self._numbered(inputs[:1])
            for one in outputs:
                one._gradsim_number = inputs[0]._gradsim_number

    def _run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return func(*args, **kwargs)
        except (DataDependentOutputException, DynamicOutputShapeException) as error:
            name = str(func).replace(".default", "")
            raise self.refuse(f"the shape of the result of `{name}` depends on values, which are unknown here",
                              "use an operation of fixed shape, such as `torch.where` or equal loads of experts") from error
        except (UnsupportedOperatorException, NotImplementedError) as error:
            raise self.refuse_unknown(func) from error

    def refuse_unknown(self, func: Any) -> CaptureRefused:
        """The refusal of an operator without an implementation for fake tensors."""
        name = func._schema.name
        return self.refuse(f"unknown operator `{name}`: it has no implementation for fake tensors",
                           f'describe its result by `torch.library.register_fake("{name}")` in the script')

    def _read_value(self, tensor: torch.Tensor) -> Any:
        place = script_place()
        if not self.is_on_host(tensor):
            self.wait_on_host("read of a value", self.current.head() | self._work_of(tensor))
        known = getattr(tensor, "_gradsim_known", None)
        return self.reads.value(not tensor.dtype.is_floating_point, known, place)

    # Communication.

    @staticmethod
    def _work_of(tensor: torch.Tensor) -> set[int]:
        work = getattr(tensor, "_gradsim_work", None)
        return set() if work is None else {work}

    def _communicate(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if func._schema.name == "_c10d_functional::_wrap_tensor_autograd":  # its fake form forgets who is waited for
            return AsyncCollectiveTensor(args[0])
        message = message_of(func, args, kwargs)
        out = func(*args, **kwargs)
        if message is None:
            return out
        if message.name == "wait":
            self._wait_for_work(message.tensors, out)
            return out
        if message.name == "barrier":
            self.wait_on_host("barrier", self.current.head())
            return out
        if message.name == "unknown":
            self.note(f"`{func._schema.name}` is not recorded")
            return out
        ranks = self.ranks_of(message.group)
        if len(ranks) > 1 and message.payload(out) > 0:
            queue = self._queue_of(ranks)
            queue.waits |= self.current.head()
            kind = message.name if message.name in MESSAGES else "collective"
            index = self._add(kind, message.name, queue, payload=message.payload(out), ranks=ranks, dtype=message.dtype,
                              peer=message.peer).index
            for one in tree_leaves(out):
                if isinstance(one, FakeTensor):
                    one._gradsim_work = index
            if not self.asynchronous and func.namespace == "c10d":
                self.current.waits.add(index)
        return out

    def _wait_for_work(self, inputs: list[torch.Tensor], out: Any) -> None:
        self.current.waits.update(*map(self._work_of, inputs))
        self._pass_work_on(inputs, [one for one in tree_leaves(out) if isinstance(one, torch.Tensor)])

    def _pass_work_on(self, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        """Views of what a collective makes wait for the collective, too."""
        works = set().union(*map(self._work_of, inputs))
        for one in outputs if works else ():
            if isinstance(one, FakeTensor):
                one._gradsim_work = max(works)

    def _queue_of(self, ranks: tuple[int, ...]) -> Stream:
        """The queue of a communicator: its collectives run one after the other."""
        if ranks not in self._queues:
            self._queues[ranks] = self.stream_type(name=f"communicator {len(self._queues)}")
        return self._queues[ranks]

    def ranks_of(self, group: Any) -> tuple[int, ...]:
        """The global ranks of a process group; of all ranks without one."""
        if group is None:
            return tuple(range(self.world))
        key = group.group_name
        if key not in self._group_ranks:
            self._group_ranks[key] = tuple(dist.get_process_group_ranks(group))
        return self._group_ranks[key]


def _dtype_of(tensors: list[torch.Tensor]) -> str:
    """The type of the first floating-point tensor, else of the first one, as `bfloat16`."""
    chosen = next((one for one in tensors if one.is_floating_point()), tensors[0] if tensors else None)
    return "" if chosen is None else str(chosen.dtype).removeprefix("torch.")
