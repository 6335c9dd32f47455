# 3.507 ms, as by hand: 14 x 500 ns + 2 x 7/8 x 100 MB / 50 GB/s.
sim cost ring_allreduce --ranks 8 --size 100MB --latency 500ns --bandwidth 50GB/s
