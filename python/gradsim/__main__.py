"""The command `gradsim`, also `python -m gradsim`: one subcommand, `capture`."""

from __future__ import annotations

import sys

from gradsim import __version__
from gradsim.capture import command

USAGE = """usage: gradsim capture --world N [options] -o NAME -- SCRIPT [ARGS...]
       gradsim version | --help

  capture   records an unmodified PyTorch training script as a step graph: `gradsim capture --help`
"""


def main(arguments: list[str] | None = None) -> int:
    """Runs a command line. Returns the exit code: 0 done, 1 input refused, 2 usage, 130 interrupted."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] == "capture":
        return command.main(arguments[1:])
    if arguments in (["version"], ["--version"]):
        print(f"gradsim {__version__}")
        return 0
    if arguments in (["--help"], ["-h"], ["help"]):
        print(USAGE, end="")
        return 0
    print(USAGE, end="", file=sys.stderr)
    if arguments:
        print(f"unknown command `{arguments[0]}`", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
