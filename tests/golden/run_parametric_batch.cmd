# A what-if, answered.
sim run scenarios/what_if/parametric_batch.yaml --quiet --details
