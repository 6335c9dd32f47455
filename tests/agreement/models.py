"""The networks, written in PyTorch on one flat vector of parameters: loss and first weights.

First weights are drawn from a stream whose step is the layer's number; inner layers of layer n have (n + 1) * 4096 + their own.
"""
import math

import torch
from torch.nn import functional

import draws


class Taker:
    """Takes tensors of stated shapes from a flat vector, in their order."""

    def __init__(self, flat):
        self.flat, self.at = flat, 0

    def __call__(self, *shape):
        begin, self.at = self.at, self.at + math.prod(shape)
        return self.flat[begin : self.at].view(shape)


class Tensors:
    """First weights in their order: ((rows, columns), values), a vector as one row."""

    def __init__(self, seed):
        self.seed, self.all = seed, []

    def uniform(self, rows, columns, step, bound):
        values = torch.from_numpy(draws.uniform(rows * columns, step, self.seed, bound))
        self.all.append(((rows, columns), values))

    def constant(self, columns, value):
        self.all.append(((1, columns), torch.full((columns,), float(value))))

    def dense(self, rows, columns, step, factor=1.0):
        """Glorot & Bengio 2010, and a bias of zeros."""
        self.uniform(rows, columns, step, factor * math.sqrt(6 / (rows + columns)))
        self.constant(columns, 0)

    def rectified(self, rows, columns, step):
        """He et al. 2015, and a bias of zeros."""
        self.uniform(rows, columns, step, math.sqrt(6 / rows))
        self.constant(columns, 0)


class Perceptron:
    """Hidden layers with ReLU."""

    def __init__(self, name, features, classes):
        self.hidden, self.features, self.classes = [int(n) for n in name.split("_")[1:]], features, classes

    def first(self, seed):
        tensors, width = Tensors(seed), self.features
        for number, hidden in enumerate(self.hidden):
            tensors.rectified(width, hidden, 2 * number)  # a step for each layer, activations among them
            width = hidden
        tensors.dense(width, self.classes, 2 * len(self.hidden))
        return tensors.all

    def loss(self, parameters, x, labels):
        take, width = Taker(parameters), self.features
        for hidden in self.hidden:
            x = torch.relu(x @ take(width, hidden) + take(hidden))
            width = hidden
        return functional.cross_entropy(x @ take(width, self.classes) + take(self.classes), labels)


class Residual:
    """Three stages of 8, 16 and 32 channels with `blocks` residual blocks each (He et al. 2016), of batch or group norm."""

    STAGES = (8, 16, 32)

    def __init__(self, name, features, classes):
        self.blocks, self.batch_norm = (int(name.split("_")[1]) - 2) // 6, name.endswith("_bn")
        self.side, self.classes = math.isqrt(features), classes

    def first(self, seed):
        tensors, channels, layer, side = Tensors(seed), 1, 0, self.side

        def convolution(filters, step, gain=1):
            nonlocal channels
            tensors.rectified(9 * channels, filters, step)
            tensors.constant(filters, gain)
            tensors.constant(filters, 0)
            channels = filters

        last_gain = 1 if self.blocks == 1 and self.batch_norm else 0
        for filters in self.STAGES:
            convolution(filters, layer)
            layer += 3
            for _ in range(self.blocks):
                convolution(filters, (layer + 1) * 4096)
                convolution(filters, (layer + 1) * 4096 + 3, last_gain)
                layer += 2
            if filters < self.STAGES[-1]:
                side, layer = side // 2, layer + 1
        tensors.dense(side * side * self.STAGES[-1], self.classes, layer)
        return tensors.all

    def loss(self, parameters, x, labels):
        take = Taker(parameters)

        def convolution(x, filters):
            weights = take(3, 3, x.shape[1], filters).permute(3, 2, 0, 1)
            x = functional.conv2d(x, weights, take(filters), padding=1)
            gain, shift = take(filters), take(filters)
            if self.batch_norm:
                return functional.batch_norm(x, None, None, gain, shift, training=True)
            return functional.group_norm(x, filters // 8, gain, shift)

        x = x.view(-1, 1, self.side, self.side)
        for filters in self.STAGES:
            x = torch.relu(convolution(x, filters))
            for _ in range(self.blocks):
                x = torch.relu(x + convolution(torch.relu(convolution(x, filters)), filters))
            if filters < self.STAGES[-1]:
                x = functional.max_pool2d(x, 2)
        x = x.permute(0, 2, 3, 1).flatten(1)
        return functional.cross_entropy(x @ take(x.shape[1], self.classes) + take(self.classes), labels)


class Transformer:
    """GPT-2's blocks (Radford et al. 2019), whose output shares the embedding; every place predicts the next."""

    def __init__(self, name, length, alphabet):
        self.layers, self.width, self.heads = (int(n) for n in name.split("_")[1:4])
        self.length, self.alphabet = length, alphabet

    def first(self, seed):
        tensors, width, rows = Tensors(seed), self.width, self.alphabet + self.length
        tensors.uniform(rows, width, 0, 0.02 * math.sqrt(3))  # tokens and places: one draw, two tensors
        _, embedding = tensors.all.pop()
        for part in torch.split(embedding, [self.alphabet * width, self.length * width]):
            tensors.all.append(((len(part) // width, width), part))
        into_residual = 1 / math.sqrt(2 * self.layers)
        for number in range(2 * self.layers):  # attention and feed-forward in turn
            step, inner = (4096 + number + 1) * 4096, (3 if number % 2 == 0 else 4) * width
            tensors.constant(width, 1)
            tensors.constant(width, 0)
            tensors.dense(width, inner, step + 1)
            tensors.dense(width if number % 2 == 0 else inner, width, step + 3, into_residual)
        tensors.constant(width, 1)
        tensors.constant(width, 0)
        return tensors.all

    def loss(self, parameters, x, labels):
        take, width, tokens = Taker(parameters), self.width, x.long()

        def norm(x):
            return functional.layer_norm(x, (width,), take(width), take(width))

        def dense(x, outputs):
            return x @ take(x.shape[-1], outputs) + take(outputs)

        def heads_of(x):
            return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

        later = torch.ones(self.length, self.length, dtype=torch.bool).triu(1)
        embedding = take(self.alphabet, width)
        x = embedding[tokens] + take(self.length, width)
        for _ in range(self.layers):
            query, key, value = (heads_of(part) for part in dense(norm(x), 3 * width).split(width, -1))
            scores = query @ key.transpose(-1, -2) / math.sqrt(width // self.heads)
            seen = torch.softmax(scores.masked_fill(later, -math.inf), -1) @ value
            x = x + dense(seen.transpose(1, 2).reshape(x.shape), width)
            x = x + dense(functional.gelu(dense(norm(x), 4 * width), approximate="tanh"), width)
        following = torch.cat([tokens[:, 1:], labels[:, None]], 1)
        return functional.cross_entropy((norm(x) @ embedding.T).flatten(0, 1), following.flatten())


def make(name, features, classes):
    kinds = {"mlp": Perceptron, "resnet": Residual, "gpt": Transformer}
    return kinds[name.split("_")[0]](name, features, classes)
