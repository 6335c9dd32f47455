"""torch.distributed without other processes: all groups are fake, works are finished, objects stay where they are."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any, Callable

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d

from gradsim.capture.patches import Patches
from gradsim.capture.recorder import Recorder


class FinishedFuture(torch.futures.Future):
    """The future of a recorded collective: finished; what follows it runs on a stream that waits for the collective."""

    def __new__(cls, *_: Any) -> "FinishedFuture":
        return super().__new__(cls)

    def __init__(self, recorder: Recorder, launched: set[int], value: Any):
        super().__init__()
        self._recorder, self._launched, self._value = recorder, launched, value
        self.set_result(value)

    def then(self, callback: Callable) -> "FinishedFuture":
        stream = self._recorder.stream_type(name="futures")
        stream.waits |= self._launched
        with stream:
            value = callback(self)
        return FinishedFuture(self._recorder, stream.head(), value)

    def wait(self) -> Any:
        self._recorder.current.waits |= self._launched
        return self._value

    def value(self) -> Any:
        return self._value


class FinishedWork:
    """What `async_op=True` returns: `wait` makes the current stream wait for the collective, not the host."""

    def __init__(self, recorder: Recorder, launched: set[int], tensors: list[torch.Tensor]):
        self._recorder, self._launched, self._tensors = recorder, launched, tensors

    def wait(self, *_: Any, **__: Any) -> bool:
        self._recorder.current.waits |= self._launched
        return True

    def block_current_stream(self) -> None:
        self.wait()

    def synchronize(self) -> None:
        self.wait()

    def is_completed(self) -> bool:
        return True

    def is_success(self) -> bool:
        return True

    def exception(self) -> None:
        return None

    def result(self) -> list[torch.Tensor]:
        return self._tensors

    def get_future(self) -> FinishedFuture:
        return FinishedFuture(self._recorder, self._launched, self._tensors)


def fake_groups(patches: Patches, recorder: Recorder) -> None:
    """Every group is of the fake backend, also those of gloo that a script makes for its host: nothing connects."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    initialize, destroy, new_group = c10d.init_process_group, c10d.destroy_process_group, c10d._new_group_with_tag
    signature = inspect.signature(new_group)

    def init_process_group(*_: Any, **__: Any) -> None:
        if not dist.is_initialized():
            with torch._C.DisableTorchFunction():  # it names every device
                initialize("fake", store=FakeStore(), rank=recorder.rank, world_size=recorder.world)

    def fake_group(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        for name, value in (("backend", "fake"), ("backend_options", None), ("pg_options", None), ("device_id", None)):
            if name in bound.arguments:
                bound.arguments[name] = value
        with torch._C.DisableTorchFunction():
            return new_group(*bound.args, **bound.kwargs)

    def keep_group(group: Any = None) -> None:
        if group is not None and group is not dist.group.WORLD:
            destroy(group)

    patches.replace_everywhere(initialize, init_process_group)
    patches.replace_everywhere(destroy, keep_group)  # a script destroys it in `finally`; it is needed to the end
    patches.replace_everywhere(new_group, fake_group)
    patches.replace_everywhere(c10d.monitored_barrier, lambda *_, **__: recorder.synchronize_device())


def finished_works(patches: Patches, recorder: Recorder) -> None:
    """The work of a fake collective under FakeTensorMode has no future and orders no streams; ours does."""
    for name, function in list(vars(c10d).items()):
        if type(function) is types.FunctionType and function.__module__ == c10d.__name__ and not name.startswith("_"):
            parameters = inspect.signature(function).parameters
            if "async_op" in parameters or name in ("isend", "irecv"):
                patches.replace_everywhere(function, _recorded(recorder, function, name in ("isend", "irecv")))


def _recorded(recorder: Recorder, function: Callable, always_asynchronous: bool) -> Callable:
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not (always_asynchronous or signature.bind(*args, **kwargs).arguments.get("async_op", False)):
            return function(*args, **kwargs)
        before = len(recorder.operations)
        with recorder.without_waiting():
            work = function(*args, **kwargs)
        if work is None:
            return None
        launched = {one.index for one in recorder.operations[before:] if one.communicates}
        first = args[0] if args else next(iter(kwargs.values()))
        return FinishedWork(recorder, launched, first if isinstance(first, list) else [first])

    return call


def objects_stay(patches: Patches, recorder: Recorder) -> None:
    """Collectives of Python objects read bytes that were exchanged; each rank is taken to have the same object."""
    def broadcast(object_list: list, *_: Any, **__: Any) -> None:
        recorder.note("collectives of Python objects are not recorded")

    def all_gather(object_list: list, obj: Any, *_: Any, **__: Any) -> None:
        object_list[:] = [obj] * len(object_list)
        broadcast(object_list)

    def gather(obj: Any, object_gather_list: list | None = None, *_: Any, **__: Any) -> None:
        if object_gather_list is not None:
            all_gather(object_gather_list, obj)

    def scatter(scatter_object_output_list: list, scatter_object_input_list: list | None = None, *_: Any, **__: Any) -> None:
        if scatter_object_input_list:
            scatter_object_output_list[0] = scatter_object_input_list[0]
        broadcast(scatter_object_output_list)

    for name, new in (("broadcast_object_list", broadcast), ("all_gather_object", all_gather), ("gather_object", gather),
                      ("scatter_object_list", scatter)):
        patches.replace_everywhere(getattr(c10d, name), new)


def sends_by_one(patches: Patches) -> None:
    """`batch_isend_irecv` coalesces by the backend; the fake one records each message."""
    def batch(operations: list) -> list:
        return [one.op(one.tensor, one.peer, one.group) for one in operations]

    patches.replace_everywhere(c10d.batch_isend_irecv, batch)
