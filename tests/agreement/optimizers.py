"""Optimizers on a flat vector of parameters, from their publications: step(parameters, gradient, rate)."""
import math

import torch


class Sgd:
    """With heavy-ball momentum (Polyak 1964), as PyTorch's."""

    def __init__(self, job, momentum=0.9):
        self.momentum, self.velocity = momentum, job.zeros()

    def step(self, parameters, gradient, rate):
        self.velocity = self.momentum * self.velocity + gradient
        return parameters - rate * self.velocity


class Sign:
    """Bernstein et al. 2018."""

    def step(self, parameters, gradient, rate):
        return parameters - rate * torch.sign(gradient)


class Moments:
    """The running means of Adam (Kingma & Ba 2015)."""

    def __init__(self, size, beta1=0.9, beta2=0.999):
        self.beta1, self.beta2, self.steps = beta1, beta2, 0
        self.first, self.second = torch.zeros(size), torch.zeros(size)

    def add(self, gradient):
        self.steps += 1
        self.first = self.beta1 * self.first + (1 - self.beta1) * gradient
        self.second = self.beta2 * self.second + (1 - self.beta2) * gradient * gradient

    def direction(self, epsilon):
        first = self.first / (1 - self.beta1**self.steps)
        return first / ((self.second / (1 - self.beta2**self.steps)).sqrt() + epsilon)


class AdamW:
    """Loshchilov & Hutter 2019."""

    def __init__(self, job, decay=0.01, size=None, **betas):
        self.moments, self.decay = Moments(size or len(job.first), **betas), decay

    def step(self, parameters, gradient, rate):
        self.moments.add(gradient)
        return parameters * (1 - rate * self.decay) - rate * self.moments.direction(1e-8)


def trust_ratio(parameters, update):
    """Of LAMB: of a tensor, in [0.01, 10] as in DeepSpeed."""
    size, change = parameters.norm().item(), update.norm().item()
    return min(10, max(0.01, size / change)) if size > 0 and change > 0 else 1.0


class Lamb:
    """You et al. 2020."""

    def __init__(self, job, decay=0.01):
        self.job, self.moments, self.decay = job, Moments(len(job.first)), decay

    def step(self, parameters, gradient, rate):
        self.moments.add(gradient)
        update = self.moments.direction(1e-6) + self.decay * parameters
        pairs = zip(self.job.split(parameters), self.job.split(update))
        return torch.cat([own - rate * trust_ratio(own, change) * change for own, change in pairs])


def orthogonal(matrix):
    """Newton and Schulz's iteration with the coefficients of Jordan et al. 2024."""
    x = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    x = x / x.norm()
    for _ in range(5):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x if matrix.shape[0] <= matrix.shape[1] else x.T


class Muon:
    """Jordan et al. 2024 with the scale of Liu et al. 2025; AdamW for vectors and the first and last matrix."""

    def __init__(self, job, decay=0.1, momentum=0.95):
        matrices = [i for i, (rows, columns) in enumerate(job.shapes) if rows > 1 and columns > 1]
        self.job, self.decay, self.momentum, self.hidden = job, decay, momentum, set(matrices[1:-1])
        self.velocities = [torch.zeros(size) for size in job.sizes]
        self.others = [AdamW(job, decay, size, beta2=0.95) for size in job.sizes]

    def step(self, parameters, gradient, rate):
        parts = []
        for i, (own, slope) in enumerate(zip(self.job.split(parameters), self.job.split(gradient))):
            if i not in self.hidden:
                parts.append(self.others[i].step(own, slope, rate))
                continue
            self.velocities[i] = self.momentum * self.velocities[i] + slope
            ahead = (slope + self.momentum * self.velocities[i]).view(self.job.shapes[i])
            scale = 0.2 * math.sqrt(max(self.job.shapes[i]))
            parts.append(own * (1 - rate * self.decay) - rate * scale * orthogonal(ahead).flatten())
        return torch.cat(parts)
