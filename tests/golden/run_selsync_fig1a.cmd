# Published scaling through a parameter server, compared with predictions.
sim run scenarios/papers/selsync_fig1a.yaml --quiet --details --strict
