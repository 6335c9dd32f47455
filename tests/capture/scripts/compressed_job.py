"""A job of two ranks that records itself, with or without a hook that compresses its gradients:

    torchrun --nproc-per-node 2 compressed_job.py NAME [topk RATIO | fp16 | int8]
Rank 0 prints the median time of a step and the loss at the end.
"""

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import gradsim.torch

STEPS, BATCH, WIDTH, CLASSES = 40, 16, 1024, 10

name, method = sys.argv[1], (sys.argv[2:] or [None])[0]
ratio = {"ratio": float(sys.argv[3])} if method == "topk" else {}
torch.set_num_threads(1)
torch.manual_seed(1)
dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Sequential(
    torch.nn.Linear(64, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, WIDTH),
    torch.nn.ReLU(), torch.nn.Linear(WIDTH, CLASSES)), bucket_cap_mb=4)
hook = gradsim.torch.hook(method, **ratio) if method else None
recording = gradsim.torch.record(model, name, data_set="made_up", data_set_samples=2 * STEPS * BATCH, every=10, hook=hook)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
generator = torch.Generator().manual_seed(dist.get_rank())
centres = torch.randn(CLASSES, 64, generator=torch.Generator().manual_seed(7))
times = []
for step in range(STEPS):
    began = time.perf_counter()
    labels = torch.randint(0, CLASSES, (BATCH,), generator=generator)
    samples = centres[labels] + torch.randn(BATCH, 64, generator=generator)
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(samples), labels)
    loss.backward()
    optimizer.step()
    recording.note(loss=loss)
    times.append(time.perf_counter() - began)
recording.close()
if dist.get_rank() == 0:
    print(f"{method or 'dense'}: {1e3 * statistics.median(times):.0f} ms a step, loss {loss.item():.3f}")
dist.destroy_process_group()
