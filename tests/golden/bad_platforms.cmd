# with stderr
# Platform files that SimGrid refuses, that lack a route or that are missing; other clusters that cannot be.
sim run tests/golden/bad/platform_refused.yaml --quiet; echo $?; sim run tests/golden/bad/platform_without_route.yaml --quiet; echo $?; sim run tests/golden/bad/platform_missing.yaml --quiet; echo $?; sim run tests/golden/bad/dragonfly_too_many_groups.yaml --quiet; echo $?; sim run tests/golden/bad/trace_missing.yaml --quiet; echo $?
