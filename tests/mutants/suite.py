"""The rest of the suite: generated pages, golden records, and tests of other folders; what passes in a few seconds."""
import json
import os
import re
import sys
import time

from folder import ROOT, failure_of, run

LONGEST_RECORD = 4  # seconds
LONGEST_PROGRAM = 120  # seconds of all tests of a folder
RUN_BY_RECORDS = ("bin/sim", "bin/calibrate")
ELSEWHERE = re.compile("device|nccl_stub|nccl_compressed|live")  # what needs a device, or other libraries
PAGES = "generated pages of docs"


def record_holds(record, programs):
    """@param programs  the folder of `sim` and `calibrate`"""
    script, *what = ["docs/generated_pages.sh"] if record == PAGES else ["golden/run.sh", f"tests/golden/{record}.cmd"]
    code, _ = run(["bash", f"tests/{script}", "check", programs, *what], ROOT, 60)
    return code == 0


class Suite:
    """What passes without a mutant, the quick first; measured once for a build."""

    def __init__(self, folder):
        """@param folder  one that every program has"""
        self.build = folder.build
        tests = sorted(name for name in os.listdir(os.path.join(self.build, "tests")) if re.fullmatch(r"test_\w+", name))
        programs = [f"tests/{name}" for name in tests if not ELSEWHERE.search(name)]
        kept = os.path.join(self.build, "mutants", "suite.json")
        newest = max(os.path.getmtime(os.path.join(self.build, name)) for name in (*RUN_BY_RECORDS, *programs))
        if not os.path.exists(kept) or os.path.getmtime(kept) < newest:
            asked = {"records": self.quick_records(), "programs": self.quick_programs(folder, programs)}
            with open(kept, "w", encoding="utf-8") as file:
                json.dump(asked, file, indent=1)
        with open(kept, encoding="utf-8") as file:
            asked = json.load(file)
        self.records, self.programs = asked["records"], asked["programs"]

    def quick_records(self):
        seconds = {}
        entries = sorted(os.listdir(os.path.join(ROOT, "tests", "golden")))
        for record in [PAGES, *(entry[:-4] for entry in entries if entry.endswith(".cmd"))]:
            begin = time.monotonic()
            if record_holds(record, os.path.join(self.build, "bin")):
                seconds[record] = time.monotonic() - begin
            else:
                print(f"not asked, as it fails without a mutant: {record}", file=sys.stderr)
        quick = [record for record in seconds if seconds[record] < LONGEST_RECORD or record == PAGES]
        return sorted(quick, key=lambda record: (record != PAGES, seconds[record]))  # the pages state most

    def quick_programs(self, folder, programs):
        seconds = {}
        for name in programs:
            if not folder.link_of(name):
                continue
            program = folder.linked(name, [], folder.work)
            begin = time.monotonic()
            failed = failure_of(program, [], LONGEST_PROGRAM)
            if failed:
                print(f"not asked, for without a mutant: {name}: {failed}", file=sys.stderr)
            else:
                seconds[name] = time.monotonic() - begin
        return sorted(seconds, key=seconds.get)

    def killer(self, folder, objects, work):
        """The first record or test of another folder that fails with a mutant of a folder, or None."""
        for program in RUN_BY_RECORDS:
            copy = os.path.join(work, os.path.basename(program))
            if folder.link_of(program):
                folder.linked(program, objects, work)
            elif not os.path.lexists(copy):
                os.symlink(os.path.join(self.build, program), copy)
        for record in self.records:
            if not record_holds(record, work) and not record_holds(record, work):  # a busy machine may be slow once
                return f"golden {record}"
        for name in self.programs:
            if name != folder.program and folder.link_of(name):
                failed = failure_of(folder.linked(name, objects, work), [])
                if failed:
                    return f"{os.path.basename(name)} {failed}"
        return None
