"""DistributedDataParallel on fake tensors."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.utils._python_dispatch import _disable_current_modes

from gradsim.capture.devices import ScriptDevices
from gradsim.capture.patches import Patches
from gradsim.capture.patches.modules import untag
from gradsim.capture.recorder import Recorder


def record_ddp(patches: Patches, recorder: Recorder, devices: ScriptDevices) -> None:
    """Constructor, buckets and hooks; the buckets, their order and their times are those of PyTorch's reducer."""
    import torch.nn.parallel.distributed as ddp

    # It compares shapes across ranks by reading what was exchanged.
    patches.set(ddp, "_verify_param_shape_across_processes", lambda *_, **__: None)
    parallel = ddp.DistributedDataParallel
    construct, pre_forward, register = parallel.__init__, parallel._pre_forward, parallel.register_comm_hook

    def init(self: Any, module: torch.nn.Module, device_ids: Any = None, output_device: Any = None, *args: Any,
             **kwargs: Any) -> None:
        if device_ids is not None:
            recorder.asked_for_device = True
            untag(module, devices)
        if kwargs.pop("gradient_as_bucket_view", False):  # buckets are real memory, and gradients would be
            recorder.note("gradient_as_bucket_view is left out: copies into buckets and back are counted")
        construct(self, module, None, None, *args, **kwargs)
        # The built-in hook of the reducer asks the all-reduce for its value; the fake one has none.
        self._gradsim_hook = _BucketHook(recorder, self.process_group)
        register(self, None, self._gradsim_hook.reduce)

    def before_forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        # It reads the order of the buckets, which it has broadcast; the buckets are real memory that stays untouched.
        if torch.is_grad_enabled():
            with _disable_current_modes():
                self.reducer._rebuild_buckets()
        return pre_forward(self, *args, **kwargs)

    def register_comm_hook(self: Any, state: object, hook: Any) -> None:
        self._gradsim_hook.stated = (state, hook)  # the reducer accepts one hook, which is ours

    patches.set(parallel, "__init__", init)
    patches.set(parallel, "_pre_forward", before_forward)
    patches.set(parallel, "register_comm_hook", register_comm_hook)


class _BucketHook:
    """The reducer's hook: an all-reduce of the bucket, or what the script registered; awaited at the end of backward."""

    def __init__(self, recorder: Recorder, group: Any):
        self.recorder, self.group = recorder, group
        self.stated: tuple[Any, Any] | None = None

    def reduce(self, _state, bucket):  # type: ignore[no-untyped-def]  # PyTorch compares annotations, which are texts in this file
        before = len(self.recorder.operations)
        if self.stated is None:
            dist.all_reduce(bucket.buffer(), group=self.group, async_op=True)
        else:
            state, hook = self.stated
            hook(state, bucket)
        launched = [one for one in self.recorder.operations[before:] if one.communicates]
        for one in launched:
            one.gradient = self.stated is None  # a hook may send codes, factors or flags
        self._wait_at_end({one.index for one in launched})
        done: torch.futures.Future = torch.futures.Future()
        done.set_result(bucket.buffer())
        return done

    def _wait_at_end(self, launched: set[int]) -> None:
        stream = self.recorder.current
        torch.autograd.Variable._execution_engine.queue_callback(lambda: stream.waits.update(launched))
