# with stderr
# An arm that ends before its first step has no row; the exit code says that something is missing.
sim run tests/golden/bad/stepless.yaml --quiet --format csv | cut -d, -f1-4; sim run tests/golden/bad/stepless.yaml --quiet >/dev/null; echo $?
