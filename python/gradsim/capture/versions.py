"""Which PyTorch can be recorded: the versions whose private interfaces the patches were tested with."""

from __future__ import annotations

import importlib.util

from gradsim.capture.refusal import CaptureRefused

SUPPORTED = ("2.9", "2.15")
INSTALL = "install one of them: `pip install torch==2.15.0`; a CPU build is enough"


def supported(version: str) -> bool:
    """Whether `version`, such as `2.9.1+cpu`, is of a supported release."""
    return ".".join(version.split("+")[0].split(".")[:2]) in SUPPORTED


def check_pytorch() -> str:
    """The version of the installed PyTorch. Raises CaptureRefused where it is absent or not supported."""
    names = " and ".join(SUPPORTED)
    if importlib.util.find_spec("torch") is None:
        raise CaptureRefused("", f"capture needs PyTorch {names}, and none is installed", INSTALL)
    import torch

    version = str(torch.__version__)
    if not supported(version):
        raise CaptureRefused("", f"PyTorch {version} is not supported: capture is tested with PyTorch {names}", INSTALL)
    return version
