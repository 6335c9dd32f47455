"""Two blocks of a decoder, tensor parallel among all ranks by DTensor, started by torchrun."""
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from llama import Llama


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    model = Llama(vocabulary=32000, width=1024, layers=2, heads=16, hidden=2816).cuda()
    for block in model.blocks:
        plan = {name: ColwiseParallel() for name in ("wq", "wk", "wv", "w1", "w3")}
        parallelize_module(block, mesh, plan | {"wo": RowwiseParallel(), "w2": RowwiseParallel()})
    parallelize_module(model, mesh, {"head": ColwiseParallel(output_layouts=Replicate())})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
    for _ in range(100):
        tokens = torch.randint(0, 32000, (2, 512), device="cuda")
        labels = torch.randint(0, 32000, (2, 512), device="cuda")
        F.cross_entropy(model(tokens).flatten(0, 1), labels.flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
