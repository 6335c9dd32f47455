"""The world of a recording: modes, patches and the fake process group, for the time of one `with`."""

from __future__ import annotations

import contextlib
import warnings
from typing import Iterator

import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode

from gradsim.capture.devices import ScriptDevices
from gradsim.capture.patches import Patches, arithmetic, cuda, ddp, fsdp1, meshes, modules, process_groups, surroundings
from gradsim.capture.recorder import Recorder
from gradsim.capture.values import Reads


@contextlib.contextmanager
def world(size: int, *, rank: int = 0, per_node: int = 8, reads: Reads | None = None) -> Iterator[Recorder]:
    """Everything inside believes to be rank `rank` of `size` ranks, with `per_node` GPUs on each machine.

    Nothing is allocated, computed or sent; `Recorder.operations` of what is yielded has all operations so far.
    """
    recorder = Recorder(rank, size, per_node, reads)
    fake_mode = FakeTensorMode(allow_non_fake_inputs=True)
    devices = ScriptDevices(recorder, fake_mode)
    patches = Patches()
    library = _apply(patches, recorder, devices, per_node)
    try:
        with warnings.catch_warnings(), fake_mode, recorder, devices:
            warnings.filterwarnings("ignore", message="Accessing the data pointer of FakeTensor")  # by FSDP, to compare storages
            yield recorder
    finally:
        patches.restore()
        library._destroy()
        if dist.is_initialized():
            dist.destroy_process_group()


def _apply(patches: Patches, recorder: Recorder, devices: ScriptDevices, per_node: int) -> torch.library.Library:
    meshes.recorded_handles(patches, recorder, per_node)
    meshes.named_replicas(patches, recorder)
    meshes.true_meshes(patches)
    meshes.shard_on_device(patches, devices)
    meshes.silent_propagation(patches, recorder)
    meshes.random_on_device(patches)
    meshes.eager_collectives(patches)
    process_groups.fake_groups(patches, recorder)
    process_groups.finished_works(patches, recorder)
    process_groups.objects_stay(patches, recorder)
    process_groups.sends_by_one(patches)
    cuda.pretend_devices(patches, recorder, per_node)
    cuda.refuse_triton(patches, recorder)
    cuda.one_generator(patches)
    modules.convert_in_place(patches)
    modules.initial_values(patches)
    modules.addresses(patches, recorder)
    modules.move_modules(patches, recorder, devices)
    ddp.record_ddp(patches, recorder, devices)
    fsdp1.record_fsdp1(patches, recorder, devices, per_node)
    arithmetic.fused_attention(patches)
    arithmetic.optimizers_as_on_cuda(patches, recorder)
    surroundings.load_outside(patches, recorder)
    surroundings.nothing_saved(patches, recorder)
    surroundings.run_eagerly(patches, recorder)
    surroundings.refuse_processes(patches, recorder)
    surroundings.read_values(patches, recorder)
    return arithmetic.autocast_as_on_cuda(patches)
