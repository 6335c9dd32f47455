"""Reads what make_data.sh made: tables, and SQLite files of sweeps."""

import contextlib
import os
import pathlib
import sqlite3

import pandas

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
FOLDER = pathlib.Path(os.environ.get("GRADSIM_NOTEBOOK_DATA", REPOSITORY / "notebooks" / "data"))

# What one of each unit is in s, bit/s or bytes.
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1, "Mbit/s": 1e6, "Gbit/s": 1e9, "KiB": 1024, "MB": 1e6}


def path(name):
    """The file of that name in the data folder.

    Raises FileNotFoundError with the command that makes it.
    """
    file = FOLDER / name
    if not file.exists():
        raise FileNotFoundError(f"{file} is missing; make it by: notebooks/make_data.sh build/bin {FOLDER}")
    return file


def table(name):
    """A CSV table of the data folder."""
    return pandas.read_csv(path(name))


def shipped(name):
    """A CSV table of the folder scenarios/, whose first lines are comments."""
    return pandas.read_csv(REPOSITORY / "scenarios" / name, comment="#")


def quantity(text):
    """A number without unit, or of s, bit/s or bytes: quantity("2 Gbit/s") is 2e9."""
    number, _, unit = str(text).strip().partition(" ")
    return float(number) * (UNITS[unit] if unit else 1)


def sweep(name):
    """One row for each arm of each point that `sim sweep` has played, with the values of the axes as text.

    Raises ValueError where a point failed: a hole in the table would look like a result.
    """
    with contextlib.closing(sqlite3.connect(path(name))) as database:
        points = pandas.read_sql("SELECT * FROM point ORDER BY id", database)
        results = pandas.read_sql("SELECT * FROM result ORDER BY point", database)
    failed = points[points["state"] != "done"]
    if len(failed):
        raise ValueError(f"{name}: point {failed['id'].iloc[0]} failed: {failed['message'].iloc[0]}")
    keys = points.drop(columns=["state", "message", "wall_s", "scenario_hash"])
    return keys.merge(results, left_on="id", right_on="point").drop(columns=["id"])


def published(entry):
    """Figures of a ledger's entry: `measured` (as published) beside `predicted`, what is an input left out."""
    ledger = table("ledger.csv")
    rows = ledger[(ledger["entry"] == entry) & (ledger["in_sample"] == "no")].copy()
    if rows.empty:
        raise ValueError(f"the ledger has no figures of `{entry}`")
    return rows
