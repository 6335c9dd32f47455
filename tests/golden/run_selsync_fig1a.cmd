# Published scaling through a parameter server, held against ours.
sim run scenarios/papers/selsync_fig1a.yaml --quiet --strict
