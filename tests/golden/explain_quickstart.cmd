# Each phase of each arm: formulas with the numbers put in, and the bound that decided.
sim explain scenarios/quickstart.yaml --details
