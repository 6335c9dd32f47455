#!/usr/bin/env python3
"""Makes scenarios of measured steps that the simulator is judged by, runs them, and keeps the results as JSON.

    measured_steps.py BIN DATA FOLDER

DATA is `tests/data`, or a folder with `adaptdl/` and `costs/end_to_end.csv`. Each data set is predicted at two levels of knowledge:

- hardware: line rate and transport of the network; computing as of one replica (AdaptDL) or by roofline (Bagua).
- one_step: the goodput that `sim fit step` finds from one measured step of the cluster. That step is an input; every other
  figure is predicted from it.

Sources: AdaptDL, github.com/petuum/adaptdl, branch osdi21-artifact (Apache-2.0): pods on AWS g4dn.12xlarge, 4 T4 and
50 Gbit/s each. Bagua, github.com/BaguaSys/tutorials 45b5c9f, src/benchmark (MIT): 16 machines with 8 V100 each.
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
ARMS_IN_A_FILE = 250  # a scenario holds at most 100000 values, and 16 sites take many

# AdaptDL: the model's layers here. The measured step of the level one_step is that of four nodes with one GPU each, at the
# smallest batch of a worker, where the exchange weighs most.
ADAPTDL_MODELS = {"cifar10": "resnet18_cifar32", "imagenet": "resnet50", "bert": "bert_base"}
ADAPTDL_INPUT = (1, 1, 1, 1)

# Between pods NCCL sees a virtual interface without a vendor, so it opens one connection for each channel.
ADAPTDL_FABRIC = "{kind: ethernet, rate: 50 Gbit/s, transport: nccl_tcp_aws, connections: 1}"
# Between the GPUs of a node: 30 % of PCIe generation 3 x16 and 6 us (scenarios/transports/shared_memory.yaml).
ADAPTDL_INNER = "{latency: 6 us, bandwidth: 4.8 GB/s}"


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def simulate(sim, *arguments):
    """The JSON that a command of the simulator prints; its message, where it refuses."""
    done = subprocess.run([sim, *arguments, "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"measured_steps.py: sim {' '.join(map(str, arguments))}:\n{done.stderr}")
    return json.loads(done.stdout)


def log(text):
    print(text, file=sys.stderr)


def gbit(bytes_per_second):
    return f"{bytes_per_second * 8e-9:.6g} Gbit/s"


def run_arms(sim, path, head, arms):
    """Runs arms (name, text, measured step in s, source) in as many scenarios as needed; one result of all."""
    figures = []
    for begin in range(0, len(arms), ARMS_IN_A_FILE):
        part = arms[begin : begin + ARMS_IN_A_FILE]
        lines = [head, "compare:"]
        lines += [f'  "{name}": {{{text}}}' for name, text, _, _ in part]
        lines += ["expect:"]
        lines += [
            f'  - {{arm: "{name}", metric: step_time, value: {step:.9g} s, source: "{source}"}}'
            for name, _, step, source in part
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        figures += simulate(sim, "run", path, "--quiet")["expectations"]["figures"]
    result = {"schema_version": 1, "scenario": path.name, "expectations": {"figures": figures}}
    path.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def fit_goodput(sim, path, scenario, step, arm):
    """Goodput in B/s: as the scenario states it, and as one measured step shows it."""
    base = path.with_name(path.stem + "_base.yaml")
    base.write_text(scenario, encoding="utf-8")
    path.write_text(
        f"# Which goodput explains one measured step?\nscenario: {base.name}\n"
        f"measured: [{{step: {step:.9g} s, arm: {arm}, within: 2 %}}]\nfit: [goodput]\n",
        encoding="utf-8",
    )
    unknown = simulate(sim, "fit", "step", path)["unknowns"][0]
    if unknown["identified"] != "yes":
        sys.exit(f"measured_steps.py: {path.name}: the goodput is not identified")
    return unknown["stated"], unknown["value"]


# AdaptDL


def adaptdl_rows(folder):
    """Steps of one replica in s by batch, and rows (label, GPUs of each node, batch, step in s) on several nodes."""
    alone = {}
    rows = []
    for row in table(folder / "placements.csv"):
        placement = tuple(int(digit) for digit in row["placement"])
        batch = int(row["local_bsz"])
        if placement == (1,):
            alone[batch] = float(row["step_time"])
        elif len(placement) > 1:
            rows.append((row["placement"], placement, batch, float(row["step_time"])))
    for row in table(folder / "scalability.csv"):
        nodes, replicas = int(row["num_nodes"]), int(row["num_replicas"])
        # Replicas that the nodes do not divide go to the last ones: only the largest share of a node matters.
        placement = tuple(replicas // nodes + (node >= nodes - replicas % nodes) for node in range(nodes))
        rows.append((f"{nodes}x{replicas}", placement, int(row["local_bsz"]), float(row["step_time"])))
    return alone, [row for row in rows if row[2] in alone]


def adaptdl_workload(model, alone, batch):
    layers = REPOSITORY / "scenarios/workloads/layers" / f"{ADAPTDL_MODELS[model]}.csv"
    return (
        f'workload: {{name: {model}, provenance: "AdaptDL, one replica", layers: "{layers}", '
        f"times: {{total: {alone[batch]:.9g} s, device: t4_datasheet, batch: {batch}}}}}"
    )


def adaptdl_cluster(placement, goodput):
    """Nodes with any number of GPUs each, as sites with one link: 45 us from GPU to GPU, as the transport states."""
    sites = ", ".join(
        f"{{name: n{node}, workers: {gpus}, bandwidth: {gbit(goodput)}, latency: 19.5 us}}"
        for node, gpus in enumerate(placement)
    )
    return (
        f"cluster: {{workers: {sum(placement)}, link: {ADAPTDL_INNER}, topology: {{kind: wan, sites: [{sites}]}}}}"
    )


def adaptdl(sim, data, folder):
    source = "AdaptDL, branch osdi21-artifact"
    for model in ADAPTDL_MODELS:
        alone, rows = adaptdl_rows(data / "adaptdl" / model)
        batch = min(alone)
        rest = "exchange: {execution: ddp_overlap, collective: ring_allreduce}"
        question = f"# How long does a step of {model} take on AWS g4dn.12xlarge, by placement?"
        base = (
            f"{question}\n{adaptdl_workload(model, alone, batch)}\n"
            f"cluster: {{workers: {sum(ADAPTDL_INPUT)}, fabric: {ADAPTDL_FABRIC}}}\n"
            f"training: {{batch: {batch}, steps: 1, samples: 100000}}\n{rest}\ncompare: {{measured: {{}}}}\n"
        )
        seen = next(row for row in rows if row[1:3] == (ADAPTDL_INPUT, batch))
        stated, fitted = fit_goodput(sim, folder / f"adaptdl_{model}_fit.yaml", base, seen[3], "measured")
        log(f"AdaptDL {model}: goodput {gbit(stated)} as the transport states, {gbit(fitted)} by one step")
        for level, goodput in (("hardware", stated), ("one_step", fitted)):
            arms = []
            for label, placement, size, step in rows:
                text = ", ".join(
                    (adaptdl_workload(model, alone, size), adaptdl_cluster(placement, goodput), f"training: {{batch: {size}}}")
                )
                is_input = level == "one_step" and (label, size) == (seen[0], batch)
                arms.append((f"{label}:{size}", text, step, source + " (an input)" * is_input))
            head = "\n".join(
                (
                    question,
                    adaptdl_workload(model, alone, batch),
                    adaptdl_cluster(ADAPTDL_INPUT, goodput),
                    f"training: {{batch: {batch}, steps: 1, samples: 100000}}",
                    rest,
                )
            )
            run_arms(sim, folder / f"adaptdl_{model}_{level}.yaml", head, arms)


# Bagua

BAGUA_QUESTION = "# Which exchange is fastest on 16 machines with 8 V100 each, and how long does a step take?"
BAGUA_MEASURED = "PyTorch DDP dense"  # whose step is measured at the level one_step
BAGUA_WORKERS = 128
NCCL_TCP_UNKNOWN = (2, 4)  # Gbit/s at which the transport's goodput was published nowhere
# SQuAD 1.1 cut into features of 384 tokens with a stride of 128, as published BERT code makes them.
SQUAD_FEATURES = 88641
# By model: layers here, device batch, and where the time of computing comes from. VGG-16 computes for as long as an
# asynchronous step takes, which waits for nobody: 4096 images at 28900 images/s. BERT has no such figure: 5 sequences of
# 512 take about as many tokens as 6 of 384, and at 8 Gbit/s the exchange of its fp32 gradients leaves so little of the step
# that it must compute in fp16. So that step is an input.
BAGUA_MODELS = {
    "VGG16": ("vgg16", 32, "total: 141.7 ms, device: v100_sxm2_datasheet, batch: 32"),
    "BERT-Large SQuAD": ("bert_large", 6, "roofline: v100_sxm2_datasheet, precision: fp16, batch: 5"),
}
BAGUA_INPUT = ("BERT-Large SQuAD", 8, "Horovod dense")
# How each stack exchanges; the others of the tables (BytePS, decentralised, QAdam, asynchronous) are not modelled.
BAGUA_METHODS = {
    "PyTorch DDP dense": ("ddp", "exchange: {execution: ddp_overlap, collective: ring_allreduce}"),
    "Horovod dense": ("horovod", "exchange: {execution: horovod_fusion, collective: ring_allreduce}"),
    "Bagua dense": (
        "bagua",
        "exchange: {execution: ddp_overlap, first_bucket: 10 MiB, bucket: 10 MiB, collective: hierarchical_allreduce}",
    ),
    "ByteGrad 8-bit hierarchical": (
        "bytegrad",
        "exchange: {execution: ddp_hook, first_bucket: 10 MiB, bucket: 10 MiB, collective: hierarchical_allreduce}, "
        "compression: {method: int8, cost: framework, stack: fused}",
    ),
}


def bagua_rows(data):
    """Rows (model, line rate in Gbit/s, method, step in s)."""
    rows = []
    for row in table(data / "costs/end_to_end.csv"):
        if not row["source"].startswith("BaguaSys/tutorials") or row["method"] not in BAGUA_METHODS:
            continue
        samples = BAGUA_MODELS[row["model"]][1] * BAGUA_WORKERS
        value = float(row["value"])
        step = samples / value if row["metric"] == "throughput" else value / (SQUAD_FEATURES / samples)
        rows.append((row["model"], float(row["network"].split()[0]), row["method"], step))
    return rows


def bagua_workload(model):
    layers, _, times = BAGUA_MODELS[model]
    batch = times.rsplit(maxsplit=1)[-1]
    path = REPOSITORY / "scenarios/workloads/layers" / f"{layers}.csv"
    return (
        f'workload: {{name: {layers}, provenance: "see measured_steps.py", layers: "{path}", '
        f"times: {{{times}}}}}, training: {{batch: {batch}, steps: 1, samples: 100000}}"
    )


def bagua_cluster(network):
    inner = "{kind: nvlink, rate: 150 GB/s, transport: nvlink}"
    return f"cluster: {{workers: {BAGUA_WORKERS}, workers_per_node: 8, {network}, inner_fabric: {inner}}}"


def bagua_networks(sim, rows, folder):
    """The networks of one model by level and line rate, and the rows that are inputs of the level one_step."""
    networks = {}
    inputs = set()
    share = None  # goodput over line rate: of the nearest lower rate where this one has no measured step of DDP
    for model, rate in sorted({row[:2] for row in rows}):
        if rate not in NCCL_TCP_UNKNOWN:
            networks["hardware", rate] = f"fabric: {{kind: ethernet, rate: {rate:g} Gbit/s, transport: nccl_tcp}}"
        seen = next((row for row in rows if row[1:3] == (rate, BAGUA_MEASURED)), None)
        if seen:
            assumed = bagua_cluster(f"link: {{latency: 45 us, bandwidth: {rate:g} Gbit/s}}")
            text = ", ".join((bagua_workload(model), assumed, BAGUA_METHODS[BAGUA_MEASURED][1]))
            scenario = f"{BAGUA_QUESTION}\n{{{text}, compare: {{measured: {{}}}}}}\n"
            path = folder / f"bagua_{BAGUA_MODELS[model][0]}_{rate:g}g_fit.yaml"
            share = fit_goodput(sim, path, scenario, seen[3], "measured")[1] / (rate * 1.25e8)
            inputs.add(seen)
        goodput = gbit(share * rate * 1.25e8)
        log(f"Bagua {model} at {rate:g} Gbit/s: goodput {goodput} by one step")
        networks["one_step", rate] = f"link: {{latency: 45 us, bandwidth: {goodput}}}"
    return networks, inputs


def bagua(sim, data, folder):
    for model, (short, _, _) in BAGUA_MODELS.items():
        rows = [row for row in bagua_rows(data) if row[0] == model]
        networks, inputs = bagua_networks(sim, rows, folder)
        for level in ("hardware", "one_step"):
            arms = []
            for row in rows:
                _, rate, method, step = row
                if (level, rate) not in networks:
                    continue
                name, exchange = BAGUA_METHODS[method]
                text = ", ".join((bagua_workload(model), bagua_cluster(networks[level, rate]), exchange))
                is_input = row[:3] == BAGUA_INPUT or (level == "one_step" and row in inputs)
                source = "BaguaSys/tutorials 45b5c9f, src/benchmark" + " (an input)" * is_input
                arms.append((f"{short}:{rate:g}g:{name}", text, step, source))
            head = "\n".join((BAGUA_QUESTION, *top_level(arms[0][1])))
            run_arms(sim, folder / f"bagua_{short}_{level}.yaml", head, arms)


def top_level(text):
    """The keys of a map in braces, one a line."""
    depth, begin, parts = 0, 0, []
    for place, letter in enumerate(text):
        depth += (letter in "{[") - (letter in "}]")
        if letter == "," and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    return parts + [text[begin:].strip()]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sim, data, folder = Path(sys.argv[1]) / "sim", Path(sys.argv[2]), Path(sys.argv[3])
    adaptdl(sim, data, folder)
    bagua(sim, data, folder)


if __name__ == "__main__":
    main()
