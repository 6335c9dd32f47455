"""Bytes of a compiled step: chains of pointwise operations and reductions read their inputs and write their outputs once."""

from __future__ import annotations

from dataclasses import replace

from gradsim.capture.operations import Operation

FUSED = frozenset({"pointwise", "reduction", "copy"})


def fuse_chains(operations: list[Operation]) -> list[Operation]:
    """The operations with the bytes that a compiler's kernels move: those of a chain are on its first operation.

    A chain is a run of pointwise operations, reductions and copies of one stream, none of which waits for another stream. It reads what
    it does not make itself, and writes what is read after it, or is never read here (a gradient, a parameter).
    Leaves out: that a compiler splits chains at reductions that do not fit its kernels, and reorders operations.
    """
    last_read: dict[int, int] = {}
    for one in operations:
        last_read |= {number: one.index for number, _ in one.reads}
    fused = list(operations)
    for chain in _chains(operations):
        made: dict[int, int] = {}
        read: dict[int, int] = {}
        for one in chain:
            read |= {number: size for number, size in one.reads if number not in made}
            made |= dict(one.writes)
        end = chain[-1].index
        written = sum(size for number, size in made.items() if last_read.get(number, end + 1) > end)
        for one in chain:
            fused[one.index] = replace(one, memory_bytes=0)
        fused[chain[0].index] = replace(chain[0], memory_bytes=sum(read.values()) + written)
    return fused


def _chains(operations: list[Operation]) -> list[list[Operation]]:
    """Runs of at least two operations that can be one kernel."""
    chains: list[list[Operation]] = []
    growing: dict[str, list[Operation]] = {}
    for one in operations:
        if one.kind not in FUSED or not (one.reads or one.writes):
            growing.pop(one.stream, None)
        elif one.stream in growing and not one.after:
            growing[one.stream].append(one)
        else:
            growing[one.stream] = [one]
            chains.append(growing[one.stream])
    return [chain for chain in chains if len(chain) > 1]
