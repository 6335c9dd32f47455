"""Predictions beside measured and published figures: the ledger, as make_ledger.sh keeps it."""

import os
import pathlib

import pandas

FOLDER = pathlib.Path(os.environ.get("GRADSIM_NOTEBOOK_DATA", pathlib.Path(__file__).resolve().parent / "data"))


def table(name):
    """A CSV table of the data folder. Raises FileNotFoundError with the command that makes it."""
    file = FOLDER / name
    if not file.exists():
        raise FileNotFoundError(f"{file} is missing; make it by: notebooks/make_ledger.sh build/bin {FOLDER}")
    return pandas.read_csv(file)


def published(entry):
    """Figures of an entry: `measured` (as published) beside `predicted`, without those that are inputs."""
    ledger = table("ledger.csv")
    rows = ledger[(ledger["entry"] == entry) & (ledger["in_sample"] == "no")].copy()
    if rows.empty:
        raise ValueError(f"the ledger has no figures of `{entry}`")
    return rows
