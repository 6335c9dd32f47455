# The parts of each step and what bounds it, without formulas.
sim explain scenarios/quickstart.yaml
