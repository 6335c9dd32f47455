"""The devices of the script: `cuda` becomes the fake device, small data of the host stays real.

Fake tensors of a GPU cannot be differentiated on a machine without one (autograd asks for the stream of the device), so the
fake device is the CPU. Which tensors the script keeps on its host is remembered: reading those is no wait for the device.
"""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes, is_traceable_wrapper_subclass
from torch.utils._pytree import tree_leaves

from gradsim.capture.recorder import REAL_VALUES, Recorder
from gradsim.capture.refusal import script_place
from gradsim.capture.values import steering

ACCELERATORS = ("cuda", "xpu", "hpu")

# Functions that make tensors of given values or sizes.
FROM_DATA = (torch.tensor, torch.as_tensor, torch.asarray)
FACTORIES = (torch.zeros, torch.ones, torch.full, torch.empty, torch.rand, torch.randn, torch.randint, torch.randperm,
             torch.arange, torch.linspace, torch.eye, torch.normal)
FINITE_TESTS = {torch.isnan: False, torch.Tensor.isnan: False, torch.isinf: False, torch.Tensor.isinf: False,
                torch.isfinite: True, torch.Tensor.isfinite: True}
COMBINATIONS: dict[Callable, Callable[[list], Any]] = {
    torch.any: any, torch.Tensor.any: any, torch.all: all, torch.Tensor.all: all, torch.logical_not: lambda all_: not all_[0],
    torch.logical_or: any, torch.Tensor.logical_or: any, torch.logical_and: all, torch.Tensor.logical_and: all,
    torch.Tensor.__or__: any, torch.Tensor.__and__: all, torch.Tensor.__invert__: lambda all_: not all_[0],
    torch.Tensor.sum: any, torch.sum: any}
ARITHMETIC = frozenset({"add", "sub", "mul", "div", "true_divide", "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__",
                        "__truediv__", "__rtruediv__", "__rdiv__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__pow__", "pow",
                        "add_", "sub_", "mul_", "div_", "fill_", "clamp", "clamp_", "tensor", "as_tensor", "full", "format"})


def is_accelerator(value: Any) -> bool:
    """Whether an argument names the device of the script: `cuda`, `cuda:3`, or the device that replaced it."""
    if isinstance(value, str):
        return value.split(":")[0] in ACCELERATORS
    return isinstance(value, torch.device) and (value.type in ACCELERATORS or value == MARKED)


def is_host(value: Any) -> bool:
    return isinstance(value, str) and value.split(":")[0] == "cpu"


def _is_move(value: Any) -> bool:
    """Whether an argument of `Tensor.to` moves to the device: a device, or its number."""
    return is_accelerator(value) or type(value) is int


MARKED = torch.device("cpu", 0)  # what `torch.device("cuda")` of the script returns: differs from torch.device("cpu")
PLAIN = torch.device("cpu")


class ScriptDevices(TorchFunctionMode):
    """Every call of a PyTorch function by the script passes here before it runs."""

    def __init__(self, recorder: Recorder, fake_mode: FakeTensorMode):
        super().__init__()
        self.recorder, self.fake_mode = recorder, fake_mode
        self._special: dict[Any, Any] = {
            torch.device: self._device, torch.Tensor.to: self._to, torch.Tensor.cuda: self._cuda, torch.Tensor.cpu: self._cpu,
            torch.Tensor.pin_memory: lambda func, args, kwargs: args[0],
            torch.Tensor.is_pinned: lambda func, args, kwargs: False}
        self._special |= dict.fromkeys(FROM_DATA, self._from_data) | dict.fromkeys(FACTORIES, self._factory)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        special = self._special.get(func)
        if special is not None:
            return special(func, args, kwargs)
        self._refuse_read_sizes(func, args)
        if any(map(is_accelerator, args)) or any(map(is_accelerator, kwargs.values())):
            self.recorder.asked_for_device = True
            args = tuple(PLAIN if is_accelerator(one) else one for one in args)
            kwargs = {key: PLAIN if is_accelerator(one) else one for key, one in kwargs.items()}
        out = func(*args, **kwargs)
        if func in FINITE_TESTS:
            self._remember(out, FINITE_TESTS[func])
        elif func in COMBINATIONS:
            known = [getattr(one, "_gradsim_known", None) for one in args if isinstance(one, torch.Tensor)]
            if known and None not in known:
                self._remember(out, COMBINATIONS[func](known))
        return out

    @staticmethod
    def _remember(out: Any, known: bool) -> None:
        if isinstance(out, torch.Tensor):
            out._gradsim_known = known

    def _refuse_read_sizes(self, func: Callable, args: tuple) -> None:
        name = getattr(func, "__name__", str(func))
        if name in ARITHMETIC:
            return
        for one in args:
            parts = one if isinstance(one, (list, tuple)) else (one.start, one.stop) if isinstance(one, slice) else (one,)
            for part in parts:
                if type(part) is self.recorder.reads.int_type:
                    raise self.recorder.keep(steering(script_place(), part.read_at, f"it is a size or an index of `{name}`"))

    # Devices and moves.

    def _device(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value = args[0] if args else kwargs.get("type", kwargs.get("device"))
        if is_accelerator(value) or isinstance(value, int):
            self.recorder.asked_for_device = True
            return MARKED
        return func(*args, **kwargs)

    def _to(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tensor, targets = args[0], [*args[1:], *kwargs.values()]
        other = next((one for one in targets if isinstance(one, FakeTensor)), None)
        if any(map(_is_move, targets)):
            tensor = self.to_device(tensor)
        elif any(map(is_host, targets)):
            tensor = self._to_host(tensor)
        elif other is not None and not self.recorder.is_on_host(other):
            tensor = self.to_device(tensor)
        rest = (PLAIN if _is_move(one) else one for one in args[1:])
        return func(tensor, *rest, **{key: PLAIN if _is_move(one) else one for key, one in kwargs.items()})

    def _cuda(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.recorder.asked_for_device = True
        return self.to_device(args[0])

    def _cpu(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._to_host(args[0])

    def to_device(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor on the fake device. Leaves out: the time of the copy, which takes the host's link to its device."""
        self.recorder.asked_for_device = True
        if isinstance(tensor, FakeTensor):
            return self.recorder.mark_host(tensor.clone(), False) if self.recorder.is_on_host(tensor) else tensor
        if is_traceable_wrapper_subclass(tensor):
            return tensor  # such as a DTensor, which lives where its parts do
        return self.fake_mode.from_tensor(tensor)

    def _to_host(self, tensor: torch.Tensor) -> torch.Tensor:
        if isinstance(tensor, FakeTensor) and not self.recorder.is_on_host(tensor):
            copied = tensor.clone()
            self.recorder.wait_on_host("copy to the host", self.recorder.current.head())
            known = getattr(tensor, "_gradsim_known", None)
            if known is not None:
                copied._gradsim_known = known
            return self.recorder.mark_host(copied)
        return tensor

    # Data of the host.

    def _on_host(self, kwargs: dict) -> bool:
        device = kwargs.get("device")
        return device is None or is_host(device)

    def _without_marks(self, kwargs: dict) -> dict:
        if is_accelerator(kwargs.get("device")) or isinstance(kwargs.get("device"), int):
            self.recorder.asked_for_device = True
            return {**kwargs, "device": PLAIN}
        return kwargs

    def _from_data(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if any(isinstance(one, FakeTensor) for one in tree_leaves(args)):
            return func(*args, **self._without_marks(kwargs))
        on_host = self._on_host(kwargs)
        with _disable_current_modes():
            real = func(*args, **self._without_marks(kwargs))
        return real if on_host or real.device.type == "meta" else self.fake_mode.from_tensor(real)

    def _factory(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._refuse_read_sizes(func, args)
        if not self._on_host(kwargs):
            return func(*args, **self._without_marks(kwargs))
        out = func(*args, **kwargs)
        if isinstance(out, FakeTensor) and not out.is_floating_point() and not out.is_complex() and out.numel() <= REAL_VALUES:
            with _disable_current_modes():
                return func(*args, **kwargs)
        return self.recorder.mark_host(out)
