# A what-if, answered.
sim run scenarios/what_if/dynamic_heterogeneity.yaml --quiet --details
