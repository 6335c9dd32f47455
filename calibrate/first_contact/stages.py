"""The stages of a first contact with a GPU: one row each, in the order in which they run."""
import dataclasses
import importlib.util
import os
import re
import shutil
import subprocess
import sys

import machine

BUILD = "build-gpu"


@dataclasses.dataclass(frozen=True)
class Command:
    """One program of a stage; `limit_s` is the time after which its process group is ended."""

    name: str
    argv: tuple
    limit_s: float
    output: str = ""  # file of its standard output, in the stage's folder; none: the log
    counts: bool = True  # False: an extra whose failure does not make the stage a failed one
    goes_on: bool = False  # reads what an earlier try of it has written, and adds to that

    def cases(self):
        return (self.name,)


@dataclasses.dataclass(frozen=True)
class Batch:
    """Cases that one process takes one after the other.

    `argv(cases)` is its command line. `read(line)` tells what a line of its standard error says: ("begins", case),
    ("failed", case, why), or None. After a case that hangs (`limit_s` of its own) or ends the process, another process goes on
    with the next one.
    """

    names: tuple
    argv: object
    read: object
    limit_s: float
    counts: bool = True

    def cases(self):
        return self.names


@dataclasses.dataclass(frozen=True)
class Stage:
    """`commands(place)` lists what is run when the stage begins, so that it can ask what was built before.

    A stage has at most `minutes`, and begins where at least `least` minutes are left: cases are independent of each other.
    """

    name: str
    minutes: float
    what: str
    commands: object
    needs_build: bool = True
    least: float = 0.3


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a stage runs: the source tree, its own folder, the device (cuda, emulated or cpu), parallel compilations."""

    root: str
    folder: str
    device: str
    jobs: int

    def program(self, name):
        return os.path.join(self.root, BUILD, name)

    def probe(self, name):
        return os.path.join(self.root, "calibrate/probes", name)

    def built(self):
        """Whether there are programs that start and that this GPU and its driver can run."""
        return machine.starts(self.program("bin/calibrate")) and machine.why_not_here(self.program("architecture"), self.device) is None

    @property
    def has_gpu(self):
        return self.device != "cpu"

    @property
    def device_of_programs(self):
        """The option --device of `calibrate`: its GPU is real or emulated."""
        return "cuda" if self.has_gpu else "cpu"

    @property
    def device_of_pytorch(self):
        return "cuda" if self.device == "cuda" else "cpu"


def facts(place):
    real = place.device == "cuda"
    return [
        Command("system", ("uname", "-a"), 10, "system.txt"),
        Command("processor", ("lscpu",), 10, "processor.txt", counts=False),
        Command("gpu", ("nvidia-smi", "-q"), 20, "gpu.txt", counts=real),
        Command("links", ("nvidia-smi", "topo", "-m"), 20, "links.txt", counts=False),
        Command("compiler", (machine.find_nvcc() or "nvcc", "--version"), 10, "nvcc.txt", counts=False),
        Command("pytorch", (sys.executable, "-m", "torch.utils.collect_env"), 60, "pytorch.txt", counts=False),
    ]


def build(place):
    """Nothing where programs were brought along."""
    if place.built():
        return []
    options = ["-DGRADSIM_BENCH=ON"]
    if shutil.which("ninja"):
        options += ["-G", "Ninja"]
    if machine.find_nvcc() in machine.wheel_tools("nvcc"):
        options.append(f"-DCMAKE_CUDA_COMPILER={machine.find_nvcc()}")  # not where CMake looks
    if machine.nccl_folder():
        options.append(f"-DNCCL_INCLUDE_DIR={os.path.join(machine.nccl_folder(), 'include')}")
    options.append("-DCMAKE_CUDA_ARCHITECTURES=native" if place.device == "cuda" else "-DGRADSIM_CUDA=OFF")
    make = ("cmake", "--build", BUILD, "--parallel", str(place.jobs), "--target")
    # From nothing: programs that were brought along and do not run, and their generator, are not reused.
    commands = [
        Command("clear", ("cmake", "-E", "rm", "-rf", f"{BUILD}/architecture", f"{BUILD}/bin", f"{BUILD}/CMakeCache.txt"), 60),
        Command("configure", ("cmake", "--preset", "gpu", *options), 120),
        Command("calibrate", (*make, "calibrate"), 360),
    ]
    if place.device == "cuda":
        commands.append(Command("tests", (*make, "test_device", "test_device_probes"), 360))
        commands.append(Command("overlap", (*make, "overlap_copy"), 60, counts=False))
    commands.append(Command("benchmarks", (*make, "kernels_bench"), 240, counts=False))
    return commands


SMALL_SHAPES = "-*Long*:*Fuzz*:*Time*"  # a checked run takes 10 to 100 times as long
FEW_TESTS = "OfDeviceFacts*:OfDeviceHalf*:OfDeviceInt8*"  # of an emulated device, whose tests are another program's claims


def tests(place):
    if not place.has_gpu:
        return []
    which = () if place.device == "cuda" else (f"--gtest_filter={FEW_TESTS}",)
    return [
        Command(name, (place.program(f"tests/{name}"), "--gtest_brief=1", *which), 150)
        for name in ("test_device_probes", "test_device")
    ]


def compression(place):
    options = ("--device", place.device_of_pytorch, "--seconds", "0.2", "-o", os.path.join(place.folder, "compression.csv"))
    return [Command("compression", (sys.executable, place.probe("pytorch_compression.py"), *options), 100, goes_on=True)]


# The last size is measured where time is left.
SIZES = {
    "cuda": ("1000000", "10000000", "25000000", "100000000", "1000000000"),
    "emulated": ("1000", "2000", "4000"),
    "cpu": ("250000", "500000", "1000000", "2000000", "4000000"),
}


def compressors(calibrate, device):
    """Names of the compressors that the program measures; it lists them where one is unknown. Raises OSError where it does not."""
    asked = subprocess.run(
        (calibrate, "probe", "kernels", "--device", device, "--compressors", "?"),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    said, _, listed = asked.stderr.strip().rpartition("accepted: ")
    if not said:
        raise OSError(listed or f"{calibrate} lists no compressors")
    return [name.strip() for name in listed.split(",") if name.strip()]


def read_kernels(line):
    """`3 of 9: topk of 1000000 values, ratio 0.1` and `failed: topk of 1000000 values, ratio 0.1: why`; the case is topk_1000000."""
    found = re.match(r"(?:\d+ of \d+|(failed)): (\w+) of (\d+) values, ratio [^:]*(?:: (.*))?$", line)
    if not found:
        return None
    case = f"{found.group(2)}_{found.group(3)}"
    return ("failed", case, found.group(4) or "failed") if found.group(1) else ("begins", case)


def unused(path, ending):
    """The path, or path_2, path_3, ...: of an earlier try that has measured others, too, nothing is written over."""
    number, found = 1, path
    while os.path.exists(found + ending):
        number += 1
        found = f"{path}_{number}"
    return found


def kernels(place):
    """A process per size."""
    calibrate = place.program("bin/calibrate")
    names = compressors(calibrate, place.device_of_programs)

    def argv(cases):
        size = cases[0].rpartition("_")[2]
        path = unused(os.path.join(place.folder, cases[0]), ".csv")
        files = ("-o", f"{path}.csv", "--samples", f"{path}_samples.csv")
        of = ",".join(case.rpartition("_")[0] for case in cases)
        options = ("--device", place.device_of_programs, "--compressors", of, "--elements", size)
        return (calibrate, "probe", "kernels", *options, "--seconds", "100ms", *files)

    return [
        Batch(tuple(f"{name}_{size}" for name in names), argv, read_kernels, limit_s=60) for size in SIZES[place.device]
    ]


def read_traces(line):
    """`resnet18, batch 32` and `resnet18, batch 32: skipped: why`; the case is the model."""
    found = re.match(r"(\w+), batch \d+(?:: skipped: (.*))?$", line)
    if not found:
        return None
    return ("failed", found.group(1), found.group(2)) if found.group(2) else ("begins", found.group(1))


# Those of which this repository has no measured workload come first.
MODELS = ("gpt2_small", "bert_base", "gpt2_medium", "resnet50", "vit_b_16", "lstm", "vgg16", "transformer", "gpt2_xl", "resnet18", "resnet101")


def traces(place):
    """All models in one Python; traces become workloads there, since raw ones may be too large to bring home."""
    options = ("-o", place.folder, "--device", place.device_of_pytorch)
    if place.device == "cuda" and place.built():  # PyTorch of a rehearsal may be built without Kineto, whose traces are read
        options += ("--calibrate", place.program("bin/calibrate"))
    models = MODELS
    if place.device != "cuda":
        models, options = ("bert_tiny",), (*options, "--batches", "1", "--steps", "1", "--warm-up", "0")

    def argv(cases):
        return (sys.executable, place.probe("pytorch_traces.py"), *options, "--models", ",".join(cases))

    return [Batch(models, argv, read_traces, limit_s=60)]


NCCL_OPERATIONS = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "topk_all_gather_messages", "topk_all_gather", "ar_topk", "point_to_point")
COMPRESSED_IN_LINE = ("topk_all_gather", "ar_topk")
NCCL_TABLES = (("own", ()), ("ring_simple", ("Ring", "Simple")), ("ring_ll", ("Ring", "LL")))


def nccl(place):
    """A process per table: with NCCL's own choice, and with algorithm and protocol forced; and over shaped links."""
    if not place.has_gpu:
        return []
    real = place.device == "cuda"
    calibrate = place.program("bin/calibrate") if real else os.path.join(place.root, "tests/gpu/calibrate_on_a_stub.sh")
    small = () if real else ("--sizes", "1KiB,64KiB", "--calls", "1", "--repetitions", "3")
    commands = []
    for table, forced in NCCL_TABLES:
        # Those that compress in line are measured once: their messages are measured alone, too.
        names = [name for name in NCCL_OPERATIONS if not ((forced or not real) and name in COMPRESSED_IN_LINE)]
        options = ("--algorithm", forced[0], "--protocol", forced[1]) if forced else ()
        options += ("--operations", ",".join(names), *small, "--limit", "20", *machine.nccl_library(), "-o", os.path.join(place.folder, table))
        commands.append(Command(table, (calibrate, "probe", "nccl", "--ranks", "2", *options), 60))
    return [*commands, shaped_links(place, calibrate)]


def shaped_links(place, calibrate):
    """Measured beside predicted; `ip` and `tc` are the machine's or those that were brought along."""
    tools = os.path.join(place.root, "third_party/iproute2/bin")
    script = os.path.join(place.root, "tests/live/nccl.sh")
    words = ("env", f"PATH={os.environ.get('PATH', '')}:/usr/sbin:/sbin:{tools}", f"PYTHON={sys.executable}")
    words += () if place.device == "cuda" else ("STUB_NCCL_TCP=1", "STUB_CUDA_DEVICES=1")
    words += (script, "--ranks", "2", "--seconds", "100", *machine.nccl_library(), *(() if place.device == "cuda" else ("--messages",)))
    words += (calibrate, place.program("tests/live"), os.path.join(place.folder, "shaped"))
    return Command("shaped", words, 125, "compared.txt")


def products(place):
    options = ("--device", place.device_of_pytorch)
    return [Command("matrix_products", (sys.executable, place.probe("pytorch_products.py"), *options), 40, "matrix_products.csv", False)]


def overlap(place):
    options = ("--device", place.device_of_pytorch, "-o", os.path.join(place.folder, "overlap.csv"))
    if place.device == "cuda":
        options += ("--seconds", "30")  # of 48 that the stage has
    else:
        options += ("--seconds", "2")
    return [Command("overlap", (sys.executable, place.probe("pytorch_overlap.py"), *options), 60)]


RECORDED = ("resnet18_fashion_mnist", "gpt_tinyshakespeare")


def data_folder(root):
    """Of the training data that `./dev pack` brings along."""
    return os.environ.get("GRADSIM_DATA", os.path.join(root, "data"))


def statistics(place):
    """Gains, norms and changes of gradients of 8 simulated workers."""
    seconds = "28" if place.device == "cuda" else "1"  # both, and starting PyTorch twice, within the stage
    options = ("--device", place.device_of_pytorch, "--data", data_folder(place.root), "--seconds", seconds)
    return [
        Command(
            name,
            (sys.executable, place.probe("pytorch_statistics.py"), name, *options, "-o", os.path.join(place.folder, f"{name}.csv")),
            70,
        )
        for name in RECORDED
    ]


def sanitize(place):
    sanitizer = machine.find_tool("compute-sanitizer")
    if place.device != "cuda" or not sanitizer:
        return []
    test = (place.program("tests/test_device"), "--gtest_brief=1", f"--gtest_filter={SMALL_SHAPES}")
    return [
        Command(tool, (sanitizer, "--tool", tool, "--error-exitcode", "9", *test), 90)
        for tool in ("memcheck", "racecheck", "initcheck")
    ]


def benchmark(place):
    rivals = os.path.join(place.root, "tests/bench/pytorch_top_k.py")
    json = f"--benchmark_out={os.path.join(place.folder, 'kernels_bench.json')}"
    few = () if place.device == "cuda" else ("--benchmark_filter=top_k.*1000$", "--benchmark_min_time=0.01")
    return [
        Command("kernels_bench", (place.program("bench/kernels_bench"), json, "--benchmark_out_format=json", *few), 150),
        Command("pytorch_top_k", (sys.executable, rivals, "--device", place.device_of_pytorch), 90, "pytorch_top_k.csv", False),
    ]


# In the order of their worth. The first seven are what one command of nine minutes does with programs that were brought
# along; the rest takes another of four.
STAGES = (
    Stage("facts", 0.3, "facts of the machine", facts, needs_build=False, least=0.05),
    Stage("build", 6, "build for the architecture that is there", build, needs_build=False, least=1),
    Stage("tests", 1, "unit tests on the GPU", tests),
    Stage("compression", 1, "compression inside PyTorch", compression, needs_build=False),
    Stage("kernels", 1.8, "times of compressors, and copies", kernels),
    Stage("traces", 2.2, "models under PyTorch's profiler", traces, needs_build=False),
    Stage("nccl", 2.7, "exchanges over NCCL, and over shaped links to compare with predictions", nccl),
    Stage("overlap", 0.8, "computing beside a copy of set rate", overlap, needs_build=False),
    Stage("products", 0.3, "matrix products", products, needs_build=False, least=0.1),
    Stage("statistics", 1.2, "gradients of trainings with 8 workers", statistics, needs_build=False),
    Stage("sanitize", 0.9, "compute-sanitizer on small shapes", sanitize),
    Stage("benchmark", 0.8, "compressors beside CUB and PyTorch", benchmark),
)


def missing(place, names):
    """What the machine lacks to have programs for the stages of these names: one line each."""
    lacks = []
    needs_programs = any(stage.needs_build or stage.name == "build" for stage in STAGES if stage.name in names)
    if needs_programs and not place.built():
        why = machine.why_not_here(place.program("architecture"), place.device) if machine.starts(place.program("bin/calibrate")) else None
        lacks += machine.missing_to_build(place.root, place.device)
        lacks[:0] = [why] if why and lacks else []
    return lacks


def without_programs(names):
    """Those of the stages of these names that measure something without our programs."""
    return [stage.name for stage in STAGES if stage.name in names and not stage.needs_build and stage.name not in ("facts", "build")]


OF_PYTORCH = ("compression", "traces", "overlap", "products", "statistics")


def without_pytorch(names):
    """Those of the stages of these names that cannot run, since this Python has no PyTorch."""
    return [] if importlib.util.find_spec("torch") else [name for name in OF_PYTORCH if name in names]
