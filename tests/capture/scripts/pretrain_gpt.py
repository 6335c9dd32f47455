"""Pretraining of a small GPT in one file, as single-file trainers do it: settings as globals that the command line overrides,
tokens from a memory-mapped file, gradient accumulation under DDP, autocast, evaluation, checkpoints, utilisation.

  torchrun pretrain_gpt.py --data=tokens.bin [--name=value ...]
"""
import math
import os
import sys
import time
from contextlib import nullcontext

import numpy
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel

data = "tokens.bin"
out = "checkpoints"
layers, heads, width, words, context = 12, 12, 768, 50304, 1024
batch, accumulation, dropout = 12, 16, 0.0
iterations, warm_up, rate = 600000, 2000, 6e-4
evaluate_every, evaluations, log_every = 2000, 20, 10
dtype = "bfloat16"
compiled = True
for argument in sys.argv[1:]:
    key, value = argument.removeprefix("--").split("=")
    globals()[key] = type(globals()[key])(value)


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.inputs, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        rows, tokens, _ = x.size()
        q, k, v = (one.view(rows, tokens, heads, width // heads).transpose(1, 2) for one in self.inputs(x).split(width, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout if self.training else 0, is_causal=True)
        return self.output(y.transpose(1, 2).contiguous().view(rows, tokens, width))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = SelfAttention()
        self.feed_forward = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(dropout))

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.feed_forward(self.second(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(words, width), nn.Embedding(context, width)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.tokens.weight = self.head.weight
        for name, one in self.named_parameters():
            if one.dim() > 1:
                nn.init.normal_(one, std=0.02 / (math.sqrt(2 * layers) if name.endswith("output.weight") else 1))

    def forward(self, x, targets):
        positions = torch.arange(x.size(1), dtype=torch.long, device=x.device)
        y = self.tokens(x) + self.positions(positions)
        for layer in self.layers:
            y = layer(y)
        logits = self.head(self.norm(y))
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)


parallel = int(os.environ.get("RANK", -1)) != -1
if parallel:
    init_process_group(backend="nccl")
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    device = f"cuda:{os.environ['LOCAL_RANK']}"
    torch.cuda.set_device(device)
    assert accumulation % world == 0
    accumulation //= world
else:
    rank, world, device = 0, 1, "cuda"
if rank == 0:
    os.makedirs(out, exist_ok=True)
torch.manual_seed(1337 + rank)
torch.backends.cuda.matmul.allow_tf32 = True
kind = "cuda" if "cuda" in device else "cpu"
number = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[dtype]
autocast = nullcontext() if kind == "cpu" else torch.amp.autocast(device_type=kind, dtype=number)


def next_batch():
    stored = numpy.memmap(data, dtype=numpy.uint16, mode="r")
    starts = torch.randint(len(stored) - context, (batch,))
    x = torch.stack([torch.from_numpy(stored[i:i + context].astype(numpy.int64)) for i in starts])
    y = torch.stack([torch.from_numpy(stored[i + 1:i + 1 + context].astype(numpy.int64)) for i in starts])
    if kind == "cuda":
        return x.pin_memory().to(device, non_blocking=True), y.pin_memory().to(device, non_blocking=True)
    return x.to(device), y.to(device)


model = GPT()
model.to(device)
scaler = torch.amp.GradScaler(device=kind, enabled=dtype == "float16")
decayed = [one for one in model.parameters() if one.dim() >= 2]
others = [one for one in model.parameters() if one.dim() < 2]
optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=rate,
                              betas=(0.9, 0.95), fused=kind == "cuda")
if compiled:
    model = torch.compile(model)
if parallel:
    model = DistributedDataParallel(model, device_ids=[int(os.environ["LOCAL_RANK"])])
plain = model.module if parallel else model


@torch.no_grad()
def mean_loss():
    model.eval()
    losses = torch.zeros(evaluations)
    for k in range(evaluations):
        x, y = next_batch()
        with autocast:
            _, loss = model(x, y)
        losses[k] = loss.item()
    model.train()
    return losses.mean()


best, iteration, began = 1e9, 0, time.time()
x, y = next_batch()
while True:
    share = iteration / warm_up if iteration < warm_up else 0.5 * (1 + math.cos(math.pi * iteration / iterations))
    for group in optimizer.param_groups:
        group["lr"] = rate * share
    if iteration % evaluate_every == 0 and rank == 0:
        loss = mean_loss()
        print(f"iteration {iteration}: validation loss {loss:.4f}")
        if loss < best:
            best = loss
            if iteration > 0:
                torch.save({"model": plain.state_dict(), "optimizer": optimizer.state_dict()}, os.path.join(out, "last.pt"))
    for micro_batch in range(accumulation):
        if parallel:
            model.require_backward_grad_sync = micro_batch == accumulation - 1
        with autocast:
            _, loss = model(x, y)
            loss = loss / accumulation
        x, y = next_batch()
        scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    if iteration % log_every == 0 and rank == 0:
        shown = loss.item() * accumulation
        print(f"iteration {iteration}: loss {shown:.4f}, {1e3 * (time.time() - began):.0f} ms")
    iteration += 1
    if iteration > iterations:
        break
if parallel:
    destroy_process_group()
