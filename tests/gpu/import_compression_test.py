"""Compression inside PyTorch becomes a file of kernel times: fits exact on made-up data, ranges by hand, what is left out.

import_compression_test.py BIN_DIR
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path[:0] = [os.path.join(ROOT, "calibrate/first_contact")]
import import_compression  # noqa: E402
from scratch import Job  # noqa: E402

SIM = os.path.join(os.path.abspath(sys.argv.pop(1)), "sim") if len(sys.argv) > 1 else ""
DEVICES = os.path.join(ROOT, "scenarios/devices")
HEAD = "# device=NVIDIA H100 80GB HBM3\n# PyTorch 2.11.0+cu130; no network\nmodel,method,grain,pieces,values,repetitions,median_ms\n"
MODELS = {"a": (161, 25_000_000, 5), "b": (32, 138_000_000, 12)}  # tensors, values, buckets


def rows(method, launch_us, ns_per_value, factors=(1, 1, 1, 1)):
    """Times of 2 models by 2 grains, each with its factor."""
    text, factor = "", iter(factors)
    for model, (tensors, values, buckets) in MODELS.items():
        for grain, pieces in (("tensor", tensors), ("bucket", buckets)):
            ms = (1e-3 * launch_us * pieces + 1e-6 * ns_per_value * values) * next(factor)
            text += f"{model},{method},{grain},{pieces},{values},9,{ms!r}\n"
    return text


def made(text, notes=("results sha256:0",), bandwidth=None):
    return import_compression.stack_file(text, list(notes), bandwidth)


class Fits(unittest.TestCase):
    def test_are_exact_on_times_that_follow_them(self):
        text, left_out = made(HEAD + rows("topk", 200, 0.03) + rows("fp16", 20, 0.0125))
        self.assertEqual(left_out, [])
        self.assertIn("  - {method: topk, per_tensor: 200 us, per_million_values: 30 us,\n", text)
        self.assertIn("  - {method: fp16, fixed: 20 us, per_million_values: 12.5 us,\n", text)
        self.assertIn("smallest: 25000000, largest: 138000000, smallest_ratio: 0.01, largest_ratio: 0.01, low: 1, high: 1,", text)
        self.assertIn("smallest_ratio: 1, largest_ratio: 1, low: 1, high: 1,", text)
        self.assertIn('source: "pytorch_compression.py, PyTorch 2.11.0+cu130; results sha256:0"}', text)

    def test_say_the_range_of_measured_over_fitted(self):
        measured = rows("topk", 200, 0.03, (1.3, 1, 1, 0.7))
        text, _ = made(HEAD + measured)
        launch, slope, low, high = (float(found) for found in re.findall(r"(?:per_tensor|per_million_values|low|high): ([0-9.]+)", text))
        shares = []
        for row in measured.splitlines():
            *_, pieces, values, _, ms = row.split(",")
            shares.append(float(ms) / (1e-3 * launch * int(pieces) + 1e-9 * slope * int(values)))
        self.assertTrue(low <= min(shares) < low + 0.011 and high - 0.011 < max(shares) <= high, (low, high, shares))
        self.assertTrue(low < 0.99 and high > 1.01)

    def test_are_never_negative(self):
        text, _ = made(HEAD + rows("topk", 0, 0.03) + rows("int8", 100, 0))
        self.assertRegex(text, r"method: topk, per_tensor: (0|[0-9.]+e-\d+) us, per_million_values: 30 us")
        self.assertRegex(text, r"method: int8, per_tensor: 100 us, per_million_values: (0|[0-9.]+e-\d+) us")
        falling = "a,dgc,bucket,10,1000,9,1\nb,dgc,bucket,10,2000,9,0.5\n"  # more values in less time
        text, _ = made(HEAD + falling)
        self.assertIn("per_million_values: 0 us", text)

    def test_rounding_keeps_what_was_measured_within_the_range(self):
        self.assertEqual(import_compression.outward(0.6699, import_compression.math.floor), 0.66)
        self.assertEqual(import_compression.outward(1.201, import_compression.math.ceil), 1.21)
        self.assertEqual(import_compression.outward(1 + 1e-12, import_compression.math.ceil), 1)


class LeftOut(unittest.TestCase):
    def test_what_is_too_little_or_cut_is_named(self):
        cut = "a,int8,tensor,161,25000000,9\nc,redsync\n"
        one = "a,dgc,tensor,161,25000000,9,3.5\na,odd,layer,1,2,9,1\na,onebit,tensor,1,2,9,0\n"
        alike = "a,qsgd,tensor,10,1000,9,1\nb,qsgd,tensor,20,2000,9,2\n"
        text, left_out = made(HEAD + rows("topk", 200, 0.03) + one + alike + cut)
        self.assertEqual(re.findall(r"method: (\w+)", text), ["topk"])
        self.assertEqual(
            left_out,
            [
                "a, odd by layer: unknown grain, or a figure of 0",
                "a, onebit by tensor: unknown grain, or a figure of 0",
                "a, int8 by tensor: the row is not whole",
                "c, redsync by None: the row is not whole",
                "dgc: only 1 of its times; a fit needs 2",
                "qsgd: all models have as many values in a tensor; a fit needs both grains, or models that differ",
            ],
        )

    def test_nothing_makes_no_file(self):
        self.assertEqual(made(HEAD), (None, ["compression inside PyTorch: no method has enough rows"]))
        self.assertEqual(made(""), (None, ["compression inside PyTorch: the file does not say on which device"]))


class File(unittest.TestCase):
    def test_has_passes_with_hooks_as_comments_and_the_bandwidth_where_it_is_known(self):
        bandwidth = import_compression.memory_bandwidth("NVIDIA H100 80GB HBM3", DEVICES)
        text, _ = made(HEAD + rows("topk", 200, 0.03) + "linear_24x1024,fp16,ddp_pass,1,25190400,9,4.5\n", bandwidth=bandwidth)
        self.assertIn("# linear_24x1024, a pass with DDP's hook fp16: 4.5 ms\n", text)
        self.assertIn('device: "NVIDIA H100 80GB HBM3"\nstack: PyTorch\nmeasured: true\nmemory_bandwidth: 3.35 TB/s\nkernels:\n', text)
        self.assertIsNone(import_compression.memory_bandwidth("GPU 7", DEVICES))

    def test_is_written_below_kernel_times(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "traces"))
            with open(os.path.join(folder, "traces/compression.csv"), "w", encoding="utf-8") as file:
                file.write(HEAD + rows("topk", 200, 0.03) + "cut")
            job, nothing = Job(folder), Job(os.path.join(folder, "traces"))
            import_compression.import_into(job, "h100", DEVICES)
            import_compression.import_into(nothing, "h100", DEVICES)
        self.assertEqual(list(job.files), ["scenarios/kernel_times/pytorch_h100.yaml"])
        self.assertIn("memory_bandwidth: 3.35 TB/s\n", job.files["scenarios/kernel_times/pytorch_h100.yaml"])
        self.assertEqual(job.left_out, ["cut, None by None: the row is not whole"])
        self.assertEqual((nothing.files, nothing.left_out), ({}, []))

    def test_is_the_same_twice(self):
        self.assertEqual(made(HEAD + rows("topk", 200, 0.03)), made(HEAD + rows("topk", 200, 0.03)))

    def test_is_read_by_sim_as_measured_on_its_device(self):
        if not os.path.exists(SIM):
            self.skipTest("no sim in this build")
        with tempfile.TemporaryDirectory() as folder:
            stack, scenario = (os.path.join(folder, name) for name in ("pytorch_h100.yaml", "s.yaml"))
            with open(stack, "w", encoding="utf-8") as file:
                file.write(made(HEAD + rows("topk", 200, 0.03, (1.2, 1, 1, 1)))[0])
            with open(scenario, "w", encoding="utf-8") as file:
                file.write(
                    "# Q\nworkload: {parameters: 10000000, tensors: 10, compute: 30 ms, batch: 32, device: H100 SXM}\n"
                    "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}\n"
                    f"training: {{batch: 32, steps: 3}}\ncompression: {{method: topk, ratio: 1 %, stack: {stack}}}\n"
                )
            done = subprocess.run((SIM, "run", scenario, "--quiet", "--details"), capture_output=True, text=True, check=False)
        said = " ".join(done.stdout.split())
        self.assertIn("compression times: measured in PyTorch on NVIDIA H100 80GB HBM3, ", said, done.stderr)
        self.assertNotIn("a floor", said)


if __name__ == "__main__":
    unittest.main()
