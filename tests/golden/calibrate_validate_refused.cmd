# with stderr
# Ledgers that cannot be run: an unknown rule, a bound without its unit, and no measurements at all.
for entry in 'name: a, rule: every_size, measurements: [m.csv], mean: 5 %' 'name: a, rule: every_second_size, measurements: [m.csv], mean: 5' 'name: a, rule: every_second_size, measurements: [m.csv], mean: 5 %'; do printf 'ledger:\n  - {%s}\n' "$entry" > $OUT/ledger.yaml; calibrate validate $OUT/ledger.yaml; echo $?; done
