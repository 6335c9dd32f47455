# with stderr
# The worst of four networks decides; a bound that is missed.
sim advise scenarios/what_if/advise_robust.yaml --quiet --strict --set 'advice.expect=[{metric: over_dense, at_least: 2, source: A}, {metric: time_s, at_most: 60, source: B}]'
