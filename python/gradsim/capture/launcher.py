"""Runs an unmodified script as one rank and keeps its last step."""

from __future__ import annotations

import contextlib
import os
import resource
import runpy
import sys
import time
from dataclasses import dataclass, field

from gradsim.capture import versions
from gradsim.capture.operations import Capture, Operation, cut_step, drop_operations
from gradsim.capture.recorder import Recorder
from gradsim.capture.recording import world
from gradsim.capture.refusal import CaptureRefused, raised_place, shown_path
from gradsim.capture.steps import Finished, StepWatch, difference
from gradsim.capture.values import Reads, steering


@dataclass
class Request:
    """What to record. script: a file, or a module where `as_module`. steps: how many to run, at least 3; the last is kept.

    stated: values that reads return, by `FILE:LINE` (gradsim.capture.values).
    """

    script: str
    arguments: list[str] = field(default_factory=list)
    world: int = 1
    per_node: int = 8
    rank: int = 0
    steps: int = 3
    as_module: bool = False
    stated: dict[str, float] = field(default_factory=dict)


def environment(request: Request) -> dict[str, str]:
    """What torchrun sets for the rank, and what keeps the run eager."""
    nodes, node = max(1, request.world // request.per_node), request.rank // request.per_node
    texts = dict(RANK=request.rank, LOCAL_RANK=request.rank % request.per_node, WORLD_SIZE=request.world,
                 LOCAL_WORLD_SIZE=min(request.per_node, request.world), GROUP_RANK=node, NODE_RANK=node, GROUP_WORLD_SIZE=nodes,
                 ROLE_RANK=request.rank, ROLE_WORLD_SIZE=request.world, MASTER_ADDR="localhost", MASTER_PORT="29500",
                 TORCHELASTIC_RUN_ID="capture", TORCHELASTIC_RESTART_COUNT=0, TORCHELASTIC_MAX_RESTARTS=0,
                 TORCH_COMPILE_DISABLE=1)
    return {key: str(value) for key, value in texts.items()}


def record_script(request: Request) -> Capture:
    """Runs the script in this process and records its last step. Raises CaptureRefused."""
    version = versions.check_pytorch()
    _check(request)
    begin = time.process_time()
    os.environ.update(environment(request))
    with world(request.world, rank=request.rank, per_node=request.per_node, reads=Reads(request.stated, request.steps)) as recorder:
        watch = StepWatch(recorder, request.steps)
        with watch.hooks(), contextlib.redirect_stdout(sys.stderr):
            _run(request, recorder, watch)
        parameters, frozen = watch.parameters()
    operations = _kept_step(watch, recorder)
    batch = watch.batches[request.steps - 1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Capture(request.script, version, request.rank, request.world, request.per_node, request.steps, operations, parameters,
                   frozen, sum(batch) or None, len(batch), recorder.compiled, recorder.replica, list(recorder.notes), time.process_time() - begin, peak)


def _check(request: Request) -> None:
    if request.steps < 3:
        raise CaptureRefused("--steps", f"expected at least 3, found {request.steps}",
                             "the first step differs from the others; the last two are compared")
    if not 0 <= request.rank < request.world:
        raise CaptureRefused("--ranks", f"unknown rank {request.rank}: the world has {request.world} ranks", "ranks are counted from 0")
    if request.world > request.per_node and request.world % request.per_node:
        raise CaptureRefused("--per-node", f"{request.world} ranks do not fill nodes of {request.per_node}", "use a multiple")
    if not request.as_module and not os.path.isfile(request.script):
        raise CaptureRefused(request.script, "no such script", "write it after `--`")


def _run(request: Request, recorder: Recorder, watch: StepWatch) -> None:
    before = sys.argv, sys.path[0]
    sys.argv = [request.script, *request.arguments]
    sys.path[0] = os.getcwd() if request.as_module else os.path.dirname(os.path.abspath(request.script))
    try:
        if request.as_module:
            runpy.run_module(request.script, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(request.script, run_name="__main__")
    except Finished:
        if recorder.refused:
            raise recorder.refused
        return
    except CaptureRefused as refusal:
        raise recorder.refused or refusal
    except (Exception, SystemExit) as error:
        watch.end_script()
        if watch.complete and isinstance(error, SystemExit) and not error.code:
            return
        raise recorder.refused or recorder.reads.steering_test() or _refusal_of(request, error, watch.optimizer_steps) from error
    finally:
        sys.argv, sys.path[0] = before
    watch.end_script()
    if watch.complete:
        return
    raise recorder.refused or recorder.reads.steering_test() or CaptureRefused(
        shown_path(request.script), f"the script ended after {_steps(watch.optimizer_steps)}, before step {request.steps}",
        "give it more steps; a step ends with the step of a torch.optim.Optimizer")


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def _refusal_of(request: Request, error: BaseException, steps: int) -> CaptureRefused:
    """What a script raised, as a refusal with its place."""
    place = raised_place(error.__traceback__) or shown_path(request.script)
    text = str(error).strip().splitlines()
    first = text[0] if text else ""
    if isinstance(error, SystemExit):
        return CaptureRefused(place, f"the script exits with {error.code!r} after {_steps(steps)}, before step {request.steps}",
                              "its own messages are above")
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return CaptureRefused(place, f"the script needs data that is absent: {error.filename}",
                              "give it a small file of the same shape: values do not matter")
    if isinstance(error, ModuleNotFoundError):
        return CaptureRefused(place, f"the script needs the module `{error.name}`, which is not installed",
                              "install it; where it is a CUDA extension, use PyTorch's own operations instead")
    if "data pointer" in str(error) or "fake impl" in str(error) or "Fake kernel" in str(error) or "meta kernel" in str(error):
        return CaptureRefused(place, f"an operator has no implementation for fake tensors: {first}",
                              "describe its result by `torch.library.register_fake` in the script")
    return CaptureRefused(place, f"the script raises {type(error).__name__}: {first}",
                          "does it run by torchrun? values that it reads from tensors are 1 or 2 here")


def _kept_step(watch: StepWatch, recorder: Recorder) -> list[Operation]:
    """The last step, if it equals the one before it."""
    begins = watch.begins
    steps = [cut_step(recorder.operations, a, b) for a, b in zip(begins[-3:], begins[-2:])]
    if not recorder.asked_for_device:  # a script for CPUs: they are its device
        for one in steps[0] + steps[1]:
            one.on_host = False
    earlier, last = ([one for one in step if not one.on_host] for step in steps)
    different = difference(earlier, last)
    if different is not None:
        raise recorder.reads.steering_test(different[2] + begins[-2]) or CaptureRefused(
            different[0], f"steps {watch.steps - 1} and {watch.steps} differ: {different[1]}",
            "the number of the step, or a size that changes, steers it; turn logging and evaluation off, or compare other steps by "
            "`--steps N`")
    waits = [sum(one.kind == "host" for one in step) for step in (earlier, last)]
    if waits[0] != waits[1]:
        recorder.note(f"step {watch.steps - 1} has {waits[0]} waits of the host, step {watch.steps} has {waits[1]}")
    compared = {test.place for test in recorder.reads.tests if test.compared}
    for test in recorder.reads.tests:
        if test.place not in compared:
            recorder.note(f"{test.place} tests a value that was read, before the steps that are compared; it was taken to be 1 or 2")
    return drop_operations(steps[1], lambda one: not one.on_host)
