#!/usr/bin/env python3
"""Compares the headline claims of docs/claims.md with what the runs give now, or rewrites them.

  claims.py check|rewrite BIN_DIR [PAGE]

PAGE (default: docs/claims.md) has a section between the marks `claims: begin` and `claims: end`. Its table follows from
tests/docs/claims.yaml, which says what is computed from which run; no figure of ours is in that file.

Exit code 0: up to date, or rewritten; 1: out of date, or a run failed; 2: usage; 77: PyYAML is not installed.
"""
import difflib
import json
import math
import os
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("skipped: Python has no yaml")
    sys.exit(77)

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BEGIN, END = "<!-- claims: begin -->", "<!-- claims: end -->"


def arms_of(document):
    """Metrics by arm of the JSON output of `sim run` or `sim advise`.

    `sim advise` has errors by arm (time_error, ...), searches (search.KEY for the one under test, arbitrary.KEY, ...) and
    the extremes of all configurations (least.KEY, most.KEY).
    """
    if "bounds" not in document:
        return {arm["arm"]: arm for arm in document["arms"]}
    arms = {}
    for arm in document["arms"]:
        values = arms[arm["name"]] = {}
        for index, search in enumerate(arm["searches"]):
            values.update({f"{search['method'] if index else 'search'}.{key}": value for key, value in search.items()})
        for key in ("true_time_s", "true_cost_usd"):
            column = [configuration[key] for configuration in arm["configurations"]]
            values.update({f"least.{key}": min(column), f"most.{key}": max(column)})
    for bound in document["bounds"]:
        arms.setdefault(bound["arm"], {})[bound["metric"]] = bound["ours"]
    return arms


class Run:
    def __init__(self, document):
        self.arms = arms_of(document)
        self.expected = document.get("expectations", {}).get("figures", [])

    def ours(self, arm, metric):
        parts = re.split(r" ([*/]) ", metric)
        value = self.arms[arm][parts[0]]
        for sign, key in zip(parts[1::2], parts[2::2]):
            value = value * self.arms[arm][key] if sign == "*" else value / self.arms[arm][key]
        return value

    def published(self, arm, metric, over=None):
        """Published value of a row of `expect`, whose metrics are keys of the output without units; None: there is none."""
        for row in self.expected:
            known = metric == row["metric"] or metric.startswith(row["metric"] + "_")
            if known and row["arm"] == arm and row["over"] == over and row["theirs"] is not None:
                return row["theirs"]
        return None

    def ratio(self, arm, over, metric, published):
        if not published:
            return self.ours(arm, metric) / (self.ours(over, metric) if over else 1)
        value = self.published(arm, metric, over)
        if value is None:  # both have rows of their own
            value, divisor = self.published(arm, metric), self.published(over, metric)
            value = None if value is None or divisor is None else value / divisor
        return value

    def values(self, figure, published=False):
        """Values of a figure, in the order of the arms."""
        values = []
        before, star, after = figure["arm"].partition("*")
        for arm in self.arms:
            text = arm[len(before) : len(arm) - len(after)] if star else ""
            if arm != before + text + after or text not in figure.get("among", [text]):
                continue
            divisors = figure.get("over_least", figure.get("over"))
            divisors = [name and name.replace("*", text) for name in (divisors if isinstance(divisors, list) else [divisors])]
            if any(name and name not in self.arms for name in divisors):
                continue  # of another arm whose name ends alike
            row = [self.ratio(arm, name, figure["metric"], published) for name in divisors]
            values += [max(row)] if "over_least" in figure else row
        return values


def number(value, unit, digits=2):
    """Two digits are shown, so that the page does not change by rounding: 13.2 as 13, 1.96 as 2.0, 0.6624 as 0.66."""
    value = value * 100 if unit == "%" else value
    places = max(0, digits - 1 - math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))) if value else 0
    return f"{value:.{places}f}"


def shown(values, figure, text):
    unit = figure.get("unit", "")
    how = figure.get("print", "all")
    if how == "above_one":
        return str(sum(value > 1 for value in values))
    numbers = [text(value, unit) for value in (sorted(values) if how != "all" else values)]
    if how in ("min", "max"):
        numbers = [numbers[0 if how == "min" else -1]]
    joined = f"{numbers[0]} to {numbers[-1]}" if how == "range" else ", ".join(numbers)
    return joined + (" %" if unit else "")


def as_printed(value, unit):
    """A printed figure has at most four digits; a ratio of two is shown with three."""
    value = value * 100 if unit == "%" else value
    four = f"{value:.4g}"
    return four if math.isclose(float(four), value, rel_tol=1e-9) else f"{value:.3g}"


class Claim:
    """An entry of claims.yaml with its runs."""

    def __init__(self, entry, runs):
        self.entry, self.runs = entry, runs

    def figure(self, name):
        return self.entry["figures"][name]

    def values(self, name, published=False):
        figure = self.figure(name)
        names = figure.get("run", next(iter(self.entry["runs"])))
        names = names if isinstance(names, list) else [names]
        values = [v for run in names for v in self.runs[self.entry["runs"][run]].values(figure, published)]
        if not values or None in values:
            what = "published figure" if published else "arm"
            sys.exit(f"claims.yaml: {self.entry['paper']}: {self.entry['claim']}: no {what} for `{name}`")
        return values

    def text(self, key):
        def replacement(match):
            name, part = match[1], match[2]
            if part == "count":
                return str(len(self.values(name)))
            published = part == "published"
            return shown(self.values(name, published), self.figure(name), as_printed if published else number)

        return re.sub(r"\{(\w+)(?:\.(\w+))?\}", replacement, self.entry[key])

    def verdict(self):
        rule, met = self.entry["holds"], []
        for name in rule["figures"]:
            values = self.values(name)
            if self.figure(name).get("print") == "max":
                values = [max(values)]
            for index, value in enumerate(values):
                bound = rule.get("at_least", rule.get("at_most"))
                bound = self.values(name, published=True)[index] if bound == "published" else bound
                met.append(value >= bound if "at_least" in rule else value <= bound)
        verdict = "yes" if all(met) else "no" if not any(met) else f"{sum(met)} of {len(met)}"
        return f"{verdict} {rule['given']}" if "given" in rule else verdict

    def row(self):
        commands = [command_of(run) for run in self.entry["runs"].values()]
        cells = [f"{self.entry['paper']}: {self.entry['claim']}", self.text("published"), self.text("here"), self.verdict()]
        cells += [self.text("why"), "; ".join(f"`{' '.join(command)}`" for command in commands)]
        return "| " + " | ".join(cells) + " |"


def command_of(run):
    verb, file = run.split()
    return ["sim", verb, f"scenarios/papers/{file}", "--strict"]


def run_all(entries, sim):
    runs = {}
    for run in {run: None for entry in entries for run in entry["runs"].values()}:
        command = [sim, *command_of(run)[1:], "--quiet", "--format", "json"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command_of(run))} ended with {done.returncode}:\n{done.stderr}")
        runs[run] = Run(json.loads(done.stdout))
    return runs


def table(entries, runs):
    lines = ["| claim | published | here | holds | why they differ | command |", "|---|---|---|---|---|---|"]
    return "\n".join(lines + [Claim(entry, runs).row() for entry in entries])


def with_table(page, text):
    """The page with the text between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"no marks `{BEGIN}` and `{END}` in the page")
    return f"{before}{begin}\n{text}\n{end}{after}"


def main(arguments):
    if len(arguments) not in (2, 3) or arguments[0] not in ("check", "rewrite"):
        print(__doc__.splitlines()[2].strip(), file=sys.stderr)
        return 2
    page_file = os.path.abspath(arguments[2]) if len(arguments) == 3 else os.path.join(ROOT, "docs", "claims.md")
    with open(os.path.join(ROOT, "tests", "docs", "claims.yaml"), encoding="utf-8") as file:
        entries = yaml.safe_load(file)
    with open(page_file, encoding="utf-8") as file:
        page = file.read()
    now = with_table(page, table(entries, run_all(entries, os.path.join(os.path.abspath(arguments[1]), "sim"))))
    if now == page:
        return 0
    if arguments[0] == "rewrite":
        with open(page_file, "w", encoding="utf-8") as file:
            file.write(now)
        print(f"rewritten: {os.path.relpath(page_file, ROOT)}", file=sys.stderr)
        return 0
    print(f"{os.path.relpath(page_file, ROOT)} is out of date (- file, + now); './dev docs' rewrites it")
    print("\n".join(difflib.unified_diff(page.splitlines(), now.splitlines(), "file", "now", lineterm="", n=0)))
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
