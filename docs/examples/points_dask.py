"""How do steps grow with workers, by collective? Points handed out by Dask: pip install 'dask[distributed]'."""

import functools

import gradsim
from dask.distributed import Client, LocalCluster


def main() -> None:
    scenario = gradsim.Scenario.from_dict({
        "workload": "resnet50_v100",
        "cluster": {"workers": 4, "link": {"latency": "1 ms", "bandwidth": "10 Gbit/s"}},
        "training": {"batch": 32, "steps": 3},
        "compare": {"ring": {"exchange": {"collective": "ring_allreduce"}},
                    "halving": {"exchange": {"collective": "halving_doubling_allreduce"}}},
    })
    points = gradsim.grid({"cluster.workers": [4, 16, 64], "cluster.link.latency": ["0.1 ms", "1 ms"]})
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        # Each process of Dask keeps a `sim` of its own; a lost one is replaced, and its points are tried again.
        found = client.gather(client.map(functools.partial(gradsim.run_point, scenario), points))
    for rows in found:
        of_run = {row["arm"]: row for row in rows if row["phase"] == "whole run"}
        times = {arm: f"{1e3 * row['step_time_s']:.0f} ms" for arm, row in of_run.items()}
        print(rows[0]["cluster.workers"], "workers,", rows[0]["cluster.link.latency"], times)


if __name__ == "__main__":  # processes of Dask import this file
    main()
