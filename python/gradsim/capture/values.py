"""Values that a script reads from tensors: they are unknown here, and must not steer the step.

A read returns 1 in odd steps and 2 in even ones. Python numbers that were read remember it: arithmetic and printing go on; a
comparison has one outcome in one of the two steps that are compared, and the other outcome in the other. Where the steps are
equal nevertheless, the value steers nothing that is recorded (a message, a checkpoint, a best value); else the script is refused
with the place of the comparison. Sizes that were read are refused at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from gradsim.capture.refusal import CaptureRefused, called_by_library, script_place

MOST_TESTS = 1000  # of one place in one step: more are a loop until a value changes

_COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__bool__")
_ARITHMETIC = ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__", "__rtruediv__", "__floordiv__",
               "__rfloordiv__", "__mod__", "__pow__", "__rpow__", "__neg__", "__abs__", "__round__")


def steering(place: str, read_at: str, what: str) -> CaptureRefused:
    """The refusal of a step that depends on a value that was read at `read_at` and used at `place`."""
    return CaptureRefused(place, f"the step depends on a value that was read from a tensor at {read_at or 'an unknown line'}: {what}",
                          f"capture knows shapes, not values; state the value: `--read {read_at or 'FILE:LINE'}=VALUE`")


@dataclass
class Test:
    """A test of a read value: where it is, where the value was read, and how many operations had been recorded."""

    place: str
    read_at: str
    position: int
    compared: bool  # in one of the two steps that are compared


def _number_type(name: str, plain: type, reads: "Reads") -> type[Any]:
    """A type of numbers whose tests are decided by `reads`, and whose results are such numbers."""
    def compared(method: str) -> Callable:
        def compare(self: Any, *others: Any) -> Any:
            outcome = getattr(plain, method)(plain(self), *others)
            return outcome if outcome is NotImplemented else reads.decide(outcome, self.read_at)
        return compare

    def computed(method: str) -> Callable:
        def compute(self: Any, *others: Any) -> Any:
            result = getattr(plain, method)(self, *others)
            return result if result is NotImplemented else reads.mark(result, self.read_at)
        return compute

    members: dict[str, Any] = {"__hash__": plain.__hash__, "read_at": ""}
    members |= {method: compared(method) for method in _COMPARISONS}
    members |= {method: computed(method) for method in _ARITHMETIC}
    return type(name, (plain,), members)


class Reads:
    """What reads and tests of read values return.

    stated: values by `FILE:LINE`, of which FILE may be shorter than the path (`train.py:31`). steps: how many will be run; the
    last two are compared. step: how many have ended so far.
    """

    def __init__(self, stated: dict[str, float] | None = None, steps: int = 3):
        self.stated, self.steps = stated or {}, steps
        self.step = 0
        self.count = 0
        self.last_is_known = False
        self.last_place = ""
        self.position: Callable[[], int] = lambda: 0  # operations that were recorded so far
        self.tests: list[Test] = []
        self._tests_of_step: dict[str, int] = {}
        self.float_type = _number_type("ReadFloat", float, self)
        self.int_type = _number_type("ReadInt", int, self)

    def end_step(self) -> None:
        self.step += 1
        self._tests_of_step.clear()

    def mark(self, value: Any, read_at: str) -> Any:
        """A number, or a list of numbers, that remembers where it was read; other values unchanged."""
        if isinstance(value, list):
            return [self.mark(one, read_at) for one in value]
        if not isinstance(value, (bool, int, float)):
            return value
        number = self.float_type(value) if isinstance(value, float) else self.int_type(int(value))
        number.read_at = read_at
        return number

    def value(self, integral: bool, known: Any, place: str) -> Any:
        """The value of one read: of a whole number or bool (`integral`), with a known result, at a place of the script."""
        self.count += 1
        self.last_place = place
        stated = self.stated_at(place)
        self.last_is_known = stated is not None or known is not None
        chosen = stated if stated is not None else known if known is not None else 1 + self.step % 2
        return int(chosen) if integral else float(chosen)

    def stated_at(self, place: str) -> float | None:
        for wanted, value in self.stated.items():
            if place == wanted or place.endswith("/" + wanted):
                return value
        return None

    def decide(self, outcome: bool, read_at: str) -> bool:
        """The outcome of a test of a read value: as it is, or the opposite in the last step. Raises where tests do not end."""
        place = script_place()
        self._tests_of_step[place] = self._tests_of_step.get(place, 0) + 1
        if self._tests_of_step[place] > MOST_TESTS:
            raise steering(place, read_at, "it is tested until it changes")
        if called_by_library():
            return outcome
        self.tests.append(Test(place, read_at, self.position(), self.step >= self.steps - 2))
        return not outcome if self.step >= self.steps - 1 else outcome

    def steering_test(self, position: int | None = None) -> CaptureRefused | None:
        """The refusal that blames the last test before operation `position` (None: the last one), if it is of compared steps."""
        tests = [one for one in self.tests if one.compared and (position is None or one.position <= position)]
        return steering(tests[-1].place, tests[-1].read_at, "what follows depends on a test of it") if tests else None

def parse_stated(texts: list[str]) -> dict[str, float]:
    """`FILE:LINE=VALUE` texts of the option `--read`. Raises CaptureRefused for others."""
    stated = {}
    for text in texts:
        place, equals, value = text.rpartition("=")
        file, colon, line = place.rpartition(":")
        try:
            stated[place] = float(value)
        except ValueError:
            equals = ""
        if not (equals and colon and file and line.isdigit()):
            raise CaptureRefused("--read", f"expected FILE:LINE=VALUE, found `{text}`", "such as `--read train.py:31=0.5`")
    return stated
