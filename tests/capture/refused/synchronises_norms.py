"""Normalises over the batches of all ranks."""
import torch
from torch import nn

model = nn.SyncBatchNorm(8).cuda()
model(torch.randn(4, 8, device="cuda"))
