"""Fine-tuning by a trainer object, in the manner of high-level libraries: arguments, collator, callbacks, FSDP by layer class,
accumulation, a guard for losses that are not finite, logging by gathered means, a scheduler, early stopping.
"""
import dataclasses
import functools
import json
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.utils.data import DataLoader, Dataset, DistributedSampler


@dataclasses.dataclass
class Arguments:
    per_device_train_batch_size: int = 4
    gradient_accumulation_steps: int = 2
    max_steps: int = 50
    learning_rate: float = 2e-5
    max_grad_norm: float = 1.0
    logging_steps: int = 1
    save_steps: int = 20
    bf16: bool = True
    patience: int = 3
    seed: int = 42


@dataclasses.dataclass
class Output:
    loss: torch.Tensor
    logits: torch.Tensor


class Attention(nn.Module):
    def __init__(self, width, heads, groups):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.query, self.output = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.key, self.value = (nn.Linear(width, groups * self.size, bias=False) for _ in range(2))

    def forward(self, x, mask):
        rows, tokens, width = x.shape
        q = self.query(x).view(rows, tokens, self.heads, self.size).transpose(1, 2)
        k = self.key(x).view(rows, tokens, self.groups, self.size).transpose(1, 2)
        v = self.value(x).view(rows, tokens, self.groups, self.size).transpose(1, 2)
        k, v = (one.repeat_interleave(self.heads // self.groups, dim=1) for one in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.output(y.transpose(1, 2).reshape(rows, tokens, width))


class DecoderLayer(nn.Module):
    def __init__(self, width, heads, groups, hidden):
        super().__init__()
        self.attention = Attention(width, heads, groups)
        self.gate, self.up, self.down = (nn.Linear(*sizes, bias=False) for sizes in ((width, hidden), (width, hidden), (hidden, width)))
        self.before, self.between = nn.RMSNorm(width), nn.RMSNorm(width)

    def forward(self, x, mask):
        x = x + self.attention(self.before(x), mask)
        y = self.between(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class CausalModel(nn.Module):
    def __init__(self, words=32000, width=1024, layers=8, heads=16, groups=4, hidden=2816):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.layers = nn.ModuleList(DecoderLayer(width, heads, groups, hidden) for _ in range(layers))
        self.norm, self.head = nn.RMSNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, input_ids=None, attention_mask=None, labels=None):
        tokens = input_ids.shape[1]
        causal = torch.ones(tokens, tokens, dtype=torch.bool, device=input_ids.device).tril()
        mask = causal & attention_mask[:, None, None, :].bool()
        x = self.embedding(input_ids)
        for layer in self.layers:
            x = layer(x, mask)
        logits = self.head(self.norm(x))
        loss = F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), labels[:, 1:].flatten(), ignore_index=-100)
        return Output(loss, logits)


class Sentences(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        length = 100 + index % 28
        return {"input_ids": [index % 32000] * length, "labels": [index % 32000] * length}


def collate(rows, length=128):
    padded = {key: [row[key] + [fill] * (length - len(row[key])) for row in rows] for key, fill in (("input_ids", 0), ("labels", -100))}
    batch = {key: torch.tensor(value) for key, value in padded.items()}
    batch["attention_mask"] = (batch["labels"] != -100).long()
    return batch


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.worse = patience, None, 0

    def on_log(self, logs):
        if self.best is None or logs["loss"] < self.best:
            self.best, self.worse = logs["loss"], 0
        else:
            self.worse += 1
        return self.worse >= self.patience


class Trainer:
    def __init__(self, model, args, train_dataset, data_collator, callbacks=()):
        self.model, self.args, self.dataset, self.collate, self.callbacks = model, args, train_dataset, data_collator, callbacks
        self.device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        self.logs = []

    def wrap(self):
        torch.cuda.set_device(self.device)
        if not dist.is_initialized():
            dist.init_process_group("nccl", device_id=self.device)
        policy = MixedPrecisionPolicy(torch.bfloat16, torch.float32) if self.args.bf16 else MixedPrecisionPolicy()
        shard = functools.partial(fully_shard, mp_policy=policy)
        for module in self.model.modules():
            if isinstance(module, DecoderLayer):
                shard(module)
        shard(self.model)
        return self.model.train()

    def training_step(self, model, inputs):
        inputs = {key: value.to(self.device) for key, value in inputs.items()}
        loss = model(**inputs).loss / self.args.gradient_accumulation_steps
        loss.backward()
        return loss.detach()

    def train(self):
        args, model = self.args, self.wrap()
        optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / args.max_steps))
        loader = DataLoader(self.dataset, args.per_device_train_batch_size, sampler=DistributedSampler(self.dataset, seed=args.seed),
                            collate_fn=self.collate, num_workers=2, pin_memory=True, prefetch_factor=2, persistent_workers=True)
        total, step = torch.tensor(0.0, device=self.device), 0
        while step < args.max_steps:
            for number, inputs in enumerate(loader):
                last = (number + 1) % args.gradient_accumulation_steps == 0
                model.set_requires_gradient_sync(last)
                loss = self.training_step(model, inputs)
                if torch.isnan(loss) or torch.isinf(loss):
                    loss = total / (1 + step)
                total += loss
                if not last:
                    continue
                norm = nn.utils.clip_grad_norm_(model.parameters(), args.max_grad_norm)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
                step += 1
                if step % args.logging_steps == 0:
                    losses = [torch.zeros_like(total) for _ in range(dist.get_world_size())]
                    dist.all_gather(losses, total)
                    mean = torch.stack(losses).mean().item()
                    total -= total
                    self.logs.append({"loss": round(mean, 4), "grad_norm": norm.full_tensor().item(), "step": step,
                                      "learning_rate": scheduler.get_last_lr()[0]})
                    print(json.dumps(self.logs[-1]))
                    if any([callback.on_log(self.logs[-1]) for callback in self.callbacks]):
                        return
                if step % args.save_steps == 0:
                    torch.save(model.state_dict(), "model.pt")
                if step >= args.max_steps:
                    return


if __name__ == "__main__":
    torch.manual_seed(Arguments.seed)
    Trainer(CausalModel(), Arguments(), Sentences(), collate).train()
