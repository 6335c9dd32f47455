"""Data-parallel training of a convolutional network of 24 310 888 parameters, started by torchrun."""
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        layers, channels = [], 3
        for width, stride in ((64, 1), (256, 1), (512, 2)):
            layers += [nn.Conv2d(channels, width, 3, padding=1, stride=stride), nn.BatchNorm2d(width), nn.ReLU()]
            channels = width
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1))
        self.classifier = nn.Sequential(nn.Linear(512, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 1000))

    def forward(self, images):
        return self.classifier(self.features(images).flatten(1))


def main():
    dist.init_process_group("nccl")
    device = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(device)
    model = DistributedDataParallel(Network().cuda(), device_ids=[device])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(100):
        images = torch.randn(32, 3, 32, 32, device="cuda")
        labels = torch.randint(0, 1000, (32,), device="cuda")
        F.cross_entropy(model(images), labels).backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
