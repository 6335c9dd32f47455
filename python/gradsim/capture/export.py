"""Writes a captured step: NAME.csv and NAME.yaml, which `sim run` reads, and NAME.operations.csv with all columns."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from gradsim.capture.fusion import fuse_chains
from gradsim.capture.groups import columns_of, name_ranks
from gradsim.capture.operations import Capture, Operation
from gradsim.capture.pairs import message_problems, peer_cell
from gradsim.capture.roofline import Roofline
from gradsim.capture.work import check_precisions, is_marked, precision_of, split_by_work, unmarked_gradients, work_of

GRAPH_COLUMNS = "operation,stream,duration_us,after,collective,bytes,among,flops,memory_bytes,kind,precision,group,queue"
OPERATION_COLUMNS = "operation,kind,stream,after,row,flops,memory_bytes,dtype,collective,bytes,group,peer,source"
OPERATION_NOTES = """Each stream runs its operations in this order; `after` holds the numbers of rows, counted from 0, that must have ended.
row: of NAME.csv. flops: a multiplication and an addition are two. memory_bytes: inputs and outputs. bytes: what each rank
holds (all_reduce, broadcast, all_to_all, send, recv), or all contributions together (all_gather, reduce_scatter).
group: START:STRIDE:COUNT of the ranks. peer: the other end's number in the group. Streams `communicator K` are one queue each. source: line of the script.
"""


@dataclass
class Row:
    """One row of NAME.csv: neighbouring operations of one stream, or one collective."""

    stream: str
    operations: list[Operation]
    after: list[int]
    among: str = ""
    group: str = ""
    queue: str = ""
    peer: str = ""

    @property
    def lane(self) -> str:
        """What runs its rows in order: a stream, or a queue of communication."""
        return self.stream + self.queue


def unsupported(capture: Capture) -> list[str]:
    """What the graph format cannot carry, one sentence for each collective and group; empty where it carries all."""
    reasons = []
    for (name, ranks), (count, _) in capture.collectives().items():
        if columns_of(name, ranks, capture.world, capture.per_node) is None:
            reasons.append(f"{count} `{name}` among ranks {name_ranks(ranks)} of {capture.world} have no schedule")
    return reasons + message_problems(capture.operations, capture.rank)


def _file_stream(one: Operation) -> str:
    if one.communicates:
        return "communication"
    return one.stream if one.stream in ("compute", "host") else "copy"


def _queues(operations: list[Operation]) -> dict[str, str]:
    """The cell of the column `queue` by stream of a communicator; empty where there is one."""
    streams = list(dict.fromkeys(one.stream for one in operations if one.communicates))
    return {stream: str(number) for number, stream in enumerate(streams)} if len(streams) > 1 else {}


def fuse(capture: Capture) -> list[Row]:
    """Rows of NAME.csv: an operation that waits for nothing new, after one for which nothing waits, continues its row.

    Of a compiled script, chains of pointwise operations move the bytes of one kernel (gradsim.capture.fusion).
    """
    operations = fuse_chains(capture.operations) if capture.compiled else capture.operations
    awaited = {index for one in operations for index in one.after}
    queues = _queues(operations)
    rows: list[Row] = []
    row_of: list[int] = []
    last: dict[str, int] = {}
    for one in operations:
        stream = _file_stream(one)
        lane = stream + queues.get(one.stream, "")
        previous = rows[last[lane]] if lane in last else None
        if previous is not None and not one.communicates and one.kind != "host" and not one.after \
                and previous.operations[-1].stream == one.stream and previous.operations[-1].index not in awaited:
            previous.operations.append(one)
        else:
            # Of an earlier row of the same stream or queue nothing need be said: they run in order.
            after = sorted({row_of[index] for index in one.after if rows[row_of[index]].lane != lane})
            columns = columns_of(one.name, one.ranks, capture.world, capture.per_node) if one.communicates else None
            rows.append(Row(stream, [one], after, *(columns or ("", "")), queues.get(one.stream, ""), peer_cell(one, capture.rank)))
            last[lane] = len(rows) - 1
        row_of.append(last[lane])
    return rows


def seconds_without_exchange(rows: list[Row], roofline: Roofline) -> float:
    """How long the step takes when collectives take no time."""
    ends: list[float] = []
    free: dict[str, float] = {}
    for row in rows:
        begin = max([free.get(row.lane, 0.0), *(ends[index] for index in row.after)])
        ends.append(begin + sum(map(roofline.seconds, row.operations)))
        free[row.lane] = ends[-1]
    return max(ends, default=0.0)


def _cell(text: str) -> str:
    """A text without what would break a table."""
    kept = "".join(one if 0x20 <= ord(one) < 0x7F and one not in ',#"' else "_" for one in text)
    return kept[:60] or "operation"


def graph_lines(rows: list[Row], roofline: Roofline) -> list[str]:
    """The rows as lines of NAME.csv, with its header."""
    with_peers = any(row.peer for row in rows)
    cells = ((*_cells(row, roofline), row.peer) if with_peers else _cells(row, roofline) for row in rows)
    return [GRAPH_COLUMNS + (",peer" if with_peers else ""), *(",".join(map(str, one)) for one in cells)]


def _cells(row: Row, roofline: Roofline) -> tuple:
    """The cells of a row of NAME.csv."""
    longest = max(row.operations, key=roofline.seconds)
    after = " ".join(map(str, row.after))
    if longest.communicates:
        marks = ("gradient", precision_of(longest)) if is_marked(longest) else ("", "")
        return (longest.name, "communication", "", after, longest.name, longest.payload, row.among, "", "", *marks, row.group, row.queue)
    work = None if roofline.frozen or row.stream == "host" else work_of(row.operations)
    if work is None:
        duration = 1e6 * sum(map(roofline.seconds, row.operations))
        return (_cell(longest.name), row.stream, f"{duration:.3f}", after, *[""] * 9)
    return (_cell(longest.name), row.stream, "", after, "", "", "", work.flops or "", work.memory_bytes or "", work.kind, work.precision, "", "")


def operation_lines(capture: Capture, rows: list[Row]) -> list[str]:
    """All operations as lines of NAME.operations.csv, with its header."""
    row_of = {one.index: number for number, row in enumerate(rows) for one in row.operations}
    lines = [OPERATION_COLUMNS]
    for one in capture.operations:
        collective = one.name if one.communicates else ""
        after = " ".join(map(str, one.after))
        cells = (_cell(one.name), one.kind, one.stream, after, row_of.get(one.index, ""), one.flops or "", one.memory_bytes or "",
                 one.dtype, collective, one.payload or "", name_ranks(one.ranks) if one.ranks else "",
                 "" if one.peer is None else one.peer, _cell(one.place) if one.place else "")
        lines.append(",".join(map(str, cells)))
    return lines


def provenance(capture: Capture) -> str:
    """Who recorded what, as one sentence."""
    return (f"gradsim capture of {capture.script}: rank {capture.rank} of {capture.world}, {capture.per_node} a node, step "
            f"{capture.steps}, PyTorch {capture.torch_version}, fake tensors and a fake process group")


def write_files(capture: Capture, roofline: Roofline, name: str) -> tuple[list[str], list[Row]]:
    """Writes the files. Returns their paths and the rows of NAME.csv; without rows where that format cannot carry the step.
    Raises CaptureRefused for FLOPs of a type that it cannot state.
    """
    rows = [] if unsupported(capture) else fuse(capture)
    if rows and not roofline.frozen:
        check_precisions(capture)
        rows = split_by_work(rows)
    head = f"{provenance(capture)}\nLicence: that of the script's owner; figures are facts\n"
    files = {f"{name}.operations.csv": _comments(head + OPERATION_NOTES) + "\n".join(operation_lines(capture, rows)) + "\n"}
    if rows:
        times = f"Times: {_times(rows, roofline)}; collectives take what the cluster makes of them.\n"
        files[f"{name}.csv"] = _comments(head + times) + "\n".join(graph_lines(rows, roofline)) + "\n"
        files[f"{name}.yaml"] = _workload(capture, roofline, Path(name).name, head + times)
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        beside = f"{path}.tmp"
        Path(beside).write_text(text, encoding="utf-8")
        os.replace(beside, path)
    return list(files), rows


def _times(rows: list[Row], roofline: Roofline) -> str:
    if roofline.frozen:
        return f"{roofline.source}, by the larger of FLOPs and bytes"
    seconds = seconds_without_exchange(rows, roofline)
    return f"by FLOPs and bytes on the scenario's device ({1e3 * seconds:.4g} ms without exchange by {roofline.source})"


def _workload(capture: Capture, roofline: Roofline, name: str, head: str) -> str:
    notes = [*capture.notes, *unmarked_gradients(capture), *(roofline.notes() if roofline.frozen else ())]
    facts = head + "".join(f"Note: {note}.\n" for note in notes)
    if capture.samples is None:
        facts += "The batch was not seen: 1 sample represents all samples of a rank and step.\n"
    device = f"device: {_quoted(roofline.device)}\n" if roofline.device else ""
    return (f"{_comments(facts)}name: {_quoted(name)}\nprovenance: {_quoted(provenance(capture))}\n{device}"
            f"graph: {_quoted(name + '.csv')}\nparameters: {max(1, capture.parameters)}\nbatch: {capture.samples or 1}\n"
            f"recorded_workers: {capture.world}\n" + (f"workers_per_replica: {capture.replica}\n" if capture.replica else ""))


def _comments(text: str) -> str:
    return "".join(f"# {line}\n" for line in text.splitlines())


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
