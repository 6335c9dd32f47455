"""Programs of a stage: each in a process group of its own, with a limit; cases of one program, one after the other."""
import ctypes
import os
import signal
import subprocess
import time

POLL_S = 0.1  # between two looks at what a batch says
WAIT_S = 1  # between two looks at a single command
LAST_BYTES, LINE_LENGTH = 4096, 200  # of a log, in which the reason of a failure is looked for; of the reason
now = time.monotonic


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


def failed(status):
    return {"state": "failed", "why": f"signal {-status}" if status < 0 else f"exit code {status}"}


def last_line(path, begin):
    """The last line that a program has written to the log since this byte; empty where there is none."""
    with open(path, "rb") as log:
        log.seek(max(begin, os.path.getsize(path) - LAST_BYTES))
        lines = [line.strip() for line in log.read().decode(errors="replace").splitlines()]
    return next((line[:LINE_LENGTH] for line in reversed(lines) if line and not line.startswith("$ ")), "")


def over_time(limit_s):
    return {"state": "over_time", "why": f"did not end within {limit_s:.3g} s"}


PR_SET_PDEATHSIG = 1  # Source: prctl(2)
libc = ctypes.CDLL(None)


def end_with_parent():
    """Of a process that is about to start a program: it ends where the first contact is killed, and leaves the device to the next."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(argv, root, log, output=None):
    """@returns the process; raises OSError where the program cannot be started"""
    log.write(f"$ {' '.join(argv)}\n".encode())
    log.flush()
    return subprocess.Popen(
        argv, stdout=output or log, stderr=log, stdin=subprocess.DEVNULL, cwd=root, start_new_session=True, preexec_fn=end_with_parent
    )


def wait_for(process, limit_s, kept):
    """@returns the exit status; raises subprocess.TimeoutExpired"""
    end = now() + limit_s
    while True:
        try:
            return process.wait(min(WAIT_S, max(0, end - now())))
        except subprocess.TimeoutExpired:
            if now() >= end:
                raise
            kept()


def run_command(command, limit_s, root, folder, log_path, kept=lambda: None):
    """@returns {"state": done|failed|over_time, ...}; never raises for what the command does"""
    with open(log_path, "ab") as log:
        begin = log.tell()
        output = open(os.path.join(folder, command.output), "wb") if command.output else None
        try:
            process = start(command.argv, root, log, output)
        except OSError as error:
            return {"state": "failed", "why": f"{command.argv[0]}: {error.strerror}"}
        finally:
            if output:
                output.close()
        try:
            status = wait_for(process, limit_s, kept)
        except subprocess.TimeoutExpired:
            end_group(process)
            return over_time(limit_s)
        except BaseException:
            end_group(process)
            raise
    if status == 0:
        return {"state": "done"}
    found, said = failed(status), last_line(log_path, begin)
    return {**found, "why": f"{found['why']}: {said}"} if said else found


class Follower:
    """What one process of a batch has said: which cases it has ended, and which it is at."""

    def __init__(self, batch, names, log_path):
        self.batch, self.names = batch, names
        self.log = open(log_path, encoding="utf-8", errors="replace")
        self.log.seek(0, os.SEEK_END)
        self.rest, self.last = "", ""
        self.current, self.since, self.ended = None, now(), {}

    def read(self):
        lines = (self.rest + self.log.read()).split("\n")
        self.rest = lines.pop()
        for line in lines:
            self.last = line.strip() or self.last
            said = self.batch.read(line)
            if not said or said[1] not in self.names:
                continue
            if said[0] == "failed":
                self.ended[said[1]] = {"state": "failed", "why": said[2]}
            elif said[1] != self.current:
                self.end_current()
                self.current, self.since = said[1], now()

    def end_current(self):
        if self.current is not None:
            self.ended.setdefault(self.current, {"state": "done"})

    def end(self, status):
        """What the exit code says of the cases that it has not told of."""
        self.read()
        if status == 0:
            self.ended = {name: {"state": "done"} for name in self.names} | self.ended
        elif self.current is None:  # nothing was begun: nothing that follows would be
            why = f"{failed(status)['why']}: {self.last}" if self.last else failed(status)["why"]
            self.ended = {name: {"state": "failed", "why": why} for name in self.names}
        elif self.current == self.names[-1] and any(case["state"] == "failed" for case in self.ended.values()):
            self.end_current()  # it went on to its last case and reports those that failed before
        else:
            self.ended.setdefault(self.current, failed(status))

    def stop(self, limit_s):
        """The process was ended at its case: over its limit, or (None) since the stage's time is over."""
        self.read()
        if limit_s is None:
            return
        for name in [self.current] if self.current else self.names:
            self.ended.setdefault(name, over_time(limit_s))


def follow_process(batch, names, time_left, root, log_path, ended, kept=lambda: None):
    """Runs one process of the batch until it ends, hangs or the time is over; `ended` gets the cases as they end."""
    with open(log_path, "ab") as log:
        follower = Follower(batch, names, log_path)
        try:
            process = start(batch.argv(names), root, log)
        except OSError as error:
            ended.update({name: {"state": "failed", "why": f"{batch.argv(names)[0]}: {error.strerror}"} for name in names})
            return
        try:
            while process.poll() is None:
                time.sleep(POLL_S)
                follower.read()
                ended.update(follower.ended)
                kept()
                over = now() - follower.since > batch.limit_s
                if over or time_left() <= 0:
                    end_group(process)
                    follower.stop(batch.limit_s if over else None)
                    break
            else:
                follower.end(process.returncode)
        except BaseException:
            end_group(process)
            raise
        finally:
            ended.update(follower.ended)
            follower.log.close()


def run_batch(batch, cases, time_left, root, log_path, kept=lambda: None):
    """Fills `cases` with those of the batch; after one that hangs or ends the process, another goes on with the next."""
    while time_left() > 0:
        names = tuple(name for name in batch.names if name not in cases)
        if not names:
            return
        begun = dict(cases)
        follow_process(batch, names, time_left, root, log_path, cases, kept)
        if cases == begun:
            return  # the time was over
