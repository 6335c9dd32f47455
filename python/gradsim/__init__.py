"""gradsim: predicts distributed training over real networks.

    import gradsim
    print(gradsim.run("quickstart"))

Scenarios are run by the program `sim`, which is kept running between calls (`gradsim.server`). The package also records
training scripts without a GPU (`gradsim.capture`), and running jobs, whose gradients it compresses (`gradsim.torch`).
"""

from gradsim.chart import Chart, bars, lines
from gradsim.commands import advise, catalogue, check, cost, explain, fit, keys, run, sweep, why
from gradsim.errors import Cancelled, ColumnError, GradsimError, InputError, PolicyError, Problem, ProgramError
from gradsim.policy import CompressionObservation, CompressionPolicy, Observation, Policy, compression, synchronisation
from gradsim.result import Result, StudyResult
from gradsim.scenario import Scenario, command, grid, run_point
from gradsim.server import Server

__version__ = "0.2.0"

__all__ = [
    "Cancelled", "Chart", "ColumnError", "CompressionObservation", "CompressionPolicy", "GradsimError", "InputError",
    "Observation", "Policy", "PolicyError", "Problem", "ProgramError", "Result", "Scenario", "Server", "StudyResult",
    "advise", "bars", "catalogue", "check", "command", "compression", "cost", "explain", "fit", "grid", "keys", "lines",
    "run", "run_point", "sweep", "synchronisation", "why",
]
