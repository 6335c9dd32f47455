"""Stops where the loss is small."""
from common import inputs, make

model, optimizer = make()
for _ in range(10):
    loss = model(inputs()).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if loss.item() < 0.001:
        break
