# Every evaluator gives 3.507 ms.
for network in auto closed path simgrid; do sim cost ring_allreduce --ranks 8 --size 100MB --latency 500ns --bandwidth 50GB/s --network $network | grep -E '^(time|evaluated)'; done
