"""What a script does around its step: loading, saving, compiling, starting processes."""

from __future__ import annotations

import contextlib
from typing import Any, Callable

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves

from gradsim.capture.patches import Patches
from gradsim.capture.recorder import Recorder


def load_outside(patches: Patches, recorder: Recorder) -> None:
    """Data loaders read permutations and indices, hundreds of times: they run outside the modes, in this process."""
    import torch.utils.data.dataloader as loader

    construct, following = loader.DataLoader.__init__, loader._BaseDataLoaderIter.__next__

    def init(self: Any, dataset: Any, *args: Any, **kwargs: Any) -> None:
        for name in ("prefetch_factor", "multiprocessing_context", "worker_init_fn"):
            kwargs.pop(name, None)
        kwargs |= {name: value for name, value in (("num_workers", 0), ("pin_memory", False), ("timeout", 0),
                                                   ("persistent_workers", False)) if name in kwargs}
        construct(self, dataset, *args, **kwargs)
        self._gradsim_workers = 0

    def next_batch(self: Any) -> Any:
        with _disable_current_modes(), torch._C.DisableTorchFunction():
            batch = following(self)
        for one in tree_leaves(batch):
            if isinstance(one, FakeTensor):
                recorder.mark_host(one)
        return batch

    patches.set(loader.DataLoader, "__init__", init)
    patches.set(loader._BaseDataLoaderIter, "__next__", next_batch)


def nothing_saved(patches: Patches, recorder: Recorder) -> None:
    """Fake tensors have no values to save: checkpoints are left out."""
    def skip(*_: Any, **__: Any) -> None:
        recorder.note("saving of checkpoints is left out")

    patches.set(torch, "save", skip)
    with contextlib.suppress(ImportError):
        import torch.distributed.checkpoint as checkpoint

        for name in ("save", "async_save"):
            patches.set(checkpoint, name, skip)


def run_eagerly(patches: Patches, recorder: Recorder) -> None:
    """torch.compile makes kernels for a device: the step is recorded as it is eager, and chains are fused in the export."""
    def compile_(model: Any = None, **_: Any) -> Any:
        recorder.compiled = True
        recorder.note("torch.compile is not run: chains of pointwise operations and reductions count as one kernel each")
        return (lambda function: function) if model is None else model

    def compile_module(self: Any, *_: Any, **__: Any) -> None:
        compile_(self)

    patches.set(torch, "compile", compile_)
    patches.set(torch.nn.Module, "compile", compile_module)


def refuse_processes(patches: Patches, recorder: Recorder) -> None:
    """One rank is recorded in one process: a script that starts its ranks itself would run them for real."""
    import multiprocessing.process
    import os

    import torch.multiprocessing as processes

    def refuse(*_: Any, **__: Any) -> None:
        raise recorder.refuse("the script starts processes, and capture runs one rank in one process",
                              "start the function of one rank, as torchrun does: RANK and WORLD_SIZE are set")

    for owner, name in ((processes, "spawn"), (processes, "start_processes"), (processes.spawn.__globals__, None)):
        if name:
            patches.set(owner, name, refuse)
    patches.set(multiprocessing.process.BaseProcess, "start", refuse)
    patches.set(os, "fork", refuse)


def read_values(patches: Patches, recorder: Recorder) -> None:
    """Numbers that are read from tensors remember it, and tests of them are watched (gradsim.capture.values)."""
    tensor = torch.Tensor
    reads = recorder.reads

    def marked(method: Callable) -> Callable:
        def call(self: torch.Tensor, *args: Any) -> Any:
            before = reads.count
            value = method(self, *args)
            return reads.mark(value, reads.last_place) if reads.count != before and not reads.last_is_known else value
        return call

    def tested(method: Callable) -> Callable:
        def call(self: torch.Tensor) -> bool:
            before = reads.count
            value = method(self)
            return reads.decide(value, reads.last_place) if reads.count != before and not reads.last_is_known else value
        return call

    def listed(method: Callable) -> Callable:
        def call(self: torch.Tensor) -> Any:
            if not isinstance(self, FakeTensor):
                return method(self)
            value = self.reshape(-1)[0].item() if self.numel() else 0
            return _nested(list(self.shape), value)
        return call

    def as_array(self: torch.Tensor, *_: Any, **__: Any) -> Any:
        if not isinstance(self, FakeTensor):
            with _disable_current_modes(), torch._C.DisableTorchFunction():
                return array(self)
        import numpy

        recorder._read_value(self)
        return numpy.ones(tuple(self.shape), dtype=str(self.dtype).removeprefix("torch.").replace("bfloat16", "float32"))

    def shown(self: torch.Tensor, specification: str) -> str:
        return format(self.item(), specification) if isinstance(self, FakeTensor) and self.dim() == 0 else text(self, specification)

    array, text = tensor.numpy, tensor.__format__
    patches.set(tensor, "__format__", shown)
    patches.set(tensor, "item", marked(tensor.item))
    patches.set(tensor, "tolist", marked(listed(tensor.tolist)))
    patches.set(FakeTensor, "tolist", tensor.tolist)
    patches.set(tensor, "__bool__", tested(tensor.__bool__))
    patches.set(tensor, "numpy", as_array)
    patches.set(tensor, "__array__", lambda self, dtype=None, copy=None: as_array(self) if dtype is None else as_array(self).astype(dtype))


def _nested(shape: list[int], value: Any) -> Any:
    return [_nested(shape[1:], value) for _ in range(shape[0])] if shape else value
