# with stderr
# Warnings of a described cluster where it is asked for one operation or swept; ranks of each node are those that it states.
sim cost all_reduce --cluster tests/golden/warned/cluster.yaml --ranks 8 --size 64MiB; sim cost all_reduce --cluster tests/golden/warned/cluster.yaml --ranks 8 --ranks-per-node 8 --size 64MiB; sim sweep tests/golden/warned/scenario.yaml --axis training.batch=16,32 --jobs 1; sim sweep tests/golden/warned/scenario.yaml --axis training.batch=16 --jobs 1 --quiet
