"""Refusals that name a file and a line of the script, and how that line is found."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
import traceback
from types import FrameType, TracebackType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"]


class CaptureRefused(BaseException):
    """A script, an option or an installation that cannot be captured.

    Not an `Exception`: a script that catches all exceptions of its step must not continue with an unknown value.

    where: `FILE:LINE`, an option, or empty. what: one sentence. hint: what to change, or empty.
    """

    def __init__(self, where: str, what: str, hint: str = ""):
        super().__init__(what)
        self.where, self.what, self.hint = where, what, hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n  hint: {self.hint}" if self.hint else text


@functools.lru_cache(maxsize=None)
def is_library(file: str) -> bool:
    """Whether a source file is Python's, PyTorch's or this package's: never the place to blame."""
    if file.startswith("<") or file.startswith(_PACKAGE + os.sep):
        return True
    parts = file.split(os.sep)
    if "site-packages" in parts or "dist-packages" in parts:
        return any(name in parts for name in ("torch", "numpy", "gradsim"))
    return file.startswith(_STANDARD_LIBRARY)


@functools.lru_cache(maxsize=None)
def shown_path(file: str) -> str:
    """The path as the user would write it: relative to the current folder where that is shorter."""
    relative = os.path.relpath(file)
    return file if relative.startswith("..") and len(relative) > len(file) else relative


def script_place(frame: FrameType | None = None) -> str:
    """`FILE:LINE` of the innermost frame that is the user's; empty where there is none."""
    frame = frame or sys._getframe(1)
    while frame is not None:
        if not is_library(frame.f_code.co_filename):
            return f"{shown_path(frame.f_code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def called_by_library() -> bool:
    """Whether the code that called into this package is PyTorch's or Python's own."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE + os.sep):
        frame = frame.f_back
    return frame is not None and is_library(frame.f_code.co_filename)


def raised_place(trace: TracebackType | None) -> str:
    """`FILE:LINE` of the innermost frame of a traceback that is the user's; empty where there is none."""
    places = [f"{shown_path(frame.filename)}:{frame.lineno}" for frame in traceback.extract_tb(trace)
              if not is_library(frame.filename)]
    return places[-1] if places else ""
