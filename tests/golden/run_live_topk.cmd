# A what-if, answered.
sim run scenarios/what_if/live_topk.yaml --quiet --details
