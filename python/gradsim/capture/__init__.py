"""Records one training step of an unmodified PyTorch script on one CPU, without a GPU, weights or a network.

The script runs in this process as one rank of a world that a fake process group pretends; its tensors are fake (shape and
type only). What it calls becomes a list of operations with FLOPs, bytes, streams and dependencies, which `sim run` reads as a
workload by `graph`.

`CaptureRefused` and `merge` are importable without PyTorch; `record_script` (in `launcher`) and `world` (in `recording`) need it.

Leaves out: kernels of torch.compile, memory, times of the host, what other ranks do differently.
"""

from gradsim.capture.merging import merge
from gradsim.capture.refusal import CaptureRefused

__all__ = ["CaptureRefused", "merge"]
