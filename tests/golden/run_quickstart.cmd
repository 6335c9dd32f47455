# The question of the README, answered.
sim run scenarios/quickstart.yaml --quiet
