"""Groups of ranks as text, and which of them today's graph format can name."""

from __future__ import annotations

from typing import Sequence


def name_ranks(ranks: Sequence[int]) -> str:
    """Ranks as `START:STRIDE:COUNT` where they are evenly spaced, else joined by `+`.

    >>> name_ranks([0, 8, 16]), name_ranks([3]), name_ranks([0, 1, 5])
    ('0:8:3', '3:1:1', '0+1+5')
    """
    if len(ranks) == 1:
        return f"{ranks[0]}:1:1"
    stride = ranks[1] - ranks[0]
    if stride > 0 and all(b - a == stride for a, b in zip(ranks, ranks[1:])):
        return f"{ranks[0]}:{stride}:{len(ranks)}"
    return "+".join(map(str, ranks))


def reach_of(ranks: Sequence[int], world: int, per_node: int) -> str | None:
    """The word for the column `among`: all ranks, one node, the same place on each node; None for other groups."""
    if len(ranks) == world:
        return "all"
    start = min(ranks)
    if len(ranks) == per_node and list(ranks) == list(range(start, start + per_node)) and start % per_node == 0:
        return "node"
    if list(ranks) == list(range(ranks[0], world, per_node)) and ranks[0] < per_node:
        return "nodes"
    return None


def has_schedule(collective: str, among: str) -> bool:
    """Whether `sim` can run a collective among such a group (netmodels/traced_step.cpp, has_schedule)."""
    if among == "nodes":
        return collective == "all_reduce"
    if collective == "broadcast":
        return among == "all"
    return collective in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
