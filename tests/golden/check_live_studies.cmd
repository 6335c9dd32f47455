# Studies with a residual network take minutes over their seeds; here they are only read, their learners and clusters made.
for file in scenarios/what_if/live_costs_of_*.yaml scenarios/what_if/live_claim_*.yaml; do sim check "$file" | head -n 1; done
