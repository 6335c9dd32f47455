"""Functions that run in several processes as the ranks of a training job, over gloo on the CPU; for the tests of this folder."""

import sys
import tempfile
import warnings
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))
torch.set_num_threads(1)  # so that processes can be forked


def run_ranks(work, world, *arguments):
    """What `work(rank, *arguments)` returns on each of `world` ranks, in their order. An exception of a rank is raised here."""
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(_run_rank, (work, world, folder, arguments), nprocs=world, start_method="fork")
        return [torch.load(f"{folder}/{rank}", weights_only=False) for rank in range(world)]


def _run_rank(rank, work, world, folder, arguments):
    warnings.simplefilter("ignore", FutureWarning)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=world)
    torch.save(work(rank, *arguments), f"{folder}/{rank}")
    dist.barrier()
    dist.destroy_process_group()


class Given(torch.nn.Module):
    """A model whose gradient is what its forward pass is given: the loss is the sum of parameters times these values.

    shapes: of its parameters; the values of all follow each other."""

    def __init__(self, *shapes):
        super().__init__()
        self.parts = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(shape)) for shape in shapes])

    def forward(self, gradient):
        values = gradient.flatten().split([one.numel() for one in self.parts])
        return sum((one.flatten() * value).sum() for one, value in zip(self.parts, values))

    def gradient(self):
        return torch.cat([one.grad.flatten() for one in self.parts])
