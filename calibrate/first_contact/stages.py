"""The stages of a first contact with a GPU: one row each, in the order in which they run."""
import dataclasses
import os
import shutil
import subprocess
import sys

BUILD = "build-gpu"


@dataclasses.dataclass(frozen=True)
class Command:
    """One program of a stage; `limit_s` is the time after which its process group is ended."""

    name: str
    argv: tuple
    limit_s: float
    output: str = ""  # file of its standard output, in the stage's folder; none: the log
    counts: bool = True  # False: an extra whose failure does not make the stage a failed one


@dataclasses.dataclass(frozen=True)
class Stage:
    """`commands(place)` lists what is run when the stage begins, so that it can ask what was built before."""

    name: str
    minutes: float
    what: str
    commands: object
    needs_build: bool = True


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a stage runs: the source tree, its own folder, the device (cuda or cpu), parallel compilations."""

    root: str
    folder: str
    device: str
    jobs: int

    def program(self, name):
        return os.path.join(self.root, BUILD, name)


def facts(place):
    return [
        Command("system", ("uname", "-a"), 10, "system.txt"),
        Command("processor", ("lscpu",), 10, "processor.txt", counts=False),
        Command("gpu", ("nvidia-smi", "-q"), 20, "gpu.txt", counts=place.device == "cuda"),
        Command("links", ("nvidia-smi", "topo", "-m"), 20, "links.txt", counts=False),
        Command("compiler", (find_nvcc() or "nvcc", "--version"), 10, "nvcc.txt", counts=place.device == "cuda"),
        Command("pytorch", (sys.executable, "-m", "torch.utils.collect_env"), 60, "pytorch.txt", counts=False),
    ]


def build(place):
    options = ["-DGRADSIM_BENCH=ON"]
    if place.device == "cuda":
        options.append("-DCMAKE_CUDA_ARCHITECTURES=native")
    else:
        options.append("-DGRADSIM_CUDA=OFF")
    make = ("cmake", "--build", BUILD, "--parallel", str(place.jobs), "--target")
    commands = [
        Command("configure", ("cmake", "--preset", "gpu", *options), 120),
        Command("calibrate", (*make, "calibrate"), 360),
    ]
    if place.device == "cuda":
        commands.append(Command("tests", (*make, "test_device", "test_device_probes"), 360))
    commands.append(Command("benchmarks", (*make, "kernels_bench"), 240, counts=False))
    return commands


def tests(place):
    if place.device != "cuda":
        return []
    return [
        Command(name, (place.program(f"tests/{name}"), "--gtest_brief=1"), 150)
        for name in ("test_device_probes", "test_device")
    ]


SMALL_SHAPES = "-*Long*:*Fuzz*:*Time*"  # a checked run takes 10 to 100 times as long


def sanitize(place):
    if place.device != "cuda":
        return []
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    test = (place.program("tests/test_device"), "--gtest_brief=1", f"--gtest_filter={SMALL_SHAPES}")
    return [
        Command(tool, (sanitizer, "--tool", tool, "--error-exitcode", "9", *test), 90)
        for tool in ("memcheck", "racecheck", "initcheck")
    ]


def benchmark(place):
    rivals = os.path.join(place.root, "tests/bench/pytorch_top_k.py")
    json = f"--benchmark_out={os.path.join(place.folder, 'kernels_bench.json')}"
    products = (sys.executable, os.path.join(place.root, "calibrate/probes/pytorch_products.py"), "--device", place.device)
    return [
        Command("matrix_products", products, 40, "matrix_products.csv", False),
        Command("kernels_bench", (place.program("bench/kernels_bench"), json, "--benchmark_out_format=json"), 150),
        Command("pytorch_top_k", (sys.executable, rivals, "--device", place.device), 90, "pytorch_top_k.csv", False),
    ]


SIZES = {"cuda": ("1000000", "10000000", "25000000", "100000000", "1000000000"), "cpu": ("250000", "500000", "1000000", "2000000", "4000000")}


def compressors(calibrate, device):
    """Names of the compressors that the program measures; it lists them where one is unknown."""
    asked = subprocess.run(
        (calibrate, "probe", "kernels", "--device", device, "--compressors", "?"),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    listed = asked.stderr.rpartition("accepted: ")[2].strip()
    return [name.strip() for name in listed.split(",") if name.strip()]


def kernels(place):
    """A process per size and compressor: what fails or hangs takes no other case with it."""
    calibrate = place.program("bin/calibrate")
    commands = []
    for size in SIZES[place.device]:
        for name in compressors(calibrate, place.device):
            case = f"{name}_{size}"
            files = ("-o", os.path.join(place.folder, f"{case}.csv"))
            files += ("--samples", os.path.join(place.folder, f"{case}_samples.csv"))
            options = ("--device", place.device, "--compressors", name, "--elements", size, "--seconds", "100ms")
            commands.append(Command(case, (calibrate, "probe", "kernels", *options, *files, "--quiet"), 60))
    return commands


NCCL_OPERATIONS = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "topk_all_gather_messages", "topk_all_gather", "ar_topk", "point_to_point")
NCCL_TABLES = (("own", ()), ("ring_simple", ("Ring", "Simple")), ("ring_ll", ("Ring", "LL")))


def nccl(place):
    """A process per operation and table: with NCCL's own choice, and with algorithm and protocol forced."""
    if place.device != "cuda":
        return []
    calibrate = place.program("bin/calibrate")
    commands = []
    for table, forced in NCCL_TABLES:
        for operation in NCCL_OPERATIONS:
            if forced and operation in ("topk_all_gather", "ar_topk"):
                continue  # their messages are measured alone
            folder = os.path.join(place.folder, f"{table}_{operation}")
            options = ("--algorithm", forced[0], "--protocol", forced[1]) if forced else ()
            probe = (calibrate, "probe", "nccl", "--ranks", "2", "--operations", operation, *options, "-o", folder)
            commands.append(Command(f"{table}_{operation}", probe, 60))
    live = os.path.join(place.root, "tests/live")
    shaped = (os.path.join(live, "nccl.sh"), "--ranks", "2", calibrate, live, os.path.join(place.folder, "shaped"))
    return [*commands, Command("shaped", shaped, 120, "compared.txt", counts=False)]


MODELS = ("resnet18", "resnet50", "resnet101", "vgg16", "vit_b_16", "lstm", "transformer", "bert_base", "gpt2_small", "gpt2_medium", "gpt2_xl")


def traces(place):
    """Models under the profiler, and what compression costs inside PyTorch."""
    probes = os.path.join(place.root, "calibrate/probes")
    compression = (sys.executable, os.path.join(probes, "pytorch_compression.py"), "--device", place.device, "--seconds", "0.2")
    commands = [Command("compression", (*compression, "-o", os.path.join(place.folder, "compression.csv")), 60, counts=False)]
    script = os.path.join(probes, "pytorch_traces.py")
    return commands + [
        Command(model, (sys.executable, script, "-o", place.folder, "--device", place.device, "--models", model), 60)
        for model in MODELS
    ]


RECORDED = ("resnet18_fashion_mnist", "gpt_tinyshakespeare")


def data_folder(root):
    """Of the training data that `./dev pack` brings along."""
    return os.environ.get("GRADSIM_DATA", os.path.join(root, "data"))


def statistics(place):
    script = os.path.join(place.root, "calibrate/probes/pytorch_statistics.py")
    options = ("--device", place.device, "--data", data_folder(place.root), "--seconds", "45")
    return [
        Command(name, (sys.executable, script, name, *options, "-o", os.path.join(place.folder, f"{name}.csv")), 70)
        for name in RECORDED
    ]


STAGES = (
    Stage("facts", 0.5, "facts of the machine", facts, needs_build=False),
    Stage("build", 6, "build for the architecture that is there", build, needs_build=False),
    Stage("tests", 2, "unit tests on the GPU", tests),
    Stage("sanitize", 2, "compute-sanitizer on small shapes", sanitize),
    Stage("benchmark", 3, "compressors beside CUB and PyTorch", benchmark),
    Stage("kernels", 4, "times of compressors, and copies", kernels),
    Stage("nccl", 3, "exchanges over NCCL, and over shaped links to compare with predictions", nccl),
    Stage("traces", 2.5, "models under PyTorch's profiler, and compression inside PyTorch", traces, needs_build=False),
    Stage("statistics", 2, "gradients of trainings with 8 workers", statistics, needs_build=False),
)


def find_nvcc():
    return shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def missing(device):
    """What the machine lacks for these stages: one line each."""
    lacks = []
    if device == "cuda":
        if not (shutil.which("nvidia-smi") and os.path.exists("/dev/nvidiactl")):
            lacks.append("no NVIDIA GPU with its driver (nvidia-smi, /dev/nvidiactl)")
        if not find_nvcc():
            lacks.append("no nvcc (PATH, /usr/local/cuda/bin): install the CUDA toolkit 12 or newer")
    if not shutil.which("cmake"):
        lacks.append("no cmake 3.25 or newer")
    if not (shutil.which("c++") or shutil.which("g++")):
        lacks.append("no C++ compiler")
    return lacks
