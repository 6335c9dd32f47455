"""Has a longer batch in each step."""
from common import inputs, make

model, optimizer = make()
for step in range(10):
    model(inputs(4 + step)).sum().backward()
    optimizer.step()
