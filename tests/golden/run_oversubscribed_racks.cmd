# A what-if, answered.
sim run scenarios/what_if/oversubscribed_racks.yaml --quiet --details
