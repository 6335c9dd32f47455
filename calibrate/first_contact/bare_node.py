#!/usr/bin/env python3
"""`./dev gpu --rehearse`: a first contact on a bare GPU node, rehearsed in a root folder where all that it lacks is hidden.

Hidden are Debian's development packages and the shared libraries of ours that need them, MPI, make, iproute2, ccache, NCCL and
this tree itself; what is left is compilers, CMake, ninja, Python with PyTorch, and NCCL as a wheel brings it. The GPU is
emulated. Needs root and overlay file systems.
"""
import argparse
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACK = os.path.join(ROOT, "calibrate/first_contact/pack.sh")
EXIT_SKIPPED = 77

# Of Debian. PyTorch's own package there needs some libraries (libfmt); programs that were brought along are asked by `ldd`.
PACKAGES = re.compile(
    r"lib(simgrid|ns3|eigen3|boost|gtest|gmock|benchmark|yaml-cpp|cli11|expected|pagmo|openmpi)[a-z0-9.+-]*|lib(fmt|sqlite3)-dev"
    r"|nlohmann-json3-dev|googletest|openmpi-(bin|common)|make|iproute2|ccache|gdb|strace|valgrind"
)
NCCL = ("/usr/local/cuda*/include/nccl*", "/usr/local/include/nccl*", "/usr/local/cuda*/targets/*/include/nccl*")
NCCL += ("/usr/local/cuda*/lib64/libnccl*", "/usr/local/cuda*/targets/*/lib/libnccl*", "/usr/local/lib/libnccl*", "/usr/lib/*/libnccl*")


def installed(pattern):
    asked = subprocess.run(("dpkg-query", "-W", "-f", "${Package}\n"), capture_output=True, text=True, check=True)
    return [name for name in asked.stdout.split() if pattern.fullmatch(name)]


def files_of(packages):
    if not packages:
        return []
    listed = subprocess.run(("dpkg", "-L", *packages), capture_output=True, text=True, check=True).stdout.splitlines()
    return [path for path in listed if path.startswith("/") and not os.path.isdir(path) and os.path.lexists(path)]


def why_not():
    """Why this machine cannot play the node; None where it can."""
    if os.geteuid() != 0:
        return "a root folder of its own needs root"
    if not (shutil.which("dpkg-query") and shutil.which("unshare")):
        return "dpkg-query and unshare are needed to hide packages"
    with tempfile.TemporaryDirectory() as folder:
        done = BareNode(folder, hidden=[]).run(["true"])
    return None if done.returncode == 0 else f"this machine mounts no overlay: {done.stderr.strip()}"


class BareNode:
    """A root folder made of this machine's, without the hidden files; below /node lies the folder that both see."""

    def __init__(self, folder, hidden=None):
        self.folder = folder
        for name in ("changes", "work", "root", "node"):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        self.shared = os.path.join(folder, "node")
        if hidden is None:
            hidden = files_of(installed(PACKAGES)) + [path for pattern in NCCL for path in glob.glob(pattern)] + [ROOT]
        for path in hidden:
            self.hide(path)
        os.makedirs(os.path.join(folder, "changes", "node"), exist_ok=True)

    def hide(self, path):
        """As overlay file systems say that a file below is gone: a character device 0, 0 of its name.

        Folders of its path that are links, as /lib and /usr/local/cuda, stay links.
        """
        gone = self.folder + "/changes" + os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        os.makedirs(os.path.dirname(gone), exist_ok=True)
        if not os.path.lexists(gone):
            os.mknod(gone, 0o600 | 0o020000, os.makedev(0, 0))

    def run(self, argv, cwd="/node", seconds=600, **environment):
        """@returns the finished process, its output as text; raises subprocess.TimeoutExpired"""
        script = (
            'cd "$1" && mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" root && '
            "for each in proc dev sys; do mount --rbind /$each root/$each || exit; done; "
            'mount --bind node root/node && cd / && shift && exec chroot "$@"'
        )
        settings = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root", "TMPDIR": "/node", "LANG": "C.UTF-8", **environment}
        inner = ["env", "-i", *(f"{key}={value}" for key, value in settings.items()), "sh", "-c", 'cd "$0" && exec "$@"', cwd, *argv]
        words = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", self.folder, os.path.join(self.folder, "root"), *inner]
        return subprocess.run(words, capture_output=True, text=True, timeout=seconds, check=False)

    def unpack(self, *archives):
        """@returns the unpacked tree, as this machine sees it"""
        for archive in archives:
            subprocess.run(("tar", "-xzf", archive, "-C", self.shared), check=True)
        return os.path.join(self.shared, "gradsim")

    def bring_wheel(self, tree):
        """NCCL as PyTorch's wheels lay it out; its library is the one that the archive has for an emulated device."""
        wheel = os.path.join(self.shared, "site/nvidia/nccl")
        os.makedirs(os.path.join(wheel, "include"), exist_ok=True)
        os.makedirs(os.path.join(wheel, "lib"), exist_ok=True)
        for path in glob.glob("/usr/local/cuda*/include/nccl.h")[:1]:
            shutil.copy(path, os.path.join(wheel, "include"))
        shutil.copy(os.path.join(tree, "build-gpu/lib/libnccl.so.2"), os.path.join(wheel, "lib"))
        return {"PYTHONPATH": "/node/site", "STUB_NCCL_FOLDER": "/node"}


def write_training_data(folder, pictures=256, seed=1):
    """Made-up sets in the formats of Fashion-MNIST and Tiny Shakespeare, for stages whose figures do not count."""
    os.makedirs(os.path.join(folder, "fashion-mnist"), exist_ok=True)
    os.makedirs(os.path.join(folder, "tinyshakespeare"), exist_ok=True)
    for part in ("train", "t10k"):
        images = bytes((seed + 7 * i * i + i // 784) % 256 for i in range(pictures * 784))
        labels = bytes(i % 10 for i in range(pictures))
        head = bytes((0, 0, 8, 3)) + b"".join(n.to_bytes(4, "big") for n in (pictures, 28, 28))
        with gzip.open(os.path.join(folder, f"fashion-mnist/{part}-images-idx3-ubyte.gz"), "wb") as file:
            file.write(head + images)
        with gzip.open(os.path.join(folder, f"fashion-mnist/{part}-labels-idx1-ubyte.gz"), "wb") as file:
            file.write(bytes((0, 0, 8, 1)) + pictures.to_bytes(4, "big") + labels)
    with open(os.path.join(folder, "tinyshakespeare/input.txt"), "w", encoding="utf-8") as file:
        file.write("To be, or not to be, that is the question.\n" * 500)


def pack_emulated(folder):
    """@returns the two archives; raises subprocess.CalledProcessError"""
    subprocess.run((PACK, "--built", "emulated", "--without-data"), cwd=folder, check=True)
    return [os.path.join(folder, name) for name in ("gradsim-gpu.tar.gz", "gpu-built.tar.gz")]


def rehearse(node, archives, minutes, out):
    """Unpacks and runs every stage; results and what was said come to `out`. @returns the exit code of ./dev gpu"""
    tree = node.unpack(*archives)
    settings = node.bring_wheel(tree)
    write_training_data(os.path.join(node.shared, "sets"))
    words = ["./dev", "gpu", "--device", "emulated", "--minutes", f"{minutes:g}", "--out", "/node/results"]
    done = node.run(words, "/node/gradsim", 60 * minutes + 120, GRADSIM_DATA="/node/sets", **settings)
    sys.stderr.write(done.stderr)
    results = os.path.join(node.shared, "results")
    if os.path.isdir(results):
        shutil.copytree(results, out, dirs_exist_ok=True)
    return done.returncode


def main(words):
    parser = argparse.ArgumentParser(prog="./dev gpu --rehearse", description=__doc__)
    parser.add_argument("--minutes", type=float, default=9, help="of the stages, at most")
    parser.add_argument("--out", default="gpu-rehearsal", help="folder of the results")
    said = parser.parse_args(words)
    reason = why_not()
    if reason:
        print(f"skipped: {reason}", file=sys.stderr)
        return EXIT_SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        archives = pack_emulated(folder)
        status = rehearse(BareNode(os.path.join(folder, "machine")), archives, said.minutes, said.out)
    print(f"dev gpu: results of the rehearsal: {os.path.abspath(said.out)}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
