"""Streams and events of a device that does not exist: they remember what must have ended before what."""

from __future__ import annotations

import contextlib
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradsim.capture.recorder import Recorder


class Stream:
    """A device stream: the last operation launched on it, and what its next one must wait for.

    `recorder` is set by `stream_types`, so that scripts can construct streams as they do with torch.cuda.Stream.
    """

    recorder: "Recorder"

    def __init__(self, *_: Any, name: str | None = None, **__: Any):
        self.name = name or f"stream {self.recorder.new_stream_number()}"
        self.last: int | None = None
        self.waits: set[int] = set()
        self.fence: int | None = None
        self.stream_id = self.device_index = 0
        self.device_type = 0
        self.priority = 0
        self.cuda_stream = 0

    def head(self) -> set[int]:
        """What has ended when all that was launched so far has ended."""
        return self.waits | ({self.last} if self.last is not None else set())

    def wait_event(self, event: "Event") -> None:
        self.waits |= event.head

    def wait_stream(self, other: "Stream") -> None:
        self.waits |= other.head()

    def record_event(self, event: "Event | None" = None) -> "Event":
        return (event or self.recorder.event_type()).record(self)

    def synchronize(self) -> None:
        self.recorder.wait_on_host("synchronize", self.head())

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def __enter__(self) -> "Stream":
        self._before = self.recorder.current
        self.recorder.current = self
        return self

    def __exit__(self, *_: Any) -> None:
        self.recorder.current = self._before


class Event:
    """An event: what had been launched on its stream when it was recorded. Its times are zero."""

    recorder: "Recorder"

    def __init__(self, *_: Any, **__: Any):
        self.head: set[int] = set()

    def record(self, stream: Stream | None = None) -> "Event":
        self.head = set((stream or self.recorder.current).head())
        return self

    def wait(self, stream: Stream | None = None) -> None:
        (stream or self.recorder.current).wait_event(self)

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        self.recorder.wait_on_host("synchronize", self.head)

    def elapsed_time(self, _other: "Event") -> float:
        return 1.0


def stream_types(recorder: "Recorder") -> tuple[type[Stream], type[Event]]:
    """The two types, bound to a recorder."""
    return (type("Stream", (Stream,), {"recorder": recorder}), type("Event", (Event,), {"recorder": recorder}))


def device_handle(recorder: "Recorder", per_node: int) -> types.SimpleNamespace:
    """What FSDP2, DTensor and device meshes ask of torch.cuda (`_get_device_handle`)."""
    return types.SimpleNamespace(
        Stream=recorder.stream_type, Event=recorder.event_type, current_stream=lambda *_: recorder.current,
        stream=lambda stream: stream if isinstance(stream, Stream) else contextlib.nullcontext(),
        default_stream=lambda *_: recorder.compute, current_device=lambda: recorder.local_rank,
        is_available=lambda: True, is_initialized=lambda: True, device_count=lambda: per_node,
        set_device=lambda *_: None, synchronize=lambda *_: recorder.synchronize_device(), empty_cache=lambda: None,
        get_rng_state=_rng_state, set_rng_state=lambda *_: None, memory_stats=lambda *_: {}, manual_seed=lambda *_: None,
        max_memory_allocated=lambda *_: 0, memory_allocated=lambda *_: 0)


def _rng_state(*_: Any) -> Any:
    import torch
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes():
        return torch.get_rng_state()
