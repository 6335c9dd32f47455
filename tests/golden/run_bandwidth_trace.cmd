# A what-if, answered.
sim run scenarios/what_if/bandwidth_trace.yaml --quiet --details
