"""Training loops: gradients exchanged in each step, or models after local steps. Each gives (losses, exchanged)."""
import math
from collections import deque

from compressors import Mean, whole


def constant(rate):
    return lambda _step: rate


def scheduled(rate, warm_up=0, until=0):
    """A linear warm-up, then half a cosine (Loshchilov & Hutter 2017)."""

    def at(step):
        now = rate * step / warm_up if step < warm_up else rate
        return now * 0.5 * (1 + math.cos(math.pi * min(1, step / until))) if until else now

    return at


def train_together(job, optimizer, rate, mean=Mean(feedback=False)):
    """All workers take the same step along the mean of what they sent."""
    parameters, losses = job.first, []
    for step in range(job.steps):
        loss, gradients = job.gradients([parameters] * job.workers, step)
        losses.append(loss)
        parameters = optimizer.step(parameters, mean(gradients), rate(step))
    return losses, [True] * job.steps


def train_locally(job, make_optimizer, rate, rule, averaging):
    """Each worker takes steps by itself; their models are averaged when the rule says so.

    @param rule       exchanges(step, rate, models, gradients)
    @param averaging  met(step, models): what workers go on from; `arrived(step, models)` at the end of each step
    """
    models, optimizers = [job.first] * job.workers, [make_optimizer() for _ in range(job.workers)]
    losses, exchanged = [], []
    for step in range(job.steps):
        loss, gradients = job.gradients(models, step)
        losses.append(loss)
        models = [own.step(model, slope, rate(step)) for own, model, slope in zip(optimizers, models, gradients)]
        exchanged.append(rule.exchanges(step, rate(step), models, gradients))
        if exchanged[-1]:
            models = averaging.met(step, models)
        models = averaging.arrived(step, models)
    return losses, exchanged


# When models are exchanged.


class Every:
    def __init__(self, steps):
        self.steps = steps

    def exchanges(self, step, *_):
        return (step + 1) % self.steps == 0


class QuadraticRule:
    """(alpha / rate)^2 steps, at least `least` (QSR, Gu et al. 2024); at the end of the run in any case."""

    def __init__(self, job, least, alpha):
        self.last, self.least, self.alpha = job.steps - 1, least, alpha
        self.begin, self.length = 0, None

    def exchanges(self, step, rate, *_):
        if self.length is None:
            self.length = max(self.least, math.floor((self.alpha / rate) ** 2)) if rate > 0 else math.inf
        if step + 1 - self.begin < self.length and step != self.last:
            return False
        self.begin, self.length = step + 1, None
        return True


class SelSync:
    """Any worker's smoothed ||g||^2 grows by the threshold (Tyagi & Swany 2023, equation 2), over a window."""

    def __init__(self, threshold, window=25):
        self.threshold, self.window, self.averages, self.seen = threshold, window, {}, {}

    def change(self, worker, norm, weight):
        seen = self.seen.setdefault(worker, deque(maxlen=self.window))
        seen.append(norm)
        now = seen[0]
        for value in list(seen)[1:]:
            now += weight * (value - now)
        before = self.averages.get(worker)
        self.averages[worker] = now
        return math.inf if before is None else (now - before) / before

    def exchanges(self, _step, _rate, _models, gradients):
        norms = [gradient.double().square().sum().item() for gradient in gradients]
        return max(self.change(worker, norm, len(norms) / 100) for worker, norm in enumerate(norms)) >= self.threshold


class Drift:
    """Dynamic averaging (Kamp et al. 2018): a model was farther than the threshold from the last average."""

    def __init__(self, averaging, threshold):
        self.averaging, self.threshold, self.before = averaging, threshold, 0.0

    def exchanges(self, _step, _rate, models, _gradients):
        exchanges = self.before > self.threshold  # workers learn of each other's distance a step later
        distance = max((model - self.averaging.centre).double().square().sum().item() for model in models)
        self.before = 0.0 if exchanges else distance
        return exchanges


# How they are exchanged.


class Outer:
    """DiLoCo (Douillard et al. 2023): the mean change is the gradient of SGD with Nesterov momentum. Of rate 1 and
    momentum 0 it is model averaging."""

    def __init__(self, job, rate=1.0, momentum=0.0, mean=None):
        self.centre, self.velocity, self.rate, self.momentum = job.first, job.zeros(), rate, momentum
        self.mean = mean or Mean(whole, feedback=False)

    def met(self, _step, models):
        gradient = -self.mean([model - self.centre for model in models])
        self.velocity = self.momentum * self.velocity + gradient
        self.centre = self.centre - self.rate * (gradient + self.momentum * self.velocity)
        return [self.centre] * len(models)

    def arrived(self, _step, models):
        return models


class OuterAdam(Outer):
    """FedAdam (Reddi et al. 2021), without correction of its moments."""

    def __init__(self, job, rate, momentum):
        super().__init__(job, rate, momentum)
        self.squares = job.zeros()

    def met(self, _step, models):
        gradient = -self.mean([model - self.centre for model in models])
        self.velocity = self.momentum * self.velocity + (1 - self.momentum) * gradient
        self.squares = 0.99 * self.squares + 0.01 * gradient * gradient
        self.centre = self.centre - self.rate * self.velocity / (self.squares.sqrt() + 1e-3)
        return [self.centre] * len(models)


class Fragments(Outer):
    """Streaming DiLoCo (Douillard et al. 2025): fragments in turn, which arrive `delay` steps later and are mixed.

    It is its own rule: a fragment is sent at its place within each round of `every` steps.
    """

    def __init__(self, job, every, fragments, delay, mixing, rate, momentum, make_mean):
        super().__init__(job, rate, momentum)
        size = len(job.first)
        self.parts = [slice(size * i // fragments, size * (i + 1) // fragments) for i in range(fragments)]
        self.starts = {every * i // fragments: i for i in range(fragments)}
        self.every, self.delay, self.mixing, self.on_the_way = every, delay, mixing, []
        self.means = [make_mean() for _ in range(fragments)]

    def exchanges(self, step, *_):
        return (step + 1) % self.every in self.starts

    def met(self, step, models):
        number = self.starts[(step + 1) % self.every]
        part = self.parts[number]
        gradient = -self.means[number]([model[part] - self.centre[part] for model in models])
        self.velocity[part] = self.momentum * self.velocity[part] + gradient
        self.centre = self.centre.clone()
        self.centre[part] -= self.rate * (gradient + self.momentum * self.velocity[part])
        self.on_the_way.append((step + self.delay, part))
        return models

    def arrived(self, step, models):
        for _, part in [(due, part) for due, part in self.on_the_way if due <= step]:
            models = [model.clone() for model in models]
            for model in models:
                model[part] = self.mixing * model[part] + (1 - self.mixing) * self.centre[part]
        self.on_the_way = [(due, part) for due, part in self.on_the_way if due > step]
        return models


class Eager:
    """Kale et al. 2025: a worker's own change of this round and the others' of the last one."""

    def __init__(self, job, rate, momentum):
        self.workers = [Outer(job, rate, momentum) for _ in range(job.workers)]
        self.last = [job.zeros() for _ in range(job.workers)]

    def met(self, step, models):
        changes = [model - outer.centre for model, outer in zip(models, self.workers)]
        for worker, outer in enumerate(self.workers):
            known = [changes[w] if w == worker else self.last[w] for w in range(len(models))]
            outer.met(step, [outer.centre + change for change in known])
        self.last = changes
        return [outer.centre for outer in self.workers]

    def arrived(self, _step, models):
        return models
