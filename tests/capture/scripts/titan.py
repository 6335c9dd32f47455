"""A trainer of large models from parts: a TOML file of settings, a mesh of several dimensions, a model on the meta device,
tensor and sequence parallelism, activation checkpointing of each block, FSDP2, a container of optimizers, metrics that all ranks reduce.

  torchrun titan.py --config titan.toml
"""
import argparse
import os
import time
import tomllib

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed._functional_collectives import all_reduce as functional_all_reduce
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel,
                                               parallelize_module)


def rotate(x, angles):
    first, second = x.float().chunk(2, dim=-1)
    cosine, sine = angles.cos(), angles.sin()
    return torch.cat([first * cosine - second * sine, first * sine + second * cosine], dim=-1).type_as(x)


class Attention(nn.Module):
    def __init__(self, width, heads, groups):
        super().__init__()
        self.size = width // heads
        self.wq, self.wo = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.wk, self.wv = (nn.Linear(width, groups * self.size, bias=False) for _ in range(2))

    def forward(self, x, angles):
        rows, tokens, _ = x.shape
        q, k, v = (w(x).view(rows, tokens, -1, self.size) for w in (self.wq, self.wk, self.wv))
        q, k = rotate(q, angles), rotate(k, angles)
        times = q.shape[2] // k.shape[2]
        k, v = (one.repeat_interleave(times, dim=2) for one in (k, v))
        y = F.scaled_dot_product_attention(*(one.transpose(1, 2) for one in (q, k, v)), is_causal=True)
        return self.wo(y.transpose(1, 2).reshape(rows, tokens, -1))


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.w1, self.w3 = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.w2 = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class TransformerBlock(nn.Module):
    def __init__(self, width, heads, groups, hidden):
        super().__init__()
        self.attention, self.feed_forward = Attention(width, heads, groups), FeedForward(width, hidden)
        self.attention_norm, self.ffn_norm = nn.RMSNorm(width), nn.RMSNorm(width)

    def forward(self, x, angles):
        x = x + self.attention(self.attention_norm(x), angles)
        return x + self.feed_forward(self.ffn_norm(x))


class Transformer(nn.Module):
    def __init__(self, words, width, layers, heads, groups, hidden, context):
        super().__init__()
        self.tok_embeddings = nn.Embedding(words, width)
        self.layers = nn.ModuleDict({str(i): TransformerBlock(width, heads, groups, hidden) for i in range(layers)})
        self.norm, self.output = nn.RMSNorm(width), nn.Linear(width, words, bias=False)
        self.context, self.size = context, width // heads
        self.register_buffer("angles", self.make_angles(), persistent=False)

    def make_angles(self):
        rates = 500000.0 ** (-torch.arange(0, self.size, 2)[: self.size // 2].float() / self.size)
        return torch.outer(torch.arange(self.context, device=rates.device), rates)[None, :, None, :]

    def init_weights(self, device):
        with torch.device(device):
            self.angles = self.make_angles()
        for one in self.parameters():
            nn.init.trunc_normal_(one, std=0.02)

    def forward(self, tokens):
        x = self.tok_embeddings(tokens)
        for layer in self.layers.values():
            x = layer(x, self.angles[:, : tokens.shape[1]])
        return self.output(self.norm(x))


def apply_tensor_parallel(model, mesh):
    parallelize_module(model, mesh, {
        "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "output": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate())})
    for block in model.layers.values():
        parallelize_module(block, mesh, {
            "attention_norm": SequenceParallel(),
            "attention": PrepareModuleInput(input_layouts=(Shard(1), None), desired_input_layouts=(Replicate(), None)),
            "attention.wq": ColwiseParallel(), "attention.wk": ColwiseParallel(), "attention.wv": ColwiseParallel(),
            "attention.wo": RowwiseParallel(output_layouts=Shard(1)),
            "ffn_norm": SequenceParallel(),
            "feed_forward": PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
            "feed_forward.w1": ColwiseParallel(), "feed_forward.w3": ColwiseParallel(),
            "feed_forward.w2": RowwiseParallel(output_layouts=Shard(1))})


class Optimizers(torch.optim.Optimizer):
    """All optimizers of a rank as one."""

    def __init__(self, parts):
        self.parts = [torch.optim.AdamW(part.parameters(), lr=3e-4, fused=True) for part in parts]
        super().__init__([one for part in parts for one in part.parameters()], {})

    def step(self):
        for part in self.parts:
            part.step()

    def zero_grad(self):
        for part in self.parts:
            part.zero_grad()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--config", required=True)
    with open(arguments.parse_args().config, "rb") as file:
        config = tomllib.load(file)
    training, parallel = config["training"], config["parallelism"]
    device_type, device_module = "cuda", torch.get_device_module("cuda")
    device = torch.device(f"{device_type}:{os.environ['LOCAL_RANK']}")
    device_module.set_device(device)
    dist.init_process_group("cuda:nccl,cpu:gloo")
    mesh = init_device_mesh(device_type, (dist.get_world_size() // parallel["tensor"], parallel["tensor"]), mesh_dim_names=("dp", "tp"))
    with torch.device("meta"):
        model = Transformer(context=training["sequence"], **config["model"])
    if parallel["tensor"] > 1:
        apply_tensor_parallel(model, mesh["tp"])
    for name, block in model.layers.named_children():
        if training["checkpoint"]:
            model.layers.register_module(name, checkpoint_wrapper(block, preserve_rng_state=False))
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model.layers.values():
        fully_shard(block, mesh=mesh["dp"], mp_policy=policy)
    fully_shard(model, mesh=mesh["dp"], mp_policy=policy)
    model.to_empty(device=device_type)
    with torch.no_grad():
        model.init_weights(device_type)
    model.train()
    optimizers = Optimizers([model])
    began, words = time.perf_counter(), config["model"]["words"]
    for step in range(1, training["steps"] + 1):
        tokens = torch.randint(0, words, (training["batch"], training["sequence"] + 1)).to(device)
        optimizers.zero_grad()
        logits = model(tokens[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())
        del logits
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
        norm = norm.full_tensor() if isinstance(norm, DTensor) else norm
        optimizers.step()
        if step == 1 or step % 10 == 0:
            mean = functional_all_reduce(loss.detach(), "sum", mesh["dp"]).item() / mesh["dp"].size()
            memory = device_module.max_memory_reserved() / 2**30
            print(f"step {step}: loss {mean:.4f} norm {norm.item():.4f} memory {memory:.2f} GiB {time.perf_counter() - began:.1f} s")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
