"""A training job as the program sees it: the samples of each step and worker, a model and its first weights."""
import functools

import numpy as np
import torch

import draws
import models

OPTDIGITS = "scenarios/datasets/optdigits.bin"


def optdigits():
    """Training samples in units of their standard deviation, and labels; see scenarios/datasets/optdigits.md."""
    data = np.fromfile(OPTDIGITS, np.uint8)
    train, test = np.frombuffer(data[4:12].tobytes(), "<u4").tolist()
    samples, features = train + test, 64
    pixels = data[20 : 20 + samples * features].reshape(samples, features)[:train].astype(np.float64)
    labels = data[20 + samples * features :][:train].astype(np.int64)
    return torch.from_numpy(((pixels - pixels.mean()) / pixels.std()).astype(np.float32)), torch.from_numpy(labels), 10


def text(path, window):
    """Each window of characters, as their places in the alphabet, and the character behind it."""
    letters = np.fromfile(path, np.uint8)
    alphabet = np.unique(letters)
    tokens = torch.from_numpy(np.searchsorted(alphabet, letters))[: len(letters) - len(letters) // 10]  # the rest tests
    return tokens.unfold(0, window, 1)[:-1].float(), tokens[window:], len(alphabet)


class Job:
    """What all methods of a comparison share. `inputs` and `labels` are [step, worker, sample]."""

    def __init__(self, model="mlp_64", batch=16, steps=48, workers=4, seed=1, window=0, path=""):
        self.model, self.batch, self.steps, self.workers, self.seed = model, batch, steps, workers, seed
        self.window, self.path = window, path
        samples, labels, classes = text(path, window) if path else optdigits()
        order = torch.tensor([self.order(len(samples), worker) for worker in range(workers)])
        order = order.view(workers, steps, batch).transpose(0, 1)
        self.inputs, self.labels = samples[order], labels[order]
        self.network = models.make(model, samples.shape[1], classes)
        first = self.network.first(draws.seed_of(seed, 1))
        self.shapes, self.sizes = [shape for shape, _ in first], [len(values) for _, values in first]
        self.first = torch.cat([values for _, values in first])

    def order(self, samples, worker):
        """A worker's samples: one shuffled pass after another over its part of a common shuffle."""
        every = draws.shuffled(range(samples), draws.stream(draws.PARTITION), self.seed)
        own = every[worker * samples // self.workers : (worker + 1) * samples // self.workers]
        order, number = [], 0
        while len(order) < self.steps * self.batch:
            order += draws.shuffled(own, draws.stream(draws.PASS, worker, number), self.seed)
            number += 1
        return order[: self.steps * self.batch]

    def zeros(self):
        return torch.zeros_like(self.first)

    def split(self, flat):
        """A vector of all parameters as one vector for each tensor."""
        return torch.split(flat, self.sizes)

    def gradients(self, parameters, step):
        """The mean loss of all workers, and each one's gradient. @param parameters of each worker"""
        losses, gradients = [], []
        for worker, own in enumerate(parameters):
            own = own.detach().requires_grad_()
            loss = self.network.loss(own, self.inputs[step, worker], self.labels[step, worker])
            losses.append(loss.item())
            gradients.append(torch.autograd.grad(loss, own)[0])
        return sum(losses) / self.workers, gradients

    def scenario(self, optimizer, learner=None, **keys):
        """The scenario of this job. @param learner  further keys of `learner`"""
        dataset = {"name": "text", "path": self.path, "window": self.window} if self.path else "optdigits"
        return {
            "workload": "resnet50_v100",
            "cluster": {"workers": self.workers, "link": {"latency": "50 us", "bandwidth": "1 Gbit/s"}},
            "training": {"batch": self.batch, "steps": self.steps},
            "seed": self.seed,
            "learner": {"kind": "live", "model": self.model, "dataset": dataset, "optimizer": optimizer,
                        "evaluate_every": 1000, **(learner or {})},
            **keys,
        }


@functools.cache
def job(**settings):
    """The same job for every comparison that states the same."""
    return Job(**settings)
