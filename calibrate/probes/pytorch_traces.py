#!/usr/bin/env python3
"""Trains models for a few steps under PyTorch's profiler: one trace per model and batch, for `calibrate import kineto`."""
import argparse
import gzip
import json
import pathlib
import shutil
import subprocess
import sys
import time

LICENCE = "facts: measured figures, free to use"


def vision(name, image=224):
    def make(torch, batch, device):
        import torchvision

        model = getattr(torchvision.models, name)(weights=None)
        inputs = torch.randn(batch, 3, image, image, device=device)
        labels = torch.randint(0, 1000, (batch,), device=device)
        return model, lambda net: torch.nn.functional.cross_entropy(net(inputs), labels)

    return make


def lstm(torch, batch, device):
    """The large language model of Zaremba et al. 2014: two layers of 1500, vocabulary 10 000, 35 words a sample."""
    vocabulary, width, words = 10_000, 1500, 35

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(vocabulary, width)
            self.cells = torch.nn.LSTM(width, width, 2, batch_first=True)
            self.decoder = torch.nn.Linear(width, vocabulary)

        def forward(self, text):
            return self.decoder(self.cells(self.embedding(text))[0])

    text = torch.randint(0, vocabulary, (batch, words + 1), device=device)
    return Model(), lambda net: torch.nn.functional.cross_entropy(
        net(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten()
    )


def transformer(torch, batch, device):
    """The base encoder and decoder of Vaswani et al. 2017 on 64 words a sample, vocabulary 37 000 shared."""
    vocabulary, width, words = 37_000, 512, 64

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(vocabulary, width)
            self.body = torch.nn.Transformer(width, 8, 6, 6, 2048, batch_first=True)

        def forward(self, source, target):
            mixed = self.body(self.embedding(source), self.embedding(target))
            return mixed @ self.embedding.weight.T

    source = torch.randint(0, vocabulary, (batch, words), device=device)
    target = torch.randint(0, vocabulary, (batch, words + 1), device=device)
    return Model(), lambda net: torch.nn.functional.cross_entropy(
        net(source, target[:, :-1]).flatten(0, 1), target[:, 1:].flatten()
    )


def bert(layers, width, vocabulary=30_522, places=512, words=128):
    """Masked words with a post-normed encoder after Devlin et al. 2019, heads of 64, its decoder tied to the embedding."""

    def make(torch, batch, device):
        nn = torch.nn

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(places, width)
                self.kinds, self.norm = nn.Embedding(2, width), nn.LayerNorm(width, eps=1e-12)
                layer = nn.TransformerEncoderLayer(width, width // 64, 4 * width, 0.1, "gelu", batch_first=True)
                self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
                self.head = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width, eps=1e-12))
                self.bias = nn.Parameter(torch.zeros(vocabulary))

            def forward(self, text):
                places = torch.arange(text.shape[1], device=text.device)
                mixed = self.words(text) + self.places(places) + self.kinds(torch.zeros_like(text))
                return self.head(self.body(self.norm(mixed))) @ self.words.weight.T + self.bias

        text = torch.randint(0, vocabulary, (batch, words), device=device)
        return Model(), lambda net: torch.nn.functional.cross_entropy(net(text).flatten(0, 1), text.flatten())

    return make


def gpt2(layers, width, heads, vocabulary=50_257, places=1024):
    """The decoder of Radford et al. 2019 on whole contexts, in bf16 where autocast says so, with PyTorch's own attention."""

    def make(torch, batch, device):
        nn = torch.nn

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
                self.three, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
                self.wide = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

            def forward(self, x):
                samples, words, _ = x.shape
                split = self.three(self.before(x)).view(samples, words, 3, heads, width // heads)
                query, key, value = split.permute(2, 0, 3, 1, 4)
                mixed = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
                x = x + self.out(mixed.transpose(1, 2).reshape(samples, words, width))
                return x + self.wide(self.after(x))

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(places, width)
                self.blocks, self.norm = nn.Sequential(*[Block() for _ in range(layers)]), nn.LayerNorm(width)

            def forward(self, text):
                at = torch.arange(text.shape[1], device=text.device)
                return self.norm(self.blocks(self.words(text) + self.places(at))) @ self.words.weight.T

        text = torch.randint(0, vocabulary, (batch, places + 1), device=device)

        def loss_of(net):
            with torch.autocast(device, dtype=torch.bfloat16):
                return torch.nn.functional.cross_entropy(net(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())

        return Model(), loss_of

    return make


MODELS = {
    "resnet18": (vision("resnet18"), (32, 128)),
    "resnet50": (vision("resnet50"), (32, 128)),
    "resnet101": (vision("resnet101"), (32, 128)),
    "vgg11": (vision("vgg11"), (32, 128)),
    "vgg16": (vision("vgg16"), (32, 128)),
    "alexnet": (vision("alexnet"), (32, 128)),
    "vit_b_16": (vision("vit_b_16"), (32, 128)),
    "lstm": (lstm, (20, 80)),
    "transformer": (transformer, (32, 128)),
    "bert_base": (bert(12, 768), (8, 32)),
    "gpt2_small": (gpt2(12, 768, 12), (4, 16)),
    "gpt2_medium": (gpt2(24, 1024, 16), (4, 8)),
    "gpt2_xl": (gpt2(48, 1600, 25), (1, 2)),
    "bert_tiny": (bert(1, 64, vocabulary=256, words=16), (1, 2)),  # for rehearsals
}


UNFINISHED = ".unfinished"  # folder below that of the traces: what is in it is still being written


def import_trace(calibrate, trace, workload, batch, device):
    """The workload of a trace; by the machine that traced it, since the trace may be too large to be moved."""
    source = f"calibrate probe layers on {device}"
    words = [calibrate, "import", "kineto", trace, "--batch", str(batch), "--source", source, "--licence", LICENCE, "--quiet", "-o", workload]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"not imported: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")


def compress(trace, folder):
    """TRACE.gz in the folder, once it is whole, in place of TRACE. @returns its path"""
    zipped = trace.with_name(trace.name + ".gz")
    with open(trace, "rb") as file, gzip.open(zipped, "wb", compresslevel=6) as out:
        shutil.copyfileobj(file, out)
    trace.unlink()
    return zipped.replace(folder / zipped.name)


def train_under_profiler(torch, make, batch, device, steps, warm_up, folder, name):
    """Writes NAME_bBATCH.json; returns what was done."""
    model, loss_of = make(torch, batch, device)
    model.to(device).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.profiler.record_function("## forward ##"):
            loss = loss_of(model)
        with torch.profiler.record_function("## backward ##"):
            loss.backward()
        optimizer.step()

    def settle():
        if device == "cuda":
            torch.cuda.synchronize()

    for _ in range(warm_up):
        step()
    settle()
    began = time.perf_counter()
    for _ in range(steps):
        step()
    settle()
    unprofiled = (time.perf_counter() - began) / steps
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    schedule = torch.profiler.schedule(wait=0, warmup=1, active=steps, repeat=1)
    with torch.profiler.profile(activities=activities, schedule=schedule, record_shapes=True) as profiler:
        for _ in range(steps + 1):
            step()
            settle()
            profiler.step()
    path = folder / f"{name}_b{batch}.json"
    profiler.export_chrome_trace(str(path))
    return {
        "trace": str(path),
        "model": name,
        "batch": batch,
        "parameters": sum(p.numel() for p in model.parameters() if p.requires_grad),
        "step_s_without_profiler": unprofiled,
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        "torch": torch.__version__,
    }


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder of the traces")
    parser.add_argument("--models", default=",".join(name for name in MODELS if name != "bert_tiny"), help="names separated by commas; default: all")
    parser.add_argument("--batches", help="samples, separated by commas; default: two that suit the model")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--steps", type=int, default=5, help="profiled (default 5)")
    parser.add_argument("--warm-up", type=int, default=10, help="steps before (default 10)")
    parser.add_argument("--tf32", action="store_true", help="matrix products in TF32 instead of fp32")
    parser.add_argument("--calibrate", metavar="PROGRAM", help="also imports each trace by it: NAME_bBATCH.yaml")
    said = parser.parse_args()
    unknown = set(said.models.split(",")) - set(MODELS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(MODELS)}")
    return said


def main():
    said = arguments()
    try:
        import torch
    except ImportError:
        print("pytorch_traces: PyTorch is not installed in this Python; run this by one that has it", file=sys.stderr)
        return 3
    if said.device == "cuda" and not torch.cuda.is_available():
        print("pytorch_traces: PyTorch sees no GPU here; --device cpu profiles the processor", file=sys.stderr)
        return 3
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = said.tf32
    torch.backends.cudnn.allow_tf32 = said.tf32
    (said.output / UNFINISHED).mkdir(parents=True, exist_ok=True)
    skipped = 0
    for name in said.models.split(","):
        make, usual = MODELS[name]
        batches = [int(batch) for batch in said.batches.split(",")] if said.batches else usual
        for batch in batches:
            print(f"{name}, batch {batch}", file=sys.stderr)
            try:
                unfinished = said.output / UNFINISHED
                done = train_under_profiler(torch, make, batch, said.device, said.steps, said.warm_up, unfinished, name)
                trace = pathlib.Path(done["trace"])
                try:
                    if said.calibrate:
                        import_trace(said.calibrate, trace, said.output / f"{trace.stem}.yaml", batch, done["device"])
                finally:
                    done["trace"] = str(compress(trace, said.output))
            except Exception as failure:  # a missing package, memory that is too small: the others are still measured
                reason = str(failure).splitlines()[0] if str(failure) else type(failure).__name__
                print(f"{name}, batch {batch}: skipped: {reason}", file=sys.stderr)
                skipped += 1
            else:
                print(json.dumps(done), flush=True)
            if said.device == "cuda":
                torch.cuda.empty_cache()
    shutil.rmtree(said.output / UNFINISHED, ignore_errors=True)
    return 4 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
