"""Disks that are full after some kB: a command is done, or says so and leaves what was there before."""
import ctypes
import os
import shutil

from faults import WORDS, write_earlier_import, writing_commands
from program import Program, Skipped, content_of, fault_of

DISK_KB = 4096
PAGE_KB = 4  # what a tmpfs gives at a time
NEW_MOUNTS = 0x20000  # CLONE_NEWNS
PRIVATE = (1 << 18) | (1 << 14)  # MS_PRIVATE, MS_REC
WRITERS = ("run", "run, new", "sweep", "resume", "report", "import", "trace", "trace, again", "fit")


def mount_disk(place):
    """A file system of DISK_KB in a mount namespace that only this process and its children see."""
    system = ctypes.CDLL(None, use_errno=True)
    if system.unshare(NEW_MOUNTS) != 0:
        raise Skipped("mounting a small disk needs root")
    if system.mount(b"none", b"/", None, PRIVATE, None) != 0 or system.mount(
            b"none", place.encode(), b"tmpfs", 0, f"size={DISK_KB}k".encode()) != 0:
        raise Skipped("a small disk cannot be mounted: " + os.strerror(ctypes.get_errno()))


def unmount_disk(place):
    at_once = 2  # MNT_DETACH
    ctypes.CDLL(None).umount2(place.encode(), at_once)


class FullDisk:
    """One case: one command that writes, on a disk with some kB left."""

    title = "full disks"

    def __init__(self, sim, root, scratch):
        self.programs = {"sim": sim, "calibrate": Program(os.path.join(os.path.dirname(sim.path), "calibrate"), sim.seconds)}
        self.scratch = scratch
        self.disk = os.path.join(scratch, "disk")
        os.makedirs(self.disk)
        mount_disk(self.disk)
        self.commands = {name: command for name, command in writing_commands(root).items() if name in WRITERS}
        self.complete = {}  # what a command leaves where there is room
        self.cases = []
        for name in self.commands:
            self.prepare(name)
        self.rest = []

    def close(self):
        unmount_disk(self.disk)

    def prepare(self, name):
        """What a command begins with, what it leaves, and all numbers of kB up to the first power of two that is enough."""
        os.makedirs(self.before(name))
        for command in self.commands[name][2]:
            ended = self.programs["sim"].run(command, cwd=self.before(name))
            if ended.code != 0:
                raise RuntimeError(ended.err.decode(errors="replace"))
        if name == "report":
            with open(os.path.join(self.before(name), "page.html"), "w", encoding="utf-8") as file:
                file.write("an earlier page")
        if name == "trace, again":
            write_earlier_import(self.before(name))
        enough = PAGE_KB
        while self.ended_with(name, enough).code != 0:
            enough *= 2
            if enough >= DISK_KB:
                raise RuntimeError(f"{name}: {DISK_KB} kB are not enough")
        self.complete[name] = self.content(name)
        self.cases += [(name, kb) for kb in range(0, enough + PAGE_KB, PAGE_KB)]

    def before(self, name):
        return os.path.join(self.scratch, f"before {name}")

    @property
    def place(self):
        return os.path.join(self.disk, "place")

    def ended_with(self, name, kb):
        """The command, with so many kB left on the disk."""
        for entry in os.listdir(self.disk):
            path = os.path.join(self.disk, entry)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        shutil.copytree(self.before(name), self.place)
        with open(os.path.join(self.disk, "filler"), "wb") as filler:
            disk = os.statvfs(self.disk)
            filler.write(bytes(max(0, disk.f_bavail * disk.f_frsize - kb * 1024)))
        program, arguments, _ = self.commands[name]
        return self.programs[program].run(arguments, cwd=self.place)

    def case(self, random):
        if not self.rest:
            self.rest = list(self.cases)
            random.shuffle(self.rest)
        name, kb = self.rest.pop()
        ended = self.ended_with(name, kb)
        complaint = fault_of(ended) or self.complaint(name, ended)
        if complaint:
            complaint += f" (exit code {ended.code}: {ended.err.decode(errors='replace').strip()[:600]})"
        program, arguments, _ = self.commands[name]
        return (name, kb), " ".join([program, *arguments]), complaint

    def complaint(self, name, ended):
        if ended.code == 0:
            return None if self.content(name) == self.complete[name] else "done, and its files are not complete"
        text = ended.err.decode(errors="replace")
        if ended.code != 3:
            return "a full disk is not exit code 3"
        if "No space left on device" not in text and not any(words in text for words in WORDS):
            return "does not say that the disk is full"
        if name in ("sweep", "resume"):
            return self.resumed(name)
        before = content_of(self.before(name))
        found = content_of(self.place)
        return None if found == before else f"changed what was there: {sorted(found)}, before {sorted(before)}"

    def resumed(self, name):
        """With room again, the same command with --resume runs the rest."""
        os.remove(os.path.join(self.disk, "filler"))
        again = self.programs["sim"].run([*self.commands["sweep"][1], "--resume"], cwd=self.place)
        if again.code != 0:
            return f"cannot be resumed: {again.err.decode(errors='replace')}"
        return None if self.content(name) == self.complete[name] else "the resumed sweep has other results"

    def content(self, name):
        """The bytes of each file; of a sweep its table."""
        texts = {file: text for file, text in content_of(self.place).items() if not file.startswith("sweep.db")}
        if name in ("sweep", "resume"):
            table = self.programs["sim"].run(["sweep", "--db", os.path.join(self.place, "sweep.db"), "--export", "csv"])
            texts["sweep.db"] = table.out
        return texts
