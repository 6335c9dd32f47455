# with stderr
# Files that use each other in a circle.
sim run tests/golden/bad/circle_a.yaml --quiet; echo $?; sim run tests/golden/bad/use_itself.yaml --quiet; echo $?
