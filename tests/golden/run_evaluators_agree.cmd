# Every evaluator gives the same table, to all printed digits.
for network in auto path simgrid closed; do sim run scenarios/quickstart.yaml --quiet --details --network $network --set training.steps=5 | sed '/^collectives evaluated/d' | cksum; done | sort | uniq -c | wc -l
