"""Messages between two ranks: where the other end is, and what ranks that all do the same cannot send."""

from __future__ import annotations

from typing import Sequence

from gradsim.capture.operations import Operation

MESSAGES = frozenset({"send", "recv"})


def distance(ranks: Sequence[int], rank: int, peer: int) -> int:
    """How many members of the group further on the peer is, by the shorter way around. peer: its number in the group.

    >>> distance([0, 1, 2, 3], 0, 3), distance([0, 8], 8, 0), distance([0, 1, 2, 3], 3, 1)
    (-1, 1, 2)
    """
    on = (peer - list(ranks).index(rank)) % len(ranks)
    return on if 2 * on <= len(ranks) else on - len(ranks)


def peer_cell(one: Operation, rank: int) -> str:
    """The cell of the column `peer`: `+1` for the next rank of the group; empty for a row that is not a message."""
    return f"{distance(one.ranks, rank, one.peer):+}" if one.name in MESSAGES and one.peer is not None else ""


def message_problems(operations: list[Operation], rank: int) -> list[str]:
    """Why the messages cannot be those of ranks that all do the same, one sentence each; empty where they can.

    The nth send over a distance belongs to the nth receive over that distance (netmodels/traced_messages.hpp).
    """
    problems: dict[str, None] = {}
    waiting: dict[tuple, list[Operation]] = {}
    for one in (one for one in operations if one.name in MESSAGES):
        if one.peer is None:
            problems.setdefault(f"`{one.name}` at {one.place} takes messages of any rank")
            continue
        first = _take_other_end(waiting.setdefault((one.ranks, _distance_to_receiver(one, rank)), []), one)
        if first is not None:
            _check_pair(first, one, operations, problems)
    for ends in waiting.values():
        for one in ends:
            problems.setdefault(f"`{one.name}` at {one.place or 'an unknown line'} ({peer_cell(one, rank)} in its group) has no other end: "
                                "ranks differ, as stages of a pipeline do")
    return list(problems)


def _distance_to_receiver(one: Operation, rank: int) -> int:
    assert one.peer is not None
    return distance(one.ranks, rank, one.peer) * (-1 if one.name == "recv" else 1) % len(one.ranks)


def _take_other_end(ends: list[Operation], one: Operation) -> Operation | None:
    """Removes the first of the waiting ends where they are those of the other kind; else the message waits, too."""
    if ends and ends[0].name != one.name:
        return ends.pop(0)
    ends.append(one)
    return None


def _check_pair(first: Operation, second: Operation, operations: list[Operation], problems: dict[str, None]) -> None:
    if first.payload != second.payload:
        problems.setdefault(f"`{second.name}` at {second.place} of {second.payload} B, and its other end has {first.payload}")
    for one in operations[first.index + 1:second.index + 1]:
        if first.index in one.after:
            problems.setdefault(f"`{first.name}` at {first.place} is waited for before its other end: ranks that all do the same would "
                                "wait for each other; `batch_isend_irecv` launches both at once")
            return
