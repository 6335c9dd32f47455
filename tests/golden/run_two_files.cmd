# with stderr
# Each file is run, all errors are shown, and the worst exit code counts.
sim run tests/golden/bad/unknown_key.yaml scenarios/what_if/stragglers.yaml tests/golden/bad/wrong_unit.yaml --quiet --format csv | cut -d, -f1-5; exit ${PIPESTATUS[0]}
