"""Groups of ranks as text, and how the graph format names them."""

from __future__ import annotations

from typing import Sequence

from gradsim.capture.pairs import MESSAGES


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


def is_evenly_spaced(ranks: Sequence[int], world: int) -> bool:
    """Whether groups of this shape, side by side, hold all ranks, and the group is one of them.

    >>> is_evenly_spaced([1, 3], 8), is_evenly_spaced([2, 4], 8), is_evenly_spaced([0, 1, 2], 8)
    (True, False, False)
    """
    if len(ranks) < 2 or ":" not in name_ranks(ranks):
        return False
    stride = ranks[1] - ranks[0]
    block = stride * len(ranks)
    return world % block == 0 and ranks[0] % block < stride


def columns_of(collective: str, ranks: Sequence[int], world: int, per_node: int) -> tuple[str, str] | None:
    """The cells of the columns `among` and `group`; None where a graph cannot carry the collective.

    A word holds for other numbers of ranks, too; a group is of as many.
    """
    among = reach_of(ranks, world, per_node)
    if among is not None and has_schedule(collective, among):
        return among, ""
    if collective in COLLECTIVES | MESSAGES and is_evenly_spaced(ranks, world):
        return "", name_ranks(ranks)
    return None


COLLECTIVES = frozenset({"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"})


def has_schedule(collective: str, among: str) -> bool:
    """Whether `sim` can run a collective among such a group (netmodels/traced_step.cpp, has_schedule)."""
    if collective in MESSAGES:
        return True
    if among == "nodes":
        return collective == "all_reduce"
    if collective == "broadcast":
        return among == "all"
    return collective in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
