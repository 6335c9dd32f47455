"""Refusals of `gradsim.torch`, and which PyTorch it runs with."""

from __future__ import annotations

import importlib.util

from gradsim.capture.versions import INSTALL, SUPPORTED, supported


class Refused(ValueError):
    """An argument, a model or an installation that cannot be recorded or compressed.

    where: the argument, or empty. what: one sentence. hint: what to change, or empty.
    """

    def __init__(self, where: str, what: str, hint: str = ""):
        place = f"{where}: " if where else ""
        super().__init__(f"{place}{what}" + (f"\n  hint: {hint}" if hint else ""))
        self.where, self.what, self.hint = where, what, hint


def check_pytorch() -> None:
    """Raises Refused where PyTorch is absent, of another version than tested, or without `torch.distributed`."""
    names = " and ".join(SUPPORTED)
    if importlib.util.find_spec("torch") is None:
        raise Refused("", f"gradsim.torch needs PyTorch {names}, and none is installed", INSTALL)
    import torch

    if not supported(str(torch.__version__)):
        raise Refused("", f"PyTorch {torch.__version__} is not supported: gradsim.torch is tested with PyTorch {names}", INSTALL)
    if not torch.distributed.is_available():
        raise Refused("", "this PyTorch was built without torch.distributed", INSTALL)
