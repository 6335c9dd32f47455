"""Trains for two steps."""
from common import inputs, make

model, optimizer = make()
for _ in range(2):
    model(inputs()).sum().backward()
    optimizer.step()
