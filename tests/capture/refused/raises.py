"""Raises in its second step."""
from common import inputs, make

model, optimizer = make()
for step in range(10):
    model(inputs()).sum().backward()
    optimizer.step()
    if step == 1:
        raise ValueError("the learning rate is negative")
