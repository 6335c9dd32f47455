# The published points of Scavenger, Fig. 5, compared with their bounds.
sim advise scenarios/papers/scavenger_fig5.yaml --strict --quiet
