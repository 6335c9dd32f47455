"""A job of one rank whose two lines record it, and which ends after 23 steps without a word: record_two_lines.py NAME."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import gradsim.torch  # the first line

with tempfile.TemporaryDirectory() as folder:
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
    model = DistributedDataParallel(torch.nn.Linear(8, 4))
    gradsim.torch.record(model, sys.argv[1], data_set="made_up", data_set_samples=100)  # the second
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(23):
        optimizer.zero_grad()
        model(torch.randn(16, 8)).square().sum().backward()
        optimizer.step()
    dist.destroy_process_group()
