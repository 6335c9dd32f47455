"""What can go wrong, as exceptions that hold place and hint as data."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Problem:
    """One error of an input.

    file, line, column: its place, counted from 1; None where it has none. option: the option instead of a file.
    key: the key of the scenario. what: one sentence. hint: what is accepted instead. remedy: changes of keys that
    remove the error, where they are known; a value of "" leaves the key out.
    """

    what: str
    text: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    option: str | None = None
    key: str | None = None
    hint: str | None = None
    remedy: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Problem:
        """Reads what `sim serve` sends."""
        remedy = {change["key"]: change["value"] for change in values.get("remedy", [])}
        names = ("what", "text", "file", "line", "column", "option", "key", "hint")
        return cls(**{name: values[name] for name in names if name in values}, remedy=remedy)


class GradsimError(Exception):
    """Base of all errors of this package. log: further lines that the program printed."""

    def __init__(self, message: str, log: list[str] | None = None):
        super().__init__(message)
        self.log = log or []


class InputError(GradsimError):
    """A scenario, a file or an option that was refused. problems: all that is wrong, in the order of the input."""

    def __init__(self, message: str, problems: list[Problem], log: list[str] | None = None):
        super().__init__(message, log)
        self.problems = problems


class PolicyError(GradsimError):
    """A policy that raised, took too long, or decided what no step can do. file, line: its place."""

    def __init__(self, message: str, file: str, line: int):
        super().__init__(message)
        self.file = file
        self.line = line


class ProgramError(GradsimError):
    """The program `sim` is missing, ended, or was failed by the device or the system."""


class ColumnError(GradsimError, KeyError):
    """A column that no row has, or not each. column: its name. columns: those that rows have. row: the first without it, from 0."""

    def __init__(self, column: str, columns: list[str], row: int | None = None):
        super().__init__(f"row {row} has no column `{column}`, which other rows have" if column in columns and row is not None
                         else _unknown_column(column, columns))
        self.column = column
        self.columns = columns

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError shows the repr


def _unknown_column(column: str, columns: list[str]) -> str:
    near = difflib.get_close_matches(column, columns, n=1)
    meant = f"did you mean `{near[0]}`? " if near else ""
    return f"unknown column `{column}`; {meant}columns: {', '.join(columns) or 'none'}"


class Cancelled(GradsimError):
    """The request was cancelled before it was answered."""
