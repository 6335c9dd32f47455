# with stderr
# What the simulator would refuse is refused by check, at the value that is to blame.
for file in unknown_link change_of_unknown_link trace_without_own_link axis_of_unknown_link platform_refused; do sim check tests/golden/bad/$file.yaml; echo $?; done; sim check scenarios/quickstart.yaml --set 'cluster.changes=[{at: 1 s, latency: 1 ms, links: [worker0, worker8]}]'; echo $?
