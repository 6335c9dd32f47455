# A what-if, answered.
sim run scenarios/what_if/live_one_label_each.yaml --quiet --details
