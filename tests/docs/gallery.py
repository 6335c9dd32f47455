#!/usr/bin/env python3
"""Compares the pictures of docs/gallery.md with what its lines draw now, or rewrites them.

  gallery.py check|rewrite BIN_DIR [PAGE]

Each section of the page has a picture `gallery/NAME.svg` and, in a block of Python, at most four lines that save NAME.svg. They run
one by one, each in an empty folder, by the package in python/. Exit code 0: up to date, or rewritten; 1: each line of output names a
section and what is wrong.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES = 4
SECTION = re.compile(r"^## (?P<question>.+?)\n(?P<body>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]+\]\(gallery/([\w-]+\.svg)\)")
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def draw(code, name):
    """Text of the picture that the lines save under that name. Raises what they raise, and FileNotFoundError without a picture."""
    import gradsim

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            exec(compile(code, name, "exec"), {"gradsim": gradsim})
            return Path(name).read_text(encoding="utf-8")
        finally:
            os.chdir(before)


def find_fault(body, folder, rewrite):
    """Sentence on what is wrong with a section, or None."""
    pictures, blocks = PICTURE.findall(body), CODE.findall(body)
    if len(pictures) != 1 or len(blocks) != 1:
        return f"has {len(pictures)} pictures and {len(blocks)} blocks of Python instead of one of each"
    if len(blocks[0].splitlines()) > MOST_LINES:
        return f"has more than {MOST_LINES} lines"
    name = pictures[0]
    try:
        now = draw(blocks[0], name)
    except Exception as error:  # whatever the lines of a page raise
        return f"its lines end with {type(error).__name__}: {error}"
    file = folder / name
    if file.exists() and file.read_text(encoding="utf-8") == now:
        return None
    if not rewrite:
        return f"{file.name} is out of date; './dev docs' rewrites it"
    file.parent.mkdir(exist_ok=True)
    file.write_text(now, encoding="utf-8")
    print(f"rewritten: {file}", file=sys.stderr)
    return None


def list_faults(page, rewrite):
    folder = page.parent / "gallery"
    sections = [(section["question"], section["body"]) for section in SECTION.finditer(page.read_text(encoding="utf-8"))]
    for question, body in sections:
        found = find_fault(body, folder, rewrite)
        if found:
            yield f"{question}: {found}"
    known = {name for _, body in sections for name in PICTURE.findall(body)}
    yield from (f"{file.name}: no section shows it" for file in sorted(folder.glob("*")) if file.name not in known)


def main(mode, bin_dir, page=ROOT / "docs" / "gallery.md"):
    os.environ["GRADSIM_SIM"] = str(Path(bin_dir).resolve() / "sim")
    sys.path.insert(0, str(ROOT / "python"))
    found = list(list_faults(Path(page).resolve(), mode == "rewrite"))
    print("\n".join([*found, f"{page}: {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in ("check", "rewrite"):
        print("usage: gallery.py check|rewrite BIN_DIR [PAGE]", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
