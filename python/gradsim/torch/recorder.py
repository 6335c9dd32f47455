"""Follows a DistributedDataParallel model of a running job and writes a workload and a record that `sim` reads.

Annotations are no texts in this file: DistributedDataParallel compares them.
"""

import atexit
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.futures import Future
from torch.nn.parallel import DistributedDataParallel
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from gradsim.torch import files
from gradsim.torch.hooks import Hook, check_dense
from gradsim.torch.refusal import Refused
from gradsim.torch.rows import Facts, Rows
from gradsim.torch.statistics import Gains, own_part, squared_norm
from gradsim.torch.steps import Step, Times, median_times, moment, times_of

WARM_UP = 3  # steps with the last buckets whose times are left out where more follow

active: "Recording | None" = None  # of this process


class Recording:
    """A running recording, as `record` returns it; a context that closes itself.

    Steps are counted from 1: one backward pass with an exchange of gradients each.
    """

    def __init__(self, model: DistributedDataParallel, path: Path, facts: Facts, every: int, steps: int, batch: int | None,
                 inner: Hook | None):
        self.path, self.facts, self.every, self.steps = path, facts, every, steps
        self._model, self._inner, self._stated_batch = model, inner, batch
        self._group: dist.ProcessGroup = model.process_group
        self._device = next(model.parameters()).device
        self._gains = Gains(facts.ratios)
        self._step: Step | None = None
        self._pending: list[Step] = []  # on every rank, not gathered yet
        self._last: Step | None = None  # that was gathered
        self._times: list[Times] = []  # of this rank, with its buckets
        self._rows = Rows(facts, every, whole=inner is None)
        self._notes: dict[int, dict[str, Any]] = {}
        self._number = 0
        self._written = 0  # rows, last time
        self._open = True
        self._handles: list[Any] = []

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()
        else:
            self._finish()

    def note(self, *, loss: float | Tensor | None = None, test_loss: float | None = None,
             accuracy: float | None = None) -> None:
        """Adds what only the script knows to the step whose gradients were exchanged last.

        loss, test_loss: nats. accuracy: share of the test set, in [0, 1]. A tensor is read when ranks gather, not now.
        """
        stated = {"loss": loss, "test_loss": test_loss, "accuracy": accuracy}
        self._notes.setdefault(self._number, {}).update(
            {name: value.detach() if isinstance(value, Tensor) else value for name, value in stated.items() if value is not None})

    def close(self) -> list[str]:
        """Gathers the last steps and writes the files; all ranks call it, before the process group is destroyed.

        Returns the paths that were written: on rank 0, and where it was not closed before. Raises Refused where no step was
        seen, and where ranks have different batches.
        """
        if not self._open:
            return []
        if self._step is not None and self._step.exchanged:
            self._end_step(self._step)
        if self._number == 0:
            self._stop()
            raise Refused("model", "no step was recorded", "call forward and backward of the model that record was given")
        self._gather()
        return self._finish()

    # Called by the model.

    def attach(self) -> None:
        """Registers the hooks. Raises Refused where the model has a communication hook already."""
        try:
            self._model.register_comm_hook(self._group, self._exchange)
        except RuntimeError as error:
            raise Refused("model", "it has a communication hook already",
                          "call record first, and give it the hook: record(..., hook=gradsim.torch.hook(...))") from error
        inner = self._model.module
        self._handles = [self._model.register_forward_pre_hook(self._before_step, with_kwargs=True),
                         inner.register_forward_pre_hook(self._before_forward),
                         inner.register_forward_hook(self._after_forward),
                         register_optimizer_step_pre_hook(self._before_optimizer),
                         register_optimizer_step_post_hook(self._after_optimizer)]
        self._parameters = {id(one) for one in self._model.parameters()}
        atexit.register(self._finish_at_exit)

    def _before_step(self, _module: Any, arguments: tuple, named: dict) -> None:
        if not torch.is_grad_enabled():
            return
        if self._step is not None and self._step.exchanged:
            self._end_step(self._step)
            if self._number % self.every == 0 or self._number == self.steps:
                self._gather()
                self._write_seldom()
            if self._number == self.steps:
                self._finish()
                return
        if self._step is None:
            self._step = Step(self._number + 1, moment(self._device))
        if self._model._join_config.enable:
            raise Refused("model", "join() lets ranks take different numbers of steps, and a record has all ranks in each",
                          "give each rank the same number of batches: DistributedSampler(drop_last=True), without join()")
        self._step.samples = self._stated_batch or self._step.samples + _samples((*arguments, *named.values()))
        self._step.passes += 1

    def _before_forward(self, _module: Any, _arguments: tuple) -> None:
        if self._step is not None and torch.is_grad_enabled() and not self._step.forward:
            self._step.forward.append(moment(self._device))

    def _after_forward(self, _module: Any, _arguments: tuple, _out: Any) -> None:
        if self._step is not None and torch.is_grad_enabled() and self._step.forward:
            self._step.forward[1:] = [moment(self._device)]

    def _exchange(self, group: dist.ProcessGroup, bucket: dist.GradBucket) -> Future[Tensor]:
        check_dense(bucket)
        step = self._step if self._open else None
        if step is not None:
            self._observe(step, bucket)
        exchanged = self._inner(group, bucket) if self._inner else _all_reduce(group, bucket)
        if step is None:
            return exchanged
        if bucket.is_last():
            self._end_exchange(step)

        bucket_index, done, mean_norms = bucket.index(), step.done, step.mean_norms

        def measure(future: Future) -> Tensor:
            mean = future.value()
            done[bucket_index] = moment(self._device)
            mean_norms[bucket_index] = squared_norm(own_part(mean, group.rank(), group.size()))
            return mean

        return exchanged.then(measure)

    def _observe(self, step: Step, bucket: dist.GradBucket) -> None:
        """Before the exchange, which changes the buffer."""
        index, parameters, buffer = bucket.index(), bucket.parameters(), bucket.buffer()
        step.ready[index] = moment(self._device)
        step.norms[index] = squared_norm(buffer)
        step.layout = (*step.layout, tuple(map(id, parameters)))
        step.sizes = (*step.sizes, buffer.numel())
        step.without_gradient += sum(one.grad is None for one in parameters)
        if self.facts.ratios:
            step.values.append(buffer[::self.facts.stride].to(torch.float32, copy=True))

    def _end_exchange(self, step: Step) -> None:
        step.exchanged = True
        self._number = step.number
        if self.facts.ratios:
            step.energies = self._gains.add(torch.cat(step.values), step.layout, self._rows.keeps(step.number))
            step.values.clear()

    def _before_optimizer(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        step = self._step_of(optimizer)
        if step is not None:
            step.optimizer.append(moment(self._device))
            step.learning_rate = optimizer.param_groups[0]["lr"]

    def _after_optimizer(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        step = self._step_of(optimizer)
        if step is not None and len(step.optimizer) % 2 == 1:
            step.optimizer.append(moment(self._device))

    def _step_of(self, optimizer: torch.optim.Optimizer) -> Step | None:
        """The exchanged step, where the optimizer is of this model."""
        first = next((one for group in optimizer.param_groups for one in group["params"]), None)
        return self._step if self._step is not None and self._step.exchanged and id(first) in self._parameters else None

    # Gathered by the ranks.

    def _end_step(self, step: Step) -> None:
        self._step = None
        step.end = moment(self._device)
        self._pending.append(step)

    def _gathered(self, mine: Tensor) -> Tensor:
        """The tensors of all ranks, one row each, on the host."""
        received = mine.new_empty(self.facts.ranks * mine.numel())
        dist.all_gather_into_tensor(received, mine.flatten(), group=self._group)
        return received.view(self.facts.ranks, *mine.shape).cpu()

    def _gather(self) -> None:
        steps, self._pending = self._pending, []
        if not steps:
            return
        gathered = self._gathered(torch.stack([one.statistics() for one in steps]).to(self._device)).tolist()
        for at, step in enumerate(steps):
            if self._last is None or self._last.layout != step.layout:
                self._times = []
            self._last, times = step, times_of(step)
            if times is not None:
                self._times.append(times)
            self._rows.add(step, [of_rank[at] for of_rank in gathered], self._notes.pop(step.number, {}))

    # Files.

    def _write_seldom(self) -> None:
        """Writes when there are twice as many steps as the last time: a job that is killed leaves half of them at least."""
        if len(self._rows.rows) >= 2 * self._written:
            self._write()

    def _write(self) -> list[str]:
        rows = self._rows.rows
        if self._group.rank() != 0 or not rows:
            return []
        self._written = len(rows)
        texts = {}
        if self._rows.any_finite():
            texts[".record.csv"] = files.record_text(self.facts, rows)
        else:
            warnings.warn("gradsim.torch.record: no recorded step has finite gradients on all ranks; no record is written",
                          stacklevel=2)
        if self._last is not None and self._times:
            facts = replace(self.facts, notes=self.facts.notes + _notes(self._last))
            times = median_times(self._times[WARM_UP:] or self._times)
            texts |= files.workload_texts(facts, self.path.name, self._last.sizes, times)
        return files.write(self.path, texts)

    def _finish(self) -> list[str]:
        self._stop()
        return self._write()

    def _stop(self) -> None:
        global active
        self._open = False
        self._step, self._pending = None, []
        for one in self._handles:
            one.remove()
        atexit.unregister(self._finish_at_exit)
        active = None

    def _finish_at_exit(self) -> None:
        left = len(self._pending) + (self._step is not None and self._step.exchanged)
        self._finish()
        if left and self._group.rank() == 0:
            print(f"gradsim.torch.record: {left} steps since the ranks last gathered are not in the record; close() would add "
                  "them", file=sys.stderr)


def _notes(step: Step) -> list[str]:
    """Particulars of these steps, for the files."""
    notes = []
    if step.passes > 1:
        notes.append(f"{step.passes} forward passes a step: forward times have the earlier backward passes, too.")
    if step.without_gradient:
        notes.append(f"{step.without_gradient} parameters had no gradient on rank 0; they count as zeros.")
    return notes


def _samples(arguments: tuple) -> int:
    """First dimension of the first tensor; 0 where there is none."""
    for one in arguments:
        parts = one.values() if isinstance(one, dict) else one if isinstance(one, (list, tuple)) else (one,)
        for part in parts:
            if isinstance(part, Tensor) and part.dim() > 0:
                return part.shape[0]
    return 0


def _all_reduce(group: dist.ProcessGroup, bucket: dist.GradBucket) -> Future[Tensor]:
    """What DistributedDataParallel does without a hook."""
    buffer = bucket.buffer().div_(group.size())
    return dist.all_reduce(buffer, group=group, async_op=True).get_future().then(lambda _: buffer)


def follow(recording: Recording) -> Recording:
    """Begins a recording, the only one of this process; raises Refused as `Recording.attach` does."""
    global active
    recording.attach()
    active = recording
    return recording
