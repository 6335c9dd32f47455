# with stderr
# What is refused of a question about policies: a cost without a price, an unknown name, a learner without a target, a target out of reach.
sim advise scenarios/quickstart.yaml --objective cost; echo $?; sim advise scenarios/quickstart.yaml --set 'advice.compression=[topp]'; echo $?; sim advise scenarios/quickstart.yaml --set learner=live; echo $?; sim advise scenarios/what_if/advise_policies.yaml --quiet --target-accuracy 0.999
