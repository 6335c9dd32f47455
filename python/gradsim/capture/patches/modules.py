"""Modules: moves and conversions of their parameters, which are fake."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch._subclasses.fake_tensor import FakeTensor

from gradsim.capture.devices import PLAIN, ScriptDevices, is_accelerator, is_host
from gradsim.capture.patches import Patches
from gradsim.capture.recorder import Recorder


def untag(module: torch.nn.Module, devices: ScriptDevices) -> None:
    """Marks the parameters and buffers of a module as being on the device; real buffers become fake."""
    for part in module.modules():
        for table in (part._parameters, part._buffers):
            for name, tensor in table.items():
                if tensor is None:
                    continue
                if type(tensor) is torch.Tensor and not isinstance(tensor, FakeTensor):
                    table[name] = devices.fake_mode.from_tensor(tensor)
                devices.recorder.mark_host(tensor, False)
                devices.recorder.mark_host(getattr(tensor, "_local_tensor", None), False)


def convert_in_place(patches: Patches) -> None:
    """`Module._apply` swaps fake parameters for new ones and fails where anything refers to them ("Couldn't swap").

    New parameters are put into the module, the same one wherever a parameter is shared.
    """
    def apply(self: torch.nn.Module, function: Callable, recurse: bool = True) -> torch.nn.Module:
        done: dict[int, tuple[Any, Any]] = {}

        def converted(tensor: torch.Tensor) -> torch.Tensor:
            if id(tensor) not in done:
                with torch.no_grad():
                    result = function(tensor)
                if isinstance(tensor, torch.nn.Parameter) and result is not tensor:
                    result = torch.nn.Parameter(result, tensor.requires_grad)
                done[id(tensor)] = (tensor, result)
            return done[id(tensor)][1]

        for module in self.modules() if recurse else (self,):
            for table in (module._parameters, module._buffers):
                for name, tensor in table.items():
                    if tensor is not None:
                        table[name] = converted(tensor)
        return self

    patches.set(torch.nn.Module, "_apply", apply)


def move_modules(patches: Patches, recorder: Recorder, devices: ScriptDevices) -> None:
    """`module.to("cuda")` and `module.cuda()` move nothing: parameters are marked, and keep their identity."""
    original = torch.nn.Module.to

    def to(self: torch.nn.Module, *args: Any, **kwargs: Any) -> torch.nn.Module:
        targets = [*args, *kwargs.values()]
        if any(is_accelerator(one) or type(one) is int for one in targets):
            recorder.asked_for_device = True
            untag(self, devices)
        rest = tuple(one for one in args if not _is_device(one))
        rest_named = {key: value for key, value in kwargs.items() if not _is_device(value) and key != "device"}
        return original(self, *rest, **rest_named) if rest or rest_named else self

    def cuda(self: torch.nn.Module, *_: Any) -> torch.nn.Module:
        return to(self, "cuda")

    def to_empty(self: torch.nn.Module, *, device: Any, recurse: bool = True) -> torch.nn.Module:
        target = PLAIN if is_accelerator(device) or type(device) is int else device
        self._apply(lambda one: torch.empty_like(one, device=target), recurse=recurse)
        return to(self, device)

    patches.set(torch.nn.Module, "to", to)
    patches.set(torch.nn.Module, "cuda", cuda)
    patches.set(torch.nn.Module, "to_empty", to_empty)


def _is_device(value: Any) -> bool:
    return isinstance(value, torch.device) or is_accelerator(value) or is_host(value) or type(value) is int


def initial_values(patches: Patches) -> None:
    """`trunc_normal_` draws again until no value is outside of its bounds; values do not matter."""
    init = torch.nn.init
    names = [name for name in ("trunc_normal_", "_no_grad_trunc_normal_") if hasattr(init, name)]
    for name in names:
        patches.replace_everywhere(getattr(init, name), lambda tensor, *_, **__: init.normal_(tensor))


def addresses(patches: Patches, recorder: Recorder) -> None:
    """Fake tensors all have the address 0, by which some libraries look up which parameter is which: they get different ones."""
    original = torch.Tensor.data_ptr

    def data_ptr(self: torch.Tensor) -> int:
        return recorder.number_of(self) << 20 if isinstance(self, FakeTensor) else original(self)

    patches.set(torch.Tensor, "data_ptr", data_ptr)
