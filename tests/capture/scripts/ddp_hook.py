"""DistributedDataParallel with a communication hook: `fp16`, `power_sgd` or `gather`; without an argument, its own all-reduce."""
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel


def gather_codes(_, bucket):
    """Gathers the gradient in 8 bits and averages it."""
    gradient = bucket.buffer()
    codes = gradient.clamp(-1, 1).mul(127).to(torch.int8)
    gathered = torch.empty(dist.get_world_size() * codes.numel(), dtype=torch.int8, device=codes.device)
    future = dist.all_gather_into_tensor(gathered, codes, async_op=True).get_future()
    return future.then(lambda _: gathered.view(dist.get_world_size(), -1).float().mean(0).div(127))


def main():
    dist.init_process_group("nccl")
    device = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(device)
    network = nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 1024))
    model = DistributedDataParallel(network.cuda(), device_ids=[device])
    hook = sys.argv[1] if len(sys.argv) > 1 else None
    if hook == "fp16":
        model.register_comm_hook(None, default_hooks.fp16_compress_hook)
    elif hook == "power_sgd":
        state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=4, start_powerSGD_iter=2)
        model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    elif hook == "gather":
        model.register_comm_hook(None, gather_codes)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        model(torch.randn(32, 1024, device="cuda")).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
