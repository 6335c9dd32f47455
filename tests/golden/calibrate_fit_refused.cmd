# with stderr
# One segment is too coarse for this table: nothing is written, unless it is forced.
calibrate fit scenarios/measurements/a100x8_nvswitch_all_gather.csv --segments 1 -o $OUT/c.yaml; echo $?; ls $OUT; calibrate fit scenarios/measurements/a100x8_nvswitch_all_gather.csv --segments 1 -o $OUT/c.yaml --force --quiet; echo $?; ls $OUT
