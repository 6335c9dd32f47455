#!/usr/bin/env python3
"""Checks the pages of docs/ as a reader meets them: contents, index of words, links and lengths.

  check_pages.py [ROOT]

- Each page of docs/ and docs/accuracy/ can be reached from docs/index.md. Pages of docs/ have at most 150 lines unless a program
  writes them, README.md has at most 120; lines of ACCURACY.md and docs/accuracy/ have at most 200 letters.
- Each link of docs/, README.md, ACCURACY.md, CHANGELOG.md and CONTRIBUTING.md to a file of the repository finds the file, and its `#anchor` a heading.
- Each word of the table below `## Index` stands in the section that its row links to (case does not count), words are
  sorted and stand once, and the words that people ask for most are among them.

Exit code 0: all holds; 1: each line of output names a page and what is wrong.
"""

import os
import re
import sys

MOST_LINES = 150
MOST_LINES_OF_README = 120
MOST_LETTERS = 200  # of a line of the generated pages of accuracy
GENERATED = ("reference.md", "catalogue.md", "imports.md", "keys.md", "support.md")  # by tests/docs/generated_pages.sh
ASKED_FOR = (
    "1-bit Adam", "all-reduce", "bandwidth", "batch size", "checkpoint", "context parallel", "DDP", "DiLoCo", "epochs",
    "expert parallel", "FSDP", "gradient accumulation", "InfiniBand", "latency", "LoRA", "MFU", "NCCL", "OOM",
    "pipeline parallel", "PowerSGD", "price", "RoCE", "spot", "stragglers", "tensor parallel", "top-k", "ZeRO",
)  # fmt: skip
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def anchor(heading):
    """Anchor that GitHub gives to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def sections(text):
    """Lines of prose and code below each heading, by anchor; a heading's section holds those of its subheadings."""
    found, fenced = {}, False
    open_sections = []  # (level, anchor)
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        heading = None if fenced else re.match(r"(#+) (.*)", line)
        if heading:
            level, name = len(heading[1]), anchor(heading[2])
            while name in found:  # GitHub counts headings of the same text
                stem, _, number = name.rpartition("-")
                name = f"{stem}-{int(number) + 1}" if stem and number.isdigit() else name + "-1"
            open_sections = [s for s in open_sections if s[0] < level] + [(level, name)]
            found[name] = []
        for _, name in open_sections:
            found[name].append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


def prose(text):
    """Text without fenced blocks and code spans, in which brackets are no links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


class Checker:
    def __init__(self, root):
        self.root = root
        self.texts = {}
        self.anchors = {}
        self.faults = []

    def text(self, path):
        if path not in self.texts:
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                self.texts[path] = file.read()
        return self.texts[path]

    def sections(self, path):
        if path not in self.anchors:
            self.anchors[path] = sections(self.text(path))
        return self.anchors[path]

    def links(self, path):
        """Links of a page to files of the repository, as (text of the link, path, anchor)."""
        for target in LINK.findall(prose(self.text(path))):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, name = target.partition("#")
            where = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            yield target, where, name

    def check_links(self, path):
        for target, where, name in self.links(path):
            if not os.path.exists(os.path.join(self.root, where)):
                self.faults.append(f"{path}: no file for the link `{target}`")
            elif name and name not in self.sections(where):
                self.faults.append(f"{path}: no heading for the link `{target}`")

    def check_reachable(self, pages):
        seen, waiting = {"docs/index.md"}, ["docs/index.md"]
        while waiting:
            for _, where, _ in self.links(waiting.pop()):
                if where.endswith(".md") and where not in seen and os.path.exists(os.path.join(self.root, where)):
                    seen.add(where)
                    waiting.append(where)
        self.faults += [f"{page}: cannot be reached from docs/index.md" for page in pages if page not in seen]

    def check_length(self, path, most):
        lines = self.text(path).count("\n")
        if lines > most:
            self.faults.append(f"{path}: {lines} lines, more than {most}; split it by question")

    def check_lines(self, path):
        for number, line in enumerate(self.text(path).splitlines(), 1):
            if len(line) > MOST_LETTERS:
                self.faults.append(f"{path}:{number}: {len(line)} letters, more than {MOST_LETTERS}")

    def check_index(self):
        path = "docs/index.md"
        rows = re.findall(r"^\| (.+?) \| \[[^\]]*\]\(([^)]+)\) \|$", self.sections(path)["index"], re.MULTILINE)
        if not rows:
            self.faults.append(f"{path}: no words below `## Index`")
        firsts, words = [], []
        for cell, target in rows:
            of_row = cell.split(", ")
            firsts.append(of_row[0].lower())
            words += of_row
            file, _, name = target.partition("#")
            where = os.path.normpath(os.path.join("docs", file)) if file else path
            if not os.path.exists(os.path.join(self.root, where)) or (name and name not in self.sections(where)):
                continue  # said by check_links
            section = (self.sections(where)[name] if name else self.text(where)).lower()
            section = re.sub(r"\s+", " ", section)
            self.faults += [f"{path}: `{word}` is not in {target}" for word in of_row if word.lower() not in section]
        self.faults += [f"{path}: `{b}` comes after `{a}`" for a, b in zip(firsts, firsts[1:]) if b < a]
        self.faults += [f"{path}: `{word}` is listed twice" for word in sorted(set(words)) if words.count(word) > 1]
        self.faults += [f"{path}: `{word}` is not in the index" for word in ASKED_FOR if word not in words]


def pages_of(root, folder):
    return [f"{folder}/{name}" for name in sorted(os.listdir(os.path.join(root, folder))) if name.endswith(".md")]


def main(root):
    pages = pages_of(root, "docs")
    accuracy = pages_of(root, "docs/accuracy")
    checker = Checker(root)
    for page in pages:
        if os.path.basename(page) not in GENERATED:
            checker.check_length(page, MOST_LINES)
    checker.check_length("README.md", MOST_LINES_OF_README)
    for page in ["ACCURACY.md", *accuracy]:
        checker.check_lines(page)
    for page in [*pages, *accuracy, "README.md", "ACCURACY.md", "CHANGELOG.md", "CONTRIBUTING.md"]:
        checker.check_links(page)
    checker.check_reachable([*pages, *accuracy])
    checker.check_index()
    print("\n".join(checker.faults + [f"{len(pages) + len(accuracy)} pages, {len(checker.faults)} faults"]))
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "..")))
