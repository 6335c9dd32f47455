#!/usr/bin/env python3
"""`./dev gpu`: runs the stages of a first contact with a GPU within a time, and keeps the results of each as they come."""
import argparse
import os
import signal
import subprocess
import sys
import time

import results
import stages
import summary

KEEP_EVERY_S = 10  # from one writing of a stage's results to the next, while it runs
EXIT_DONE, EXIT_USAGE, EXIT_BROKEN = 0, 2, 3
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def say(text):
    print(f"dev gpu: {text}", file=sys.stderr, flush=True)


def end_group(process):
    """Ends a process and those that it started: asked first, then killed."""
    for wanted, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, wanted)
        except ProcessLookupError:
            pass
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
    try:
        os.killpg(process.pid, signal.SIGKILL)  # what outlived its parent
    except ProcessLookupError:
        pass


def run_command(command, limit_s, folder, log_path):
    """@returns {"state": done|failed|over_time, ...}; never raises for what the command does"""
    with open(log_path, "ab") as log:
        log.write(f"$ {' '.join(command.argv)}\n".encode())
        log.flush()
        output = open(os.path.join(folder, command.output), "wb") if command.output else log
        try:
            process = subprocess.Popen(
                command.argv, stdout=output, stderr=log, stdin=subprocess.DEVNULL, cwd=ROOT, start_new_session=True
            )
        except OSError as error:
            return {"state": "failed", "why": f"{command.argv[0]}: {error.strerror}"}
        finally:
            if output is not log:
                output.close()
        try:
            status = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            end_group(process)
            return {"state": "over_time", "why": f"did not end within {limit_s:.3g} s"}
        except BaseException:
            end_group(process)
            raise
    if status == 0:
        return {"state": "done"}
    return {"state": "failed", "why": f"signal {-status}" if status < 0 else f"exit code {status}"}


def state_of(commands, cases):
    """done; failed where something that counts failed; partial where commands were not reached."""
    if any(command.name not in cases for command in commands):
        return "partial"
    bad = [command for command in commands if command.counts and cases[command.name]["state"] != "done"]
    return "failed" if bad else "done"


class FirstContact:
    """The stages, their state on disk, and the clock; `now` is in seconds."""

    def __init__(self, out, state, device, now=time.monotonic):
        self.out, self.state, self.device, self.now = out, state, device, now
        self.jobs = os.cpu_count() or 1
        self.record = results.read_record(out)

    def place(self, stage):
        return stages.Place(ROOT, os.path.join(self.state, stage.name), self.device, self.jobs)

    def run_stage(self, stage, seconds):
        """Runs what was not done before; cases that failed are tried again."""
        place = self.place(stage)
        os.makedirs(place.folder, exist_ok=True)
        commands = stage.commands(place)
        begin = self.now()
        before = self.record["stages"].get(stage.name, {}).get("cases", {})
        cases = {name: case for name, case in before.items() if case["state"] == "done"}
        if stage.name == "build":
            cases = {}
        log = os.path.join(place.folder, "log.txt")
        entry = {"state": "partial", "seconds": 0, "cases": cases}
        try:
            self.run_commands(stage, commands, cases, lambda: seconds - (self.now() - begin), log)
            entry["state"] = state_of(commands, cases)
        finally:  # also where it is ended from outside
            entry["seconds"] = round(self.now() - begin, 1)
            if not commands:
                entry = {"state": "skipped", "seconds": 0, "cases": {}, "why": f"nothing to do on a {self.device}"}
            self.keep(stage, entry)

    def run_commands(self, stage, commands, cases, time_left, log):
        """Fills `cases`; what is there so far is kept now and then, so that a kill costs little."""
        place = self.place(stage)
        kept = time.monotonic()
        for command in commands:
            if command.name in cases:
                continue
            left = time_left()
            if left <= 0:
                break
            if time.monotonic() - kept >= KEEP_EVERY_S:
                self.keep(stage, {"state": "partial", "seconds": 0, "cases": cases})
                kept = time.monotonic()
            cases[command.name] = run_command(command, min(command.limit_s, left), place.folder, log)
            if cases[command.name]["state"] != "done":
                say(f"{stage.name}: {command.name}: {cases[command.name]['why']}")

    def keep(self, stage, entry):
        """A full disk is said and does not end the others."""
        self.record["stages"][stage.name] = entry
        try:
            for archive, holds in results.ARCHIVES.items():
                if stage.name not in holds:
                    continue
                left_out = results.write_archive(self.state, self.out, archive)
                if left_out:
                    entry["left_out"] = left_out
            results.write_record(self.out, self.record)
            results.replace(os.path.join(self.out, "summary.md"), summary.page(self.record, self.state).encode())
        except OSError as error:
            say(f"{stage.name}: its results could not be written: {error}")
            entry["unwritten"] = str(error)

    def built(self):
        return os.path.exists(self.place(stages.STAGES[0]).program("bin/calibrate"))

    def run(self, minutes, rows):
        """@returns whether every stage is done"""
        begin = self.now()
        for stage in rows:
            done = self.record["stages"].get(stage.name, {}).get("state") in ("done", "skipped")
            if done and not (stage.name == "build" and not self.built()):
                continue
            left = 60 * minutes - (self.now() - begin)
            if stage.minutes * 60 > left:
                say(f"{stage.name}: not begun: needs {stage.minutes:g} min, {max(0, left) / 60:.1f} min are left")
                continue
            if stage.needs_build and not self.built():
                say(f"{stage.name}: not begun: there is no program; the build failed or was not reached")
                continue
            say(f"{stage.name}: {stage.what}, at most {stage.minutes:g} min")
            try:
                self.run_stage(stage, stage.minutes * 60)
            except (OSError, subprocess.SubprocessError) as error:
                self.keep(stage, {"state": "failed", "seconds": 0, "cases": {}, "why": str(error)})
                say(f"{stage.name}: {error}")
        states = [self.record["stages"].get(stage.name, {}).get("state") for stage in rows]
        return all(state in ("done", "skipped") for state in states)


def print_plan(contact, minutes, rows):
    print(f"{'stage':<10} {'min':>4} {'ends at':>8}  what")
    spent = 0.0
    for stage in rows:
        state = contact.record["stages"].get(stage.name, {}).get("state")
        if state in ("done", "skipped"):
            end = state
        elif spent + stage.minutes > minutes:
            end = "no time"
        else:
            spent += stage.minutes
            end = f"{spent:g}"
        print(f"{stage.name:<10} {stage.minutes:>4g} {end:>8}  {stage.what}")


def arguments(words):
    parser = argparse.ArgumentParser(prog="./dev gpu", description=__doc__)
    parser.add_argument("--minutes", type=float, default=25, help="at most; stages that do not fit are left for --resume")
    parser.add_argument("--out", default="gpu-results", help="folder of the results: at most 8 files of at most 16 MiB")
    parser.add_argument("--resume", metavar="FOLDER", help="results of an earlier run: goes on from there")
    parser.add_argument("--state", default=os.path.join(ROOT, "build-gpu", "first_contact"), help="folder of work files")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="cpu: a rehearsal on the processor")
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


def resume(said):
    """Brings archives and record of an earlier run into the state and the folder of results."""
    if not os.path.exists(os.path.join(said.resume, results.RECORD)):
        raise ValueError(f"--resume: no {results.RECORD} in `{said.resume}`; name a folder that ./dev gpu wrote")
    damaged = results.unpack(said.resume, said.state)
    record = results.read_record(said.resume)
    if record.get("device") != said.device:
        raise ValueError(f"--resume: results of `{record.get('device')}`, not of `{said.device}`; name --device")
    for path in damaged:
        say(f"{path}: damaged; its stages are run again")
        archive = os.path.basename(path)[: -len(".tar.gz")]
        for stage in results.ARCHIVES[archive]:
            record["stages"].pop(stage, None)
    results.write_record(said.out, record)


def main(words):
    said = arguments(words)
    rows = [stage for stage in stages.STAGES if stage.name in said.stages]
    try:
        if said.dry_run:
            print_plan(FirstContact(said.resume or said.out, said.state, said.device), said.minutes, rows)
            return EXIT_DONE
        lacks = stages.missing(said.device)
        if lacks:
            for line in lacks:
                say(line)
            return EXIT_BROKEN
        os.makedirs(said.out, exist_ok=True)
        os.makedirs(said.state, exist_ok=True)
        if not said.resume and os.path.exists(os.path.join(said.out, results.RECORD)):
            said.resume = said.out
        if said.resume:
            resume(said)
        contact = FirstContact(said.out, said.state, said.device)
        contact.record["device"] = said.device
        done = contact.run(said.minutes, rows)
    except (ValueError, OSError) as error:
        say(str(error))
        return EXIT_BROKEN
    except KeyboardInterrupt:
        say("interrupted; go on with --resume")
        return 130
    say(f"results: {os.path.abspath(said.out)}")
    return EXIT_DONE if done else EXIT_BROKEN


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(sys.argv[1:]))
