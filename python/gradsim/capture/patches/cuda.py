"""torch.cuda and torch.accelerator of a machine that has none: constants, recorded streams and events."""

from __future__ import annotations

import contextlib
import sys
import types
from typing import Any

import torch

from gradsim.capture.patches import Patches
from gradsim.capture.recorder import Recorder
from gradsim.capture.streams import Stream

PROPERTIES = types.SimpleNamespace(name="NVIDIA H100 80GB HBM3", total_memory=80 << 30, major=9, minor=0, multi_processor_count=132,
                                   warp_size=32, max_threads_per_multi_processor=2048, gcnArchName="", is_integrated=False)


def _nothing(*_: Any, **__: Any) -> None:
    """Has no effect on a step."""


def _zero(*_: Any, **__: Any) -> int:
    return 0


def pretend_devices(patches: Patches, recorder: Recorder, per_node: int) -> None:
    """Scripts ask torch.cuda what there is, and stop where nothing is: they see `per_node` GPUs with 80 GiB.

    Streams and events are recorded (gradsim.capture.streams); memory statistics are 0.
    """
    def asked(value: Any) -> Any:
        def answer(*_: Any, **__: Any) -> Any:
            recorder.asked_for_device = True
            return value
        return answer

    def synchronize(*_: Any, **__: Any) -> None:
        recorder.synchronize_device()

    def stream_context(stream: Any = None) -> Any:
        return stream if isinstance(stream, Stream) else contextlib.nullcontext()

    always = lambda *_, **__: True  # noqa: E731
    answers = dict(
        is_available=always, is_initialized=always, init=_nothing, _lazy_init=_nothing, device_count=lambda: per_node,
        current_device=lambda: recorder.local_rank, set_device=asked(None), device=lambda *_: contextlib.nullcontext(),
        synchronize=synchronize, empty_cache=_nothing, ipc_collect=_nothing, manual_seed=_nothing, manual_seed_all=_nothing,
        seed=_nothing, seed_all=_nothing, initial_seed=_zero, get_rng_state=_rng_state, set_rng_state=_nothing,
        get_rng_state_all=lambda: [_rng_state()], set_rng_state_all=_nothing,
        memory_allocated=_zero, max_memory_allocated=_zero, memory_reserved=_zero, max_memory_reserved=_zero,
        reset_peak_memory_stats=_nothing, reset_max_memory_allocated=_nothing, reset_accumulated_memory_stats=_nothing,
        memory_stats=lambda *_: _Zeros(), memory_summary=lambda *_, **__: "", mem_get_info=lambda *_: (80 << 30, 80 << 30),
        set_per_process_memory_fraction=_nothing, utilization=_zero,
        get_device_properties=lambda *_: PROPERTIES, get_device_name=lambda *_: PROPERTIES.name,
        get_device_capability=lambda *_: (9, 0), is_bf16_supported=always, can_device_access_peer=always,
        is_current_stream_capturing=lambda: False, get_arch_list=lambda: ["sm_90"], Event=recorder.event_type, Stream=recorder.stream_type,
        current_stream=lambda *_: recorder.current, default_stream=lambda *_: recorder.compute, stream=stream_context,
        set_stream=lambda stream: setattr(recorder, "current", stream))
    for name, value in answers.items():
        patches.set(torch.cuda, name, value)
    for name in ("range_push", "range_pop", "mark", "range_start", "range_end"):
        patches.set(torch.cuda.nvtx, name, _nothing)
    patches.set(torch.cuda.nvtx, "range", lambda *_, **__: contextlib.nullcontext())
    patches.set(torch, "get_device_module", lambda *_: torch.cuda)
    _pretend_accelerator(patches, recorder, per_node, synchronize)
    _refuse_kernels(patches, recorder)


class _Zeros(dict):
    """Statistics of memory: 0 for every key."""

    def __missing__(self, _key: str) -> int:
        return 0


def _rng_state(*_: Any) -> torch.Tensor:
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes():
        return torch.get_rng_state()


def _pretend_accelerator(patches: Patches, recorder: Recorder, per_node: int, synchronize: Any) -> None:
    """torch.accelerator is torch.cuda for any device."""
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is None:
        return
    answers = dict(is_available=lambda: True, device_count=lambda: per_node, current_accelerator=lambda *_, **__: torch.device("cpu"),
                   current_device_index=lambda: recorder.local_rank, set_device_index=_nothing, synchronize=synchronize,
                   current_stream=lambda *_: recorder.current, set_stream=lambda stream: setattr(recorder, "current", stream),
                   empty_cache=_nothing, memory_allocated=_zero, max_memory_allocated=_zero, reset_peak_memory_stats=_nothing)
    for name, value in answers.items():
        if hasattr(accelerator, name):
            patches.set(accelerator, name, value)


def _refuse_kernels(patches: Patches, recorder: Recorder) -> None:
    """A CUDA graph replays what capture cannot see; SyncBatchNorm calls kernels that only CUDA has, without asking."""
    def refuse(*_: Any, **__: Any) -> None:
        raise recorder.refuse("CUDA graphs cannot be recorded", "turn them off: the operations are the same without")

    def refuse_norm(*_: Any, **__: Any) -> None:
        raise recorder.refuse("SyncBatchNorm cannot be recorded: its kernels need a GPU",
                              "leave it out: it exchanges two values a channel, forward and backward, beyond BatchNorm")

    patches.set(torch.nn.SyncBatchNorm, "forward", refuse_norm)

    patches.set(torch.cuda, "make_graphed_callables", refuse)
    for name in ("CUDAGraph", "graph"):
        patches.set(torch.cuda, name, type(name, (), {"__init__": refuse}))


def refuse_triton(patches: Patches, recorder: Recorder) -> None:
    """Triton kernels read pointers, which fake tensors lack."""
    jit = sys.modules.get("triton.runtime.jit")
    if jit is None:
        return

    def run(self: Any, *_: Any, **__: Any) -> None:
        name = getattr(self, "__name__", "?")
        raise recorder.refuse(f"the Triton kernel `{name}` cannot run on fake tensors",
                              "wrap it by `torch.library.triton_op` or `custom_op`, and describe its result by `register_fake`")

    patches.set(jit.JITFunction, "run", run)


def one_generator(patches: Patches) -> None:
    """`torch.Generator("cuda")` needs a device; the numbers are unknown anyway. It stays a type, which annotations name."""
    generator: Any = torch.Generator

    class Generator(generator):
        def __new__(cls, *_: Any, **__: Any) -> Any:
            return generator("cpu")

    patches.set(torch, "Generator", Generator)
