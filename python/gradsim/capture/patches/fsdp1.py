"""FullyShardedDataParallel, the older form of FSDP: flat parameters on the fake device, with recorded streams."""

from __future__ import annotations

import warnings
from typing import Any

import torch

from gradsim.capture.devices import PLAIN, ScriptDevices
from gradsim.capture.patches import Patches
from gradsim.capture.patches.modules import untag
from gradsim.capture.recorder import Recorder
from gradsim.capture.streams import device_handle


def record_fsdp1(patches: Patches, recorder: Recorder, devices: ScriptDevices, per_node: int) -> None:
    """It compares the device of the mesh with that of the parameters, and takes streams from the module of the device."""
    import torch.distributed.fsdp as fsdp
    from torch.distributed.fsdp import _common_utils, _init_utils

    construct = fsdp.FullyShardedDataParallel.__init__
    handle = device_handle(recorder, per_node)

    def init(self: Any, module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
        recorder.asked_for_device = True
        untag(module, devices)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the module is on the CPU, which is the fake device
            construct(self, module, *args, **kwargs | {"device_id": None})
        recorder.flat_modules.append(self)

    patches.set(fsdp.FullyShardedDataParallel, "__init__", init)
    def set_handle(state: Any, *_: Any) -> Any:
        state._device_handle = handle
        return state

    patches.replace_everywhere(_init_utils._init_device_handle, set_handle)
    patches.set(_common_utils._FSDPDeviceHandle, "from_device", classmethod(lambda cls, device: handle))
    patches.set(_init_utils, "_get_compute_device", lambda *_: PLAIN)
