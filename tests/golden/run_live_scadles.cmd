# A what-if, answered.
sim run scenarios/what_if/live_scadles.yaml --quiet --details
