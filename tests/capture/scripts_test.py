"""Unmodified training scripts, captured: parameters, FLOPs, collectives and their order are those of PyTorch's documented policies,
and each takes less than two minutes and 1 GB.

recorded/NAME.csv is what `gradsim capture --world N --durations -o NAME -- scripts/NAME.py` writes of a script here, without the
columns that hold for any device; of fsdp_llama with `--device h100_sxm_datasheet`, of pretrain_gpt with `--accumulation=16` behind the
script."""

import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

from captured import HERE, ROOT, capture, read_rows

from gradsim.capture import versions
from gradsim.capture.merging import size_at
from gradsim.capture.refusal import CaptureRefused

MOST_SECONDS, MOST_MEGABYTES = 120, 1000
RECORDED = HERE / "recorded"


class Scripts(unittest.TestCase):
    def captured(self, script, world, *arguments, **settings):
        options = ("--durations", *settings.pop("options", ()))
        run = capture(HERE / "scripts" / f"{script}.py", *arguments, world=world, options=options, **settings)
        self.assertEqual(run.code, 0, run.stderr)
        self.assertLess(run.seconds, MOST_SECONDS)
        self.assertLess(run.megabytes, MOST_MEGABYTES)
        print(f"{script}: {run.seconds:.0f} s, {run.megabytes:.0f} MB", flush=True)
        return run

    def assert_recorded(self, run, script):
        """The graph is the recorded one; collectives are in each version of PyTorch, whose own copies may have other names."""
        recorded = read_rows(RECORDED / f"{script}.csv")
        exchanged = [[(one["collective"], one["bytes"], one["among"]) for one in rows if one["collective"]] for rows in (run.rows, recorded)]
        self.assertEqual(*exchanged)
        if versions.check_pytorch().startswith("2.15."):
            # Recorded were graphs of one queue, in which collectives of one communicator did not name those of another.
            queued = any(row["queue"] for row in run.rows)
            columns = [column for column in recorded[0] if column != "after" or not queued]
            self.assertEqual(*([[row[column] for column in columns] for row in rows] for rows in (run.rows, recorded)))

    def test_ddp_reduces_4_bytes_a_parameter_in_three_buckets_and_broadcasts_buffers_before_forward(self):
        run = self.captured("ddp_cnn", 8)
        self.assertIn("parameters: 24310888\nbatch: 32\n", run.workload)
        sizes = [(one["collective"], int(one["bytes"])) for one in run.rows if one["collective"]]
        self.assertEqual(sizes, [("broadcast", 6656), ("broadcast", 24), ("all_reduce", 16388000), ("all_reduce", 67125248),
                                 ("all_reduce", 13730304)])
        self.assertEqual(sum(size for name, size in sizes if name == "all_reduce"), 4 * 24310888)
        self.assert_recorded(run, "ddp_cnn")

    def test_ring_attention_passes_keys_and_values_on_around_the_ring_and_their_gradients_back(self):
        run = self.captured("ring_attention", 4, options=("--per-node", "4"))
        messages = [(one["collective"], int(one["bytes"]), one["among"], one["peer"]) for one in run.rows
                    if one["collective"] in ("send", "recv")]
        size = 2 * 128 * 64 * 4  # keys and values of a rank's part
        forward, backward = [("send", size, "all", "+1"), ("recv", size, "all", "-1")], [("send", size, "all", "-1"), ("recv", size, "all", "+1")]
        # What the last part's neighbour would send is not used, so that three of four have a gradient.
        self.assertEqual(messages, forward * 4 + backward * 3)

    def test_only_all_reduces_of_ddp_itself_are_marked_as_gradients(self):
        for hook, expected in (((), [("all_reduce", "gradient", "fp32")] * 2), (("fp16",), [("all_reduce", "", "")] * 2),
                               (("power_sgd",), [("all_reduce", "", "")] * 6), (("gather",), [("all_gather", "", "")] * 2)):
            with self.subTest(hook):
                run = self.captured("ddp_hook", 8, *hook, options=("--steps", "5"))
                self.assertEqual([(one["collective"], one["kind"], one["precision"]) for one in run.rows if one["collective"]], expected)

    def test_captures_of_fsdp_with_8_and_16_ranks_have_the_sizes_of_32(self):
        with tempfile.TemporaryDirectory() as folder:
            script = HERE / "scripts" / "fine_tune.py"
            both = capture(script, world="8,16", options=("--per-node", "8"), folder=folder)
            self.assertEqual(both.code, 0, both.stderr)
            third = capture(script, world=32, options=("--per-node", "8"), folder=folder, name="third")
        sizes = ("bytes", "flops", "memory_bytes")
        found, expected = ([[size_at(row[one] or "0", 32) for one in sizes] for row in run.rows] for run in (both, third))
        self.assertEqual(found, expected)
        self.assertTrue(any("/N" in row["memory_bytes"] for row in both.rows))
        self.assertEqual([row["group"] for row in both.rows], [row["group"] for row in third.rows])
        self.assertNotIn("recorded_workers", both.workload)

    def test_fsdp_gathers_each_unit_twice_but_the_root_once_and_reduces_in_fp32(self):
        run = self.captured("fsdp_llama", 64, options=("--device", str(ROOT / "scenarios" / "devices" / "h100_sxm_datasheet.yaml")))
        table, width, layers, hidden, tokens = 32000 * 4096, 4096, 32, 11008, 4096
        block = 4 * width**2 + 3 * width * hidden + 2 * width
        parameters = 2 * table + layers * block + width
        self.assertEqual(parameters, 6738415616)
        self.assertIn(f"parameters: {parameters}\nbatch: 1\n", run.workload)
        gathered, reduced = run.exchanged()["all_gather", "0:1:64"], run.exchanged()["reduce_scatter", "0:1:64"]
        self.assertEqual(gathered, (65, 2 * parameters + 2 * layers * block))
        self.assertEqual(reduced, (33, 4 * parameters))
        root = 2 * table + width
        sizes = {kind: [int(one["bytes"]) for one in run.rows if one["collective"] == kind] for kind in ("all_gather", "reduce_scatter")}
        self.assertEqual(sizes["all_gather"], [2 * root] + [2 * block] * 64)
        self.assertEqual(sizes["reduce_scatter"], [4 * block] * 32 + [4 * root])
        norms = (2 * layers + 1) * width
        attention = layers * 14 * tokens**2 * width  # 4 forward and 2.5 times that backward, over all positions
        self.assertEqual(run.flops, 6 * (parameters - table - norms) * tokens + attention)
        self.assertAlmostEqual(run.flops / 1.93162e14, 1, places=5)
        self.assert_recorded(run, "fsdp_llama")

    def test_fsdp_prefetches_the_next_unit_while_one_computes(self):
        rows = read_rows(RECORDED / "fsdp_llama.csv")
        gathers = [number for number, one in enumerate(rows) if one["collective"] == "all_gather"]
        reduces = [number for number, one in enumerate(rows) if one["collective"] == "reduce_scatter"]
        forward, backward = gathers[:33], gathers[33:]

        def copy_outs(number):
            """Rows of computing that wait for a collective: they begin with the copy into parameters."""
            return [at for at, one in enumerate(rows) if one["stream"] == "compute" and str(number) in one["after"].split()]

        for unit in range(2, 33):  # waits for the copy-out two units before, not for the unit in between
            waits = [int(one) for one in rows[forward[unit]]["after"].split() if rows[int(one)]["stream"] == "compute"]
            self.assertEqual(waits, copy_outs(forward[unit - 2])[:1])
        for place, reduce in enumerate(reduces[:30]):  # the gather of the next unit is launched before this unit's gradients are
            self.assertLess(backward[place + 1], reduce)
        self.assertGreater(reduces[32], gathers[-1])

    def test_tensor_parallel_blocks_reduce_twice_forward_and_five_times_backward(self):
        run = self.captured("tensor_parallel", 8)
        self.assertEqual(run.exchanged(), {("all_reduce", "0:1:8"): (2 * 2 + 5 * 2 + 1, 15 * 4 * 1024 * 1024),
                                           ("all_gather", "0:1:8"): (1, 4 * 1024 * 32000)})
        self.assertEqual(run.flops, 46774878208)
        self.assert_recorded(run, "tensor_parallel")

    def test_a_torchrun_script_with_a_loader_autocast_and_a_logged_loss(self):
        run = self.captured("torchrun_ddp", 16)
        convolution, norm, hidden, head = 64 * 27 + 64, 2 * 64, 4096 * 4097, 1000 * 4097
        parameters = convolution + norm + hidden + head
        self.assertIn(f"parameters: {parameters}\nbatch: 32\n", run.workload)
        self.assertEqual(run.exchanged()["all_reduce", "0:1:16"], (4, 4 * parameters + 4))
        self.assertEqual([int(one["bytes"]) for one in run.rows if one["collective"]][-1], 4)
        self.assertEqual(run.exchanged()["broadcast", "0:1:16"], (2, 2 * 64 * 4 + 8))
        self.assertRegex(run.stdout, r"host waits  1 x read of a value at \S*torchrun_ddp.py:39\n")
        types = {one["dtype"] for one in run.operations if one["kind"] == "matmul"}
        self.assertEqual(types, {"bfloat16"})
        self.assert_recorded(run, "torchrun_ddp")

    def test_hsdp_gathers_in_nodes_and_reduces_shards_between_them_once_for_two_micro_batches(self):
        run = self.captured("hsdp", 16)
        parameters = 32000 * 1024 + 4 * (4 * 1024**2 + 4 * 1024 + 2 * 4 * 1024**2 + 5 * 1024 + 4 * 1024)  # the tied table once
        self.assertEqual(parameters, 83152896)
        self.assertIn(f"parameters: {parameters}\nbatch: 4\n", run.workload)
        exchanged = run.exchanged()
        self.assertEqual(exchanged["all_gather", "0:1:8"][0], 2 * (1 + 4 + 4))
        self.assertEqual(exchanged["reduce_scatter", "0:1:8"], (5, 4 * parameters))
        self.assertEqual(exchanged["all_reduce", "0:8:2"], (5, 4 * parameters // 8))
        self.assert_recorded(run, "hsdp")

    def test_a_single_file_trainer_of_gpt(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "tokens.bin").write_bytes(bytes(200_000))
            run = self.captured("pretrain_gpt", 8, "--accumulation=16", folder=folder)
        parameters = (50304 + 1024) * 768 + 12 * (12 * 768**2 + 13 * 768) + 2 * 768
        self.assertIn(f"parameters: {parameters}\nbatch: 24\n", run.workload)
        self.assertEqual(run.exchanged()["all_reduce", "0:1:8"][1], 4 * parameters)
        self.assertIn("torch.compile is not run", run.stdout)
        self.assert_recorded(run, "pretrain_gpt")
        tokens = 24 * 1024
        matrices = 12 * 12 * 768**2 + 50304 * 768
        self.assertEqual(run.flops, 6 * matrices * tokens + 12 * 14 * 1024 * 768 * tokens)

    def test_a_trainer_object_with_fsdp_and_early_stopping(self):
        run = self.captured("fine_tune", 16)
        parameters = 2 * 32000 * 1024 + 8 * (2 * 1024**2 + 2 * 1024 * 256 + 3 * 1024 * 2816 + 2 * 1024) + 1024
        self.assertIn(f"parameters: {parameters}\nbatch: 8\n", run.workload)
        self.assertEqual(run.exchanged()["reduce_scatter", "0:1:16"], (9, 4 * parameters))
        self.assertRegex(run.stdout, r"read of a value at \S*fine_tune.py:165")

    def test_the_trainer_of_transformers_with_ddp_and_with_fsdp(self):
        if importlib.util.find_spec("transformers") is None or importlib.util.find_spec("accelerate") is None:
            self.skipTest("skipped: transformers and accelerate are not installed")
        parameters = 2 * 1000 * 256 + 3 * (4 * 256**2 + 3 * 256 * 512 + 2 * 256) + 256
        with tempfile.TemporaryDirectory() as folder:
            run = self.captured("hf_trainer", 8, folder=folder)
        self.assertIn(f"parameters: {parameters}\nbatch: 8\n", run.workload)
        reduced = [int(one["bytes"]) for one in run.operations if one["collective"] == "all_reduce"]
        unused = sum(size for size in reduced if size < 1000)  # find_unused_parameters: a number for each of the 30 parameters
        self.assertEqual(sum(reduced) - unused, 4 * parameters)
        with tempfile.TemporaryDirectory() as folder:
            run = self.captured("hf_trainer", 8, "fsdp", folder=folder)
        self.assertIn(f"parameters: {parameters}\nbatch: 8\n", run.workload)
        self.assertEqual(run.exchanged()["reduce_scatter", "0:1:8"][1], 2 * parameters)

    def test_a_trainer_of_parts_with_tensor_parallelism_and_a_model_of_8_billion_parameters(self):
        run = capture(HERE / "scripts" / "titan.py", "--config", str(HERE / "scripts" / "titan.toml"), world=64)
        print(f"titan: {run.seconds:.0f} s, {run.megabytes:.0f} MB", flush=True)
        self.assertLess(run.seconds, MOST_SECONDS)
        self.assertLess(run.megabytes, MOST_MEGABYTES)
        self.assertIn("parameters  8 030 261 248\n", run.stdout)
        norms = 65 * 4096  # whole on each of the 8 ranks of a tensor-parallel group
        self.assertEqual(run.exchanged()["reduce_scatter", "0:8:8"], (33, 4 * ((8030261248 - norms) // 8 + norms)))
        self.assertEqual(run.code, 0, run.stderr)
        shapes = {(one["collective"], one["among"], one["group"]) for one in run.rows if one["collective"]}
        self.assertLessEqual({("all_gather", "", "0:8:8"), ("reduce_scatter", "", "0:8:8")}, shapes)
        self.assertIn("node", {among for _, among, _ in shapes})
        self.assertIn("workers_per_replica: 8\n", run.workload)  # the dimension `tp` of its mesh
        self.assertIn("replica     8 ranks compute the same samples\n", run.stdout)


if __name__ == "__main__":
    try:
        versions.check_pytorch()
    except CaptureRefused as refusal:
        print(f"skipped: {refusal.what}")
        sys.exit(77)
    unittest.main()
