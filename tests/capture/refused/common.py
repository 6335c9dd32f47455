"""What the refused scripts share: a model and its optimizer on the GPU."""
import torch
from torch import nn


def make():
    model = nn.Linear(8, 8).cuda()
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def inputs(rows=4):
    return torch.randn(rows, 8, device="cuda")
