#!/usr/bin/env python3
"""What a step of top-k with error feedback costs by PyTorch's operators: a file of kernel times, to be held against `calibrate probe kernels`."""
import argparse
import datetime
import math
import pathlib
import platform
import statistics
import sys
import time

HEADER = "compressor,elements,ratio,repetitions,median_us,min_us,p95_us,copy_us,wire_bytes,copies,restore_us"
WARM_UP_STEPS = 3
BYTES_PER_KEPT = 8  # a value and its index of four bytes each


class Timer:
    """Seconds of work on the device, its L2 cache cold; on the processor as the clock says.

    Overwriting a buffer before the work empties the cache, and gives the host time to submit the work: where the
    device is faster twice in a row, the buffer is doubled.
    """

    MOST_OVERWRITTEN = 4 << 30

    def __init__(self, torch, device):
        self.torch, self.on_device = torch, device == "cuda"
        if self.on_device:
            facts = torch.cuda.get_device_properties(0)
            cache = getattr(facts, "L2_cache_size", 0) or 64 << 20
            self.overwritten = torch.empty(4 * cache, dtype=torch.uint8, device=device)
            self.was_late = False
            self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def time_of(self, work):
        if not self.on_device:
            began = time.perf_counter()
            work()
            return time.perf_counter() - began
        self.overwritten.zero_()
        self.begin.record()
        work()
        late = self.begin.query()
        self.end.record()
        self.end.synchronize()
        if late and self.was_late and len(self.overwritten) < self.MOST_OVERWRITTEN:
            size, self.overwritten = 2 * len(self.overwritten), None
            self.overwritten = self.torch.empty(size, dtype=self.torch.uint8, device="cuda")
        self.was_late = late
        return self.begin.elapsed_time(self.end) / 1000


class Rank:
    """Takes part in step after step with the same gradient."""

    def __init__(self, torch, elements, ratio, device):
        self.torch = torch
        self.kept = max(1, math.floor(ratio * elements + 0.5))
        self.gradient = 1e-3 * torch.randn(elements, device=device)
        self.residual = torch.zeros(elements, device=device)
        self.sum = torch.zeros(elements, device=device)

    def step(self):
        self.residual.add_(self.gradient)
        _, self.places = self.torch.topk(self.residual.abs(), self.kept, sorted=False)
        self.sent = self.residual[self.places]
        self.residual[self.places] = 0
        self.restore()

    def restore(self):
        self.sum.index_add_(0, self.places, self.sent)

    def copy(self):
        self.sum.copy_(self.gradient)

    def check_first_step(self):
        """What was sent and what is kept add up to the gradient, and nothing kept is larger than what was sent."""
        self.step()
        if not self.torch.equal(self.sum + self.residual, self.gradient):
            raise RuntimeError("the first step neither sent nor kept some value")
        sent = self.sum[self.sum != 0].abs()
        if len(sent) != self.kept or sent.min() < self.residual.abs().max():
            raise RuntimeError("the first step sent other values than the largest")


def measure(torch, said, elements, ratio, timer):
    """One row of the file."""
    rank = Rank(torch, elements, ratio, said.device)
    rank.check_first_step()
    for _ in range(WARM_UP_STEPS - 1):
        rank.step()
    steps, restores, copies = [], [], []
    while len(steps) < 200 and (len(steps) < 5 or sum(steps) + sum(copies) < said.seconds):
        steps.append(timer.time_of(rank.step))
        restores.append(timer.time_of(rank.restore))
        copies.append(timer.time_of(rank.copy))
    median, copy = statistics.median(steps), statistics.median(copies)
    p95 = sorted(steps)[math.ceil(0.95 * len(steps)) - 1]
    figures = [f"{1e6 * figure:.4f}" for figure in (median, min(steps), p95, copy)]
    return ",".join(
        ["pytorch_topk", str(elements), f"{ratio:g}", str(len(steps)), *figures, str(BYTES_PER_KEPT * rank.kept)]
        + [f"{median / copy:.3f}", f"{1e6 * statistics.median(restores):.4f}"]
    )


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "an unknown processor"


def provenance(torch, device):
    on_device = device == "cuda"
    name = torch.cuda.get_device_name() if on_device else f"{processor()}, one thread"
    return [
        f"# device={name}",
        f"# {platform.system()} {platform.release()}, measured {datetime.date.today()}",
        f"# PyTorch {torch.__version__}, CUDA {torch.version.cuda or 'none'}, Python {platform.python_version()}",
        *(["# times of the device, its L2 cache cold"] if on_device else []),
        "# values bell_shaped; a step is residual += gradient, topk of the magnitudes, values at the places, zeros "
        "there, and adding the message to a sum, which restore_us states separately",
        "# licence: facts, measured figures, free to use",
    ]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="file (CSV); default: standard output")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="cpu: one thread")
    parser.add_argument("--elements", default="1e6,4e6,25e6,100e6", help="values of a gradient, separated by commas")
    parser.add_argument("--ratios", default="0.1,0.01,0.001", help="kept / original, separated by commas")
    parser.add_argument("--seconds", type=float, default=0.5, help="steps and copies of each case (default 0.5)")
    return parser.parse_args()


def main():
    said = arguments()
    try:
        import torch
    except ImportError:
        print("pytorch_top_k: PyTorch is not installed in this Python; run this by one that has it", file=sys.stderr)
        return 3
    if said.device == "cuda" and not torch.cuda.is_available():
        print("pytorch_top_k: PyTorch sees no GPU here; --device cpu measures the processor", file=sys.stderr)
        return 3
    torch.manual_seed(1)
    torch.set_num_threads(1)
    timer = Timer(torch, said.device)
    lines = provenance(torch, said.device) + [HEADER]
    for elements in (int(float(text)) for text in said.elements.split(",")):
        for ratio in (float(text) for text in said.ratios.split(",")):
            print(f"{elements} values, ratio {ratio:g}", file=sys.stderr)
            lines.append(measure(torch, said, elements, ratio, timer))
    text = "\n".join(lines) + "\n"
    if said.output:
        said.output.write_text(text)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
