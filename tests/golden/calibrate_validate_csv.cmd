# The same as one CSV line per size.
cp scenarios/measurements/aws_2x1_socket_all_reduce.csv $OUT/m.csv && calibrate fit $OUT/m.csv -o $OUT/auto.yaml --quiet && printf 'measurements,model,tolerance_percent\nm.csv,auto.yaml,5\n' > $OUT/ledger.csv && calibrate validate $OUT/ledger.csv --format csv
