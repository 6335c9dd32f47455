# One header line, then a line for each arm and phase and for each whole run.
sim run scenarios/quickstart.yaml --quiet --format csv
