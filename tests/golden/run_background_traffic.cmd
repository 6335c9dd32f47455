# A what-if, answered.
sim run scenarios/what_if/background_traffic.yaml --quiet --details
