# with stderr
# A file that is refused does not stop the others, and makes the exit code 1.
sim run tests/golden/bad/zero_workers.yaml scenarios/what_if/ag_or_ar.yaml --quiet --format csv --set training.steps=2 >$OUT/rows.csv; echo $?; cut -d, -f1-5 $OUT/rows.csv
