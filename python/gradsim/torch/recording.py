"""`record`: checks what a job states and begins to follow its model."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from gradsim.torch import recorder
from gradsim.torch.hooks import Hook
from gradsim.torch.recorder import Recording
from gradsim.torch.refusal import Refused
from gradsim.torch.rows import Facts
from gradsim.torch.statistics import RelativeChange, stride_for

RATIOS = (0.1, 0.01, 0.001)
FOLDER_HINT = "name files in a folder that can be written"


def record(model: DistributedDataParallel, name: str | os.PathLike, *, data_set: str, data_set_samples: int,
           batch: int | None = None, every: int = 20, steps: int = 10_000, ratios: tuple[float, ...] = RATIOS,
           hook: Hook | None = None, source: str = "", licence: str = "not stated") -> Recording:
    """Records a running job from now on, on every rank: sizes and times of its buckets, norms of its gradients, gains of top-k
    per ratio with and without error feedback, noise scale, and the relative change of the gradient (SelSync's Delta).

    Rank 0 writes NAME.yaml with NAME.layers.csv and NAME.times.csv, a workload, and NAME.record.csv, for
    `learner: {kind: replay}`; from time to time, after `steps` steps, at the end of the process, and on `close()`, which all
    ranks call.

    model: a DistributedDataParallel without a communication hook. name: path without ending. data_set, data_set_samples: the
    training set and its size, an epoch. batch: samples of each rank and step; counted by the first dimension of the model's
    first tensor where it is not stated. every: steps from one recorded step to the next, as `learner.record.every`; the
    relative change is recorded in each, and ranks gather as often. steps: after which the recording closes itself. ratios: kept /
    original, each in (0, 1). hook: of `gradsim.torch.hook`, which compresses the job's gradients; a noise scale is measured
    without one only.
    source, licence: of the figures, as they are written into the files. Raises Refused.

    Of a large gradient, every N-th value represents all in gains. Times are those of rank 0, medians over the steps.
    Leaves out: FSDP and other forms of sharding; the scale of a GradScaler, which norms have in them (gains and relative changes
    at a constant scale are right); clipping, which comes after the exchange; what an exchange takes from the backward pass beside
    it, which counts as computing, and all of an exchange that a hook awaits (int8).
    """
    if not isinstance(model, DistributedDataParallel):
        raise Refused("model", f"expected a DistributedDataParallel, found {type(model).__name__}",
                      "wrap it: DistributedDataParallel(model)")
    if recorder.active is not None:
        raise Refused("model", f"this process already records {recorder.active.path}", "close() that recording first")
    _check_numbers({"data_set_samples": data_set_samples, "every": every, "steps": steps, "batch": 1 if batch is None else batch})
    _check_ratios(ratios)
    if hook is not None and (not isinstance(hook, Hook) or not hook.compression):
        raise Refused("hook", "expected a hook of gradsim.torch.hook that a record can name: topk, fp16 or int8",
                      "record without it: norms and gains are those of whole gradients")
    path = _writable(Path(name))
    ranks = model.process_group.size()
    if ranks == 1:
        warnings.warn("gradsim.torch.record: one rank has no noise scale, which compares gradients of several; all else is "
                      "recorded", stacklevel=2)
    facts = Facts(type(model.module).__name__, data_set, data_set_samples, ranks, source or _source(model), licence,
                  _device_name(model), hook.compression if hook else "none", tuple(sorted(ratios)), smoothing=min(1.0, ranks / 100),
                  window=RelativeChange.WINDOW, stride=_stride(model), buffer_bytes=_buffer_bytes(model))
    return recorder.follow(Recording(model, path, facts, every, steps, batch, hook))


def _source(model: DistributedDataParallel) -> str:
    script = os.path.basename(sys.argv[0]) or "an interactive session"
    ranks, backend = model.process_group.size(), dist.get_backend(model.process_group)
    return f"gradsim.torch.record of {script}, {ranks} ranks, PyTorch {torch.__version__}, {backend}"


def _device_name(model: DistributedDataParallel) -> str:
    device = next(model.parameters()).device
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def _stride(model: DistributedDataParallel) -> int:
    return stride_for(sum(one.numel() for one in model.parameters() if one.requires_grad))


def _buffer_bytes(model: DistributedDataParallel) -> int:
    """Size of the buffers that are broadcast before each forward pass."""
    return sum(one.numel() * one.element_size() for one in model.module.buffers()) if model.broadcast_buffers else 0


def _check_numbers(stated: dict[str, object]) -> None:
    for name, value in stated.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise Refused(name, f"expected a whole number of at least 1, found {value!r}", f"such as {name}=32")


def _check_ratios(ratios: tuple[float, ...]) -> None:
    for one in ratios:
        if not isinstance(one, float) or not 0 < one < 1:
            raise Refused("ratios", f"expected numbers above 0 and below 1, found {one!r}", "such as ratios=(0.1, 0.01)")
    if len(set(ratios)) < len(ratios):
        raise Refused("ratios", f"duplicate ratio in {ratios!r}", "name each ratio once")


def _writable(path: Path) -> Path:
    """The path; its folder is made. Raises Refused where it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused("name", f"cannot make the folder {path.parent}: {error.strerror}", FOLDER_HINT) from error
    if not os.access(path.parent, os.W_OK):
        raise Refused("name", f"cannot write into {path.parent}", FOLDER_HINT)
    return path
