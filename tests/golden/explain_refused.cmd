# with stderr
# An unknown arm is named with those that there are; what the reader and the simulator refuse is refused here, too.
sim explain scenarios/quickstart.yaml --arm dense-rings; echo $?; sim explain tests/golden/bad/unknown_key.yaml; echo $?; sim explain tests/golden/bad/platform_refused.yaml; echo $?; sim explain scenarios/quickstart.yaml --arm dense-ring | head -n 3
