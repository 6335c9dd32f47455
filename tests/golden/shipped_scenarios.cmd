# with stderr
# Shipped scenarios are found by name in any folder; a file of one's own comes first; what is nowhere is refused as named.
cd $OUT; sim check scenarios/quickstart.yaml | head -n 1; sim explain quickstart.yaml --details | head -n 1; cp "$OLDPWD/scenarios/what_if/advise_policies.yaml" quickstart.yaml; sim check quickstart.yaml | head -n 1; sim check nowhere/quickstart.yaml; echo $?; sim check ../scenarios/quickstart.yaml; echo $?
