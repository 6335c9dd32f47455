#!/usr/bin/env python3
"""Counts the product's lines of code by module: without blank lines, comments, includes and `#pragma once`.

usage: code_lines.py [--files PATTERN]

Prints lines and share of each folder, the largest first; with --files, the lines of each file whose path matches.
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOTS = ("netmodels", "files", "settings", "kernels", "command_line", "policies", "learning", "calibrate", "sim")
COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)


def code_lines(text):
    text = COMMENT.sub(lambda found: found.group(0) if found.group(0).startswith('"') else "", text)
    lines = (line.strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith(("#include", "#pragma once")))


def main(arguments):
    root = pathlib.Path(__file__).resolve().parents[2]
    listed = subprocess.run(["git", "ls-files", *ROOTS], cwd=root, check=True, capture_output=True, text=True).stdout
    files = [name for name in listed.split() if name.endswith((".cpp", ".hpp", ".cu", ".cuh"))]
    if arguments[:1] == ["--files"] and len(arguments) == 2:
        chosen = [name for name in files if re.search(arguments[1], name)]
        counts = {name: code_lines((root / name).read_text()) for name in chosen}
    elif not arguments:
        counts = collections.Counter()
        for name in files:
            counts[str(pathlib.Path(name).parent)] += code_lines((root / name).read_text())
    else:
        print(__doc__, file=sys.stderr)
        return 2
    total = sum(counts.values())
    for name, lines in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"{lines:7} {lines / total:6.1%}  {name}")
    print(f"{total:7} 100.0%  in all")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
