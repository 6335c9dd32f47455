# A what-if, answered.
sim run scenarios/what_if/live_dynamic_batching.yaml --quiet --details
