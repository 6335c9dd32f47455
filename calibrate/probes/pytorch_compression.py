#!/usr/bin/env python3
"""What compression costs inside PyTorch, as CSV: by torch's operators per tensor and per bucket of a model, and as DDP's hooks."""
import argparse
import math
import os
import statistics
import sys
import time

from pytorch_compressors import METHODS, RANK, RATIO

BUCKET_BYTES = 25 << 20  # of DistributedDataParallel; its first bucket is of 1 MiB, which is left out here


def convolutional(plan, classes=1000):
    """[(shape)] of convolutions (out, in, side), each with the two vectors of its normalisation, and a classifier."""
    shapes = []
    for out, inside, side in plan:
        shapes += [(out, inside, side, side), (out,), (out,)]
    return [*shapes, (classes, plan[-1][0]), (classes,)]


def resnet50():
    """He et al. 2016: 25.6 million parameters."""
    plan, inside = [(64, 3, 7)], 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            plan += [(width, inside, 1), (width, width, 3), (4 * width, width, 1)]
            plan += [(4 * width, inside, 1)] if block == 0 else []
            inside = 4 * width
    return convolutional(plan)


def vgg16():
    """Simonyan & Zisserman 2015: 138.4 million parameters."""
    shapes, inside = [], 3
    for out in (64, 64, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512):
        shapes += [(out, inside, 3, 3), (out,)]
        inside = out
    for out, inside in ((4096, 25088), (4096, 4096), (1000, 4096)):
        shapes += [(out, inside), (out,)]
    return shapes


def decoder(layers, width, vocabulary=50257, places=1024):
    """Radford et al. 2019, its output tied to the embedding."""
    shapes = [(vocabulary, width), (places, width)]
    for _ in range(layers):
        shapes += [(width,), (width,), (3 * width, width), (3 * width,), (width, width), (width,)]
        shapes += [(width,), (width,), (4 * width, width), (4 * width,), (width, 4 * width), (width,)]
    return [*shapes, (width,), (width,)]


# Shapes in the order of the parameters; gradients come in the reverse order.
PUBLISHED = {"resnet50": resnet50(), "vgg16": vgg16(), "gpt2_small": decoder(12, 768), "gpt2_medium": decoder(24, 1024)}
SMALL = {"small_decoder": decoder(4, 128, 1000, 128), "small_convolutional": convolutional([(64, 3, 7), (128, 64, 3), (256, 128, 3)])}
MODELS = {**PUBLISHED, **SMALL}
DEFAULTS = {"cuda": PUBLISHED, "cpu": SMALL}  # a processor takes minutes for one method of a published model


def buckets_of(shapes):
    """Indices of the shapes of each bucket: gradients as they come, until BUCKET_BYTES are reached."""
    buckets, held = [[]], 0
    for index in reversed(range(len(shapes))):
        size = 4 * math.prod(shapes[index])
        if buckets[-1] and held + size > BUCKET_BYTES:
            buckets.append([])
            held = 0
        buckets[-1].append(index)
        held += size
    return buckets


class Clock:
    def __init__(self, torch, device):
        self.wait = torch.cuda.synchronize if device == "cuda" else lambda: None

    def median(self, work, seconds):
        """@returns (median in s, repetitions), the device waited for before and after each"""
        times, begun = [], time.perf_counter()
        while len(times) < 3 or (time.perf_counter() - begun < seconds and len(times) < 100):
            self.wait()
            begin = time.perf_counter()
            work()
            self.wait()
            times.append(time.perf_counter() - begin)
        return statistics.median(times), len(times)


def parts_of(torch, method, shapes, pieces, device):
    """One compressor for each piece: a tensor, or a bucket of them as one vector."""
    parts = []
    for piece in pieces:
        own = [shapes[i] for i in piece]
        gradient = 1e-3 * torch.randn(sum(math.prod(shape) for shape in own), device=device)
        parts.append(METHODS[method](torch, gradient, own))
    return parts


def check(parts, what):
    """Runs one step of each part. Raises RuntimeError where a message and its residual are not the gradient."""
    for part in parts:
        part.step()
    worst = max(part.error() for part in parts)
    if not worst <= parts[0].tolerance:
        raise RuntimeError(f"{what}: what arrives and what is kept differ from the gradient by {worst:g} of its largest value")


def measure(torch, said, model, method, clock):
    """Rows of one method on one model: all its tensors one after the other, then all its buckets."""
    shapes = MODELS[model]
    grains = {"tensor": [[i] for i in reversed(range(len(shapes)))], "bucket": buckets_of(shapes)}
    values = sum(math.prod(shape) for shape in shapes)
    for grain, pieces in grains.items():
        parts = parts_of(torch, method, shapes, pieces, said.device)
        check(parts, grain)

        def all_parts(parts=parts):
            for part in parts:
                part.step()

        median, repetitions = clock.median(all_parts, said.seconds)
        count = sum(part.pieces for part in parts)
        yield f"{model},{method},{grain},{count},{values},{repetitions},{1e3 * median:.4f}"


WIDTH = {"cuda": 1024, "cpu": 64}  # of 24 linear layers in whose backward pass DDP's hooks run: 25.2 million parameters


# Until the process ends: a hook's last callback may still hold a group when it is destroyed, and its thread would then
# wait for itself.
kept_groups = []


def hooks(torch):
    """[(name, what registers it)] of DDP's own hooks."""
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook

    def power(net):
        state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=RANK, start_powerSGD_iter=2)
        net.register_comm_hook(state, powerSGD_hook.powerSGD_hook)

    return [
        ("none", lambda net: net.register_comm_hook(None, default_hooks.allreduce_hook)),
        ("fp16", lambda net: net.register_comm_hook(None, default_hooks.fp16_compress_hook)),
        ("powersgd", power),
    ]


def measure_hooks(torch, said, clock):
    """Rows of DDP on one rank: whole passes with each hook, and with an all-reduce, of which one rank sends nothing."""
    store = torch.distributed.HashStore()  # of the one process: no port that another program may have
    torch.distributed.init_process_group("nccl" if said.device == "cuda" else "gloo", store=store, rank=0, world_size=1)
    kept_groups.append(torch.distributed.distributed_c10d._get_default_group())
    width = WIDTH[said.device]
    inputs = torch.randn(8, width, device=said.device)
    for name, register in hooks(torch):
        layers = torch.nn.Sequential(*[torch.nn.Linear(width, width) for _ in range(24)])
        net = torch.nn.parallel.DistributedDataParallel(layers.to(said.device))
        register(net)

        def step(net=net):
            net.zero_grad(set_to_none=True)
            net(inputs).square().mean().backward()

        for _ in range(5):  # PowerSGD begins after two
            step()
        median, repetitions = clock.median(step, said.seconds)
        values = sum(p.numel() for p in net.parameters())
        yield f"linear_24x{width},{name},ddp_pass,1,{values},{repetitions},{1e3 * median:.4f}"
    torch.distributed.destroy_process_group()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", required=True, help="file (CSV), written anew after each row; goes on with one of this PyTorch and device")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--models", help="names separated by commas, or none; default: published ones, small ones on the processor")
    parser.add_argument("--methods", default=",".join(METHODS), help="names separated by commas; default: all")
    parser.add_argument("--no-hooks", action="store_true", help="leave out DDP's hooks")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each case, at least three repetitions")
    said = parser.parse_args()
    said.models = said.models or ",".join(DEFAULTS[said.device])
    for what, known in (("models", MODELS), ("methods", METHODS)):
        unknown = [name for name in getattr(said, what).split(",") if name not in known and (what, name) != ("models", "none")]
        if unknown:
            parser.error(f"--{what}: unknown {', '.join(unknown)}; accepted: {', '.join(known)}")
    return said


def head(torch, device):
    name = torch.cuda.get_device_name() if device == "cuda" else "a processor"
    return [
        f"# device={name}",
        f"# PyTorch {torch.__version__}; compressing and restoring one message of a whole model, no network; with error feedback but for fp16, bf16 and signsgd",
        f"# methods that select at ratio {RATIO:g}; PowerSGD of rank {RANK}; buckets of {BUCKET_BYTES >> 20} MiB; ddp_pass: a forward and backward pass with that hook of DDP's",
        "# licence: facts, measured figures, free to use",
        "# pieces: vectors that are compressed one by one",
        "model,method,grain,pieces,values,repetitions,median_ms",
    ]


def lines_before(path, first):
    """Lines of an earlier run of the same PyTorch on the same device, to go on from; else the first ones.

    Rows that are not whole are left out.
    """
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return first
    columns = first[-1].count(",")
    return first + [line for line in lines[len(first) :] if line.count(",") == columns] if lines[: len(first)] == first else first


def is_there(lines, case, grains):
    """Whether the rows of a case, `model,method` or `model`, are among the lines."""
    return sum(line.startswith(case + ",") for line in lines) >= grains


def without(lines, case):
    return [line for line in lines if not line.startswith(case + ",")]


def complain(text):
    print(f"pytorch_compression: {text}", file=sys.stderr)
    return 3


def write(path, lines):
    """Beside the file and renamed, so that a run that is ended leaves whole rows."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(path + ".new", path)


def main():
    said = arguments()
    try:
        import torch
    except ImportError:
        return complain("PyTorch is not installed in this Python; run this by one that has it")
    if said.device == "cuda" and not torch.cuda.is_available():
        return complain("PyTorch sees no GPU here; --device cpu measures the processor")
    torch.manual_seed(1)
    clock, failed = Clock(torch, said.device), 0
    lines = lines_before(said.output, head(torch, said.device))
    models = [model for model in said.models.split(",") if model != "none"]
    pairs = [(model, method) for model in models for method in said.methods.split(",")]
    cases = [(f"{method} of {model}", f"{model},{method}", 2, measure(torch, said, model, method, clock)) for model, method in pairs]
    cases += [] if said.no_hooks else [("DDP's hooks", f"linear_24x{WIDTH[said.device]}", 3, measure_hooks(torch, said, clock))]
    for what, case, count, rows in cases:
        if is_there(lines, case, count):
            continue
        lines = without(lines, case)
        try:
            for row in rows:
                lines.append(row)
                write(said.output, lines)
        except Exception as failure:  # too little memory, a build without torch.distributed: the others are still measured
            reason = str(failure).splitlines()[0] if str(failure) else type(failure).__name__
            print(f"pytorch_compression: {what}: {reason}", file=sys.stderr)
            failed += 1
        write(said.output, lines)
    return 4 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
