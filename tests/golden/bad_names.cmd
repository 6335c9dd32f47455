# with stderr
# Unknown names, with the nearest known one.
sim run tests/golden/bad/unknown_workload.yaml --quiet; echo $?; sim run tests/golden/bad/unknown_collective.yaml --quiet; echo $?; sim run tests/golden/bad/unknown_compressor.yaml --quiet; echo $?; sim run tests/golden/bad/does_not_carry.yaml --quiet; echo $?; sim run tests/golden/bad/unknown_link.yaml --quiet; echo $?; sim run tests/golden/bad/expect_unknown_arm.yaml --quiet; echo $?
