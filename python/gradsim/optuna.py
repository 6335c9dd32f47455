"""Objectives for Optuna: a scenario's figures as a function of some of its keys."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradsim.commands import Source, scenario_of
from gradsim.errors import InputError
from gradsim.result import Row

if TYPE_CHECKING:
    import optuna

Space = Mapping[str, Sequence[Any]]


def _suggest(trial: optuna.Trial, key: str, values: Sequence[Any]) -> Any:
    """A value of ("log" | "linear", low, high) or of a list."""
    if values and values[0] in ("log", "linear"):
        kind, low, high = values
        suggest = trial.suggest_int if isinstance(low, int) and isinstance(high, int) else trial.suggest_float
        return suggest(key, low, high, log=kind == "log")
    return trial.suggest_categorical(key, list(values))


def _figures(row: Row, metrics: Sequence[str]) -> list[float] | None:
    """None where a figure is missing, as the time to a target that is not reached. Raises InputError for unknown names."""
    for metric in metrics:
        if metric not in row:
            raise InputError(f"the run has no `{metric}`; columns are those of `Result.rows`", [])
    return None if any(row[metric] is None for metric in metrics) else [float(row[metric]) for metric in metrics]


def objective(source: Source, space: Space, metrics: Sequence[str], *, arm: str | None = None, seeds: int = 1) \
        -> Callable[[optuna.Trial], Any]:
    """A function of a trial, for `study.optimize`.

    space: keys of the scenario with a list of values, or ("log" or "linear", low, high). metrics: figures of the whole
    run, such as "step_time_s", one for each direction of the study. arm: its name; None: the only one. seeds: runs with
    so many seeds, of which the median counts. A point that is refused is pruned (optuna.TrialPruned), and so is one without
    a figure, as the time to a target that is not reached.
    """
    scenario = scenario_of(source)

    def evaluate(trial: optuna.Trial) -> Any:
        import optuna

        changes = {key: _suggest(trial, key, values) for key, values in space.items()}
        found = []
        for seed in range(1, seeds + 1):
            changed = scenario.override(changes) if seeds == 1 else scenario.override(changes, seed=seed)
            try:
                arms = changed.run().arms
            except InputError as error:
                raise optuna.TrialPruned(str(error)) from error
            figures = _figures(arms[arm] if arm is not None else next(iter(arms.values())), metrics)
            if figures is None:
                raise optuna.TrialPruned(f"the run has no figure for one of {', '.join(metrics)}")
            found.append(figures)
        medians = [statistics.median(values) for values in zip(*found, strict=True)]
        return medians if len(medians) > 1 else medians[0]

    return evaluate
