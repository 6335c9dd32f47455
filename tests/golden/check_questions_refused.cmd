# with stderr
# Questions to `sim advise` are checked with the scenario: what cannot be asked is refused at its key.
sim check scenarios/what_if/advise_policies.yaml --set 'advice.compression=[topp]'; echo $?; sim check scenarios/what_if/advise_sharding.yaml --set 'advice.parallelism=[{data: fsdpp}]'; echo $?; sim check scenarios/what_if/advise_resnet50.yaml --set planning.price.machine=aws; echo $?; sim check scenarios/what_if/advise_sharding.yaml >/dev/null; echo $?; sim check scenarios/what_if/live_topk.yaml --set learner.dataset=csv; echo $?
