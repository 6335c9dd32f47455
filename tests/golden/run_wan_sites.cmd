# A what-if, answered.
sim run scenarios/what_if/wan_sites.yaml --quiet --details
