"""Executes notebooks without a screen, and keeps what they show.

    execute.py DATA_DIR OUT_DIR [NOTEBOOK.ipynb...]

DATA_DIR has the tables of make_ledger.sh; notebooks simulate by this clone's package `gradsim`, and the program that
GRADSIM_SIM names. Of each notebook (all of this folder, where none is named) OUT_DIR gets the executed notebook, a
page NAME.html, and figures/*.png. The notebooks themselves are left as they are. Ends with 1 where one fails.
"""

import os
import pathlib
import sys

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert import HTMLExporter

HERE = pathlib.Path(__file__).resolve().parent
LONGEST_CELL_S = 600


def execute(path, out):
    """Executes one notebook; what it shows is kept even where it fails."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=LONGEST_CELL_S,
        resources={"metadata": {"path": str(HERE)}},
        extra_arguments=["--IPKernelApp.log_level=40"],  # errors; it warns of every connection without encryption
    )
    try:
        client.execute()
    finally:
        nbformat.write(notebook, out / path.name)
    page, _ = HTMLExporter().from_notebook_node(notebook)
    (out / f"{path.stem}.html").write_text(page)


def main(arguments):
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    data, out = (pathlib.Path(argument).resolve() for argument in arguments[:2])
    out.mkdir(parents=True, exist_ok=True)
    os.environ["GRADSIM_NOTEBOOK_DATA"] = str(data)
    os.environ["GRADSIM_NOTEBOOK_FIGURES"] = str(out / "figures")
    paths = [str(HERE.parent / "python"), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # the kernel of this Python, whatever else is installed
    failed = 0
    for path in map(pathlib.Path, arguments[2:] or sorted(map(str, HERE.glob("[0-9]*.ipynb")))):
        try:
            execute(path, out)
            print(f"{path.name}: executed", file=sys.stderr)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            failed += 1
            print(f"{path.name}: failed\n{error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
