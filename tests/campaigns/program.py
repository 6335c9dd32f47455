"""Runs `sim` as a stranger would and says what no run may do."""
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass

DONE = (0, 1, 2, 3)  # the exit codes that are documented; a signal that was sent adds 130 and 143
NO_NUMBER = re.compile(rb"(?<![A-Za-z_`'\"/.-])-?(?:nan|inf)(?![A-Za-z_])", re.IGNORECASE)
SANITIZER = re.compile(rb"(?:AddressSanitizer|LeakSanitizer|runtime error:)")


class Skipped(Exception):
    """What a campaign needs and this machine does not have."""


@dataclass
class Ended:
    """What a run left: its exit code (negative: a signal), output, and seconds."""

    code: int
    out: bytes
    err: bytes
    seconds: float
    timed_out: bool = False


class Program:
    def __init__(self, path, seconds):
        self.path = path
        self.seconds = seconds  # that a run may take

    def run(self, arguments, *, preexec=None, cwd=None, environment=None):
        begun = time.monotonic()
        process = subprocess.Popen([self.path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=cwd, preexec_fn=preexec, start_new_session=True,
                                   env={**os.environ, **environment} if environment else None)
        try:
            out, err = process.communicate(timeout=self.seconds)
            return Ended(process.returncode, out, err, time.monotonic() - begun)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return Ended(process.returncode, out, err, time.monotonic() - begun, timed_out=True)


def fault_of(ended, scenario=""):
    """What is wrong with how a run of a scenario's text ended, or None.

    `sim` prints the comment that a scenario begins with: where a comment holds `nan` or `inf`, numbers are not judged.
    """
    comments = "\n".join(line[line.index("#"):] for line in scenario.splitlines() if "#" in line)
    if ended.timed_out:
        return f"did not end within {ended.seconds:.0f} s"
    if ended.code < 0:
        return f"was ended by signal {-ended.code}"
    if ended.code not in DONE:
        return f"has exit code {ended.code}"
    if SANITIZER.search(ended.err):
        return "a sanitizer complains"
    if ended.code == 0 and NO_NUMBER.search(ended.out) and not NO_NUMBER.search(comments.encode(errors="replace")):
        return "prints what is no number"
    if ended.code != 0 and not ended.err.strip():
        return f"fails (exit code {ended.code}) without a word"
    if any(byte < 0x20 and byte not in (9, 10, 13) for byte in ended.err):
        return "sends control characters to the terminal"
    return None


def content_of(folder):
    """The bytes of each file in a folder and below."""
    texts = {}
    for place, _, files in os.walk(folder):
        for file in files:
            path = os.path.join(place, file)
            with open(path, "rb") as stream:
                texts[os.path.relpath(path, folder)] = stream.read()
    return texts
