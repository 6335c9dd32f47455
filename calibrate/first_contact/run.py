#!/usr/bin/env python3
"""`./dev gpu`: runs the stages of a first contact with a GPU within a time, and keeps the results of each as they come."""
import argparse
import dataclasses
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import bare_node
import machine
import processes
import results
import stages
import summary

KEEP_EVERY_S = 10  # from one writing of a stage's results to the next, while it runs
LISTING_S = 30  # that the driver may take to list its devices
EXIT_DONE, EXIT_REFUSED, EXIT_BROKEN = 0, 1, 3
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def say(text):
    print(f"dev gpu: {text}", file=sys.stderr, flush=True)


def state_of(commands, cases):
    """done; failed where something that counts failed; partial where cases were not reached."""
    if any(name not in cases for command in commands for name in command.cases()):
        return "partial"
    bad = [name for command in commands if command.counts for name in command.cases() if cases[name]["state"] != "done"]
    return "failed" if bad else "done"


def put_away(folder):
    """Work files of other results, or of some that could not be written, are not of these; they stay as FOLDER.earlier."""
    if os.path.exists(folder):
        shutil.rmtree(folder + ".earlier", ignore_errors=True)
        os.replace(folder, folder + ".earlier")


def gpu_name():
    """Of the first GPU, as CUDA names it; None where the driver does not say it."""
    found = re.search(r"^GPU 0: (.*?)(?: \(UUID.*\))?$", listed_devices()[1] or "", re.MULTILINE)
    return found.group(1) if found else None


class DeviceLost(Exception):
    """The driver no longer lists a device that it listed before."""


def listed_devices():
    """@returns (whether the driver lists a device, the list or its last words)"""
    try:
        done = subprocess.run(("nvidia-smi", "-L"), capture_output=True, timeout=LISTING_S, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return False, str(error)
    said = (done.stdout + done.stderr).decode(errors="replace").strip()
    there = done.returncode == 0 and "GPU" in said
    return there, said if there else said.splitlines()[-1] if said else "no device is listed"


class FirstContact:
    """The stages, their state on disk, and the clock; `now` is in seconds."""

    def __init__(self, out, state, device, now=time.monotonic):
        self.out, self.state, self.device, self.now = out, state, device, now
        self.jobs = os.cpu_count() or 1
        self.record = results.read_record(out)
        self.has_device = device == "cuda" and listed_devices()[0]

    def place(self, stage):
        return stages.Place(ROOT, os.path.join(self.state, stage.name), self.device, self.jobs)

    def run_stage(self, stage, seconds):
        """Runs what was not done before; cases that failed are tried again."""
        place, begin = self.place(stage), self.now()
        before = self.record["stages"].get(stage.name, {})
        if not before:
            put_away(place.folder)
        os.makedirs(place.folder, exist_ok=True)
        results.settle(place.folder)
        commands = stage.commands(place)
        cases = {name: case for name, case in before.get("cases", {}).items() if case["state"] == "done"}
        if stage.name == "build":
            cases = {}
        entry = {"state": "partial", "seconds": 0, "cases": cases}
        try:
            self.run_commands(stage, commands, cases, lambda: seconds - (self.now() - begin), again=bool(before))
            entry["state"] = state_of(commands, cases)
        except DeviceLost as lost:
            entry |= {"state": "lost", "why": f"the device was lost: {lost}"}
            raise
        finally:  # also where it is ended from outside
            entry["seconds"] = round(before.get("seconds", 0) + self.now() - begin, 1)
            if not commands:
                entry = {"state": "skipped", "seconds": 0, "cases": {}, "why": self.why_nothing(stage)}
            self.keep(stage, entry)

    def why_nothing(self, stage):
        if stage.name == "build":
            return "programs were brought along"
        return "not installed: compute-sanitizer" if stage.name == "sanitize" and self.device == "cuda" else f"nothing to do on a {self.device}"

    def run_commands(self, stage, commands, cases, time_left, again=False):
        """Fills `cases`; what is there so far is kept now and then, so that a kill costs little.

        @param again  what an earlier try of a command has written stays where this one writes less
        """
        place = self.place(stage)
        log = os.path.join(place.folder, "log.txt")
        kept = time.monotonic()

        def keep_now_and_then():
            nonlocal kept
            if time.monotonic() - kept >= KEEP_EVERY_S:
                self.keep(stage, {"state": "partial", "seconds": 0, "cases": cases})
                kept = time.monotonic()

        for command in commands:
            before = dict(cases)
            if all(name in cases for name in command.cases()):
                continue
            left = time_left()
            if left <= 0:
                break
            keep_now_and_then()
            if isinstance(command, stages.Batch):
                processes.run_batch(command, cases, time_left, ROOT, log, keep_now_and_then)
            else:
                if again and not command.goes_on:
                    results.set_aside(place.folder, "log.txt")
                try:
                    found = processes.run_command(command, min(command.limit_s, left), ROOT, place.folder, log, keep_now_and_then)
                except BaseException:
                    results.settle(place.folder)
                    raise
                results.settle(place.folder, done=found["state"] == "done")
                # Without its whole limit it was not slow: it is left for another run, but for the share that it has written.
                if found["state"] != "over_time" or left >= command.limit_s:
                    cases[command.name] = found
            self.name_failures(stage, command, cases, before)

    def name_failures(self, stage, command, cases, before):
        bad = [name for name in command.cases() if name in cases and name not in before and cases[name]["state"] != "done"]
        for name in bad:
            say(f"{stage.name}: {name}: {cases[name]['why']}")
        if bad and self.has_device:
            there, said = listed_devices()
            if not there:  # one late or odd answer is no proof
                there, said = listed_devices()
            if not there:
                raise DeviceLost(said)

    def write_stage_archive(self, stage, entry):
        for archive, holds in results.ARCHIVES.items():
            if stage.name in holds:
                left_out = results.write_archive(self.state, self.out, archive)
                if left_out:
                    entry["left_out"] = left_out

    def write_page(self):
        text = summary.page(self.record, self.state) + summary.next_steps("RESULTS")
        results.replace(os.path.join(self.out, "summary.md"), text.encode())

    def keep(self, stage, entry):
        """A full disk is said and does not end the others; record and page are small and written all the same."""
        said = self.record["stages"].get(stage.name, {}).get("unwritten")  # of this stage, ten seconds ago
        self.record["stages"][stage.name] = entry
        entry.pop("unwritten", None)
        for write in (lambda: self.write_stage_archive(stage, entry), lambda: results.write_record(self.out, self.record), self.write_page):
            try:
                write()
            except OSError as error:
                if "unwritten" not in entry and str(error) != said:
                    say(f"{stage.name}: its results could not be written: {error}")
                entry["unwritten"] = str(error)

    def keep_unwritten(self, rows):
        """Once more in the end, as the disk may have room by then. @returns whether everything is written"""
        entries = self.record["stages"]
        for stage in rows:
            if "unwritten" in entries.get(stage.name, {}):
                self.keep(stage, entries[stage.name])
        return not any("unwritten" in entry for entry in entries.values())

    def state_now(self, stage):
        return self.record["stages"].get(stage.name, {}).get("state")

    def is_due(self, stage):
        if stage.name == "build":
            return not self.place(stage).built() or self.state_now(stage) is None
        return self.state_now(stage) not in ("done", "skipped")

    def begin_stage(self, stage, left_s):
        """Runs a stage, or says why not."""
        if left_s < 60 * stage.least:
            say(f"{stage.name}: not begun: needs {stage.least:g} min, {max(0, left_s) / 60:.1f} min are left")
            return
        if stage.needs_build and not self.place(stage).built():
            say(f"{stage.name}: not begun: there is no program; the build failed, was not reached or is not among --stages")
            return
        minutes = min(stage.minutes, left_s / 60)
        say(f"{stage.name}: {stage.what}, at most {minutes:.2g} min")
        try:
            self.run_stage(stage, 60 * minutes)
        except (OSError, subprocess.SubprocessError) as error:
            before = self.record["stages"].get(stage.name, {"seconds": 0, "cases": {}})
            self.keep(stage, {**before, "state": "failed", "why": str(error)})
            say(f"{stage.name}: {error}")
        if stage.name == "build":
            machine.starts.cache_clear()

    def what_is_left(self, rows):
        """Lines on what is not done or not written."""
        entries, lines = self.record["stages"], []
        not_done = [stage.name for stage in rows if self.state_now(stage) not in ("done", "skipped")]
        unwritten = [stage.name for stage in rows if "unwritten" in entries.get(stage.name, {})]
        if not_done:
            lines.append(f"not done: {', '.join(not_done)}; the same command goes on with what is left")
        if unwritten:
            lines.append(f"not written for want of room or rights: {', '.join(unwritten)}; their work files are in {self.state}")
        return lines

    def in_order(self, rows):
        """Those that failed in an earlier run come last, so that they take no time from what was never measured."""
        failed = [stage for stage in rows if self.state_now(stage) == "failed" and stage.name != "build"]
        return [stage for stage in rows if stage not in failed] + failed

    def run(self, minutes, rows):
        """Each stage within its own time, then those that were not finished within what is left.

        @returns whether every stage is done, and its results written
        """
        begin, rows = self.now(), self.in_order(rows)
        left = lambda: 60 * minutes - (self.now() - begin)  # noqa: E731
        try:
            for stage in rows:
                if self.is_due(stage):
                    self.begin_stage(stage, left())
            for stage in rows:
                if self.state_now(stage) == "partial" and left() >= 60 * stage.least:
                    self.begin_stage(dataclasses.replace(stage, minutes=minutes), left())
        except DeviceLost as lost:
            say(f"the device was lost: {lost}; what was measured before is kept")
        written = self.keep_unwritten(rows)
        return written and all(self.state_now(stage) in ("done", "skipped") for stage in rows)


def print_plan(contact, minutes, rows):
    """When each stage would end if each took all of its time."""
    print(f"{'stage':<12} {'min':>4} {'ends at':>8}  what")
    spent, builds = 0.0, False
    for stage in contact.in_order(rows):
        state = contact.state_now(stage)
        if state in ("done", "skipped"):
            end = state
        elif stage.name == "build" and contact.place(stage).built():
            end = "carried"
        elif stage.least > round(minutes - spent, 6):
            end = "no time"
        else:
            builds = builds or stage.name == "build"
            spent += min(stage.minutes, minutes - spent)
            end = f"{spent:.3g}"
        print(f"{stage.name:<12} {stage.minutes:>4g} {end:>8}  {stage.what}")
    if builds:
        print("Programs that `./dev pack --built sm_90` brings along need no build.")


def arguments(words):
    more = "./dev gpu --rehearse plays such a node on this machine, as root, with the GPU emulated; ./dev pack makes what a node needs."
    parser = argparse.ArgumentParser(prog="./dev gpu", description=__doc__, epilog=more, allow_abbrev=False)
    parser.add_argument("--minutes", type=float, default=25, help="at most (default 25); stages that do not fit are left for --resume")
    parser.add_argument("--out", metavar="FOLDER", default="gpu-results", help="of the results, which are at most 8 files of at most 16 MiB (default gpu-results)")
    parser.add_argument("--resume", metavar="FOLDER", help="results of an earlier run: goes on from there")
    parser.add_argument("--state", metavar="FOLDER", default=os.path.join(ROOT, "build-gpu", "first_contact"), help="of work files (default build-gpu/first_contact)")
    parser.add_argument(
        "--device", choices=("cuda", "emulated", "cpu"), default="cuda", help="emulated, cpu: a rehearsal on the processor"
    )
    parser.add_argument("--stages", metavar="LIST", help="names separated by commas; default: all")
    parser.add_argument("--dry-run", action="store_true", help="prints the plan with its times")
    said = parser.parse_args(words)
    if not said.minutes > 0:
        parser.error(f"--minutes: {said.minutes:g}; accepted: above 0")
    known = [stage.name for stage in stages.STAGES]
    said.stages = said.stages.split(",") if said.stages else known
    for name in said.stages:
        if name not in known:
            parser.error(f"--stages: unknown stage `{name}`; accepted: {', '.join(known)}")
    return said


def record_to_resume(said):
    """@returns the record to go on from; raises ValueError where it is none or another device's"""
    if not os.path.exists(os.path.join(said.resume, results.RECORD)):
        raise ValueError(f"--resume: no {results.RECORD} in `{said.resume}`; name a folder that ./dev gpu wrote")
    record = results.read_record(said.resume)
    if record.get("device") != said.device:
        raise ValueError(f"--resume: results of `{record.get('device')}`, not of `{said.device}`; name --device")
    return record


def resume(said):
    """Brings archives and record of an earlier run into the state and the folder of results.

    Raises ValueError where they are of another GPU: times of two cannot be one device's.
    """
    record = record_to_resume(said)
    before, now = record.get("gpu"), gpu_name() if said.device == "cuda" else None
    if before and now and before != now:
        raise ValueError(f"--resume: results of {before}, and here is {now}; name another folder by --out, without --resume")
    for name in [name for name, entry in record["stages"].items() if "unwritten" in entry]:
        say(f"{name}: its results were not written; it is run again")
        record["stages"].pop(name)
    for path in results.unpack(said.resume, said.state):
        say(f"{path}: damaged; its stages are run again")
        archive = os.path.basename(path)[: -len(".tar.gz")]
        for stage in results.ARCHIVES[archive]:
            record["stages"].pop(stage, None)
    results.write_record(said.out, record)


def stages_that_can_run(said, rows):
    """Says what is missing. @returns the stages that it takes nothing from; none where only facts would be left"""
    lacks = stages.missing(stages.Place(ROOT, said.state, said.device, 1), said.stages)
    for line in lacks:
        say(line)
    without = stages.without_pytorch(said.stages)
    if without:
        say(f"no PyTorch in {sys.executable}: {', '.join(without)} will fail; put the Python that has it first on PATH")
    if not lacks:
        return rows
    useful = stages.without_programs(said.stages)
    if set(useful) <= set(without):
        return []
    say(f"without programs only these stages are run: {', '.join(useful)}")
    return [stage for stage in rows if stage.name in (*useful, "facts")]


def take_temporary_folder(state):
    """Tells programs that are started from here where temporary files fit."""
    other = os.path.join(state, "tmp")
    os.makedirs(other, exist_ok=True)
    if machine.roomy_folder(tempfile.gettempdir(), other) == other:
        os.environ["TMPDIR"] = other


def main(words):
    said = arguments(words)
    rows = [stage for stage in stages.STAGES if stage.name in said.stages]
    if not said.resume and os.path.exists(os.path.join(said.out, results.RECORD)):
        said.resume = said.out
    try:
        if said.resume:
            record_to_resume(said)  # before anything is made
        if said.dry_run:
            print_plan(FirstContact(said.resume or said.out, said.state, said.device), said.minutes, rows)
            return EXIT_DONE
        lacks = machine.missing_device(said.device)
        if lacks:
            say(lacks)
            return EXIT_BROKEN
        can_run = stages_that_can_run(said, rows)
        if not can_run:
            return EXIT_BROKEN
        os.makedirs(said.out, exist_ok=True)
        os.makedirs(said.state, exist_ok=True)
        take_temporary_folder(said.state)
        if said.resume:
            resume(said)
        contact = FirstContact(said.out, said.state, said.device)
        contact.record["device"] = said.device
        if said.device == "cuda":
            contact.record["gpu"] = gpu_name()
        done = contact.run(said.minutes, can_run) and len(can_run) == len(rows)
    except ValueError as error:
        say(str(error))
        return EXIT_REFUSED
    except OSError as error:
        say(f"{error.filename}: {error.strerror}; name other folders by --out and --state" if error.filename else str(error))
        return EXIT_BROKEN
    except KeyboardInterrupt:
        say("interrupted; go on with --resume")
        return 130
    say(f"results: {os.path.abspath(said.out)}")
    for line in contact.what_is_left(rows):
        say(line)
    return EXIT_DONE if done else EXIT_BROKEN


if __name__ == "__main__":
    if "--rehearse" in sys.argv:
        sys.exit(bare_node.main([word for word in sys.argv[1:] if word != "--rehearse"]))
    for ended in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ended) != signal.SIG_IGN:  # as `nohup` sets it
            signal.signal(ended, lambda number, _: sys.exit(128 + number))
    sys.exit(main(sys.argv[1:]))
