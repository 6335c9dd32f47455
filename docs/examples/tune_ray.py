"""Which bucket size suits 16 workers on 10 Gbit/s? A search by Ray Tune: pip install 'ray[tune]'."""

import gradsim
from ray import tune

SCENARIO = gradsim.Scenario.from_dict({
    "workload": "resnet50_v100",
    "cluster": {"workers": 16, "link": {"latency": "1 ms", "bandwidth": "10 Gbit/s"}},
    "training": {"batch": 32, "steps": 3},
})


def train(config: dict[str, str]) -> None:
    """A trial: a process of Ray with a `sim` of its own."""
    arms = SCENARIO.override(config).run().arms
    tune.report({"step_time_s": arms["run"]["step_time_s"]})


if __name__ == "__main__":
    space = {"exchange.bucket": tune.grid_search(["1 MiB", "5 MiB", "25 MiB", "100 MiB"])}
    tuner = tune.Tuner(train, param_space=space, tune_config=tune.TuneConfig(metric="step_time_s", mode="min"),
                       run_config=tune.RunConfig(verbose=0))
    results = tuner.fit()
    for one in results:
        print(one.config["exchange.bucket"], f"{1e3 * one.metrics['step_time_s']:.0f} ms")
    print("shortest steps:", results.get_best_result().config["exchange.bucket"])
