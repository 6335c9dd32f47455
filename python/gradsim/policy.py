"""Policies in Python: an object that decides in each step whether workers exchange, or how much of a gradient is sent."""

from __future__ import annotations

import copy
import ctypes
import hashlib
import inspect
import math
import numbers
import queue
import sys
import threading
import time
import types
from collections.abc import Callable, Iterable, Sequence
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any, Protocol, Union, cast

from gradsim.errors import GradsimError, InputError, PolicyError

Answer = dict[str, Any]


@dataclass(frozen=True)
class Observation:
    """The state before a step, as a policy sees it.

    step: from 0. epoch: epochs reached with this step. last: no step follows. workers: numbers of those who take part.
    present: workers of which these were drawn for a round, 0: as many as these. loss: mean over their batches.
    learning_rate: of this step, in a warm-up that at its end. squared_norms: ||g||^2 of each worker's gradient.
    squared_drifts: ||x - r||^2 of each worker's model x from the last common one, r, where the policy `looks` at
    "models". measured_change: the largest relative change of a recorded step (`largest`), with `window` (steps) and
    `smoothing`. None, or an empty list: not known; numbers without a unit; one that is not finite is nan.
    """

    step: int
    epoch: float
    last: bool = False
    workers: list[int] = field(default_factory=list)
    present: int = 0
    loss: float | None = None
    learning_rate: float | None = None
    squared_norms: list[float] = field(default_factory=list)
    squared_drifts: list[float] = field(default_factory=list)
    measured_change: dict[str, float] | None = None

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Observation:
        """Reads what `sim serve` sends."""
        return cls(**{key: _finite_or_nan(value) for key, value in values.items()})


@dataclass(frozen=True)
class Network:
    """The link between neighbouring workers as last probed: latency_s, bandwidth_bytes_per_s, and age_s since then."""

    latency_s: float
    bandwidth_bytes_per_s: float
    age_s: float = 0


@dataclass(frozen=True)
class SentStep:
    """What a step sent and took.

    ratio: kept / original, 1 for the dense gradient. compute_s: until the slowest worker had its gradient. compress_s:
    compressing and restoring. exchange_s: the network at work. step_s: all of it. samples: of all workers. gain:
    ||g_c||^2 / ||g_e||^2 of the message. squared_norm: mean over the workers of ||g||^2. None: not known.
    """

    ratio: float
    compute_s: float
    compress_s: float
    exchange_s: float
    step_s: float
    samples: int
    gain: float | None = None
    squared_norm: float | None = None


@dataclass(frozen=True)
class CompressionObservation:
    """The state before a step, as a compression policy sees it.

    step: from 0, counts repeated steps. done: steps of the training. workers: who take part. values: of the gradient.
    network: None, not probed yet. previous: the step before, None for the first one.
    """

    step: int
    epoch: float
    workers: int
    values: int
    done: int = 0
    network: Network | None = None
    previous: SentStep | None = None

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> CompressionObservation:
        """Reads what `sim serve` sends."""
        known = {key: _finite_or_nan(value) for key, value in values.items() if key not in ("network", "previous")}
        network, previous = values.get("network"), values.get("previous")
        return cls(**known, network=Network(**network) if network else None,
                   previous=SentStep(**{key: _finite_or_nan(value) for key, value in previous.items()}) if previous else None)


class CompressionPolicy(Protocol):
    """What `run(policies=...)` takes; any object with `choose_ratio`.

    An attribute `method` names a sparse method, such as "topk"; without it the scenario states one.
    """

    def choose_ratio(self, observation: CompressionObservation) -> float:
        """Kept / original of the next message, above 0; 1 sends the dense gradient."""


class Policy(Protocol):
    """What `run(policies=...)` takes; any object with `decide`.

    An attribute `looks` names what only a learner provides ("loss", "gradients", "learning_rate", "models"; default
    "nothing"), `averaged` what is exchanged ("parameters", the default, or "gradients").
    """

    def decide(self, observation: Observation) -> str | dict[str, Any]:
        """How the step ends.

        "stay_local"; "average_parameters" or "average_before_step"; "average_gradients", or as a dict {"kind":
        "average_gradients", "dense": True}, without compression. Called again for a step that is repeated after a
        failure.
        """


def _finite_or_nan(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite_or_nan(one) for one in value]
    return math.nan if value is None else value


AnyPolicy = Union[Policy, CompressionPolicy]


def policy_name(policy: AnyPolicy) -> str:
    """The name that results and the scenario show: that of the class."""
    return type(policy).__qualname__


def _is_compression(policy: AnyPolicy) -> bool:
    return callable(getattr(policy, "choose_ratio", None))


def _function_of(policy: AnyPolicy) -> Callable[..., Any]:
    """The function of the policy's class that decides."""
    function: Callable[..., Any] = getattr(type(policy), "choose_ratio" if _is_compression(policy) else "decide")
    return function


def source_hash(policy: AnyPolicy) -> str:
    """SHA-256 of the source of the policy's class; values of its attributes are not part of it.

    Raises InputError where the source is not known.
    """
    sources: tuple[Any, ...] = (type(policy), _function_of(policy))
    for thing in sources:
        try:
            return hashlib.sha256(inspect.getsource(thing).encode()).hexdigest()
        except (OSError, TypeError):
            continue
    raise InputError(f"the source of policy `{policy_name(policy)}` is not known: write the class into a file", [])


def synchronisation(policy: Policy) -> dict[str, Any]:
    """The key `synchronisation` of a scenario, or of one of its arms, in which this policy decides."""
    if not callable(getattr(policy, "decide", None)):
        raise InputError(f"`{policy_name(policy)}` has no function `decide(observation)`", [])
    stated = {"method": "external", "name": policy_name(policy), "sha256": source_hash(policy)}
    return stated | {key: getattr(policy, key) for key in ("looks", "averaged") if hasattr(policy, key)}


def compression(policy: CompressionPolicy, method: str | None = None) -> dict[str, Any]:
    """The key `compression` of a scenario, or of one of its arms, in which this policy chooses the ratio.

    method: a sparse method, such as "topk"; default: the policy's `method`, else that of the scenario.
    """
    if not _is_compression(policy):
        raise InputError(f"`{policy_name(policy)}` has no function `choose_ratio(observation)`", [])
    stated = {"policy": "external", "external": {"name": policy_name(policy), "sha256": source_hash(policy)}}
    method = method or getattr(policy, "method", None)
    return stated | ({"method": method} if method else {})


def settings_of(policy: AnyPolicy) -> dict[str, Any]:
    """Keys by path with which the policy decides in all arms. Raises InputError for one that has both functions."""
    if _is_compression(policy) and callable(getattr(policy, "decide", None)):
        raise InputError(f"`{policy_name(policy)}` has both `choose_ratio` and `decide`: split it into a class for each", [])
    if _is_compression(policy):
        return {f"compression.{key}": value for key, value in compression(cast(CompressionPolicy, policy)).items()}
    return {"synchronisation": synchronisation(cast(Policy, policy))}


class _WrongDecision(Exception):
    """A decision of a type that no message holds."""


def _checked_ratio(ratio: Any) -> Any:
    """Raises _WrongDecision for a value that is not a finite number; numbers of other packages become plain ones."""
    if isinstance(ratio, numbers.Real) and not isinstance(ratio, bool) and math.isfinite(ratio):
        return float(ratio)
    raise _WrongDecision(f"chose {ratio!r}; expected a number above 0, at most 1")


def _checked(decision: Any) -> Any:
    """Raises _WrongDecision for what is neither a name nor a dict of `kind` and `dense`."""
    stated = {"kind": decision} if isinstance(decision, str) else decision
    if isinstance(stated, dict) and set(stated) <= {"kind", "dense"} and isinstance(stated.get("kind"), str) \
            and isinstance(stated.get("dense", False), bool):
        return decision
    raise _WrongDecision(f"decided {decision!r}; expected a name such as \"stay_local\", or a dict of `kind` and `dense`")


def _place_of(policy: AnyPolicy) -> tuple[str, int]:
    """File and line at which the function that decides is defined."""
    function = inspect.unwrap(_function_of(policy))
    code = getattr(function, "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code else (policy_name(policy), 0)


def _last_place(places: Iterable[tuple[str, int]], policy: AnyPolicy) -> tuple[str, int]:
    """The innermost place in the policy's own file; that of `decide` where there is none."""
    file, line = _place_of(policy)
    own = [place for place in places if place[0] == file]
    return own[-1] if own else (file, line)


def _places_of_frame(frame: types.FrameType | None) -> list[tuple[str, int]]:
    """Places of a running thread, from the outermost to the innermost."""
    places = []
    while frame is not None:
        places.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return places[::-1]


def _places_of_traceback(traceback: types.TracebackType | None) -> list[tuple[str, int]]:
    places = []
    while traceback is not None:
        places.append((traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
        traceback = traceback.tb_next
    return places


def _failure(policy: AnyPolicy, place: tuple[str, int], what: str) -> PolicyError:
    return PolicyError(f"{place[0]}:{place[1]}: policy `{policy_name(policy)}` {what}", *place)


def _decision(policy: AnyPolicy, question: Answer) -> Any:
    """Asks the policy. Raises _WrongDecision for an answer that no message holds, and what the policy raises."""
    if question.pop("asks", None) == "ratio":
        observed = CompressionObservation.from_dict(question)
        return _checked_ratio(cast(CompressionPolicy, policy).choose_ratio(observed))
    return _checked(cast(Policy, policy).decide(Observation.from_dict(question)))


class Decider:
    """Policies that decide for one request, on a thread of their own; each run has a copy of its policy.

    timeout: seconds that a decision may take.
    """

    def __init__(self, policies: Sequence[AnyPolicy], timeout: float):
        self.hashes = {policy_name(policy): source_hash(policy) for policy in policies}
        self._policies = {policy_name(policy): policy for policy in policies}
        if len(self._policies) < len(policies):
            raise InputError("two policies have one class: a run takes one object of each class", [])
        self._timeout = timeout
        self._questions: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._of_run: dict[int, AnyPolicy] = {}
        self._asked: tuple[AnyPolicy, float] | None = None  # the policy that decides, and since when
        self._last: AnyPolicy | None = None  # the policy that was asked last
        self._failure: PolicyError | None = None

    def put(self, question: Answer) -> None:
        """Takes a question, on any thread."""
        self._questions.put(question)

    def result(self, future: futures.Future[Answer], send: Callable[[Answer], None]) -> Answer:
        """The result of the request, whose questions are answered until it comes.

        Raises PolicyError where a policy raises, decides what no step can do, or takes too long.
        """
        thread = threading.Thread(target=self._serve, args=(send,), name="gradsim policy", daemon=True)
        thread.start()
        try:
            return self._wait(future, thread, send)
        except GradsimError as error:
            if self._failure is not None:
                raise self._failure from self._failure.__cause__
            if self._last is not None and isinstance(error, InputError) and error.problems \
                    and error.problems[0].option == "--policies":
                file, line = _place_of(self._last)
                raise PolicyError(f"{file}:{line}: {error.problems[0].what}; {error.problems[0].hint}", file, line) from error
            raise
        finally:
            self._questions.put(None)

    def _wait(self, future: futures.Future[Answer], thread: threading.Thread, send: Callable[[Answer], None]) -> Answer:
        while True:
            try:
                return future.result(self._timeout / 4)
            except futures.TimeoutError:
                asked = self._asked
                if self._failure is None and asked is not None and time.monotonic() - asked[1] > self._timeout:
                    self._give_up(asked[0], thread, send)

    def _give_up(self, policy: AnyPolicy, thread: threading.Thread, send: Callable[[Answer], None]) -> None:
        frame = sys._current_frames().get(thread.ident or 0)
        place = _last_place(_places_of_frame(frame), policy)
        self._failure = _failure(policy, place, f"has not decided within {self._timeout:g} s")
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit))
        send({"error": str(self._failure)})

    def _serve(self, send: Callable[[Answer], None]) -> None:
        while (question := self._questions.get()) is not None:
            answer = self._answer(question)
            if answer is None:
                return
            send(answer)

    def _answer(self, question: Answer) -> Answer | None:
        """The answer to a question; None where the run has ended, because this took too long."""
        run, policy = question.pop("run"), self._policies[question.pop("policy")]
        self._last = policy
        self._asked = (policy, time.monotonic())
        try:
            if run not in self._of_run:
                self._of_run[run] = copy.deepcopy(policy)
            decision = _decision(self._of_run[run], question)
        except BaseException as error:  # whatever it raises ends the run, not this thread alone
            return self._failed(policy, error)
        finally:
            self._asked = None
        return {"decision": decision} if self._failure is None else None

    def _failed(self, policy: AnyPolicy, error: BaseException) -> Answer | None:
        if self._failure is not None:
            return None
        place = _last_place(_places_of_traceback(error.__traceback__), policy)
        what = str(error) if isinstance(error, _WrongDecision) else f"raised {type(error).__name__}: {error}"
        failure = _failure(policy, place, what)
        failure.__cause__ = error
        self._failure = failure
        return {"error": str(failure)}
