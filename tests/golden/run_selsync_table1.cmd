# Published speed-ups of SelSync and FedAvg, compared with predictions.
sim run scenarios/papers/selsync_table1.yaml --quiet --details --strict
