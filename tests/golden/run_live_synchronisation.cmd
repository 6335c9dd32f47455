# A what-if, answered.
sim run scenarios/what_if/live_synchronisation.yaml --quiet --details
