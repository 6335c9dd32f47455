"""Device meshes and FSDP2: true numbers, recorded streams."""

from __future__ import annotations

import functools
import inspect
import math
from typing import Any, Callable

import torch
from torch.utils._python_dispatch import _disable_current_modes

from gradsim.capture.devices import ScriptDevices, is_accelerator
from gradsim.capture.patches import Patches
from gradsim.capture.patches.modules import untag
from gradsim.capture.recorder import Recorder
from gradsim.capture.streams import device_handle


def _with_true_numbers(function: Callable) -> Callable:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        args = tuple("cpu" if is_accelerator(one) else one for one in args)
        kwargs = {key: "cpu" if is_accelerator(one) else one for key, one in kwargs.items()}
        with _disable_current_modes(), torch._C.DisableTorchFunction():
            return function(*args, **kwargs)
    return call


def true_meshes(patches: Patches) -> None:
    """A mesh keeps its ranks in tensors and reads them: its methods run outside the modes, on the device `cpu`."""
    import torch.distributed.device_mesh as meshes

    mesh = meshes.DeviceMesh
    for name, member in list(vars(mesh).items()):
        if inspect.isfunction(member) and name not in ("__eq__", "__hash__", "__enter__", "__exit__", "__repr__"):
            patches.set(mesh, name, _with_true_numbers(member))
        elif isinstance(member, staticmethod):
            patches.set(mesh, name, staticmethod(_with_true_numbers(member.__func__)))
        elif isinstance(member, property) and member.fget is not None:
            patches.set(mesh, name, property(_with_true_numbers(member.fget)))
    patches.replace_everywhere(meshes.init_device_mesh, _with_true_numbers(meshes.init_device_mesh))


SHARED_DIMENSIONS = frozenset({"tp", "tensor", "tensor_parallel", "cp", "context", "context_parallel", "sp", "sequence", "pp",
                               "pipeline", "pipeline_parallel"})


def replica_of(names: Any, shape: Any) -> int | None:
    """Ranks of a mesh that compute the same samples: the product of the dimensions that are named so; None for other names.

    >>> replica_of(("dp", "tp"), (4, 8)), replica_of(("dp_shard",), (8,)), replica_of(None, (8,))
    (8, None, None)
    """
    sizes = [size for name, size in zip(names or (), shape) if name in SHARED_DIMENSIONS]
    return math.prod(sizes) if sizes else None


def named_replicas(patches: Patches, recorder: Recorder) -> None:
    """Names of mesh dimensions say which ranks share their samples; `true_meshes` follows."""
    import torch.distributed.device_mesh as meshes

    initialize = meshes.DeviceMesh.__init__

    @functools.wraps(initialize)
    def remember(self: Any, *args: Any, **kwargs: Any) -> None:
        initialize(self, *args, **kwargs)
        found = replica_of(self.mesh_dim_names, self.mesh.shape)
        if found is not None:
            recorder.replica = max(found, recorder.replica or 1)

    patches.set(meshes.DeviceMesh, "__init__", remember)


def recorded_handles(patches: Patches, recorder: Recorder, per_node: int) -> None:
    """FSDP2 orders its copies and collectives by streams and events of `_get_device_handle`: ours become dependencies."""
    import torch.distributed.device_mesh as meshes
    import torch.distributed.fsdp  # noqa: F401  its modules take the function by name

    handle = device_handle(recorder, per_node)
    patches.replace_everywhere(meshes._get_device_handle, lambda *_: handle)


def shard_on_device(patches: Patches, devices: ScriptDevices) -> None:
    """`fully_shard` and `distribute_tensor` move parameters to the device of the mesh by themselves."""
    import torch.distributed.fsdp as fsdp
    import torch.distributed.tensor as tensors

    original, distribute = fsdp.fully_shard, tensors.distribute_tensor

    @functools.wraps(original)
    def fully_shard(module: Any, *args: Any, **kwargs: Any) -> Any:
        for one in module if isinstance(module, (list, tuple)) else [module]:
            untag(one, devices)
        return original(module, *args, **kwargs)

    @functools.wraps(distribute)
    def distribute_tensor(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        return distribute(devices.recorder.mark_host(tensor, False), *args, **kwargs)

    for name in ("state", "unshard"):
        if hasattr(original, name):
            setattr(fully_shard, name, getattr(original, name))
    patches.replace_everywhere(original, fully_shard)
    patches.replace_everywhere(distribute, distribute_tensor)


def silent_propagation(patches: Patches, recorder: Recorder) -> None:
    """DTensor runs operations on tensors of the whole size to find out shapes, in each step or in the first: no work."""
    import torch.distributed.tensor._sharding_prop as propagation

    def silent(function: Callable) -> Callable:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with recorder.pause():
                return function(*args, **kwargs)
        return call

    patches.wrap(propagation.ShardingPropagator, "_propagate_tensor_meta_non_cached", silent)


def eager_collectives(patches: Patches) -> None:
    """A FakeTensorMode counts as tracing, where functional collectives wait at once; eager ones wait when they are used."""
    import torch.distributed._functional_collectives as functional

    patches.replace_everywhere(functional._are_we_tracing, lambda: False)


def random_on_device(patches: Patches) -> None:
    """DTensor keeps the state of the device's random numbers in step among ranks, which asks for a GPU; no value matters here."""
    import torch.distributed.tensor._random as random

    patches.replace_everywhere(random.is_rng_supported_mesh, lambda *_: False)
