# What a program may rely on.
sim cost double_binary_tree_allreduce --ranks 8 --size 100MB --latency 500ns --bandwidth 50GB/s --network closed --format json
