#!/usr/bin/env python3
"""The best rate of square matrix products in PyTorch by precision, as CSV: what a device reaches of its peak."""
import argparse
import sys
import time

SIZES = {"cuda": (4096, 8192), "cpu": (512, 1024)}
CALLS, REPETITIONS = 10, 3


def types(torch, device):
    """[(precision, type, whether TF32 is allowed)]"""
    if device == "cpu":
        return [("fp32", torch.float32, False)]
    return [("fp32", torch.float32, False), ("tf32", torch.float32, True), ("bf16", torch.bfloat16, False), ("fp16", torch.float16, False)]


def seconds_of(torch, device, work):
    """The shortest mean of a call, the device waited for."""
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    work()
    times = []
    for _ in range(REPETITIONS):
        wait()
        begin = time.perf_counter()
        for _ in range(CALLS):
            work()
        wait()
        times.append((time.perf_counter() - begin) / CALLS)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    said = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("pytorch_products: PyTorch is not installed in this Python; run this by one that has it", file=sys.stderr)
        return 3
    if said.device == "cuda" and not torch.cuda.is_available():
        print("pytorch_products: PyTorch sees no GPU here; --device cpu measures the processor", file=sys.stderr)
        return 3
    print(f"# PyTorch {torch.__version__}; shortest of {REPETITIONS} means of {CALLS} products\nprecision,size,flop_per_s")
    for precision, kind, tf32 in types(torch, said.device):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        for size in SIZES[said.device]:
            one, other = (torch.randn(size, size, device=said.device).to(kind) for _ in range(2))
            seconds = seconds_of(torch, said.device, lambda: one @ other)
            print(f"{precision},{size},{2 * size**3 / seconds:.6g}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
