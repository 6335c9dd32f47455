# Keys end in their unit.
sim cost tree_allreduce --ranks 8 --size 100MB --latency 500ns --bandwidth 50GB/s --network closed --format csv
