"""Captures of one script with several numbers of ranks as one graph, whose sizes follow from the number of workers."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Sequence

from gradsim.capture.refusal import CaptureRefused

SIZES = ("bytes", "flops", "memory_bytes")
SAME_KEYS = ("parameters", "batch", "device", "workers_per_replica")
OTHER_WORK = "the script does other work with another number of ranks: capture each number of ranks separately"


@dataclass
class Graph:
    """The files of one capture. world: its number of ranks. keys: of the workload, as written. head: comments of the graph.

    operations: rows of NAME.operations.csv; empty without that file.
    """

    path: str
    world: int
    keys: dict[str, str]
    head: list[str]
    columns: list[str]
    rows: list[dict[str, str]]
    operations: list[dict[str, str]]


def read_graph(workload: str | Path) -> Graph:
    """The capture of a workload file that `gradsim capture` wrote."""
    workload = Path(workload)
    keys = dict(line.split(": ", 1) for line in workload.read_text(encoding="utf-8").splitlines() if not line.startswith("#") and ": " in line)
    if "recorded_workers" not in keys or "graph" not in keys:
        raise CaptureRefused(str(workload), "the workload does not state `recorded_workers`", "capture the script again")
    head, columns, rows = _read_table(workload.parent / keys["graph"].strip('"'))
    beside = workload.with_suffix(".operations.csv")
    operations = _read_table(beside)[2] if beside.is_file() else []
    return Graph(str(workload), int(keys["recorded_workers"]), keys, head, columns, rows, operations)


def _read_table(path: Path) -> tuple[list[str], list[str], list[dict[str, str]]]:
    """Comments, columns and rows."""
    lines = path.read_text(encoding="utf-8").splitlines()
    table = csv.DictReader(line for line in lines if not line.startswith("#"))
    rows = list(table)
    return [line for line in lines if line.startswith("#")], list(table.fieldnames or ()), rows


@dataclass(frozen=True)
class Rule:
    """A size that does not depend on the number N of workers, one that they share, and one that each adds to."""

    constant: int = 0
    shared: int = 0
    each: int = 0

    def __add__(self, other: "Rule") -> "Rule":
        return Rule(self.constant + other.constant, self.shared + other.shared, self.each + other.each)

    def at(self, world: int) -> Fraction:
        return self.constant + Fraction(self.shared, world) + self.each * world

    def __str__(self) -> str:
        terms = [(self.constant, ""), (self.shared, "/N"), (self.each, "*N")]
        return "".join(f"{size:+}{end}" for size, end in terms if size).removeprefix("+") or "0"


def size_rules(worlds: Sequence[int], sizes: Sequence[int]) -> list[Rule]:
    """The rules that give these sizes, at most two: a constant and a share `C+S/N`, a constant and what each rank adds `C+G*N`.

    Two numbers of workers determine each: its parts must be whole, and give no negative size for any number of workers.
    A size that falls with it is therefore a share; one that grows may be either, and a third number tells them apart.

    >>> [" or ".join(map(str, size_rules((8, 16), sizes))) for sizes in ((96, 96), (96, 48), (106, 58), (84, 90), (32, 64), (42, 74))]
    ['96', '768/N', '10+768/N', '96-96/N', '4*N', '10+4*N']
    >>> [str(rule) for rule in size_rules((8, 16), (120, 128))], [str(rule) for rule in size_rules((8, 16, 32), (120, 128, 144))]
    (['136-128/N', '112+1*N'], ['112+1*N'])
    >>> size_rules((8, 16), (97, 48)), size_rules((8, 16), (8, 64)), size_rules((8, 16, 32), (96, 48, 25))
    ([], [], [])
    """
    if len(set(sizes)) == 1:
        return [Rule(sizes[0])]
    rules = (_shared_rule(worlds, sizes), _growing_rule(worlds, sizes))
    return [rule for rule in rules if rule is not None and _gives(rule, worlds, sizes)]


def _gives(rule: Rule, worlds: Sequence[int], sizes: Sequence[int]) -> bool:
    return all(rule.at(world) == size for world, size in zip(worlds, sizes))


def _shared_rule(worlds: Sequence[int], sizes: Sequence[int]) -> Rule | None:
    """C+S/N by the first two sizes; None where a part is not whole, or a size would be negative with one worker or with many."""
    shared = Fraction((sizes[0] - sizes[1]) * worlds[0] * worlds[1], worlds[1] - worlds[0])
    constant = sizes[0] - shared / worlds[0]
    if not _are_whole(shared, constant) or constant < 0 or constant + shared < 0:
        return None
    return Rule(int(constant), shared=int(shared))


def _growing_rule(worlds: Sequence[int], sizes: Sequence[int]) -> Rule | None:
    """C+G*N by the first two sizes; None where a part is not whole or negative."""
    each = Fraction(sizes[1] - sizes[0], worlds[1] - worlds[0])
    constant = sizes[0] - each * worlds[0]
    return Rule(int(constant), each=int(each)) if _are_whole(each, constant) and min(each, constant) >= 0 else None


def _are_whole(*parts: Fraction) -> bool:
    return all(part.denominator == 1 for part in parts)


def size_at(cell: str, world: int) -> Fraction:
    """The value of a cell for a number of workers.

    >>> size_at("10+768/N", 32), size_at("96-96/N+4*N", 32), size_at("5", 32)
    (Fraction(34, 1), Fraction(221, 1), Fraction(5, 1))
    """
    terms = re.findall(r"([+-]?\d+)(/N|\*N)?", cell)
    return sum((int(size) * {"": Fraction(1), "/N": Fraction(1, world), "*N": Fraction(world)}[end] for size, end in terms), Fraction(0))


def _group_rules(worlds: Sequence[int], cells: Sequence[str]) -> list[str]:
    """Groups of a share of all ranks; none for others."""
    groups = [one.split(":") for one in cells]
    if any(len(one) != 3 or one[:2] != groups[0][:2] for one in groups):
        return []
    shares = {Fraction(world, int(one[2])) for world, one in zip(worlds, groups)}
    share = shares.pop()
    return [f"{groups[0][0]}:{groups[0][1]}:N/{share}"] if not shares and share.denominator == 1 else []


def _sums_by_name(graph: Graph, column: str) -> dict[tuple[int, str], int]:
    """Sums of a column over the operations of a row that have the same name."""
    sums: dict[tuple[int, str], int] = {}
    for one in graph.operations:
        if one["row"]:
            key = int(one["row"]), one["operation"]
            sums[key] = sums.get(key, 0) + int(one[column] or 0)
    return sums


def _rules_by_operation(graphs: Sequence[Graph]) -> dict[tuple[int, str], list[Rule]]:
    """Rules of the rows' work by those of their operations, by row and column; none where an operation has another rule.

    Operations of one row may follow different rules, which their sum alone does not tell apart. Of more than two, two are listed.
    """
    worlds = [one.world for one in graphs]
    rules: dict[tuple[int, str], list[Rule]] = {}
    for column in ("flops", "memory_bytes"):
        sums = [_sums_by_name(one, column) for one in graphs]
        for row, name in sums[0]:
            own = size_rules(worlds, [one.get((row, name), 0) for one in sums])
            rules[row, column] = [so_far + rule for so_far in rules.get((row, column), [Rule()]) for rule in own][:2]
    return rules


def _merged_row(number: int, graphs: Sequence[Graph], by_operation: dict[tuple[int, str], list[Rule]]) -> dict[str, str]:
    """One row of all captures. Raises CaptureRefused where they differ by no rule, or by one of two."""
    worlds, rows = [one.world for one in graphs], [one.rows[number] for one in graphs]
    merged = dict(rows[0])
    for column in rows[0]:
        cells = [row.get(column, "") for row in rows]
        if len(set(cells)) == 1 or column == "operation":
            continue
        rules = _rules_of_cells(column, worlds, cells, by_operation.get((number, column), []))
        if len(rules) != 1:
            found = ", ".join(f"`{cell}` of {world}" for cell, world in zip(cells, worlds))
            raise CaptureRefused(graphs[0].path, f"row {number} (`{merged['operation']}`): {column} is {found} ranks{_choice(rules)}",
                                 _third_world(worlds) if rules else _hint_of(column))
        merged[column] = rules[0]
    return merged


def _rules_of_cells(column: str, worlds: Sequence[int], cells: Sequence[str], by_operation: Sequence[Rule]) -> list[str]:
    """The rules that give these cells, as written; none in a column without rules."""
    if column == "group":
        return _group_rules(worlds, cells)
    if column not in SIZES or not all(cells):
        return []
    sizes = [int(one) for one in cells]
    # Sums of the operations are the cells unless chains of pointwise operations were fused.
    of_sums = [rule for rule in by_operation if _gives(rule, worlds, sizes)]
    return [str(rule) for rule in of_sums or size_rules(worlds, sizes)]


def _choice(rules: Sequence[str]) -> str:
    return f", which both {' and '.join(f'`{rule}`' for rule in rules)} give" if rules else ""


def _third_world(worlds: Sequence[int]) -> str:
    shown = ",".join(map(str, [*worlds, 2 * worlds[-1]]))
    return f"capture a third number of ranks, which tells the rules apart, such as `--world {shown}`"


def _hint_of(column: str) -> str:
    if column == "duration_us":
        return "capture without `--durations`: times follow from FLOPs and bytes"
    if column in SIZES:
        return "numbers of ranks that divide all dimensions need no padding; capture others separately"
    return OTHER_WORK


def _check_same(first: Graph, other: Graph) -> None:
    """Raises CaptureRefused where two captures differ in what no rule describes."""
    if len(other.rows) != len(first.rows) or other.columns != first.columns:
        raise CaptureRefused(other.path, f"{len(other.rows)} rows, and {len(first.rows)} of {first.path}", OTHER_WORK)
    for key in SAME_KEYS:
        if other.keys.get(key) != first.keys.get(key):
            raise CaptureRefused(other.path, f"`{key}` is {other.keys.get(key)}, and {first.keys.get(key)} in {first.path}", OTHER_WORK)


def merge(workloads: Sequence[str | Path], name: str | Path) -> Graph:
    """Writes NAME.csv and NAME.yaml, which hold for any number of workers; returns what it wrote.

    workloads: files of at least two captures of one script, with different numbers of ranks; a third one is compared.
    Raises CaptureRefused where the captures differ otherwise: by number of rows, dependencies, or a size of another rule.
    """
    graphs = sorted((read_graph(one) for one in workloads), key=lambda one: one.world)
    if len({one.world for one in graphs}) < max(2, len(graphs)):
        raise CaptureRefused("merge", "expected captures with different numbers of ranks", "such as `--world 8,16`")
    for other in graphs[1:]:
        _check_same(graphs[0], other)
    by_operation = _rules_by_operation(graphs)
    rows = [_merged_row(number, graphs, by_operation) for number in range(len(graphs[0].rows))]
    merged = Graph(f"{name}.yaml", 0, _merged_keys(graphs, Path(name).name), graphs[0].head, graphs[0].columns, rows, [])
    _write(merged, [one.world for one in graphs], name)
    return merged


def _merged_keys(graphs: Sequence[Graph], name: str) -> dict[str, str]:
    keys = {key: value for key, value in graphs[0].keys.items() if key != "recorded_workers"}
    worlds = " and ".join(str(one.world) for one in graphs)
    provenance = keys["provenance"].strip('"')
    return keys | {"name": f'"{name}"', "graph": f'"{name}.csv"', "provenance": f'"{provenance}; sizes by captures with {worlds} ranks"'}


def _write(merged: Graph, worlds: Sequence[int], name: str | Path) -> None:
    note = (f"# Sizes by captures with {' and '.join(map(str, worlds))} ranks; N is the number of workers."
            + ("" if len(worlds) > 2 else " Two determine a rule, and no third one was compared."))
    lines = [*merged.head, note, ",".join(merged.columns)]
    lines += [",".join(row[column] for column in merged.columns) for row in merged.rows]
    Path(f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    keys = [f"{key}: {value}" for key, value in merged.keys.items()]
    Path(f"{name}.yaml").write_text("\n".join([*merged.head, note, *keys]) + "\n", encoding="utf-8")
