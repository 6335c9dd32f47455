"""A scenario: a training on a cluster, and what is asked about it."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gradsim.errors import InputError
from gradsim.policy import AnyPolicy, Decider, settings_of
from gradsim.result import Result, Row, StudyResult, read_rows, steps_of
from gradsim.server import json_text, shared_server

Progress = Callable[[str], None]


def _value_text(value: Any) -> str:
    """A value of an axis as the command line takes it."""
    return value if isinstance(value, str) else json_text(value)


def command(method: str, progress: Progress | None = None, decider: Decider | None = None, **params: Any) -> Result:
    """The answer of any command of `sim`, whose options are the parameters: `command("list", arguments=["devices"])`.

    `a_b=value` is the option `--a-b value`; True is an option without a value; `set` is a dict of keys. decider:
    policies that the command asks.
    """
    answer = shared_server().call(method, progress, decider, **params)
    documents = answer.get("documents", [])
    text = "\n".join(document.get("text", "") for document in documents) if documents else answer["output"]
    rows = [row for document in documents for row in document.get("rows", [])]
    data = documents[0]["data"] if documents else {}
    return Result(text=text, rows=rows, data=data, warnings=answer["warnings"], log=answer["log"],
                  exit_code=answer["exit_code"])


@dataclass(frozen=True)
class Scenario:
    """A scenario and what is changed in it. Unchangeable: `override` returns another.

    source: a file, or the name of a shipped scenario, such as "quickstart". text: YAML or nested dicts in its place.
    settings: keys and values that win over the file and all its arms.
    """

    source: str = "-"
    text: str | Mapping[str, Any] | None = field(default=None, repr=False)
    settings: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, source: str | os.PathLike[str]) -> Scenario:
        """A scenario file, or a shipped scenario by its name (`quickstart`). It is read when it is used."""
        return cls(source=os.fspath(source))

    @classmethod
    def from_text(cls, text: str) -> Scenario:
        """A scenario in YAML. Relative paths in it are taken from the working directory."""
        return cls(text=text)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Scenario:
        """A scenario as nested dicts, with the keys of a scenario file; values with units are text ("1 %")."""
        return cls(text=dict(values))

    def override(self, changes: Mapping[str, Any] | None = None, **keys: Any) -> Scenario:
        """Another scenario with these keys changed, in the file and in all its arms.

        changes: by path, as {"cluster.workers": 16, "cluster.link.bandwidth": "1 Gbit/s"}. keys: the same for keys
        at the top, such as seed=3. Values with units are text, as in a file.
        """
        return replace(self, settings={**self.settings, **(changes or {}), **keys})

    def _params(self) -> dict[str, Any]:
        params: dict[str, Any] = {"arguments": [self.source], "set": self.settings}
        if self.text is not None:
            params["input"] = self.text
        return params

    def check(self) -> Result:
        """The resolved scenario: every value with its origin, as YAML in `.text`. Raises InputError."""
        return command("check", **self._params())

    def run(self, *, seeds: int | None = None, samples: int | None = None, network: str | None = None,
            steps: bool = False, strict: bool = False, details: bool = False, threads: int | None = None,
            out: str | os.PathLike[str] | None = None, progress: Progress | None = None,
            policies: AnyPolicy | Sequence[AnyPolicy] | None = None, policy_timeout: float = 10) -> StudyResult:
        """Simulates all arms and compares them.

        seeds: runs with so many random seeds. samples: draws of uncertain inputs. network: evaluator of collectives,
        `auto`, `closed`, `path`, `fluid`, `simgrid` or `nccl`. steps: keeps each step for `.steps`. strict: raises
        InputError where a figure under `expect` is missed. details: the text has all tables. out: a folder for
        report.html, summary.json, steps.csv, timeline.json and scenario.resolved.yaml. progress: called with lines.
        policies: an object that decides in all arms when workers exchange (`Policy`) or at which ratio they compress
        (`CompressionPolicy`), or a list of objects, which arms name (`synchronisation`, `compression`). policy_timeout:
        seconds that a decision may take.
        Raises InputError, PolicyError, ProgramError.
        """
        scenario = self
        if policies is not None and not isinstance(policies, Sequence):
            scenario, policies = self.override(settings_of(policies)), [policies]
        decider = Decider(policies, policy_timeout) if policies else None
        options = {"seeds": seeds, "samples": samples, "network": network, "details": details, "threads": threads}
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(out) if out is not None else (Path(scratch) / "run" if steps else None)
            if folder is not None:
                options["out"] = str(folder)
            answer = command("run", progress, decider, **scenario._params(), **options)
            step_rows = steps_of(folder) if steps and folder is not None else None
        result = StudyResult(**vars(answer), step_rows=step_rows)
        if strict and result.met is False:
            raise InputError("figures under `expect` are missed", [], result.log)
        return result

    def explain(self, arm: str | None = None, *, details: bool = False) -> Result:
        """Why a step of each arm, or of this one, takes as long as it does. Raises InputError, ProgramError."""
        return command("explain", **self._params(), arm=arm, details=details)

    def why(self, arm: str | None = None, *, step: str | None = None, alone: str | None = None) -> Result:
        """Where a step loses time against one worker alone, and what would make it shorter.

        step, alone: measured times, as "240 ms". Raises InputError, ProgramError.
        """
        return command("why", **self._params(), arm=arm, step=step, alone=alone)

    def advise(self, objective: str | None = None, *, progress: Progress | None = None) -> Result:
        """Which policies, or with `planning` which cluster to take. objective: `time`, `cost` or `knee`."""
        return command("advise", progress, **self._params(), objective=objective)

    def sweep(self, axes: Mapping[str, Sequence[Any] | str], *, design: str = "grid", points: int | None = None,
              database: str | os.PathLike[str] | None = None, strict: bool = False,
              progress: Progress | None = None) -> Result:
        """Runs the scenario at many points; one row for each arm of each point; times in s, sizes in bytes.

        axes: keys with their values, or a range as text: {"cluster.workers": [4, 8], "cluster.link.bandwidth":
        "1..25 Gbit/s log 8"}. design: `grid`, `latin_hypercube` (of so many points) or `one_at_a_time`. database: an
        SQLite file that keeps the results; an existing one is continued. strict: raises InputError where a point failed;
        else its row has no figures, but `failure`, which is also a warning. Raises InputError, ProgramError.
        """
        listed = [f"{key}={values if isinstance(values, str) else ','.join(map(_value_text, values))}"
                  for key, values in axes.items()]
        params: dict[str, Any] = {**self._params(), "axis": listed, "design": design, "points": points}
        if database is not None:
            params |= {"db": str(database), "resume": Path(database).exists(), "export": "csv"}
        answer = command("sweep", progress, **params)
        rows = read_rows(answer.text)
        failures = [f"point {row['point']} failed: {row['failure']}" for row in rows if row.get("failure")]
        if strict and failures:
            raise InputError(failures[0], [], answer.log)
        return Result(text=answer.text, rows=rows, warnings=[*answer.warnings, *failures], log=answer.log,
                      exit_code=answer.exit_code)


def grid(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Every combination of the values of the axes, as overrides: for engines that hand out points themselves."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def run_point(scenario: Scenario, changes: Mapping[str, Any]) -> list[Row]:
    """Rows of one point, with its changes as columns: what Dask, Ray or a pool of processes maps."""
    rows = scenario.override(changes).run().rows
    return [{**changes, **row} for row in rows]
