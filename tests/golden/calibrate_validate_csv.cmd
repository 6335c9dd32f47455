# The same as one CSV line per figure.
cp scenarios/measurements/aws_2x1_socket_all_reduce.csv $OUT/m.csv && printf 'ledger:\n  - {name: halves, rule: every_second_size, measurements: [m.csv], mean: 5 %%}\n' > $OUT/ledger.yaml && calibrate validate $OUT/ledger.yaml --format csv
