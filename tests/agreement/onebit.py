"""1-bit Adam, 1-bit LAMB and 0/1 Adam, whose workers send compressed momenta. Each gives (losses, exchanged)."""
import torch

from compressors import Mean, sign_and_mean
from optimizers import trust_ratio


def mean_of(vectors):
    return sum(vectors) / len(vectors)


def signs_of_sums():
    return Mean(sign_and_mean, recoded=True)


def onebit_adam(job, rate, dense, beta1=0.9, beta2=0.999):
    """Tang et al. 2021: Adam for `dense` steps, whose variance then stays.

    A value whose variance is 0 keeps a momentum of 0: the mask of DeepSpeed's code.
    """
    parameters, first, second, losses, mean = job.first, job.zeros(), job.zeros(), [], signs_of_sums()
    for step in range(1, job.steps + 1):
        loss, gradients = job.gradients([parameters] * job.workers, step - 1)
        losses.append(loss)
        if step <= dense:
            gradient = mean_of(gradients)
            first = beta1 * first + (1 - beta1) * gradient
            second = beta2 * second + (1 - beta2) * gradient * gradient
        else:
            idle = second == 0
            momenta = [(beta1 * first + (1 - beta1) * gradient).masked_fill(idle, 0) for gradient in gradients]
            first = mean(momenta).masked_fill(idle, 0)
        second_now = second / (1 - beta2 ** min(step, dense))
        parameters = parameters - rate / (1 - beta1**step) * first / (second_now.sqrt() + 1e-8)
    return losses, [True] * job.steps


class OneBitLamb:
    """Li et al. 2022 with the constants of DeepSpeed: after a dense phase the trust ratios stay, times a factor that
    a fresh variance, made from the momenta received, gives."""

    def __init__(self, job, rate, dense, decay=0.01, beta1=0.9, beta2=0.999):
        self.job, self.rate, self.dense, self.decay, self.beta1, self.beta2 = job, rate, dense, decay, beta1, beta2
        self.parameters, self.first, self.second = job.first, job.zeros(), job.zeros()
        self.ratios, self.factors = None, [1.0] * len(job.sizes)
        self.mean = signs_of_sums()

    def add(self, gradient, second):
        return self.beta2 * second + (1 - self.beta2) * gradient * gradient

    def root(self, second, step):
        return (second / (1 - self.beta2**step)).sqrt() + 1e-6

    def take_dense_step(self, step, gradients):
        gradient = mean_of(gradients)
        self.first = self.beta1 * self.first + (1 - self.beta1) * gradient
        self.second = self.add(gradient, self.second)
        update = self.first / (1 - self.beta1**step) / self.root(self.second, step) + self.decay * self.parameters
        pairs = list(zip(self.job.split(self.parameters), self.job.split(update)))
        now = [trust_ratio(own, change) for own, change in pairs]
        self.ratios = now if self.ratios is None else [0.9 * a + 0.1 * b for a, b in zip(self.ratios, now)]
        self.parameters = torch.cat([own - self.rate * r * change for (own, change), r in zip(pairs, now)])

    def freeze(self):
        """Momenta of all tensors are brought to one magnitude before they are compressed together."""
        self.fresh = self.second.clone()
        sizes = [tensor.norm().item() / len(tensor) ** 0.5 for tensor in self.job.split(self.first)]
        mean = sum(sizes) / len(sizes)
        scales = [torch.full((count,), mean / size if size > 0 else 1.0) for count, size in zip(self.job.sizes, sizes)]
        self.scale, self.idle = torch.cat(scales), self.second == 0

    def next_factor(self, number, momentum, update, frozen, fresh, idle):
        ratio = (frozen / fresh)[~idle].max().item() if not idle.all() else 0.0
        share = min(1.0, (momentum.norm() / update.norm()).item()) if update.norm() > 0 else 1.0
        factor = min(4.0, max(0.5, share * ratio + 1 - share))
        before = self.factors[number]
        self.factors[number] = min(before * 1.1, max(before * 0.9, factor))
        return self.factors[number]

    def take_compressed_step(self, step, gradients):
        momenta = [self.scale * (self.beta1 * self.first + (1 - self.beta1) * gradient) for gradient in gradients]
        received = self.mean([momentum.masked_fill(self.idle, 0) for momentum in momenta]) / self.scale
        before, self.first = self.first, torch.where(self.idle, self.first, received)
        implied = (self.first - self.beta1 * before) / (1 - self.beta1)
        self.fresh = torch.where(self.idle, self.fresh, self.add(implied, self.fresh))
        frozen, fresh = self.root(self.second, self.dense), self.root(self.fresh, step)
        momentum = self.first / (1 - self.beta1**step) / frozen
        update = momentum + self.decay * self.parameters
        parts = []
        tensors = (self.parameters, update, momentum, frozen, fresh, self.idle)
        for number, (own, change, *others) in enumerate(zip(*(self.job.split(tensor) for tensor in tensors))):
            factor = self.next_factor(number, others[0], change, *others[1:])
            parts.append(own - self.rate * self.ratios[number] * factor * change)
        self.parameters = torch.cat(parts)

    def train(self):
        losses = []
        for step in range(1, self.job.steps + 1):
            loss, gradients = self.job.gradients([self.parameters] * self.job.workers, step - 1)
            losses.append(loss)
            if step <= self.dense:
                self.take_dense_step(step, gradients)
                continue
            if step == self.dense + 1:
                self.freeze()
            self.take_compressed_step(step, gradients)
        return losses, [True] * self.job.steps


class Intervals:
    """An interval that doubles after so many uses, up to a limit."""

    def __init__(self, doubles_every, limit=None):
        self.doubles_every, self.limit, self.steps, self.used = doubles_every, limit, 1, 0

    def due(self, step):
        return step % self.steps == 0

    def count(self):
        self.used += 1
        if self.used == self.doubles_every:
            self.used, self.steps = 0, min(self.limit or 2 * self.steps, 2 * self.steps)


class ZeroOneAdam:
    """Lu et al. 2023, algorithm 1 in the form of DeepSpeed's zoadam.py: the variance is renewed at growing intervals and
    then stays; from there on workers take local steps and send signs of what their momenta added up to."""

    def __init__(self, job, rate, freeze_after, variance_doubles_every, local_doubles_every, local_limit):
        self.job, self.rate, self.freeze_after = job, rate, freeze_after
        self.variance, self.local = Intervals(variance_doubles_every), Intervals(local_doubles_every, local_limit)
        self.models, self.momenta = [job.first] * job.workers, [job.zeros()] * job.workers
        self.second, self.rates = job.zeros(), 0.0
        self.added = [job.zeros()] * job.workers  # to the model since the last exchange
        self.gradient_mean, self.momentum_mean = signs_of_sums(), signs_of_sums()

    def root(self):
        return self.second.sqrt() + 1e-8

    def momentum(self, momentum, gradient):
        return (0.9 * momentum + 0.1 * gradient).masked_fill(self.second == 0, 0)

    def move(self):
        changes = [-self.rate * momentum / self.root() for momentum in self.momenta]
        self.models = [model + change for model, change in zip(self.models, changes)]
        return changes

    def take_common_step(self, step, gradients):
        renewed = self.variance.due(step)
        if renewed:
            gradient = mean_of(gradients)
            self.second = 0.999 * self.second + 0.001 * gradient * gradient
            self.variance.count()
        else:
            gradient = self.gradient_mean(gradients)
        self.momenta = [self.momentum(momentum, gradient) for momentum in self.momenta]
        self.move()
        return True

    def take_local_step(self, step, gradients):
        self.momenta = [self.momentum(momentum, slope) for momentum, slope in zip(self.momenta, gradients)]
        self.rates += self.rate
        self.added = [added + change for added, change in zip(self.added, self.move())]
        exchanges = self.local.due(step)
        if exchanges:
            self.exchange()
        self.local.count()
        return exchanges

    def exchange(self):
        begun = [model - added for model, added in zip(self.models, self.added)]
        received = self.momentum_mean([added * self.root() for added in self.added]).masked_fill(self.second == 0, 0)
        self.momenta = [-received / self.rates] * self.job.workers
        self.models = [model + received / self.root() for model in begun]
        self.added, self.rates = [self.job.zeros()] * self.job.workers, 0.0

    def train(self):
        losses, exchanged = [], []
        for step in range(1, self.job.steps + 1):
            loss, gradients = self.job.gradients(self.models, step - 1)
            losses.append(loss)
            take = self.take_common_step if step <= self.freeze_after else self.take_local_step
            exchanged.append(take(step, gradients))
        return losses, exchanged
