# with stderr
# --strict names every figure that is missed.
sim run tests/golden/bad/missed_figure.yaml --quiet --strict --details
