"""Collectives as PyTorch dispatches them: which one, in which group, and its bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.distributed._tools.fake_collectives import CollectiveOp, collective_ops
from torch.utils._pytree import tree_leaves

COMMUNICATION = frozenset({"c10d", "_c10d_functional", "_c10d_functional_autograd", "_dtensor"})

# Part of the operator's name -> collective; the first that fits.
NAMES = (("wait_tensor", "wait"), ("barrier", "barrier"), ("reduce_scatter", "reduce_scatter"), ("allgather", "all_gather"),
         ("all_gather", "all_gather"), ("alltoall", "all_to_all"), ("all_to_all", "all_to_all"), ("allreduce", "all_reduce"),
         ("all_reduce", "all_reduce"), ("broadcast", "broadcast"), ("isend", "send"), ("irecv", "recv"), ("send", "send"),
         ("recv", "recv"), ("scatter", "scatter"), ("gather", "gather"), ("reduce", "reduce"))
# Without a row: they only look up what others launched.
SILENT = ("_wrap_", "_resolve", "get_", "mark")


@dataclass
class Message:
    """One communication before it is recorded. name: of NAMES, or `unknown`. group: a process group, None for all ranks."""

    name: str
    group: Any
    arguments: tuple
    tensors: list[torch.Tensor]
    peer: int | None = None

    @property
    def dtype(self) -> str:
        return str(self.tensors[0].dtype).removeprefix("torch.") if self.tensors else ""

    def payload(self, out: Any) -> int:
        """Bytes of the largest argument or result, a list as a whole: the gathered side of gathers and scatters."""
        return max(sum(one.numel() * one.element_size() for one in tree_leaves(part) if isinstance(one, torch.Tensor))
                   for part in (*self.arguments, out))


def message_of(func: Any, args: tuple, kwargs: dict) -> Message | None:
    """What an operator of PyTorch's communication namespaces sends; None where it sends nothing."""
    name = func._schema.name.partition("::")[2]
    if any(name.startswith(prefix) for prefix in SILENT):
        return None
    kind = next((word for part, word in NAMES if part in name), "unknown")
    tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
    if kind in ("wait", "barrier", "unknown") or not tensors:
        return Message(kind, None, args, tensors)
    group = CollectiveOp.get_process_group(func, args) if func in collective_ops else _named_group(args)
    peer = next((one for one in args[2:] if isinstance(one, int)), None) if kind in ("send", "recv") else None
    return Message(kind, group, args, tensors, peer)


def _named_group(args: tuple) -> Any:
    """The group of an operator that PyTorch's table leaves out: given as a process group or by its name."""
    from torch._C._distributed_c10d import _resolve_process_group
    from torch.distributed import ProcessGroup

    for one in args:
        if isinstance(one, torch.ScriptObject):
            try:
                return ProcessGroup.unbox(one)
            except RuntimeError:
                continue
        if isinstance(one, str):
            try:
                return _resolve_process_group(one)
            except (RuntimeError, ValueError):
                continue
    return None
