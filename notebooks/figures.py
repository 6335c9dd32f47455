"""How the notebooks' figures look, and where they are kept."""

import os
import pathlib
import textwrap

import matplotlib.pyplot as plt
from gradsim.chart import COLOURS

BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY, YELLOW = COLOURS

plt.rcParams.update(
    {
        "figure.dpi": 110,
        "figure.facecolor": "white",
        "figure.constrained_layout.use": True,
        "savefig.dpi": 110,
        "font.size": 11,
        "axes.titlesize": 12,
        "axes.grid": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": plt.cycler(color=COLOURS),
        "grid.alpha": 0.3,
        "legend.frameon": False,
        "legend.fontsize": 10,
    }
)


def keep(figure, name):
    """Writes the figure as PNG to the folder GRADSIM_NOTEBOOK_FIGURES, where that is set."""
    folder = os.environ.get("GRADSIM_NOTEBOOK_FIGURES")
    if folder:
        path = pathlib.Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        figure.savefig(path / f"{name}.png")


def plain_ticks(axis, values, unit=""):
    """Ticks of a logarithmic axis as plain numbers: 0.1, 1, 10."""
    axis.set_ticks(values, [f"{value:g}{unit}" for value in values])
    axis.set_minor_locator(plt.NullLocator())


def say(*sentences):
    """Prints sentences as one paragraph."""
    print(textwrap.fill(" ".join(sentences), 110))
