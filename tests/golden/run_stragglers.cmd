# A what-if, answered.
sim run scenarios/what_if/stragglers.yaml --quiet --details
