#!/usr/bin/env python3
"""Trains a model with simulated workers and records what `learner: {kind: replay}` plays: norms, noise, gains, losses."""
import argparse
import collections
import gzip
import math
import os
import struct
import sys
import time

RATIOS = (0.1, 0.01, 0.001)
CHANGE_WINDOW = 25  # steps that SelSync's average of ||g||^2 spans


def read_idx(path):
    """The bytes of an IDX file and its shape."""
    with gzip.open(path, "rb") as file:
        data = file.read()
    dimensions = data[3]
    shape = struct.unpack(f">{dimensions}I", data[4 : 4 + 4 * dimensions])
    return bytearray(data[4 + 4 * dimensions :]), shape


class Pictures:
    """Fashion-MNIST: a batch is pictures and classes."""

    name = "fashion_mnist"

    def __init__(self, torch, folder, device):
        def load(part):
            pixels, shape = read_idx(os.path.join(folder, f"{part}-images-idx3-ubyte.gz"))
            labels, _ = read_idx(os.path.join(folder, f"{part}-labels-idx1-ubyte.gz"))
            pictures = torch.frombuffer(pixels, dtype=torch.uint8).reshape(-1, 1, *shape[1:])
            return pictures.to(device), torch.frombuffer(labels, dtype=torch.uint8).to(device).long()

        self.torch = torch
        self.train, self.test = load("train"), load("t10k")
        self.samples = len(self.train[1])

    def of(self, part, at):
        return (part[0][at].float() - 73) / 90, part[1][at]  # about the mean and deviation of its pixels

    def batch(self, at):
        return self.of(self.train, at)

    def tests(self, most):
        for begin in range(0, min(most, len(self.test[1])), 500):
            yield self.of(self.test, slice(begin, begin + 500))


class Characters:
    """A text, nine tenths to train on: a batch is windows of characters and the characters after each."""

    name = "text"
    length = 64

    def __init__(self, torch, folder, device):
        with open(os.path.join(folder, "input.txt"), encoding="utf-8") as file:
            text = file.read()
        letters = sorted(set(text))
        self.letters = len(letters)
        number = {letter: i for i, letter in enumerate(letters)}
        codes = torch.tensor([number[letter] for letter in text], device=device)
        cut = len(codes) * 9 // 10
        self.torch, self.train, self.test = torch, codes[:cut], codes[cut:]
        self.samples = cut - self.length

    def of(self, codes, at):
        windows = codes[at[:, None] + self.torch.arange(self.length + 1, device=codes.device)]
        return windows[:, :-1], windows[:, 1:]

    def batch(self, at):
        return self.of(self.train, at)

    def tests(self, most):
        last = len(self.test) - self.length - 1
        starts = self.torch.arange(0, max(last, 1), self.length, device=self.test.device)[: max(1, most // self.length)]
        for part in starts.split(100):
            yield self.of(self.test, part)


def resnet18(torch, data, width):
    """ResNet-18 of He et al. 2016 with a first layer for small pictures: 3 x 3, without pooling."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, inside, out, stride):
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2d(inside, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(),
                nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out),
            )  # fmt: skip
            same = stride == 1 and inside == out
            self.short = nn.Sequential() if same else nn.Sequential(nn.Conv2d(inside, out, 1, stride, bias=False), nn.BatchNorm2d(out))

        def forward(self, x):
            return torch.relu(self.body(x) + self.short(x))

    layers = [nn.Conv2d(1, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    inside = width
    for stage in range(4):
        out = width << stage
        layers += [Block(inside, out, 1 if stage == 0 else 2), Block(out, out, 1)]
        inside = out
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inside, 10))


def gpt(torch, data, width):
    """A decoder of four pre-normed blocks after Radford et al. 2019, on characters."""
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.letters = nn.Embedding(data.letters, width)
            self.places = nn.Embedding(data.length, width)
            layer = nn.TransformerEncoderLayer(width, 4, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
            self.body = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
            self.norm = nn.LayerNorm(width)
            for table in (self.letters, self.places):
                nn.init.normal_(table.weight, std=0.02)
            self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(data.length))

        def forward(self, text):
            places = torch.arange(text.shape[1], device=text.device)
            mixed = self.body(self.letters(text) + self.places(places), mask=self.mask)
            return self.norm(mixed) @ self.letters.weight.T

    return Model()


# Name: (model, data, folder, learning rate, samples of a worker and step, width).
TRAININGS = {
    "resnet18_fashion_mnist": (resnet18, Pictures, "fashion-mnist", 0.1, 32, 64),
    "gpt_tinyshakespeare": (gpt, Characters, "tinyshakespeare", 0.1, 16, 128),
}


def noise_scale(workers, batch, mean_norm, norm_of_mean):
    """tr(Sigma) / |G|^2 in samples, from norms at two batch sizes (McCandlish et al. 2018, appendix A); None where negative."""
    noise = (mean_norm - norm_of_mean) / (1 / batch - 1 / (batch * workers)) if workers > 1 else math.nan
    signal = mean_norm - noise / batch
    return noise / signal if signal > 0 and noise >= 0 else None


class Changes:
    """Delta(g) of SelSync, Tyagi & Swany 2023, equation (2): relative changes of ||g||^2, averaged over a window of steps."""

    def __init__(self, workers):
        self.smoothing = min(workers / 100, 1)
        self.last = [collections.deque(maxlen=CHANGE_WINDOW) for _ in range(workers)]
        self.averages = [None] * workers

    def average(self, worker):
        average, *later = self.last[worker]
        for norm in later:
            average += self.smoothing * (norm - average)
        return average

    def add(self, norms):
        """@returns the largest over the workers; None in the first step"""
        changes = []
        for worker, norm in enumerate(norms):
            self.last[worker].append(norm)
            before, self.averages[worker] = self.averages[worker], self.average(worker)
            if before:
                changes.append(self.averages[worker] / before - 1)
        return max(changes, default=None)


class Gains:
    """||what top-k keeps||^2 / ||what it is taken of||^2 over all workers, with a residual per worker and without."""

    def __init__(self, torch, workers, values, device):
        self.torch = torch
        self.residuals = {ratio: torch.zeros(workers, values, device=device) for ratio in RATIOS}

    def top(self, vector, ratio):
        count = max(1, int(ratio * vector.numel()))
        return self.torch.topk(vector.abs(), count, sorted=False).indices

    def add(self, gradients, recorded):
        """@returns {column: gain}, with those without residuals only where the step is recorded"""
        gains = {}
        for ratio, residuals in self.residuals.items():
            kept = whole = raw = raw_whole = 0.0
            for residual, gradient in zip(residuals, gradients):
                residual += gradient
                at = self.top(residual, ratio)
                whole += residual.square().sum().double()
                kept += residual[at].square().sum().double()
                residual[at] = 0
                if recorded:
                    raw_whole += gradient.square().sum().double()
                    raw += gradient[self.top(gradient, ratio)].square().sum().double()
            gains[f"gain_{ratio:g}"] = float(kept / whole)
            if recorded:
                gains[f"gain_raw_{ratio:g}"] = float(raw / raw_whole)
        return gains


class Training:
    def __init__(self, torch, said):
        make, data, folder, self.rate, self.batch, width = TRAININGS[said.training]
        self.torch, self.said = torch, said
        self.batch = said.batch or self.batch
        self.data = data(torch, os.path.join(said.data, folder), said.device)
        torch.manual_seed(said.seed)
        self.model = make(torch, self.data, said.width or width).to(said.device)
        self.parameters = [p for p in self.model.parameters() if p.requires_grad]
        self.values = sum(p.numel() for p in self.parameters)
        self.optimizer = torch.optim.SGD(self.parameters, lr=self.rate, momentum=0.9)
        self.gains = Gains(torch, said.workers, self.values, said.device)
        self.changes = Changes(said.workers)
        self.random = torch.Generator().manual_seed(said.seed)

    def loss(self, inputs, targets):
        outputs = self.model(inputs).flatten(0, -2)
        return self.torch.nn.functional.cross_entropy(outputs, targets.flatten()), outputs

    def gradient(self):
        """Of one worker's batch, as one vector, with its loss."""
        at = self.torch.randint(0, self.data.samples, (self.batch,), generator=self.random).to(self.said.device)
        self.optimizer.zero_grad(set_to_none=True)
        loss, _ = self.loss(*self.data.batch(at))
        loss.backward()
        return self.torch.cat([p.grad.flatten() for p in self.parameters]), float(loss.detach())

    def step(self, number, recorded):
        """@returns the row of a step: of one that is not recorded the norms, which SelSync needs of every step"""
        found = [self.gradient() for _ in range(self.said.workers)]
        gradients = [gradient for gradient, _ in found]
        mean = sum(gradients) / len(gradients)
        row = self.gains.add(gradients, recorded)
        offset = 0
        for parameter in self.parameters:
            parameter.grad = mean[offset : offset + parameter.numel()].view_as(parameter).clone()
            offset += parameter.numel()
        self.optimizer.step()
        norms = [float(gradient.double().square().sum()) for gradient in gradients]
        of_all = {f"squared_norm_{i}": norm for i, norm in enumerate(norms)}
        of_all |= {"step": number, "relative_change": self.changes.add(norms)}
        if not recorded:
            return of_all
        of_mean = float(mean.double().square().sum())
        return of_all | row | {
            "samples": number * self.batch * len(found),
            "learning_rate": self.rate,
            "loss": sum(loss for _, loss in found) / len(found),
            "mean_squared_norm": of_mean,
            "noise_scale": noise_scale(len(found), self.batch, sum(norms) / len(norms), of_mean),
        }

    def evaluate(self):
        """{test_loss, accuracy} of the first test samples."""
        self.model.eval()
        right = count = loss_sum = 0.0
        with self.torch.no_grad():
            for inputs, targets in self.data.tests(self.said.test_samples):
                loss, outputs = self.loss(inputs, targets)
                count += targets.numel()
                loss_sum += float(loss) * targets.numel()
                right += float((outputs.argmax(-1) == targets.flatten()).sum())
        self.model.train()
        return {"test_loss": loss_sum / count, "accuracy": right / count}

    def facts(self):
        device = self.torch.cuda.get_device_name() if self.said.device == "cuda" else "a processor"
        return {
            "model": self.said.training.split("_")[0],
            "data_set": self.data.name,
            "data_set_samples": self.data.samples,
            "workers": self.said.workers,
            "batch": self.batch,
            "compression": "none",
            "gains_of": "topk",
            "relative_change_window": CHANGE_WINDOW,
            "relative_change_smoothing": self.changes.smoothing,
            "source": f"gradsim calibrate/probes/pytorch_statistics.py, PyTorch {self.torch.__version__} on {device}",
            "licence": "facts: measured figures, free to use",
            "optimizer": "SGD, momentum 0.9",
            "parameters": self.values,
            "test_samples": f"the first {self.said.test_samples} of the test set",
            "noise_scale": "of single steps, not smoothed",
        }


def columns(workers):
    names = ["step", "samples", "learning_rate", "loss", "test_loss", "accuracy", "mean_squared_norm", "noise_scale", "relative_change"]
    names += [f"squared_norm_{i}" for i in range(workers)]
    return names + [f"gain_{ratio:g}" for ratio in RATIOS] + [f"gain_raw_{ratio:g}" for ratio in RATIOS]


def print_record(facts, workers, rows):
    """What the replay learner reads; what is no number was not measured."""
    lines = [f"# {key}: {value}" for key, value in facts.items()]
    lines.append(",".join(columns(workers)))
    for row in rows:
        cells = []
        for name in columns(workers):
            value = row.get(name)
            cells.append(f"{value:.9g}" if value is not None and math.isfinite(value) else "")
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def replace(path, text):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("training", choices=sorted(TRAININGS))
    parser.add_argument("-o", "--output", required=True, help="the record, written anew after each recorded step")
    parser.add_argument("--data", required=True, help="folder with fashion-mnist and tinyshakespeare")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--batch", type=int, default=0, help="samples of a worker and step; default: the training's")
    parser.add_argument("--width", type=int, default=0, help="of the first layer; default: the training's")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--every", type=int, default=20, help="steps from one recorded step to the next; norms are recorded in each")
    parser.add_argument("--test-samples", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=90, help="no step is begun after so long")
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    for name in ("workers", "steps", "every", "test_samples"):
        if getattr(said, name) < 1:
            parser.error(f"--{name.replace('_', '-')}: {getattr(said, name)}; accepted: 1 or more")
    return said


def complain(text):
    print(f"pytorch_statistics: {text}", file=sys.stderr)
    return 3


def main():
    said = arguments()
    folder = os.path.join(said.data, TRAININGS[said.training][2])
    if not os.path.isdir(folder):
        return complain(f"no training data in `{folder}`; name the folder that holds it by --data")
    try:
        import torch
    except ImportError:
        return complain("PyTorch is not installed in this Python; run this by one that has it")
    if said.device == "cuda" and not torch.cuda.is_available():
        return complain("PyTorch sees no GPU here; --device cpu trains on the processor")
    begin = time.monotonic()
    training = Training(torch, said)
    rows = []
    for number in range(1, said.steps + 1):
        if time.monotonic() - begin > said.seconds:
            break
        recorded = number == 1 or number % said.every == 0
        rows.append(training.step(number, recorded))
        if not recorded:
            continue
        rows[-1] |= training.evaluate()
        replace(said.output, print_record(training.facts(), said.workers, rows))
        print(f"step {number}: loss {rows[-1]['loss']:.4g}", file=sys.stderr)
    replace(said.output, print_record(training.facts(), said.workers, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
