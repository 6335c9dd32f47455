# What a learner can train.
sim list models
