"""Charts of rows as SVG, without another package: bars of a figure or of a step's parts, and lines over an axis."""

from __future__ import annotations

import html
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

from gradsim.errors import ColumnError
from gradsim.result import Row

# Eight colours that colour-blind readers can tell apart (M. Okabe and K. Ito, 2008).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#555555", "#f0e442")
STEP_PARTS = {"compute_time_s": "compute", "replica_exchange_time_s": "exchange of a replica",
              "replica_bubble_time_s": "bubbles", "wait_time_s": "wait for the slowest", "stream_wait_time_s": "wait for samples",
              "compress_time_s": "compression", "exposed_time_s": "exchange (not hidden)"}  # they add up to a step
_UNITS = {"_s": (("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("h", 3600.0)),
          "_bytes": (("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)), "_usd": (("USD", 1.0),),
          "_samples_per_s": (("samples/s", 1.0),), "_tokens_per_s": (("tokens/s", 1.0),)}
_WIDTH, _LETTER = 680, 7.0  # pixels, of the picture and of a letter
_MOST_POINTS = 120  # of a line
_MOST_MARKS = 12  # of a line, whose points are marked
_LOGARITHMIC = 10  # ratio of the largest to the smallest value from which on an axis is


@dataclass(frozen=True)
class Chart:
    """A picture, which a notebook shows. svg: its text."""

    svg: str

    def __str__(self) -> str:
        return self.svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture into a file."""
        Path(path).write_text(self.svg, encoding="utf-8")


@dataclass(frozen=True)
class _Axis:
    """A column's title and unit, and the range of its values."""

    title: str
    unit: str
    size: float  # of the unit
    low: float  # in units
    high: float
    logarithmic: bool

    @property
    def caption(self) -> str:
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def at(self, value: float, begin: float, end: float) -> float:
        """Pixels of a value of the column, where the axis goes from begin to end."""
        here = value / self.size
        if self.logarithmic:
            share = math.log(here / self.low) / math.log(self.high / self.low)
        else:
            share = (here - self.low) / (self.high - self.low)
        return begin + (end - begin) * share

    def ticks(self) -> list[float]:
        """Round values in units, about five."""
        if self.logarithmic:
            decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            factors = (1, 2, 5) if self.high / self.low < 300 else (1,)
            marks = [factor * 10.0 ** decade for decade in decades for factor in factors]
        else:
            rough = (self.high - self.low) / 5
            step = min((factor * 10.0 ** math.floor(math.log10(rough)) for factor in (1, 2, 5, 10)), key=lambda one: abs(one - rough))
            marks = [step * number for number in range(math.ceil(self.low / step), math.floor(self.high / step * 1.000001) + 1)]
        return [mark for mark in marks if self.low * 0.999 <= mark <= self.high * 1.001]


def _named(column: str, largest: float) -> tuple[str, str, float]:
    """Title of a column, the unit in which its values are shown, and the unit's size."""
    ending = max((one for one in _UNITS if column.endswith(one)), key=len, default="")
    title = column.removesuffix(ending).rpartition(".")[2].replace("_", " ")
    units = _UNITS.get(ending, (("", 1.0),))
    unit, size = next((one for one in reversed(units) if one[1] <= largest), units[0])
    return title, unit, size


def _axis(column: str, values: Sequence[float], unit: str = "", from_zero: bool = False) -> _Axis:
    """Axis over the values; `unit` is the one that they are stated in, where the column does not name one."""
    title, own_unit, size = _named(column, max(values))
    low, high = min(values) / size, max(values) / size
    logarithmic = low > 0 and high >= _LOGARITHMIC * low
    if not logarithmic:
        low = min(low, 0.0) if from_zero else low
        high = high if high > low else low + 1
    return _Axis(title, unit or own_unit, size, low, high, logarithmic)


def _number(value: float) -> str:
    """Three digits; millions as M."""
    size, unit = next(((size, unit) for size, unit in ((1e9, " G"), (1e6, " M")) if abs(value) >= size), (1, ""))
    rounded = float(f"{value / size:.3g}")
    return (f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{rounded:g}") + unit


def _is_finite(value: Any) -> bool:
    """Whether a value is a text or a finite number."""
    return not isinstance(value, Real) or math.isfinite(value)


def _quantity(value: Any) -> tuple[float, str]:
    """The number and the unit of a value of an axis: `2 Gbit/s` is (2, "Gbit/s"). Raises ValueError for other text."""
    found = re.fullmatch(r"([-+.\deE]+)(?: *([A-Za-z%/]+))?", str(value).strip())
    if found is None:
        raise ValueError(f"expected a number with its unit, found `{value}`; bars show values that are names")
    return float(found[1]), found[2] or ""


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _legend(names: Sequence[str], left: float, top: float) -> tuple[list[str], float]:
    """Names beside their colours, as many in a line as there is room for; and the bottom of the last line."""
    parts, x, y = [], left, top + 14
    for name, colour in zip(names, COLOURS):
        width = 30 + _LETTER * len(name)
        if x > left and x + width > _WIDTH:
            x, y = left, y + 19
        parts += [f'<rect x="{x:.1f}" y="{y - 11:.1f}" width="12" height="12" fill="{colour}"/>', _text(x + 17, y, name)]
        x += width
    return parts, y + 10


def _picture(height: float, label: str, parts: Iterable[str]) -> Chart:
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height:.0f}" '
            f'viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{html.escape(label)}">',
            "<style>text{font:13px sans-serif;fill:#222}path{fill:none;stroke-width:2}.grid{stroke:#ddd;stroke-width:1}</style>",
            f'<rect width="{_WIDTH}" height="{height:.0f}" fill="#fff"/>')
    return Chart("\n".join([*head, *parts, "</svg>"]) + "\n")


def _check_columns(rows: Sequence[Row], columns: Iterable[str]) -> None:
    """Raises ColumnError for a column that a row does not have."""
    known = list(dict.fromkeys(key for row in rows for key in row))
    for column in columns:
        without = next((number for number, row in enumerate(rows) if column not in row), None)
        if without is not None:
            raise ColumnError(column, known, without)


def bars(rows: Iterable[Row], y: str | None = None, by: str = "arm") -> Chart:
    """A bar for each row: `gradsim.bars(gradsim.run("quickstart").arms.values())`.

    y: the column that is shown; None: the parts of a step. by: the column that names a bar. A row without the figure, or
    with one that is not finite, has no bar. Raises ValueError where no row has it, and ColumnError for an unknown column.
    """
    listed = list(rows)
    _check_columns(listed, [by] if y is None else [y, by])
    parts_of_step = [part for part in STEP_PARTS if any(row.get(part) for row in listed)]
    columns = [y] if y is not None else parts_of_step
    stacks = [(str(row[by]), _finite_or_zeros([float(row[column] or 0) for column in columns])) for row in listed]
    largest = max((sum(values) for _, values in stacks), default=0)
    if largest <= 0:
        raise ValueError(f"no row has a figure of `{y}`" if y is not None else "no row has the parts of a step")
    axis = _axis(y or "step_time_s", [0.0, largest], from_zero=True)
    left = 24 + _LETTER * max(len(name) for name, _ in stacks)
    pictures = [_text(left, 18, axis.caption)]
    for number, (name, values) in enumerate(stacks):
        pictures += _bar(name, values, axis, left, 28 + 24 * number)
    bottom = 32.0 + 24 * len(stacks)
    if len(columns) > 1:
        legend, bottom = _legend([STEP_PARTS[column] for column in columns], left, bottom)
        pictures += legend
    return _picture(bottom, f"{axis.caption} by {by}", pictures)


def _finite_or_zeros(values: list[float]) -> list[float]:
    """The values; as many zeros where one of them is not finite."""
    return values if all(map(math.isfinite, values)) else [0.0] * len(values)


def _bar(name: str, values: Sequence[float], axis: _Axis, left: float, top: float) -> list[str]:
    """A name, its stacked values and their sum."""
    parts, x = [_text(left - 8, top + 13, name, "end")], left
    for value, colour in zip(values, COLOURS):
        width = axis.at(value, 0, _WIDTH - left - 70)
        if value > 0:
            parts.append(f'<rect x="{x:.1f}" y="{top:.0f}" width="{width:.1f}" height="18" fill="{colour}"/>')
            x += width
    return [*parts, _text(x + 6, top + 13, _number(sum(values) / axis.size) if sum(values) > 0 else "none")]


def lines(rows: Iterable[Row], x: str, y: str, by: str = "arm") -> Chart:
    """A line for each value of a column, over an axis: `gradsim.lines(rows, x="cluster.workers", y="step_time_s")`.

    x: a column of numbers, or of texts with the same unit, as axes of a sweep have. by: the column that tells lines
    apart. An axis over a factor of 10 and more is logarithmic. Rows without the figure, rows with a value that is not
    finite, and most of more than 120 on a line are left out; the points of a line are in the order of the axis. Raises
    ValueError where units differ, no row has the figure, or there are more than 8 lines, and ColumnError for an unknown column.
    """
    listed = list(rows)
    _check_columns(listed, (x, y, by))
    series: dict[str, list[tuple[float, float]]] = {}
    units = set()
    for row in listed:
        if row[y] is None or not _is_finite(row[x]):
            continue
        point, unit = _quantity(row[x])
        value = float(row[y])
        if math.isfinite(point) and math.isfinite(value):
            units.add(unit)
            series.setdefault(_name_of(row[by], by), []).append((point, value))
    if len(units) != 1:
        raise ValueError(f"units of `{x}` differ: {', '.join(sorted(units))}" if units else f"no row has a figure of `{y}`")
    if len(series) > len(COLOURS):
        raise ValueError(f"{len(series)} lines, and {len(COLOURS)} can be told apart; filter rows or choose another `by`")
    points = [point for line in series.values() for point in line]
    across = _axis(x, [point[0] for point in points], units.pop())
    upward = _axis(y, [point[1] for point in points], from_zero=True)
    top, bottom, left, right = 30.0, 270.0, 70.0, _WIDTH - 30.0
    parts = _grid(across, upward, (left, right), (bottom, top))
    for line, colour in zip(series.values(), COLOURS):
        shown = sorted(line)[::math.ceil(len(line) / _MOST_POINTS)]
        marks = [(across.at(a, left, right), upward.at(b, bottom, top)) for a, b in shown]
        parts.append(f'<path stroke="{colour}" d="M{" ".join(f"{a:.1f},{b:.1f}" for a, b in marks)}"/>')
        if len(marks) <= _MOST_MARKS:
            parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in marks]
    legend, height = _legend(list(series), left, bottom + 42)
    return _picture(height, f"{upward.caption} over {across.caption}", [*parts, *legend])


def _name_of(value: Any, column: str) -> str:
    """A name as it is, and a number with the column's title: `8 workers`."""
    return value if isinstance(value, str) else f"{value} {_named(column, 0)[0]}"


def _grid(across: _Axis, upward: _Axis, horizontal: tuple[float, float], vertical: tuple[float, float]) -> list[str]:
    """Marks and captions of both axes. horizontal, vertical: pixels at the lowest and the highest value."""
    (left, right), (bottom, top) = horizontal, vertical
    parts = [_text(left, 18, upward.caption), _text(right, bottom + 36, across.caption, "end")]
    for mark in upward.ticks():
        y = upward.at(mark * upward.size, bottom, top)
        parts.append(f'<line class="grid" x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(left - 8, y + 4, _number(mark), "end"))
    for mark in across.ticks():
        x = across.at(mark * across.size, left, right)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom:.1f}" y2="{top:.1f}"/>')
        parts.append(_text(x, bottom + 18, _number(mark), "middle"))
    return parts
