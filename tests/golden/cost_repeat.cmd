# A thousand in a row: reused by auto, evaluated each by path.
for network in auto path; do sim cost ring_allreduce --ranks 8 --size 100MB --latency 500ns --bandwidth 50GB/s --repeat 1000 --network $network | grep -E '^(time|times|total|reused)'; done
