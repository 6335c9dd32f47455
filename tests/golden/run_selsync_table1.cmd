# Published speed-ups of SelSync and FedAvg, held against ours.
sim run scenarios/papers/selsync_table1.yaml --quiet --strict
