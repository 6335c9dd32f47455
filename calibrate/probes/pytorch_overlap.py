#!/usr/bin/env python3
"""How much longer matrix products and backward passes take beside a copy by c thread blocks at a set rate, as CSV.

The copy emulates the channels of a collective on one GPU, with c and the rate chosen here and not by NCCL. Leaves out: waiting
for other ranks; a third of the memory traffic (2 bytes for each byte sent, a ring's all-reduce moves about 3).
"""
import argparse
import ctypes
import datetime
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# (channels, GB/s that are copied): first those of an exchange over network interfaces, then of links inside a node.
PAIRS = ((4, 50), (2, 50), (16, 200), (2, 12.5), (8, 50), (24, 370), (1, 12.5), (16, 50), (32, 370), (24, 200), (4, 12.5))
PROCESSOR_PAIRS = ((1, 0.5), (2, 1))
SIZES = {"cuda": (8192, 4096, 16384, 2048, 1024), "cpu": (256, 128)}
MOST_BLOCKS = 32
REGION_BYTES = 16 << 20  # of each block: 32 of them are beyond every cache
LIMIT_S = 4.0  # after which a copy ends by itself
SAMPLE_S = 0.02  # of work between two looks at the clock
LEAST_ROUNDS = 3
LAUNCH_BOUND, GRAPH_CALLS = 2048, 64  # products up to this size are launched so many at a time


class DeviceCopy:
    """The copy of overlap_copy.cu."""

    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        self.library.overlap_copy_open.restype = ctypes.c_void_p
        self.library.overlap_copy_open.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_size_t)
        self.library.overlap_copy_start.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_double)
        pointers = tuple(ctypes.POINTER(kind) for kind in (ctypes.c_double, ctypes.c_double, ctypes.c_int))
        self.library.overlap_copy_stop.argtypes = (ctypes.c_void_p, *pointers)
        self.library.overlap_copy_close.argtypes = (ctypes.c_void_p,)
        self.library.overlap_copy_close.restype = None
        self.library.overlap_copy_error.restype = ctypes.c_char_p
        self.copier = self.library.overlap_copy_open(0, MOST_BLOCKS, REGION_BYTES)
        if not self.copier:
            raise RuntimeError(self.error())

    def error(self):
        return self.library.overlap_copy_error().decode()

    def start(self, channels, bytes_per_second):
        if self.library.overlap_copy_start(self.copier, channels, bytes_per_second, LIMIT_S) != 0:
            raise RuntimeError(self.error())

    def stop(self):
        """@returns (bytes per second, multiprocessors that were held); raises RuntimeError where blocks had ended before"""
        copied, seconds, places = ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
        if self.library.overlap_copy_stop(self.copier, ctypes.byref(copied), ctypes.byref(seconds), ctypes.byref(places)) != 0:
            raise RuntimeError(self.error())
        return copied.value / max(seconds.value, 1e-9), places.value

    def close(self):
        self.library.overlap_copy_close(self.copier)


class ProcessorCopy:
    """Threads that copy, for a rehearsal on a processor."""

    CHUNK = 1 << 20

    def __init__(self, torch):
        self.torch, self.threads = torch, []

    def start(self, channels, bytes_per_second):
        self.over, self.copied, self.begun = threading.Event(), [0] * channels, time.perf_counter()
        pause = channels * self.CHUNK / bytes_per_second

        def copy(number):
            one, other = (self.torch.zeros(self.CHUNK, dtype=self.torch.uint8) for _ in range(2))
            while not self.over.is_set() and time.perf_counter() - self.begun < LIMIT_S:
                other.copy_(one)
                self.copied[number] += self.CHUNK
                due = self.begun + self.copied[number] / self.CHUNK * pause
                self.over.wait(max(0, due - time.perf_counter()))

        self.threads = [threading.Thread(target=copy, args=(i,), daemon=True) for i in range(channels)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()
        return sum(self.copied) / (time.perf_counter() - self.begun), len(self.copied)

    def close(self):
        pass


def find_library(said):
    """The library as named, as built, or compiled now. @returns (path, None) or (None, why there is none)"""
    built = os.path.join(HERE, "..", "..", "build-gpu", "bin", "liboverlap_copy.so")
    path = said or built
    if os.path.exists(path):
        return path, None
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if said or not nvcc:
        return None, f"no library `{path}`; build it: ninja overlap_copy"
    path = os.path.join(tempfile.mkdtemp(), "liboverlap_copy.so")
    words = (nvcc, "-std=c++20", "-O2", "-arch=native", "-shared", "-Xcompiler=-fPIC", "-cudart", "static", "-o", path)
    done = subprocess.run((*words, os.path.join(HERE, "overlap_copy.cu")), capture_output=True, text=True, timeout=120, check=False)
    return (path, None) if done.returncode == 0 else (None, f"nvcc: {(done.stderr.splitlines() or ['failed'])[0]}")


def products(torch, device, size):
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    one, other = (torch.randn(size, size, device=device).to(kind) for _ in range(2))
    out = torch.empty_like(one)
    work = lambda: torch.mm(one, other, out=out)  # noqa: E731
    return (work, 1) if device == "cpu" or size > LAUNCH_BOUND else (as_graph(torch, work), GRAPH_CALLS)


def as_graph(torch, work):
    """So many calls as one launch: a short product alone would measure how fast the host launches."""
    work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(GRAPH_CALLS):
            work()
    return graph.replay


def backward_of(torch, loss, model):
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return lambda: torch.autograd.grad(loss, parameters, retain_graph=True), 1


def blocks(torch, device):
    """A stack of pre-normed transformer blocks with causal attention, as GPTs have: 8 of width 2048, 4 x 1024 words, in bf16."""
    layers, width, samples, words = (8, 2048, 4, 1024) if device == "cuda" else (2, 64, 2, 32)
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    layer = torch.nn.TransformerEncoderLayer(width, max(1, width // 128), 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
    model = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).to(device, kind).train()
    mask = torch.full((words, words), float("-inf")).triu(1).to(device, kind)
    text = torch.randn(samples, words, width, device=device).to(kind)
    return backward_of(torch, model(text, mask=mask).float().square().mean(), model)


def resnet50(torch, device):
    """In bf16 by autocast, channels last, 64 pictures; raises ImportError without torchvision."""
    import torchvision

    batch, side = (64, 224) if device == "cuda" else (1, 32)
    model = torchvision.models.resnet50(weights=None).to(device, memory_format=torch.channels_last).train()
    pictures = torch.randn(batch, 3, side, side, device=device).to(memory_format=torch.channels_last)
    with torch.autocast(device, dtype=torch.bfloat16):
        loss = model(pictures).float().square().mean()
    return backward_of(torch, loss, model)


def works(torch, device):
    """[(what, size, what makes (work, how often it does it))], the most telling first."""
    rows = [("transformer_backward", 0, lambda: blocks(torch, device)), ("resnet50_backward", 0, lambda: resnet50(torch, device))]
    return rows + [("matrix_product", size, lambda size=size: products(torch, device, size)) for size in SIZES[device]]


class Clock:
    def __init__(self, torch, device):
        self.torch, self.on_device = torch, device == "cuda"

    def wait(self):
        if self.on_device:
            self.torch.cuda.synchronize()

    def seconds(self, work, calls):
        """Of one call, by the stream's own clock: the copy beside it does not end."""
        if not self.on_device:
            begin = time.perf_counter()
            for _ in range(calls):
                work()
            return (time.perf_counter() - begin) / calls
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(calls):
            work()
        end.record()
        end.synchronize()
        return 1e-3 * begin.elapsed_time(end) / calls


def measure(work, count, copy, clock, pair, seconds):
    """Alternates alone and beside, so that a clock that drifts counts for both. @returns (s alone, s beside, bytes per second, multiprocessors held)"""
    channels, gigabytes = pair
    calls = max(1, int(SAMPLE_S / max(clock.seconds(work, 1), 1e-6)))
    alone, beside, copies, begun = [], [], [], time.perf_counter()
    while len(alone) < LEAST_ROUNDS or time.perf_counter() - begun < seconds:
        clock.wait()
        alone.append(clock.seconds(work, calls))
        clock.wait()
        copy.start(channels, 1e9 * gigabytes)
        try:
            beside.append(clock.seconds(work, calls))
        finally:
            copies.append(copy.stop())
    rates, places = zip(*copies)
    return statistics.median(alone) / count, statistics.median(beside) / count, statistics.median(rates), min(places)


def row(what, size, pair, found):
    alone, beside, rate, places = found
    return f"{what},{size},{pair[0]},{pair[1]:g},{rate / 1e9:.4g},{1e3 * alone:.5g},{1e3 * beside:.5g},{beside / alone - 1:.5f},{places}"


def memory_rate(torch, device, clock):
    """Bytes per second of a long copy, reads and writes counted."""
    count = (1 << 28) if device == "cuda" else (1 << 22)
    one, other = (torch.zeros(count, device=device) for _ in range(2))
    other.copy_(one)
    clock.wait()
    return 2 * 4 * count / min(clock.seconds(lambda: other.copy_(one), 3) for _ in range(3))


def head(torch, device, rate):
    name, many = "a processor", os.cpu_count()
    if device == "cuda":
        facts = torch.cuda.get_device_properties(0)
        name, many = facts.name, facts.multi_processor_count
    return [
        f"# device={name}",
        f"# multiprocessors={many}",
        f"# memory_gb_per_s={rate / 1e9:.5g}",
        f"# PyTorch {torch.__version__}, {datetime.date.today().isoformat()}; copies of channels blocks on a second stream; each byte is read and written",
        "# slowdown: beside over alone, less 1; medians of rounds that alternate; multiprocessors: that the blocks of the copy ran on",
        "# licence: facts, measured figures, free to use",
        "what,size,channels,asked_gb_per_s,reached_gb_per_s,alone_ms,beside_ms,slowdown,multiprocessors",
    ]


FIRST_NOTE = 5  # line of `head` before which what is missing is said


def write(path, lines):
    """Beside the file and renamed, so that a run that is ended leaves whole rows."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(path + ".new", path)


def complain(text):
    print(f"pytorch_overlap: {text}", file=sys.stderr)
    return 3


def measure_all(torch, said, copy):
    """Writes all rows. @returns an exit code: 4 where a case failed"""
    clock = Clock(torch, said.device)
    lines = head(torch, said.device, memory_rate(torch, said.device, clock))
    pairs = PAIRS if said.device == "cuda" else PROCESSOR_PAIRS
    rows, failed, begun = works(torch, said.device), 0, time.perf_counter()
    for number, (what, size, make) in enumerate(rows):
        try:
            work, count = make()
            for _ in range(3):  # loads the kernels: while a copy runs, that would have to wait for it
                work()
            left = said.seconds - (time.perf_counter() - begun)
            each = max(0, left / (len(rows) - number) / len(pairs))
            for pair in pairs:
                lines.append(row(what, size, pair, measure(work, count, copy, clock, pair, each)))
                write(said.output, lines)
        except ImportError as lacking:
            lines.insert(FIRST_NOTE, f"# without {what}: {lacking}")
        except Exception as failure:  # too little memory, an operator that is not there: the others are still measured
            print(f"pytorch_overlap: {what} {size}: {(str(failure).splitlines() or [type(failure).__name__])[0]}", file=sys.stderr)
            failed += 1
        work = None
        write(said.output, lines)
    return 4 if failed else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", required=True, help="file (CSV), written anew after each case")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--seconds", type=float, default=40, help="of all cases together, at least three rounds each (default 40)")
    parser.add_argument("--library", help="liboverlap_copy.so; default: that of build-gpu/bin, else nvcc compiles it")
    return parser.parse_args()


def main():
    said = arguments()
    try:
        import torch
    except ImportError:
        return complain("PyTorch is not installed in this Python; run this by one that has it")
    if said.device == "cuda" and not torch.cuda.is_available():
        return complain("PyTorch sees no GPU here; --device cpu measures the processor")
    torch.manual_seed(1)
    copy = ProcessorCopy(torch)
    if said.device == "cuda":
        library, why = find_library(said.library)
        if library is None:
            return complain(why)
        try:
            copy = DeviceCopy(library)
        except (OSError, RuntimeError) as error:
            return complain(f"{library}: {error}")
    try:
        return measure_all(torch, said, copy)
    finally:
        copy.close()


if __name__ == "__main__":
    sys.exit(main())
