"""What a command answers: its text, its rows, and all of its data."""

from __future__ import annotations

import csv
import html
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


def frame(rows: list[Row], attributes: dict[str, Any] | None = None) -> pandas.DataFrame:
    """Rows as a pandas frame. Raises ImportError where pandas is not installed."""
    import pandas

    made = pandas.DataFrame(rows)
    made.attrs.update(attributes or {})
    return made


def read_number(text: str) -> Any:
    """The number of a CSV cell, or its text; None where it is empty."""
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read_rows(text: str) -> list[Row]:
    """Rows of a CSV table under its header."""
    return [{key: read_number(value) for key, value in row.items()} for row in csv.DictReader(text.splitlines())]


@dataclass(frozen=True)
class Result:
    """The answer of a command.

    text: what a terminal shows. rows: one dict for each row; names of columns end in their unit (`step_time_s`,
    `sent_bytes`). data: everything, as `--format json` prints it. warnings: what may change the answer.
    """

    text: str
    rows: list[Row] = field(default_factory=list, repr=False)
    data: dict[str, Any] = field(default_factory=dict, repr=False)
    warnings: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list, repr=False)
    exit_code: int = 0

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a long frame, one row for each row of the table. `.attrs` hold where inputs come from."""
        return frame(self.rows, self.provenance())

    def provenance(self) -> dict[str, Any]:
        """What the figures rest on, for `.attrs`."""
        return {"warnings": self.warnings}


_WHOLE = "whole run"


@dataclass(frozen=True)
class StudyResult(Result):
    """The answer of `run`: arms, phases, verdicts."""

    step_rows: list[Row] | None = field(default=None, repr=False)

    @property
    def question(self) -> str:
        """The question on the first line of the scenario."""
        return str(self.data.get("question", ""))

    @property
    def verdict(self) -> str:
        """The answer in words: which arm is best, and by how much."""
        return str(self.data.get("answer", ""))

    @property
    def verdicts(self) -> list[str]:
        """All sentences: of each phase and of the whole run."""
        return list(self.data.get("verdicts", []))

    @property
    def arms(self) -> dict[str, Row]:
        """Figures of the whole run by the name of the arm; times in s, sizes in bytes."""
        return {arm["arm"]: arm for arm in self.data.get("arms", [])}

    @property
    def phases(self) -> list[Row]:
        """One dict for each arm and phase (a time between two changes of the network)."""
        return [{"arm": arm["arm"], **phase} for arm in self.data.get("arms", []) for phase in arm.get("phases", [])]

    @property
    def steps(self) -> list[Row]:
        """One dict for each step of each arm, of a run with `steps=True`.

        Raises ValueError where the run did not keep them.
        """
        if self.step_rows is None:
            raise ValueError("the run kept no steps: call run(..., steps=True)")
        return self.step_rows

    def steps_to_pandas(self) -> pandas.DataFrame:
        """The steps as a long frame, one row for each step of each arm; times in s, sizes in bytes.

        Raises ValueError where the run did not keep them.
        """
        return frame(self.steps, self.provenance())

    @property
    def met(self) -> bool | None:
        """Whether all figures under `expect` were met; None where the scenario has none."""
        met = self.data.get("expectations", {}).get("met")
        return None if met is None else bool(met)

    def provenance(self) -> dict[str, Any]:
        """Origins of each arm's figures: workload, computing, compressing, network, learner."""
        names = ("workload", "workload_provenance", "compute_time_origin", "compression_time_origin", "network",
                 "learner", "seed")
        origins = {arm["arm"]: {name: arm.get(name) for name in names} for arm in self.data.get("arms", [])}
        return {"scenario": self.data.get("scenario"), "question": self.question, "origins": origins,
                "warnings": self.warnings}


def steps_of(folder: Path) -> list[Row]:
    """Rows of steps.csv in a folder of results."""
    return read_rows((folder / "steps.csv").read_text(encoding="utf-8"))
