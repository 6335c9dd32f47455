"""Checks that notebooks are stored clean, and that executing them showed what they promise.

    check_notebooks.py NOTEBOOK_DIR EXECUTED_DIR

Stored: no outputs, ids that say what a cell is, a question first, one cell tagged `answer`. Executed: nothing on stderr, an
answer in words and numbers, one to three figures, each large enough and not blank. Prints every miss; ends with 1 where there
is one.
"""

import pathlib
import re
import sys

import matplotlib.image
import nbformat

LEAST_WIDTH, LEAST_HEIGHT = 800, 400  # pixels
LEAST_ANSWER = 150  # characters
LEAST_INK = 0.02  # share of the pixels that are not of the background


def stored_misses(notebook, number):
    cells = notebook.cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    if any(cell.outputs or cell.execution_count is not None for cell in code):
        yield "is stored with outputs"
    ids = [cell.get("id", "") for cell in cells]
    if len(set(ids)) != len(ids) or not all(re.fullmatch(r"[a-z][a-z0-9-]*[a-z]", id) for id in ids):
        yield f"has cells without an id in words of its own: {ids}"
    first = cells[0]
    if first.cell_type != "markdown" or not first.source.startswith(f"# {number}. ") or "?" not in first.source:
        yield f"does not begin with `# {number}. ` and its question"
    if len([cell for cell in code if "answer" in cell.metadata.get("tags", [])]) != 1:
        yield "has not exactly one cell tagged `answer`"
    if not any("What falls short" in cell.source for cell in cells if cell.cell_type == "markdown"):
        yield "does not say what falls short"


def printed(cell, stream):
    return "".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == stream)


def executed_misses(notebook):
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if printed(cell, "stderr"):
            yield f"cell `{cell.id}` warns: {printed(cell, 'stderr').strip().splitlines()[0]}"
        if "answer" in cell.metadata.get("tags", []):
            answer = printed(cell, "stdout")
            if len(answer) < LEAST_ANSWER or not re.search(r"\d", answer):
                yield f"its answer is too short: {answer!r}"
            if re.search(r"\b(nan|inf|None)\b", answer):
                yield f"its answer has holes: {answer!r}"


def figure_misses(path):
    pixels = matplotlib.image.imread(path)[..., :3]
    height, width, _ = pixels.shape
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        yield f"{path.name} has {width} x {height} pixels, at least {LEAST_WIDTH} x {LEAST_HEIGHT} are asked for"
    ink = (abs(pixels - pixels[0, 0]).max(axis=2) > 0.1).mean()
    if ink < LEAST_INK:
        yield f"{path.name} is all but blank: {100 * ink:.2f} % of it is drawn"


def misses(path, executed):
    number = int(path.name[:2])
    yield from stored_misses(nbformat.read(path, as_version=4), number)
    yield from executed_misses(nbformat.read(executed / path.name, as_version=4))
    figures = sorted((executed / "figures").glob(f"{path.name[:2]}_*.png"))
    if not 1 <= len(figures) <= 3:
        yield f"keeps {len(figures)} figures, one to three are asked for"
    for figure in figures:
        yield from figure_misses(figure)
    if not (executed / f"{path.stem}.html").stat().st_size:
        yield "has an empty page"


def main(folder, executed):
    notebooks = sorted(pathlib.Path(folder).glob("*.ipynb"))
    if [path.name[:3] for path in notebooks] != [f"{n + 1:02}_" for n in range(len(notebooks))] or not notebooks:
        print(f"the notebooks of {folder} are not numbered from 01")
        return 1
    found = [f"{path.name}: {miss}" for path in notebooks for miss in misses(path, pathlib.Path(executed))]
    print("\n".join(found + [f"{len(notebooks)} notebooks, {len(found)} misses"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
