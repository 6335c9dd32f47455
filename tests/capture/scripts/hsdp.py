"""FSDP2 on a mesh of replicas and shards: a tied head, activation checkpointing, and two micro-batches a step."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.checkpoint import checkpoint

WIDTH, WORDS = 1024, 32000


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(WIDTH, 16, 4 * WIDTH, batch_first=True, dropout=0.0) for _ in range(4))
        self.head = nn.Linear(WIDTH, WORDS, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False)
        return self.head(x)


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    mesh = init_device_mesh("cuda", (dist.get_world_size() // 8, 8), mesh_dim_names=("replicate", "shard"))
    model = Network().to("cuda")
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    for _ in range(5):
        for micro_batch in range(2):
            model.set_requires_gradient_sync(micro_batch == 1)
            tokens = torch.randint(0, WORDS, (2, 512), device="cuda")
            loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten()) / 2
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
