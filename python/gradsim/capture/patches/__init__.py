"""Cures for what breaks when a script runs on fake tensors in one process: one cure a function, with the reason."""

from __future__ import annotations

import sys
from typing import Any, Callable


class Patches:
    """Replaces attributes of PyTorch for a time; `restore` puts back what was there."""

    def __init__(self) -> None:
        self._saved: list[tuple[Any, str, Any, bool]] = []

    def set(self, owner: Any, name: str, value: Any) -> Any:
        """Replaces `owner.name`. Returns what it was, or None."""
        own = vars(owner)
        self._saved.append((owner, name, own.get(name), name in own))
        before = getattr(owner, name, None)
        setattr(owner, name, value)
        return before

    def wrap(self, owner: Any, name: str, make: Callable[[Callable], Callable]) -> None:
        """Replaces a function by `make(function)`."""
        self.set(owner, name, make(getattr(owner, name)))

    def replace_everywhere(self, old: Any, new: Any) -> None:
        """Replaces a function in each module that has it by any name: others imported it by `from ... import`."""
        for module in list(sys.modules.values()):
            for name, value in list(getattr(module, "__dict__", {}).items()):
                if value is old:
                    self.set(module, name, new)

    def restore(self) -> None:
        for owner, name, value, existed in reversed(self._saved):
            if existed:
                setattr(owner, name, value)
            else:
                delattr(owner, name)
        self._saved.clear()
