# A profiled step of DDP, replayed from its imported trace, and what slower links would make of it.
sim run scenarios/what_if/replay_ddp_trace.yaml --quiet --details --strict
