# Everything that a program may want to know of a run in which a worker dies.
sim run scenarios/what_if/worker_failure.yaml --quiet --format json
