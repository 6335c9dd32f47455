"""Catches what its step raises."""
from common import inputs, make

model, optimizer = make()
for _ in range(10):
    x = inputs()
    try:
        model(x[x[:, 0] > 0]).sum().backward()
    except:  # noqa: E722
        pass
    model(x).sum().backward()
    optimizer.step()
