# A question to a planner, resolved.
sim check scenarios/papers/scavenger_fig5.yaml | sed "s#file: .*/papers/#file: #"
