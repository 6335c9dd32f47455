#!/usr/bin/env python3
"""Makes scenarios of published gains of compression, runs them, and keeps the results as JSON.

    compression_gains.py BIN DATA FOLDER

DATA is `tests/data`, or a folder with `costs/end_to_end.csv`. Each figure is the throughput of a compressed arm over that of
the dense arm beside it, from line rates and transports, published times of compressing and utilisation of published
trainings. Of the tables themselves are the times of computing that BAGUA_MODELS of measured_steps.py and the workloads of
Tyagi & Swany name, and the size of the latter's ViT. Rows that are not modelled are counted by reason.
"""

import sys
from collections import Counter
from pathlib import Path

import measured_steps as steps

QUESTION = "# How much faster is a step with compression than one without?"

# ZeRO++ on nodes of 16 V100. Shapes are assumptions with the stated number of parameters; 24 % of the peak is the median of
# published trainings on V100; the tables' TFLOP/s are proportional to samples a second.
ZEROPP_SHAPES = {"GPT 18B": (40, 6144), "GPT 49B": (60, 8192), "GPT 91B": (112, 8192)}

# Of Tyagi & Swany, Tables III and IV: which exchange each column of the tables has; the workload gives computing, the
# published stack the time of compressing.
TYAGI_MODELS = {"ResNet18": ("resnet18", 32), "ResNet50": ("resnet50", 64), "AlexNet": ("alexnet", 32), "ViT as tabled": ("vit", 32)}
TYAGI_EXCHANGES = {
    "dense ring": "exchange: {collective: ring_allreduce}",
    "dense tree": "exchange: {collective: tree_allreduce}",
    "lwtopk": "compression: {method: lwtopk, ratio: %s}, exchange: {collective: recursive_doubling_allgather}",
    "mstopk": "compression: {method: mstopk, ratio: %s}, exchange: {collective: recursive_doubling_allgather}",
    "ar-topk star": "compression: {method: ar_topk, selection: staleness, ratio: %s}, exchange: {collective: ar_topk_tree}",
}


def zeropp_arm(row, data):
    layers, hidden = ZEROPP_SHAPES[row["model"]]
    tokens = 1024 * int(row["batch"].split("K")[0])
    rate = float(row["network"].split()[0])
    workload = (
        f'workload: {{name: gpt, provenance: "see compression_gains.py", transformer: {{layers: {layers}, hidden: {hidden}, '
        f"heads: {hidden // 128}, sequence: {tokens}, vocabulary: 50257}}, device: v100_sxm2_datasheet, precision: fp16, "
        "mfu: 24 %, recomputation: full, batch: 1}"
    )
    fabric = f"{{kind: infiniband, rate: {rate:g} Gbit/s, transport: infiniband}}"
    cluster = (
        f"cluster: {{workers: 384, workers_per_node: 16, fabric: {fabric}, "
        "inner_fabric: {kind: nvlink, rate: 150 GB/s, transport: nvlink}}"
    )
    return ", ".join((workload, cluster, "training: {batch: 1, steps: 1}", f"parallelism: {{data: {data}}}"))


def zeropp(rows, skipped):
    """Pairs (name, dense arm, compressed arm, published gain)."""
    cells = {}
    for row in rows:
        if row["network"] == "not stated":
            skipped["ZeRO++ on a network that is not stated"] += row["method"] != "ZeRO-3 dense"
            continue
        if row["model"] not in ZEROPP_SHAPES:
            skipped[f"ZeRO++, {row['model']}: second copies and activations exceed 32 GB here"] += row["method"] == "ZeRO++"
            continue
        cells.setdefault((row["model"], row["batch"], row["network"]), {})[row["method"]] = row
    for (model, batch, network), methods in cells.items():
        dense, compressed = methods["ZeRO-3 dense"], methods["ZeRO++"]
        name = f"{model} {batch.split()[0]} {network.split()[0]}g".replace(" ", "-").lower()
        gain = float(compressed["value"]) / float(dense["value"])
        yield name, zeropp_arm(dense, "fsdp"), zeropp_arm(compressed, "zero++"), gain


def bagua(rows, skipped):
    methods = dict(steps.BAGUA_METHODS)
    cells = {}
    for row in rows:
        cells.setdefault((row["model"], float(row["network"].split()[0])), {})[row["method"]] = row
    for (model, rate), by_method in cells.items():
        dense = next(by_method[name] for name in ("PyTorch DDP dense", "Horovod dense") if name in by_method)
        for method, row in by_method.items():
            if method.endswith("dense"):
                continue
            if method not in methods:
                skipped[f"Bagua, {method}: not modelled"] += 1
            elif rate in steps.NCCL_TCP_UNKNOWN:
                skipped[f"Bagua, {rate:g} Gbit/s: no goodput of the transport was published"] += 1
            else:
                network = f"fabric: {{kind: ethernet, rate: {rate:g} Gbit/s, transport: nccl_tcp}}"
                dense_arm, arm = (
                    ", ".join((steps.bagua_workload(model), steps.bagua_cluster(network), methods[name][1]))
                    for name in (dense["method"], method)
                )
                gain = float(row["value"]) / float(dense["value"])
                if row["metric"] == "epoch time":
                    gain = 1 / gain
                yield f"{steps.BAGUA_MODELS[model][0]}-{rate:g}g-{methods[method][0]}", dense_arm, arm, gain


def tyagi_arm(row):
    short, batch = TYAGI_MODELS[row["model"]]
    method, _, ratio = row["method"].rpartition(" ")
    exchange = TYAGI_EXCHANGES.get(row["method"]) or TYAGI_EXCHANGES[method] % ratio
    whole = exchange.replace("exchange: {", "exchange: {overlap: false, first_bucket: 0 B, bucket: 0 B, ")
    cluster = "cluster: {workers: 8, link: {latency: 4 ms, bandwidth: 20 Gbit/s}}"
    return f"workload: {short}_v100_tyagi2023, {cluster}, training: {{batch: {batch}, steps: 1}}, {whole}"


def tyagi(rows, _):
    cells = {}
    for row in rows:
        cells.setdefault((row["source"].split()[-1], row["model"]), []).append(row)
    for (table, model), of_model in cells.items():
        dense = next(row for row in of_model if row["method"].startswith("dense"))
        for row in of_model:
            if row is not dense:
                name = f"{TYAGI_MODELS[model][0]}-{table}-{row['method']}".replace(" ", "-").lower()
                yield name, tyagi_arm(dense), tyagi_arm(row), float(dense["value"]) / float(row["value"])


SOURCES = (
    ("zeropp", "deepspeedai/DeepSpeed", zeropp, "DeepSpeed, blogs/zeropp"),
    ("bagua", "BaguaSys/tutorials", bagua, "BaguaSys/tutorials 45b5c9f, src/benchmark"),
    ("tyagi", "Tyagi & Swany", tyagi, "arXiv:2312.02493, Tables III and IV"),
)


def play(sim, path, pairs, source):
    """Figures of one scenario of all pairs."""
    lines = [QUESTION, *steps.top_level(pairs[0][1]), "compare:"]
    for name, dense, compressed, _ in pairs:
        lines += [f'  "{name}:dense": {{{dense}}}', f'  "{name}:compressed": {{{compressed}}}']
    lines.append("expect:")
    for name, _, _, gain in pairs:
        lines.append(
            f'  - {{arm: "{name}:compressed", metric: throughput, over: "{name}:dense", value: {gain:.6g}, source: "{source}"}}'
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return steps.simulate(sim, "run", path, "--quiet")["expectations"]["figures"]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sim, data, folder = Path(sys.argv[1]) / "sim", Path(sys.argv[2]), Path(sys.argv[3])
    rows = steps.table(data / "costs/end_to_end.csv")
    skipped = Counter()
    for short, begin, pairs_of, source in SOURCES:
        by_model = {}
        for pair in pairs_of([row for row in rows if row["source"].startswith(begin)], skipped):
            by_model.setdefault(pair[0].split("-")[0], []).append(pair)
        figures = []
        for model, pairs in by_model.items():
            figures += play(sim, folder / f"gains_{short}_{model}.yaml", pairs, source)
        result = {"schema_version": 1, "scenario": f"gains_{short}.yaml", "expectations": {"figures": figures}}
        (folder / f"gains_{short}.json").write_text(steps.json.dumps(result, indent=1) + "\n", encoding="utf-8")
    skipped["PowerSGD, pytorch issue 74148: no dense step"] = sum("74148" in row["source"] for row in rows)
    for reason, count in sorted(skipped.items()):
        steps.log(f"left out: {count} {'row' if count == 1 else 'rows'}: {reason}")


if __name__ == "__main__":
    main()
