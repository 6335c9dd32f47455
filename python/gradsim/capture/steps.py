"""Where steps begin and end, what models get, and whether two steps are equal."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import torch

from gradsim.capture.operations import Operation
from gradsim.capture.recorder import Recorder


class Finished(BaseException):
    """Enough steps were recorded. Not an `Exception`, so that the script does not catch it."""


class StepWatch:
    """Finds the steps of a script: each begins with the first forward pass after the step of the first optimizer.

    What a script does after the optimizer's step (logging, saving, loading) so belongs to the step that it follows. Without a
    module that has parameters, a step ends with the optimizer's.

    steps: how many to run. begins: number of the first operation of each step, and of the one after the last.
    """

    def __init__(self, recorder: Recorder, steps: int):
        self.recorder, self.steps = recorder, steps
        self.begins: list[int] = []
        self.optimizers: dict[int, Any] = {}
        self.optimizer_steps = 0
        self.batches: list[list[int]] = []  # rows of the inputs of each forward pass, by step
        self._ended_at: int | None = 0  # the optimizer's step ended there, and no forward pass has begun
        self._depth = 0
        self._counted: int | None = None

    @contextlib.contextmanager
    def hooks(self) -> Iterator["StepWatch"]:
        from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
        from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

        with contextlib.ExitStack() as stack:
            for handle in (register_optimizer_step_pre_hook(self._before_step), register_optimizer_step_post_hook(self._after_step),
                           register_module_forward_pre_hook(self._before_forward),
                           register_module_forward_hook(self._after_forward, with_kwargs=True)):
                stack.callback(handle.remove)
            yield self

    @property
    def complete(self) -> bool:
        return len(self.begins) > self.steps

    def end_script(self) -> None:
        """The script has ended: its last step ends with the step of the optimizer."""
        if self._ended_at is not None and self.optimizer_steps == self.steps and len(self.begins) == self.steps:
            self.begins.append(self._ended_at)

    def _begin_step(self, position: int) -> None:
        self.begins.append(position)
        self.batches.append([])
        if len(self.begins) > 1:
            self.recorder.reads.end_step()
        if self.complete:
            raise Finished

    def _before_step(self, optimizer: Any, *_: Any) -> None:
        self.optimizers.setdefault(id(optimizer), optimizer)
        self.recorder.optimizer_depth += 1

    def _after_step(self, optimizer: Any, *_: Any) -> None:
        self.recorder.optimizer_depth -= 1
        # Containers of optimizers step before and after their parts: the part that ends first counts.
        self._counted = self._counted or id(optimizer)
        if id(optimizer) != self._counted:
            return
        if self._ended_at is not None:
            self._begin_step(self._ended_at)
        self.optimizer_steps += 1
        self._ended_at = len(self.recorder.operations)

    @staticmethod
    def _trains() -> bool:
        """Not in the backward pass, where checkpointing runs forward again, and not without gradients, as evaluation is."""
        return torch._C._current_graph_task_id() == -1 and torch.is_grad_enabled()

    def _before_forward(self, module: Any, *_: Any) -> None:
        if not self._trains():
            return
        if self._depth == 0 and self._ended_at is not None and next(module.parameters(), None) is not None:
            position, self._ended_at = len(self.recorder.operations), None
            self._begin_step(position)
        self._depth += 1

    def _after_forward(self, module: Any, args: tuple, kwargs: dict, *_: Any) -> None:
        if not self._trains():
            return
        self._depth -= 1
        if self._depth or next(module.parameters(), None) is None or not self.batches:
            return
        for one in (*args, *kwargs.values()):
            if isinstance(one, torch.Tensor) and one.dim():
                self.batches[-1].append(one.shape[0])
                return

    def parameters(self) -> tuple[int, int]:
        """Trainable values and others of what the optimizers update; a sharded parameter counts whole."""
        seen: dict[int, Any] = {}
        for optimizer in self.optimizers.values():
            for group in optimizer.param_groups:
                seen |= {id(one): one for one in group["params"]}
        flat = [module._handle.flat_param for module in self.recorder.flat_modules if module._handle is not None]
        pieces = {id(one) for module in self.recorder.flat_modules for one in module.parameters()}
        counts = [(one.numel(), one.requires_grad) for one in seen.values() if id(one) not in pieces]
        counts += [(one._unpadded_unsharded_size.numel(), one.requires_grad) for one in flat]
        return sum(n for n, trained in counts if trained), sum(n for n, trained in counts if not trained)


def difference(earlier: list[Operation], last: list[Operation]) -> tuple[str, str, int] | None:
    """Where two steps differ, how, and at which operation of the last one; None where they are equal.

    Waits of the host may differ.
    """
    first, second = ([one for one in step if one.kind != "host"] for step in (earlier, last))
    for a, b in zip(first, second):
        if a.signature() != b.signature():
            return b.place, f"`{_text(a)}`, then `{_text(b)}`", b.index
    if len(first) == len(second):
        return None
    shorter = min(len(first), len(second))
    extra = max(first, second, key=len)[shorter]
    position = extra.index if len(second) > shorter else last[-1].index + 1
    return extra.place, f"{len(first)} operations, then {len(second)}; the first that only one has is `{_text(extra)}`", position


def _text(one: Operation) -> str:
    size = one.payload if one.communicates else one.memory_bytes
    return f"{one.name} of {size} B"
