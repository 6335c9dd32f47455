"""From which bandwidth on does fp16 make no difference? One study at several bandwidths."""

import gradsim

scenario = gradsim.Scenario.from_dict({
    "workload": "resnet50_v100",
    "cluster": {"workers": 8, "link": {"latency": "1 ms", "bandwidth": "10 Gbit/s"}},
    "training": {"batch": 32, "epochs": 1, "samples": 2560},
    "compare": {"dense": {}, "fp16": {"compression": {"method": "fp16"}}},
})
for bandwidth in ("1 Gbit/s", "10 Gbit/s"):
    arms = scenario.override({"cluster.link.bandwidth": bandwidth}).run().arms
    print(bandwidth, {name: round(1e3 * arm["step_time_s"]) for name, arm in arms.items()}, "ms")
