# with stderr
# What is refused: a worker alone, a wrong price, a missed bound, two answers in one table.
sim advise scenarios/quickstart.yaml --set cluster.workers=1 --quiet; echo $?; sim advise scenarios/what_if/advise_resnet50.yaml --set planning.price.machine=aws/p3.2xlarg --quiet; echo $?; sim advise scenarios/what_if/advise_resnet50.yaml --objective speed; echo $?; sim advise scenarios/what_if/advise_resnet50.yaml --target-accuracy 0.999 --quiet; echo $?; sim run scenarios/papers/scavenger_fig5.yaml scenarios/papers/scavenger_fig3.yaml --format csv --quiet
