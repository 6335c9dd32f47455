# Which policies to take, by the whole catalogue: pruned by closed forms, simulated, ranked, with what the figures rest on.
sim advise scenarios/what_if/advise_policies.yaml --quiet
