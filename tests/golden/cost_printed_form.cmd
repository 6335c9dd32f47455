# with stderr
# A published closed form has no schedule.
sim cost table_one_allgather --ranks 8 --size 100MB --latency 500ns --bandwidth 50GB/s --network path
