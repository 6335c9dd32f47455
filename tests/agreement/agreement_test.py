"""Repeats the live learner's trainings in PyTorch: the same batches and first weights, PyTorch's gradients and optimizers.

    agreement_test.py AGREEMENT_COURSE

Methods are written here from their publications, not from gradsim's sources. Deterministic ones must agree in every
step's loss; QSGD, whose rounding draws other random numbers, in its mean over seeds.
"""
import math
import subprocess
import sys
import tempfile
import unittest
from collections import deque

import numpy as np
import torch

COURSE = sys.argv.pop(1) if len(sys.argv) > 1 else ""
HIDDEN, CLASSES = 32, 10

# Both sides sum in single precision, in different orders: a relative error of about 1e-7 in every gradient, which grows
# with each step's curvature. An error in a method shows as 1e-2 and more (see test_differences_between_methods_show).
TOLERANCE = 1e-4

# Top-k chooses and a power iteration turns between nearly equal values: rounding grows without end in PyTorch, too. There
# the first steps must agree as above, and the rest as PyTorch agrees with itself from first weights nudged by rounding.
FIRST_STEPS = 8
NUDGE = 1e-7


class Course:
    """What gradsim wrote: see training_course.cpp."""

    def __init__(self, method, seed):
        with tempfile.NamedTemporaryFile() as file:
            subprocess.run([COURSE, method, str(seed), file.name], check=True)
            data = file.read()
        self.steps, self.workers, self.batch, self.features, self.classes, count = np.frombuffer(data, "<i4", 6)
        values = torch.from_numpy(np.frombuffer(data, "<f4", offset=24).copy())
        drawn = self.steps * self.workers * self.batch
        sizes = [count, drawn * self.features, drawn, self.steps, self.steps, count]
        self.first, inputs, labels, self.losses, exchanged, self.last = torch.split(values, [int(s) for s in sizes])
        self.inputs = inputs.reshape(self.steps, self.workers, self.batch, self.features)
        self.labels = labels.reshape(self.steps, self.workers, self.batch).long()
        self.exchanged = exchanged.bool().tolist()


def matrices_of(features):
    return [(features, HIDDEN), (1, HIDDEN), (HIDDEN, CLASSES), (1, CLASSES)]


def loss_of(parameters, inputs, labels):
    features = inputs.shape[-1]
    w1, b1, w2, b2 = torch.split(parameters, [rows * columns for rows, columns in matrices_of(features)])
    hidden = torch.relu(inputs @ w1.view(features, HIDDEN) + b1)
    return torch.nn.functional.cross_entropy(hidden @ w2.view(HIDDEN, CLASSES) + b2, labels)


class Values:
    """Takes tensors of stated shapes from a flat vector, in their order."""

    def __init__(self, flat):
        self.flat, self.at = flat, 0

    def take(self, *shape):
        begin, self.at = self.at, self.at + math.prod(shape)
        return self.flat[begin : self.at].view(shape)


def residual_loss(blocks, group):
    """The loss of a residual network of 8, 16 and 32 channels with groups of `group` channels (see resnet.hpp)."""
    from torch.nn import functional

    def loss(parameters, inputs, labels):
        values = Values(parameters)

        def convolved(x, filters):
            weights = values.take(3, 3, x.shape[1], filters).permute(3, 2, 0, 1)
            x = functional.conv2d(x, weights, values.take(filters), padding=1)
            return functional.group_norm(x, filters // group, values.take(filters), values.take(filters))

        side = math.isqrt(inputs.shape[-1])
        x = inputs.view(-1, 1, side, side)
        for filters in (8, 16, 32):
            x = torch.relu(convolved(x, filters))
            for _ in range(blocks):
                x = torch.relu(x + convolved(torch.relu(convolved(x, filters)), filters))
            if filters < 32:
                x = functional.max_pool2d(x, 2)
        flat = x.permute(0, 2, 3, 1).flatten(1)
        return functional.cross_entropy(flat @ values.take(flat.shape[1], CLASSES) + values.take(CLASSES), labels)

    return loss


class Replica:
    def __init__(self, first, make_optimizer, loss=loss_of):
        self.loss = loss
        self.parameters = first.clone().requires_grad_()
        self.optimizer = make_optimizer([self.parameters])

    def gradient(self, inputs, labels):
        loss = self.loss(self.parameters, inputs, labels)
        return loss.item(), torch.autograd.grad(loss, self.parameters)[0]

    def step(self, gradient):
        self.parameters.grad = gradient.clone()
        self.optimizer.step()

    def set(self, values):
        with torch.no_grad():
            self.parameters.copy_(values)


def sgd(rate):
    return lambda parameters: torch.optim.SGD(parameters, lr=rate, momentum=0.9)


def mean_of(replicas):
    return torch.stack([replica.parameters.detach() for replica in replicas]).mean(0)


# What a method makes of the workers' gradients.


class Dense:
    def mean(self, gradients):
        return torch.stack(gradients).mean(0)


class TopK:
    """The largest of gradient and residual; the rest stays as residual (Stich et al. 2018)."""

    def __init__(self, ratio=0.05, feedback=True):
        self.ratio, self.feedback, self.residuals = ratio, feedback, {}

    def mean(self, gradients):
        total = torch.zeros_like(gradients[0])
        for worker, gradient in enumerate(gradients):
            fed = gradient + self.residuals.get(worker, 0)
            order = torch.sort(fed.abs(), descending=True, stable=True).indices  # equal ones: the lower index first
            kept = order[: math.ceil(self.ratio * len(fed))]
            total[kept] += fed[kept]
            fed[kept] = 0
            if self.feedback:
                self.residuals[worker] = fed
        return total / len(gradients)


class SignSgd:
    """The sign of most workers; zero counts as positive (Bernstein et al. 2018)."""

    def mean(self, gradients):
        votes = sum(torch.where(gradient < 0, -1.0, 1.0) for gradient in gradients)
        return torch.where(votes < 0, -1.0, 1.0)


class Qsgd:
    """Random rounding to `levels` shares of each bucket's norm (Alistarh et al. 2017)."""

    def __init__(self, seed, levels=127, bucket=128):
        self.levels, self.bucket = levels, bucket
        self.random = torch.Generator().manual_seed(seed)

    def rounded(self, gradient):
        parts = []
        for part in torch.split(gradient, self.bucket):
            norm = part.norm()
            if norm == 0:
                parts.append(part)
                continue
            share = part.abs() / norm * self.levels
            level = torch.floor(share + torch.rand(len(part), generator=self.random))
            parts.append(part.sign() * level * norm / self.levels)
        return torch.cat(parts)

    def mean(self, gradients):
        return torch.stack([self.rounded(gradient) for gradient in gradients]).mean(0)


def philox(block, step, seed):
    """Philox 4x32-10 (Salmon et al. 2011): four words of one block."""
    mask = 0xFFFFFFFF
    counter = [block & mask, block >> 32, step & mask, step >> 32]
    key = [seed & mask, seed >> 32]
    for _ in range(10):
        even, odd = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [odd >> 32 ^ counter[1] ^ key[0], odd & mask, even >> 32 ^ counter[3] ^ key[1], even & mask]
        key = [(key[0] + 0x9E3779B9) & mask, (key[1] + 0xBB67AE85) & mask]
    return counter


class PowerSgd:
    """One power iteration per step from the last factors, with error feedback (Vogels et al. 2019)."""

    def __init__(self, seed, features, rank=2):
        self.seed = (seed * 0x9E3779B97F4A7C15 + 2 * 0xBF58476D1CE4E5B9) % 2**64
        self.shapes, self.rank, self.residuals, self.factors = matrices_of(features), rank, {}, {}

    def first_factor(self, number, columns):
        seed = (self.seed + number) % 2**64
        words = [word for block in range(-(-self.rank * columns // 4)) for word in philox(block, 0, seed)]
        unit = torch.tensor([(word >> 8) * 2.0**-24 for word in words[: self.rank * columns]])
        return (2 * unit - 1).reshape(self.rank, columns).T

    def approximation(self, number, matrix):
        q = self.factors.get(number)
        if q is None:
            q = self.first_factor(number, matrix.shape[1])
        p = torch.linalg.qr(matrix @ (q / q.norm(dim=0)))[0]
        self.factors[number] = matrix.T @ p
        return p @ self.factors[number].T

    def mean(self, gradients):
        fed = [gradient + self.residuals.get(worker, 0) for worker, gradient in enumerate(gradients)]
        mean = torch.stack(fed).mean(0)
        parts = torch.split(mean, [rows * columns for rows, columns in self.shapes])
        restored = torch.cat(
            [
                part if rows == 1 else self.approximation(number, part.view(rows, columns)).reshape(-1)
                for number, (part, (rows, columns)) in enumerate(zip(parts, self.shapes))
            ]
        )
        self.residuals = {worker: value - restored for worker, value in enumerate(fed)}
        return restored


# When models are exchanged, and how.


class Every:
    def __init__(self, steps):
        self.steps = steps

    def exchanges(self, step, _norms):
        return (step + 1) % self.steps == 0


class SelSync:
    """Any worker's smoothed ||g||^2 grows by the threshold (Tyagi & Swany 2023, equation 2), over a window."""

    def __init__(self, threshold=0.04, window=25):
        self.threshold, self.window, self.averages, self.seen = threshold, window, {}, {}

    def change(self, worker, norm, weight):
        seen = self.seen.setdefault(worker, deque(maxlen=self.window + 1))
        seen.append(norm)
        before = self.averages.get(worker)
        # from scratch: begun with the oldest value of the window, then one value after another
        values = list(seen)[-self.window :]
        now = values[0]
        for value in values[1:]:
            now += weight * (value - now)
        self.averages[worker] = now
        return math.inf if before is None else (now - before) / before

    def exchanges(self, _step, norms):
        changes = [self.change(worker, norm, len(norms) / 100) for worker, norm in enumerate(norms)]
        return max(changes) >= self.threshold


class Mean:
    def meet(self, replicas):
        return mean_of(replicas)


class Outer:
    """The mean change as gradient of SGD with Nesterov's momentum (DiLoCo, Douillard et al. 2023)."""

    def __init__(self, first, rate=0.7, momentum=0.9):
        self.centre = first.clone().requires_grad_()
        self.optimizer = torch.optim.SGD([self.centre], lr=rate, momentum=momentum, nesterov=True)

    def meet(self, replicas):
        self.centre.grad = self.centre.detach() - mean_of(replicas)
        self.optimizer.step()
        return self.centre.detach()


def train(course, make_optimizer, together=None, when=None, meeting=None, loss=loss_of):
    """Losses, exchanges and the mean of the last models; gradients are exchanged (`together`), or models."""
    replicas = [Replica(course.first, make_optimizer, loss) for _ in range(course.workers)]
    losses, exchanged = [], []
    for step in range(course.steps):
        found = [r.gradient(course.inputs[step, w], course.labels[step, w]) for w, r in enumerate(replicas)]
        losses.append(sum(value for value, _ in found) / course.workers)
        gradients = [gradient for _, gradient in found]
        if together:
            gradients = [together.mean(gradients)] * course.workers
        for replica, gradient in zip(replicas, gradients):
            replica.step(gradient)
        exchanges = together is not None or when.exchanges(step, [g.double().square().sum().item() for g in gradients])
        exchanged.append(exchanges)
        if exchanges and not together:
            met = meeting.meet(replicas)
            for replica in replicas:
                replica.set(met)
    return torch.tensor(losses), exchanged, mean_of(replicas)


def difference(ours, theirs):
    """The largest difference of a step's loss, as a share of PyTorch's loss, at least that of 0.1 nats."""
    return ((ours - theirs).abs() / theirs.clamp(min=0.1)).max().item()


def mean_difference(ours, theirs):
    return ((ours - theirs).abs() / theirs.clamp(min=0.1)).mean().item()


class Agreement(unittest.TestCase):
    SEEDS = (1, 2)

    def check_method(self, method, repeat):
        for seed in self.SEEDS:
            course = Course(method, seed)
            losses, exchanged, last = repeat(course, seed)
            off, apart = difference(course.losses, losses), (course.last - last).norm() / last.norm()
            print(f"{method} seed {seed}: losses differ by {off:.1e}, last models by {apart:.1e}, "
                  f"{sum(exchanged)} of {course.steps} steps exchange, loss {losses[0]:.3f} -> {losses[-10:].mean():.3f}")
            self.assertEqual(course.exchanged, exchanged, f"{method}, seed {seed}: which steps exchange")
            self.assertLess(off, TOLERANCE, f"{method}, seed {seed}: losses")
            self.assertLess(apart, TOLERANCE, f"{method}, seed {seed}: last models")

    def check_unstable_method(self, method, repeat):
        own, offs = [], []  # whether a choice turns at all differs by seed: they are judged together
        for seed in self.SEEDS:
            course = Course(method, seed)
            losses = repeat(course, seed)[0]
            first = difference(course.losses[:FIRST_STEPS], losses[:FIRST_STEPS])
            off = mean_difference(course.losses, losses)
            offs.append(off)
            unmoved = course.first
            for number in range(4):
                nudges = torch.randn(len(unmoved), generator=torch.Generator().manual_seed(number))
                course.first = unmoved * (1 + NUDGE * nudges)
                own.append(mean_difference(repeat(course, seed)[0], losses))
            print(f"{method} seed {seed}: first {FIRST_STEPS} losses differ by {first:.1e}, all by {off:.1e} in the mean; "
                  f"PyTorch's by up to {max(own):.1e} from nudged weights")
            self.assertLess(first, TOLERANCE, f"{method}, seed {seed}: first losses")
        self.assertLess(max(offs), 3 * max(own), f"{method}: mean difference of losses")

    def test_dense(self):
        self.check_method("dense", lambda course, _: train(course, sgd(0.05), Dense()))

    def test_residual_network_with_group_norm(self):
        self.check_method(
            "resnet_gn", lambda course, _: train(course, sgd(0.05), Dense(), loss=residual_loss(blocks=2, group=8)))

    def test_top_k_with_error_feedback(self):
        self.check_unstable_method("topk", lambda course, _: train(course, sgd(0.05), TopK()))

    def test_sign_sgd_with_majority(self):
        self.check_method("signsgd", lambda course, _: train(course, sgd(5e-4), SignSgd()))

    def test_power_sgd(self):
        self.check_unstable_method(
            "powersgd", lambda course, seed: train(course, sgd(0.05), PowerSgd(seed, course.features)))

    def test_local_sgd(self):
        self.check_method("local", lambda course, _: train(course, sgd(0.05), when=Every(4), meeting=Mean()))

    def test_selsync(self):
        self.check_method("selsync", lambda course, _: train(course, sgd(0.05), when=SelSync(), meeting=Mean()))

    def test_diloco(self):
        adamw = lambda parameters: torch.optim.AdamW(parameters, lr=2e-3, weight_decay=0.1)
        self.check_method("diloco",
                          lambda course, _: train(course, adamw, when=Every(5), meeting=Outer(course.first)))

    def test_qsgd_agrees_in_the_mean_over_seeds(self):
        """Paired over seeds: batches and first weights are common, only the rounding differs."""
        differences, noise = [], []
        for seed in range(1, 13):
            course = Course("qsgd", seed)
            rounded = train(course, sgd(0.05), Qsgd(seed))[0]
            again = train(course, sgd(0.05), Qsgd(1000 + seed))[0]
            differences.append((course.losses - rounded).mean().item())
            noise.append((again - rounded).mean().item())
        error = np.std(differences, ddof=1) / math.sqrt(len(differences))
        spread, own = np.std(differences, ddof=1), np.std(noise, ddof=1)
        print(f"qsgd, 12 seeds: mean loss differs by {np.mean(differences):.1e} +- {error:.1e}; "
              f"its spread {spread:.1e}, between two roundings of PyTorch {own:.1e}")
        self.assertLess(abs(np.mean(differences)), 3.11 * error)  # Student's t, 11 degrees of freedom, 99 %
        self.assertLess(max(spread, own) / min(spread, own), 2.31)  # F(11, 11) below 5.32: 99 %, two-sided

    def test_differences_between_methods_show(self):
        """A method that is a little wrong is far above the tolerance, in the first steps already."""
        course = Course("topk", 1)
        without = train(course, sgd(0.05), TopK(feedback=False))[0][:FIRST_STEPS]
        fewer = train(course, sgd(0.05), TopK(ratio=0.045))[0][:FIRST_STEPS]
        local = Course("local", 1)
        late = train(local, sgd(0.05), when=Every(5), meeting=Mean())[0]
        for wrong in (difference(course.losses[:FIRST_STEPS], without),
                      difference(course.losses[:FIRST_STEPS], fewer),
                      difference(local.losses, late)):
            print(f"a wrong method differs by {wrong:.1e}")
            self.assertGreater(wrong, 10 * TOLERANCE)


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
