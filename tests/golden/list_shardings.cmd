# What a scenario may name.
sim list shardings
