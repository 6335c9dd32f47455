# Chunks do not change a ring.
for chunks in 1 3 16 64; do sim cost ring_allreduce --ranks 8 --size 100MB --latency 500ns --bandwidth 50GB/s --chunks $chunks | grep '^time '; done
