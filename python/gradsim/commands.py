"""The commands of `sim` as functions."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from gradsim.result import Result, StudyResult
from gradsim.scenario import Scenario, command

Source = Scenario | Mapping[str, Any] | str | os.PathLike[str]


def scenario_of(source: Source) -> Scenario:
    """A scenario of a file, a shipped name, nested dicts, or itself."""
    if isinstance(source, Scenario):
        return source
    return Scenario.from_dict(source) if isinstance(source, Mapping) else Scenario.load(source)


def run(source: Source, **options: Any) -> StudyResult:
    """Simulates a scenario: `gradsim.run("quickstart")`. Options: those of `Scenario.run`."""
    return scenario_of(source).run(**options)


def check(source: Source) -> Result:
    """The resolved scenario, as `Scenario.check`."""
    return scenario_of(source).check()


def explain(source: Source, arm: str | None = None, **options: Any) -> Result:
    """Why a step takes as long as it does, as `Scenario.explain`."""
    return scenario_of(source).explain(arm, **options)


def sweep(source: Source, axes: Mapping[str, Any], **options: Any) -> Result:
    """A scenario at many points, as `Scenario.sweep`."""
    return scenario_of(source).sweep(axes, **options)


def advise(source: Source, objective: str | None = None, **options: Any) -> Result:
    """Which policies or which cluster to take, as `Scenario.advise`."""
    return scenario_of(source).advise(objective, **options)


def why(source: Source | None = None, arm: str | None = None, *, step: str | None = None, alone: str | None = None,
        model: str | None = None, device: str | None = None, workers: int | None = None, link: str | None = None,
        latency: str | None = None, batch: int | None = None) -> Result:
    """Where a step loses time: of a scenario, or of a model, a number of workers and a link in its place.

    step, alone: measured times of a step, with all workers and with one ("240 ms"). link: bandwidth of each worker
    ("10 Gbit/s").
    """
    if source is not None:
        return scenario_of(source).why(arm, step=step, alone=alone)
    return command("why", arm=arm, step=step, alone=alone, model=model, device=device, workers=workers, link=link,
                   latency=latency, batch=batch)


def cost(collective: str, *, ranks: int, size: str, latency: str | None = None, bandwidth: str | None = None,
         cluster: str | None = None, network: str | None = None, ranks_per_node: int | None = None,
         chunks: int | None = None) -> Result:
    """The time of one collective on a star of equal links, or as NCCL runs it on a described cluster.

    size, latency, bandwidth: with units ("100 MB", "5 us", "100 Gbit/s"). The time is `result.data["time_s"]`.
    """
    return command("cost", arguments=[collective], ranks=ranks, size=size, latency=latency, bandwidth=bandwidth,
                   cluster=cluster, network=network, ranks_per_node=ranks_per_node, chunks=chunks)


def fit(kind: str, file: str | os.PathLike[str], **options: Any) -> Result:
    """Finds what a scenario states wrongly from measured figures. kind: `step` or `nccl`, as `sim fit KIND --help`."""
    return command("fit", arguments=[kind, os.fspath(file)], **options)


def catalogue(kind: str) -> Result:
    """Names that a scenario may use: `catalogue("devices")`, as `sim list`."""
    return command("list", arguments=[kind])


def keys() -> dict[str, str]:
    """Every key of a scenario by its path (`cluster.link.bandwidth`), with what it means; from the JSON schema."""
    schema = json.loads(command("schema").text)
    found: dict[str, str] = {}

    def walk(node: Mapping[str, Any], path: str, seen: tuple[str, ...]) -> None:
        reference = node.get("$ref")
        if reference is not None and reference not in seen:
            walk(schema["$defs"][reference.rsplit("/", 1)[-1]], path, (*seen, reference))
        for kind in ("oneOf", "anyOf", "allOf"):
            for option in node.get(kind, []):
                walk(option, path, seen)
        for name, below in node.get("properties", {}).items():
            key = f"{path}.{name}" if path else name
            if "description" in below:
                found.setdefault(key, below["description"])
            walk(below, key, seen)

    walk(schema, "", ())
    return found
