# Which cluster to rent, by the simulator.
sim advise scenarios/what_if/advise_resnet50.yaml --objective knee --strict --quiet
