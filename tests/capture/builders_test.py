"""Steps that `sim` builds of a described transformer exchange the same as PyTorch: kinds, number, order and bytes of the collectives
equal those of captured scripts, which are in recorded/. Differences are named by the tests that state them.

    builders_test.py SIM

The network of these scenarios has no latency and links of 1 GB/s, so that the time of a collective tells its bytes.
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from captured import HERE, read_rows

SIM = Path(sys.argv.pop(1)).resolve()
RATE = 1e9  # bytes per second
LINKS = "link: {latency: 0 s, bandwidth: 8 Gbit/s}, inner_link: {latency: 0 s, bandwidth: 8 Gbit/s}"
FACTS = "device: h100_sxm_datasheet, mfu: 50 %"

# Bytes that a rank sends for each byte of a row of a capture, of n ranks.
SHARE = {"all_gather": lambda n: (n - 1) / n, "reduce_scatter": lambda n: (n - 1) / n, "all_reduce": lambda n: 2 * (n - 1) / n}


def captured(script):
    """The collectives of a captured step in the order in which they are issued: (kind, bytes, among)."""
    return [(one["collective"], int(one["bytes"]), one["among"]) for one in read_rows(HERE / "recorded" / f"{script}.csv") if one["collective"]]


class Built:
    """A scenario's second step. seconds: of each collective, by kind; figures: of its arm."""

    def __init__(self, scenario):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "scenario.yaml")
            path.write_text("# What does the builder exchange?\n" + scenario)
            run = subprocess.run([SIM, "run", path, "--quiet", "--format", "json", "--out", f"{folder}/out"], capture_output=True, text=True)
            if run.returncode != 0:
                raise AssertionError(run.stdout + run.stderr)
            self.figures = json.loads(run.stdout)["arms"][0]
            events = json.loads(Path(folder, "out", "timeline.json").read_text())
        events = events["traceEvents"] if isinstance(events, dict) else events
        self._events = sorted((one for one in events if one["ph"] == "X" and one["pid"] == 0 and one["cat"] == "exchange"
                               and one["args"].get("step") == 1), key=lambda one: one["ts"])

    def collectives(self, ranks, nodes=1):
        """(kind, bytes) in the order in which they begin. ranks: of a group; nodes: those that an all-reduce between them joins,
        where the ranks of a node share its link."""
        found = []
        for one in self._events:
            kind = next(name for name in SHARE if name.replace("_", "-") in one["name"] or name == "all_reduce")
            sent = one["dur"] * 1e-6 * RATE
            between = "between nodes" in one["name"]
            found.append((kind, round(sent / ranks / SHARE[kind](nodes)) if between else round(sent / SHARE[kind](ranks))))
        return found


class Builders(unittest.TestCase):
    def test_ddp_of_gpt_fills_its_buckets_as_pytorch_does_but_for_one_tensor(self):
        built = Built("workload: {transformer: {layers: 12, hidden: 768, heads: 12, sequence: 1024, vocabulary: 50304}, "
                      f"{FACTS}, batch: 24}}\ncluster: {{workers: 8, link: {{latency: 0 s, bandwidth: 8 Gbit/s}}}}\n"
                      "training: {batch: 24, steps: 2}\n").collectives(8)
        script = [(kind, size) for kind, size, _ in captured("pretrain_gpt")]
        # PyTorch closes the first bucket before the bias of a layer, `sim` after the whole layer: 768 values, which the last bucket
        # of PyTorch has more.
        bias = 4 * 768
        self.assertEqual(len(script), 13)
        self.assertEqual(script, [("all_reduce", built[0][1] - bias), *built[1:-1], ("all_reduce", built[-1][1] + bias)])

    def test_fsdp_of_llama_exchanges_as_fsdp2_does(self):
        built = Built(f"workload: {{model: llama2_7b, {FACTS}}}\ncluster: {{workers: 64, link: {{latency: 0 s, bandwidth: 8 Gbit/s}}}}\n"
                      "training: {batch: 1, steps: 2}\nparallelism: {data: fsdp, unit: root}\n").collectives(64)
        script = [(kind, size) for kind, size, _ in captured("fsdp_llama")]
        self.assertEqual(len(script), 98)
        for kind in ("all_gather", "reduce_scatter"):
            self.assertEqual([one for one in built if one[0] == kind], [one for one in script if one[0] == kind])
        self.assertEqual(sorted(built), sorted(script))

    def test_hsdp_with_accumulation_and_recomputation_exchanges_as_fsdp2_does_but_for_the_last_norm(self):
        built = Built("workload: {transformer: {layers: 4, hidden: 1024, heads: 16, sequence: 512, vocabulary: 32000, positions: rotary}, "
                      f"{FACTS}, precision: fp32, recomputation: full, batch: 2}}\ncluster: {{workers: 16, workers_per_node: 8, {LINKS}}}\n"
                      "training: {batch: 4, accumulation: 2, steps: 2}\n"
                      "parallelism: {data: hsdp, unit: root, accumulate: whole, parameter_bytes: 4, gradient_bytes: 4}\n").collectives(8, nodes=2)
        # The script has no norm behind its blocks, which a description always has: weight and bias of 1024 in the root unit.
        table, norm = 4 * 32000 * 1024, 4 * 2 * 1024
        script = []
        for kind, size, among in captured("hsdp"):
            whole = 8 * size if among == "nodes" else size
            script.append((kind, (whole + norm if whole == table else whole) // (8 if among == "nodes" else 1)))
        self.assertEqual(len(script), 28)
        self.assertEqual(sorted(built), sorted(script))

    def test_tensor_parallel_adds_up_as_colwise_and_rowwise_do_but_does_not_gather_logits(self):
        built = Built("workload: {transformer: {layers: 2, hidden: 1024, heads: 16, sequence: 512, vocabulary: 32000, positions: rotary, "
                      f"norm: rms, ffn: 2816, ffn_kind: swiglu, bias: none, tied: false}}, {FACTS}, precision: fp32, batch: 2}}\n"
                      f"cluster: {{workers: 8, workers_per_node: 8, {LINKS}}}\ntraining: {{batch: 2, steps: 2}}\n"
                      "parallelism: {tensor: 8, shared_inputs: false, split_embedding: false, sequence_parallel: false}\n")
        script = captured("tensor_parallel")
        # The loss of a description is of logits that stay split, as with `loss_parallel`; the script gathers them.
        self.assertEqual([one for one in script if one[0] != "all_reduce"], [("all_gather", 4 * 2 * 512 * 32000, "all")])
        seconds = sum(size * SHARE[kind](8) / RATE for kind, size, _ in script if kind == "all_reduce")
        self.assertAlmostEqual(built.figures["replica_exchange_time_s"], seconds, delta=1e-12)


if __name__ == "__main__":
    unittest.main()
