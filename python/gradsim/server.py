"""The program `sim`, kept running: requests go to `sim serve`, and replies come back by their number."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradsim.errors import Cancelled, GradsimError, InputError, Problem, ProgramError
from gradsim.policy import Decider

_REFUSED, _WRONG_PARAMS, _CANCELLED = -32001, -32602, -32800


def find_program() -> str:
    """Path of `sim`: the environment's GRADSIM_SIM, the one of this package, that of the clone around it, or on PATH.

    Raises ProgramError where there is none.
    """
    stated = os.environ.get("GRADSIM_SIM")
    here = Path(__file__).resolve().parent
    known = [Path(stated)] if stated else [here / "bin" / "sim", here.parents[1] / "build" / "bin" / "sim"]
    for program in known:
        if os.access(program, os.X_OK):
            return str(program)
    on_path = None if stated else shutil.which("sim")
    if on_path is None:
        places = ", ".join(str(program) for program in known)
        raise ProgramError(f"no program `sim` at {places}; install gradsim by pip, or set GRADSIM_SIM to its path")
    return on_path


def _error_of(error: dict[str, Any]) -> GradsimError:
    data = error.get("data") or {}
    problems = [Problem.from_dict(one) for one in data.get("errors", [])]
    log = data.get("log", [])
    if error["code"] == _CANCELLED:
        return Cancelled(error["message"], log)
    if error["code"] in (_REFUSED, _WRONG_PARAMS):
        return InputError(error["message"], problems, log)
    return ProgramError(error["message"], log)


@dataclass
class _Waiting:
    """A request without a reply."""

    future: Future[dict[str, Any]]
    progress: Callable[[str], None] | None
    decider: Decider | None


def _plain(value: Any) -> Any:
    """A number or an array of numpy, or a path, as JSON knows it."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    for name in ("tolist", "item"):
        if hasattr(value, name):
            return getattr(value, name)()
    raise TypeError(f"expected text, a number, a list or a dict, found {value!r}")


def json_text(value: Any) -> str:
    """The value as JSON on one line. Raises InputError for what has no JSON, such as nan."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise InputError(f"a value cannot be stated in a scenario: {error}", []) from error


class Server:
    """A running `sim serve`. May be called from several threads; each request has its own reply.

    program: path of `sim`; None: `find_program`. workers: commands at a time; None: all cores.
    """

    def __init__(self, program: str | None = None, workers: int | None = None):
        command = [program or find_program(), "serve"]
        if workers is not None:
            command += ["--workers", str(workers)]
        # A session of its own: Ctrl-C at a terminal goes to Python, which cancels the request.
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                         encoding="utf-8", start_new_session=True)
        self._lock = threading.Lock()
        self._count = 0
        self._ended = False  # no reply will come any more
        self._waiting: dict[int, _Waiting] = {}
        self._reader = threading.Thread(target=self._read, name="gradsim replies", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if "method" in message:
                self._notify(message["method"], message["params"])
                continue
            with self._lock:
                waiting = self._waiting.pop(message["id"], None)
            if waiting is None:
                continue
            if "error" in message:
                waiting.future.set_exception(_error_of(message["error"]))
            else:
                waiting.future.set_result(message["result"])
        with self._lock:
            self._ended = True
            left, self._waiting = self._waiting, {}
        for waiting in left.values():
            waiting.future.set_exception(ProgramError(f"`sim serve` ended with exit code {self._process.wait()}"))

    def _notify(self, method: str, params: dict[str, Any]) -> None:
        with self._lock:
            waiting = self._waiting.get(params.pop("id"))
        if waiting is None:
            return
        if method == "progress" and waiting.progress is not None:
            waiting.progress(params["line"])
        if method == "decide" and waiting.decider is not None:
            waiting.decider.put(params)

    def submit(self, method: str, params: dict[str, Any], progress: Callable[[str], None] | None = None,
               decider: Decider | None = None) -> tuple[int, Future[dict[str, Any]]]:
        """Sends a request. Returns its number and the future of its result.

        progress: called, on another thread, with each line of progress. decider: takes the questions of the command.
        """
        future: Future[dict[str, Any]] = Future()
        if progress is not None:
            params = {**params, "progress": True}
        with self._lock:
            self._count += 1
            number = self._count
            request = json_text({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            self._waiting[number] = _Waiting(future, progress, decider)
            try:
                if self._ended:
                    raise BrokenPipeError
                self._send(request)
            except (OSError, ValueError):
                self._waiting.pop(number, None)
                raise ProgramError(f"`sim serve` ended with exit code {self._process.wait()}") from None
        return number, future

    def _send(self, message: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(message + "\n")
        self._process.stdin.flush()

    def call(self, method: str, progress: Callable[[str], None] | None = None, decider: Decider | None = None,
             **params: Any) -> dict[str, Any]:
        """The result of one request. Ctrl-C cancels it. decider: policies that the command asks.

        Raises InputError for refused input, PolicyError where a policy fails, ProgramError where the program fails.
        """
        if decider is not None:
            params = {**params, "policies": decider.hashes}
        number, future = self.submit(method, params, progress, decider)
        try:
            return future.result() if decider is None else decider.result(future, lambda answer: self._decide(number, answer))
        except KeyboardInterrupt:
            self.cancel(number)
            raise

    def _decide(self, number: int, answer: dict[str, Any]) -> None:
        with self._lock, contextlib.suppress(OSError, ValueError):  # of a program that has ended
            self._send(json.dumps({"jsonrpc": "2.0", "method": "decision", "params": {"id": number, **answer}}))

    def cancel(self, number: int) -> None:
        """Ends the request of this number, if it has no result yet: its future raises Cancelled."""
        with self._lock:
            self._send(json_text({"jsonrpc": "2.0", "method": "cancel", "params": {"id": number}}))

    def close(self) -> None:
        """Ends the program after the requests that it has."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # of a request that the program did not live to read
                self._process.stdin.close()
        self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def is_running(self) -> bool:
        """Whether requests can still be answered."""
        return self._process.poll() is None


_shared: Server | None = None
_shared_lock = threading.Lock()


def shared_server() -> Server:
    """The server of this process, started when it is first needed, and again after a fork or its end."""
    global _shared
    with _shared_lock:
        if _shared is None or not _shared.is_running():
            _shared = Server()
            atexit.register(_shared.close)
        return _shared


def _forget_server() -> None:
    global _shared, _shared_lock
    _shared, _shared_lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget_server)
