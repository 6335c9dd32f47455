"""Shared by the tests of this folder: a scratch folder with a clock of its own, made-up stages and rows, a job of an import."""
import contextlib
import io
import os
import shutil
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../calibrate/first_contact"))
import machine  # noqa: E402
import results  # noqa: E402
import run  # noqa: E402
import stages  # noqa: E402

HEADER = "compressor,elements,ratio,repetitions,median_us,min_us,p95_us,copy_us,wire_bytes,copies,restore_us"
LONG_S = 60  # a limit that nothing here reaches


def shell(name, text, limit_s=LONG_S):
    return stages.Command(name, ("bash", "-c", text), limit_s)


def stage(name, *commands, minutes=1):
    return stages.Stage(name, minutes, "a test", lambda place: commands, needs_build=False)


class Clock:
    """Stands still until it is told."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


class Scratch(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.base)
        self.out, self.state = (os.path.join(self.base, name) for name in ("out", "state"))
        os.makedirs(self.out)
        os.makedirs(self.state)
        self.clock = Clock()

    def contact(self):
        contact = run.FirstContact(self.out, self.state, "cuda", self.clock)
        contact.record["device"] = "cuda"
        return contact

    def run_stages(self, *rows, minutes=100):
        """@returns what was said"""
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.contact().run(minutes, rows)
        return said.getvalue()

    def cases(self, name):
        return results.read_record(self.out)["stages"][name]["cases"]

    @contextlib.contextmanager
    def path_with(self, program, text):
        """A shell script of this name comes first on PATH."""
        path = os.path.join(self.base, program)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        with mock.patch.dict(os.environ, PATH=f"{self.base}:{os.environ['PATH']}"):
            yield


def row(compressor, elements, ratio, times):
    median, restore, copy = times
    return f"{compressor},{elements},{ratio},9,{median},{median},{median},{copy},8,1,{restore}"


class Job:
    """As that of import_results.py."""

    def __init__(self, state):
        self.state, self.left_out, self.files = state, [], {}

    def write(self, path, text):
        self.files[path] = text

    def provenance(self):
        return ["results sha256:0"]
