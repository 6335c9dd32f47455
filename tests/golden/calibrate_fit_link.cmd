# with stderr
# A ring of 20 us and 1 GB/s on 2, 4 and 8 ranks becomes a cluster file; two numbers of ranks leave none to hold out.
for n in 2 4 8; do awk -v n=$n 'BEGIN { print "# collective=all_reduce; nranks=" n; print "# source=a ring"; print "size_bytes,time_us"; for (s = 1000; s < 1e9; s *= 10) printf "%d,%.3f\n", s, 2 * (n - 1) * (20 + s / n / 1000) }' > $OUT/$n.csv; done; calibrate fit link $OUT/2.csv $OUT/4.csv $OUT/8.csv; calibrate fit link $OUT/2.csv $OUT/8.csv
