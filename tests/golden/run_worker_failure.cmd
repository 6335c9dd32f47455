# A what-if, answered.
sim run scenarios/what_if/worker_failure.yaml --quiet --details
