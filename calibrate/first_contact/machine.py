"""What a machine has for a first contact with a GPU, and what it lacks: programs, driver, tools, NCCL, room."""
import ctypes
import functools
import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys


@functools.lru_cache(maxsize=None)
def starts(program):
    try:
        done = subprocess.run((program, "--version"), capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


@functools.lru_cache(maxsize=None)
def compute_capability():
    """90 for 9.0; None where the driver does not say it."""
    words = ("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader")
    try:
        said = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.match(r"(\d+)\.(\d)\s", said)
    return int(found.group(1) + found.group(2)) if found else None


@functools.lru_cache(maxsize=None)
def driver_cuda():
    """The CUDA version of the driver: (12, 4); None where there is none."""
    number = ctypes.c_int()
    try:
        failed = ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(number))
    except (OSError, AttributeError):
        return None
    return None if failed else (number.value // 1000, number.value % 1000 // 10)


def why_not_here(path, device):
    """Why programs that were brought along are not for this GPU or its driver; None where they are, or were built here.

    The file has the compute capability, 90 for 9.0, or `emulated`; then the CUDA version that compiled them. A driver runs programs
    of its own major version and of older ones.
    """
    if not os.path.exists(path):
        return None
    with open(path, encoding="ascii") as file:
        architecture, toolkit = (file.read().split() + ["", ""])[:2]
    if not architecture.isdigit():
        return None if device == architecture else f"the programs that were brought along are for a GPU that is {architecture}"
    if device != "cuda":
        return "the programs that were brought along are for a GPU"
    there, driver = compute_capability(), driver_cuda()
    if there is not None and int(architecture) > there:
        return f"the programs that were brought along are for compute capability {int(architecture) / 10:g}, and this GPU has {there / 10:g}"
    if toolkit and driver is not None and int(toolkit.split(".")[0]) > driver[0]:
        return f"the programs that were brought along need a driver for CUDA {toolkit}, and this one is for {driver[0]}.{driver[1]}"
    return None


@functools.lru_cache(maxsize=None)
def nccl_folder():
    """The folder of NCCL in PyTorch's wheels (include/nccl.h, lib/libnccl.so.2); None where they have none."""
    words = (sys.executable, "-c", "import nvidia.nccl as package; print(list(package.__path__)[0])")
    try:
        said = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return said if said and os.path.isdir(said) else None


def nccl_library():
    """Options of `calibrate probe nccl`: the library of the wheel, else the system's."""
    found = nccl_folder() and os.path.join(nccl_folder(), "lib", "libnccl.so.2")
    return ("--library", found) if found and os.path.exists(found) else ()


@functools.lru_cache(maxsize=None)
def wheel_tools(name):
    """Programs of this name in NVIDIA's wheels beside PyTorch: nvidia/cu13/bin of CUDA 13, nvidia/cuda_nvcc/bin of CUDA 12."""
    try:
        places = importlib.util.find_spec("nvidia").submodule_search_locations
    except (AttributeError, ImportError, ValueError):
        return ()
    return tuple(sorted(path for place in places for path in glob.glob(os.path.join(place, "*", "bin", name))))


def find_tool(name):
    """A program of the CUDA toolkit: on PATH, installed, or in a wheel; None where there is none."""
    places = (name, f"/usr/local/cuda/bin/{name}", *wheel_tools(name))
    return next((found for found in map(shutil.which, places) if found), None)


def find_nvcc():
    return find_tool("nvcc")


def missing_to_build(root, device):
    """What the machine lacks to build here: one line each."""
    lacks = []
    if device == "cuda" and not find_nvcc():
        lacks.append("no nvcc (PATH, /usr/local/cuda/bin, Python's packages): install the CUDA toolkit 12 or newer")
    if not shutil.which("cmake"):
        lacks.append("no cmake 3.25 or newer")
    if not (shutil.which("ninja") or shutil.which("make")):
        lacks.append("no ninja and no make")
    if not (shutil.which("c++") or shutil.which("g++")):
        lacks.append("no C++ compiler")
    packed = os.path.exists(os.path.join(root, "third_party", "include"))
    installed = os.path.exists("/usr/include/fmt/core.h") or shutil.which("dpkg-query") is None
    if not packed and not installed:
        lacks.append("this tree has no third_party/ and this machine not the packages: unpack the archive of `./dev pack` here")
    if lacks:
        lacks.append("or bring programs along: `./dev pack --built sm_90` where there is a compiler")
    return lacks


def missing_device(device):
    """Why no GPU can be measured here; None where one may be present. WSL has /dev/dxg."""
    if device != "cuda" or any(map(os.path.exists, ("/dev/nvidiactl", "/dev/dxg"))) or compute_capability() is not None:
        return None
    why = "no /dev/nvidiactl, and nvidia-smi names none"
    return f"no NVIDIA GPU with its driver here ({why}); run this on a node with one, or rehearse it here by ./dev gpu --rehearse"


ROOM = 2 << 30  # of temporary files: each rank of NCCL has a copy of its library, a third of a gigabyte


def roomy_folder(usual, other):
    """The folder for temporary files: the usual one, or another where the usual has less than ROOM bytes and the other more."""

    def free(folder):
        try:
            return shutil.disk_usage(folder).free if os.access(folder, os.W_OK) else 0
        except OSError:
            return 0

    return other if free(usual) < min(ROOM, free(other)) else usual
