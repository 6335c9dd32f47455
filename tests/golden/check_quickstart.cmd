# The scenario resolved, each value with its origin.
sim check scenarios/quickstart.yaml
