# A what-if, answered.
sim run scenarios/what_if/drying_streams.yaml --quiet --details
