# with stderr
# Unknown, missing and doubled keys.
sim run tests/golden/bad/unknown_key.yaml --quiet; echo $?; sim run tests/golden/bad/missing_key.yaml --quiet; echo $?; sim run tests/golden/bad/two_keys.yaml --quiet; echo $?
