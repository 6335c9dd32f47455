"""`gradsim.torch.record` in jobs of two processes: what it writes equals values by hand, and `sim` checks and runs the files.

    record_test.py SIM
"""

import math
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from jobs import ROOT, Given, run_ranks

from captured import read_rows

import gradsim.torch
from gradsim.torch import Refused, hook, refusal, statistics
from gradsim.torch.compressors import uniform
from gradsim.torch.files import bucket_note

SIM = Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 and Path(sys.argv[-1]).is_file() else ROOT / "build" / "bin" / "sim"
STEPS, EVERY, BATCH, SHAPES = 31, 5, 4, ((12, 7), (12,))
VALUES = 96
RATIOS = (0.05, 0.25)


def gradient(rank, step):
    """The gradient of a rank in a step, from 1: a signal that all have, and noise."""
    noise = 2 * uniform(10 + rank, step, 0, VALUES) - 1
    return (0.5 + noise + uniform(3, 0, 0, VALUES)) / step


def job(rank, folder, **settings):
    """A job with known gradients; two lines of it record."""
    settings = {"batch": BATCH, "every": EVERY, "ratios": RATIOS, **settings}
    model = Given(*SHAPES)
    parallel = DistributedDataParallel(model, bucket_cap_mb=0.00002)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    recording = gradsim.torch.record(parallel, f"{folder}/job", data_set="made_up", data_set_samples=800, **settings)
    for step in range(1, STEPS + 1):
        optimizer.zero_grad()
        parallel(gradient(rank, step)).backward()
        optimizer.step()
        recording.note(loss=torch.tensor(1 / step))
    recording.note(accuracy=0.5, test_loss=2.0)
    recording.close()
    return model.gradient()


def squared(values):
    return sum(one * one for one in values)


def gains_by_hand(fed):
    """Gain of each ratio in each step: sums over the ranks of what is sent, over what is given."""
    gains = {}
    for ratio in RATIOS:
        residuals = [[0.0] * VALUES, [0.0] * VALUES]
        for step in range(1, STEPS + 1):
            if step == 2:  # DistributedDataParallel has formed its buckets anew
                residuals = [[0.0] * VALUES, [0.0] * VALUES]
            sent = given = 0.0
            for rank, residual in enumerate(residuals):
                values = [a + b if fed else a for a, b in zip(gradient(rank, step).tolist(), residual)]
                order = sorted(range(VALUES), key=lambda at: -abs(values[at]))[:round(ratio * VALUES)]
                sent += squared(values[at] for at in order)
                given += squared(values)
                residuals[rank] = [0.0 if at in set(order) else one for at, one in enumerate(values)]
            gains[ratio, step] = sent / given
    return gains


def smoothed_by_hand(rank, weight, window):
    """The average that SelSync smooths, of step i over the last `window` values, each begun anew with the oldest of them."""
    norms = [squared(gradient(rank, step).tolist()) for step in range(1, STEPS + 1)]
    averages = []
    for at in range(len(norms)):
        average = norms[max(0, at - window + 1)]
        for norm in norms[max(0, at - window + 1) + 1:at + 1]:
            average += weight * (norm - average)
        averages.append(average)
    return averages


class TwoRanks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = cls.scratch.name
        cls.gradients = run_ranks(job, 2, cls.folder)
        cls.rows = {int(one["step"]): one for one in read_rows(f"{cls.folder}/job.record.csv")}
        cls.kept = [step for step in cls.rows if step == 1 or step % EVERY == 0]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def near(self, text, expected, relative=1e-5):
        self.assertTrue(math.isclose(float(text), expected, rel_tol=relative, abs_tol=1e-12), f"{text}, by hand {expected}")

    def test_the_job_has_the_gradients_that_it_has_without_a_record(self):
        mean = (gradient(0, STEPS) + gradient(1, STEPS)) / 2
        for one in self.gradients:
            self.assertTrue(torch.allclose(one, mean, rtol=1e-6))

    def test_norms_samples_and_what_the_script_notes(self):
        self.assertEqual(list(self.rows), list(range(1, STEPS + 1)))
        for step, row in self.rows.items():
            self.assertEqual(int(row["samples"]), 2 * BATCH * step)
            self.near(row["loss"], 1 / step)
            if step not in self.kept:
                self.assertEqual((row["squared_norm_0"], row["mean_squared_norm"], row["gain_0.05"]), ("", "", ""))
                continue
            gradients = [gradient(rank, step).tolist() for rank in (0, 1)]
            for rank in (0, 1):
                self.near(row[f"squared_norm_{rank}"], squared(gradients[rank]))
            self.near(row["mean_squared_norm"], squared((a + b) / 2 for a, b in zip(*gradients)))
            self.near(row["learning_rate"], 0.5)
        self.assertEqual((self.rows[STEPS]["accuracy"], self.rows[STEPS]["test_loss"], self.rows[1]["accuracy"]), ("0.5", "2", ""))

    def test_gains_with_and_without_error_feedback(self):
        for name, by_hand in (("gain", gains_by_hand(True)), ("gain_raw", gains_by_hand(False))):
            for step in self.kept:
                for ratio in RATIOS:
                    self.near(self.rows[step][f"{name}_{ratio}"], by_hand[ratio, step])

    def test_noise_scale_solves_two_equations_and_smooths_both_unknowns(self):
        signal = noise = None
        for step in range(1, STEPS + 1):
            gradients = [gradient(rank, step).tolist() for rank in (0, 1)]
            alone = sum(map(squared, gradients)) / 2
            together = squared((a + b) / 2 for a, b in zip(*gradients))
            # alone = S + N / 4 and together = S + N / 8
            one_noise, one_signal = 8 * (alone - together), 2 * together - alone
            signal = one_signal if signal is None else signal + 0.02 * (one_signal - signal)
            noise = one_noise if noise is None else noise + 0.02 * (one_noise - noise)
            if step in self.kept:
                self.near(self.rows[step]["noise_scale"], noise / signal, 1e-4)

    def test_delta_is_the_largest_change_of_the_smoothed_norms(self):
        averages = [smoothed_by_hand(rank, 0.02, 25) for rank in (0, 1)]
        self.assertEqual(self.rows[1]["relative_change"], "")
        for step in range(2, STEPS + 1):
            changes = [(of_rank[step - 1] - of_rank[step - 2]) / of_rank[step - 2] for of_rank in averages]
            self.near(self.rows[step]["relative_change"], max(changes), 1e-4)

    def test_the_workload_has_a_layer_for_each_bucket_in_forward_order(self):
        self.assertEqual([(one["layer"], one["parameters"]) for one in read_rows(f"{self.folder}/job.layers.csv")],
                         [("bucket_1", "84"), ("bucket_0", "12")])
        times = read_rows(f"{self.folder}/job.times.csv")
        self.assertTrue(all(float(one["backward_us"]) > 0 and float(one["forward_us"]) >= 0 for one in times))
        workload = Path(self.folder, "job.yaml").read_text()
        self.assertIn("# To use these buckets, write `exchange: {first_bucket: 1 B, bucket: 1 B}`: each layer is a bucket.\n", workload)
        self.assertIn('layers: "job.layers.csv"\ntimes:\n  measured: "job.times.csv"\n  device: "cpu"\n  batch: 4\n', workload)

    def test_sim_checks_and_runs_a_scenario_with_both_files(self):
        Path(self.folder, "scenario.yaml").write_text(
            "workload: ./job.yaml\ncluster: {workers: 2, link: {latency: 50 us, bandwidth: 1 Gbit/s}}\n"
            f"training: {{batch: {BATCH}, steps: {STEPS}}}\nlearner: {{kind: replay, file: ./job.record.csv}}\n"
            "exchange: {first_bucket: 1 B, bucket: 1 B}\n"
            "compare:\n  dense: {}\n  topk: {compression: {method: topk, ratio: 5 %, time: 10 us}}\n"
            "  selsync: {synchronisation: {method: selsync, threshold: 0.01}}\n")
        for command in ("check", "run"):
            run = subprocess.run([SIM, command, f"{self.folder}/scenario.yaml"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("topk", run.stdout)


class Jobs(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = self.scratch.name

    def record(self):
        return Path(self.folder, "job.record.csv").read_text()

    def refused_in(self, work, world=1):
        """The refusal that a rank raised, as it was printed."""
        with self.assertRaises(Exception) as raised:
            run_ranks(work, world, self.folder)
        return str(raised.exception)

    def test_a_compressing_hook_is_recorded_and_has_no_noise_scale(self):
        run_ranks(job_with_hook, 2, self.folder)
        self.assertIn("# compression: topk 0.25\n", self.record())
        self.assertNotIn("noise_scale", self.record())

    def test_a_step_with_gradients_that_are_not_numbers_has_empty_cells(self):
        run_ranks(job_with_nan, 2, self.folder)
        rows = {int(one["step"]): one for one in read_rows(f"{self.folder}/job.record.csv")}
        self.assertEqual((rows[2]["squared_norm_1"], rows[2]["gain_0.5"], rows[2]["mean_squared_norm"]), ("", "", ""))
        self.assertTrue(all(rows[step]["squared_norm_1"] and rows[step]["gain_0.5"] for step in (1, 3)))

    def test_a_job_without_finite_gradients_has_a_workload_alone(self):
        said = run_ranks(job_of_nan, 1, self.folder)[0]
        self.assertIn("gradsim.torch.record: no recorded step has finite gradients on all ranks; no record is written", said)
        self.assertEqual(sorted(path.name for path in Path(self.folder).iterdir()), ["job.layers.csv", "job.times.csv", "job.yaml"])

    def test_parameters_without_gradients_are_noted(self):
        run_ranks(job_with_unused, 2, self.folder)
        self.assertIn("# 1 parameters had no gradient on rank 0; they count as zeros.\n", Path(self.folder, "job.yaml").read_text())

    def test_one_rank_is_recorded_without_a_noise_scale_and_warned_of(self):
        said = run_ranks(job_of_one, 1, self.folder)[0]
        self.assertEqual(said, ["gradsim.torch.record: one rank has no noise scale, which compares gradients of several; all else is recorded"])
        self.assertNotIn("noise_scale", self.record())
        self.assertIn("squared_norm_0,", self.record())

    def test_a_recording_closes_itself_after_its_steps_and_the_job_goes_on(self):
        self.assertEqual(run_ranks(job_with_limit, 2, self.folder)[0], ([], True))
        self.assertEqual([one["step"] for one in read_rows(f"{self.folder}/job.record.csv")], ["1", "2", "3"])

    def test_accumulated_gradients_are_one_step_of_all_samples(self):
        run_ranks(job_with_accumulation, 2, self.folder)
        self.assertIn("# batch: 6\n", self.record())
        self.assertIn("# 2 forward passes a step", Path(self.folder, "job.yaml").read_text())

    def test_ranks_that_differ_are_refused(self):
        self.assertIn("gradsim.torch.refusal.Refused: batch: ranks took from 3 to 4 samples in step 1\n"
                      "  hint: give each rank as many, or state their mean: batch=32", self.refused_in(uneven_batches, 2))
        self.assertIn("gradsim.torch.refusal.Refused: model: join() lets ranks take different numbers of steps, and a record has all ranks "
                      "in each\n  hint: give each rank the same number of batches: DistributedSampler(drop_last=True), without join()",
                      self.refused_in(joined, 1))

    def test_jobs_that_are_refused(self):
        self.assertIn("batch: no tensor that the model is given counts its samples\n  hint: state the samples of a rank and step: batch=32",
                      self.refused_in(no_batch))
        self.assertIn("model: no step was recorded\n  hint: call forward and backward of the model that record was given",
                      self.refused_in(no_step))
        self.assertIn("model: it has a communication hook already\n  hint: call record first, and give it the hook: "
                      "record(..., hook=gradsim.torch.hook(...))", self.refused_in(second_hook))
        self.assertIn(f"model: this process already records {self.folder}/job\n  hint: close() that recording first",
                      self.refused_in(second_record))

    def test_arguments_that_are_refused(self):
        for text in run_ranks(wrong_arguments, 1, self.folder)[0]:
            with self.subTest(text=text[0]):
                self.assertEqual(*text)

    def test_a_script_that_only_ends_leaves_what_was_gathered(self):
        script = Path(__file__).with_name("scripts") / "record_two_lines.py"
        run = subprocess.run([sys.executable, "-B", script, f"{self.folder}/job"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("gradsim.torch.record: 3 steps since the ranks last gathered are not in the record; close() would add them", run.stderr)
        self.assertEqual([one["step"] for one in read_rows(f"{self.folder}/job.record.csv")], [str(step) for step in range(1, 21)])


    def test_a_job_that_torchrun_starts_records_itself_and_compresses(self):
        script = Path(__file__).with_name("scripts") / "compressed_job.py"
        run = subprocess.run([sys.executable, "-B", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", script,
                              f"{self.folder}/job", "topk", "0.01"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"(?m)^topk: \d+ ms a step, loss 0\.\d+$")
        self.assertIn("# workers: 2\n# batch: 16\n# compression: topk 0.01\n", self.record())


def job_with_hook(rank, folder):
    return job(rank, folder, hook=hook("topk", ratio=0.25))


def small(folder, model=None, find_unused=False, **settings):
    """A recorded model and its recording."""
    parallel = DistributedDataParallel(model or torch.nn.Linear(4, 2), find_unused_parameters=find_unused)
    settings = {"data_set": "made_up", "data_set_samples": 9, "every": 1, "ratios": (0.5,), **settings}
    return parallel, gradsim.torch.record(parallel, f"{folder}/job", **settings)


def job_with_nan(rank, folder):
    parallel, recording = small(folder)
    for step in (1, 2, 3):
        parallel(torch.full((3, 4), math.nan if step == 2 and rank == 1 else 1.0)).sum().backward()
        parallel.zero_grad()
    recording.close()


class Unused(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = torch.nn.Linear(4, 2, bias=False), torch.nn.Linear(4, 2, bias=False)

    def forward(self, values):
        return self.used(values)


def job_with_unused(_rank, folder):
    parallel, recording = small(folder, Unused(), find_unused=True)
    for _ in range(3):
        parallel(torch.ones(3, 4)).sum().backward()
    recording.close()


def job_of_nan(_rank, folder):
    return job_of_one(0, folder, math.nan)


def job_of_one(_rank, folder, value=1.0):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        parallel, recording = small(folder)
        for _ in range(2):
            parallel(torch.full((3, 4), value)).sum().backward()
        recording.close()
    return [str(one.message) for one in said if "gradsim" in str(one.message)]


def job_with_limit(_rank, folder):
    parallel, recording = small(folder, every=2, steps=3)
    for _ in range(6):
        parallel.zero_grad()
        parallel(torch.ones(3, 4)).sum().backward()
    return recording.close(), bool((parallel.module.weight.grad == 3).all())


def job_with_accumulation(_rank, folder):
    parallel, recording = small(folder)
    for _ in range(3):
        with parallel.no_sync():
            parallel(torch.ones(3, 4)).sum().backward()
        parallel(torch.ones(3, 4)).sum().backward()
    recording.close()


def uneven_batches(rank, folder):
    parallel, recording = small(folder)
    parallel(torch.ones(3 + rank, 4)).sum().backward()
    recording.close()


def joined(_rank, folder):
    parallel, _ = small(folder)
    with parallel.join():
        parallel(torch.ones(3, 4)).sum().backward()


class WithoutInput(torch.nn.Linear):
    def forward(self):
        return self.weight.sum() + self.bias.sum()


def no_batch(_rank, folder):
    parallel, recording = small(folder, WithoutInput(4, 2))
    parallel().backward()
    recording.close()


def no_step(_rank, folder):
    small(folder)[1].close()


def second_hook(_rank, folder):
    parallel = DistributedDataParallel(torch.nn.Linear(4, 2))
    parallel.register_comm_hook(None, hook("fp16"))
    gradsim.torch.record(parallel, f"{folder}/job", data_set="made_up", data_set_samples=9)


def second_record(_rank, folder):
    small(folder)
    small(folder)


def wrong_arguments(_rank, folder):
    """Pairs of what a refusal says and what it should say."""
    parallel = DistributedDataParallel(torch.nn.Linear(4, 2))
    number = "expected a whole number of at least 1, found"
    cases = [
        ({"model": parallel.module}, "model: expected a DistributedDataParallel, found Linear\n  hint: wrap it: DistributedDataParallel(model)"),
        ({"every": 0}, f"every: {number} 0\n  hint: such as every=32"),
        ({"data_set_samples": 1.5}, f"data_set_samples: {number} 1.5\n  hint: such as data_set_samples=32"),
        ({"steps": -1}, f"steps: {number} -1\n  hint: such as steps=32"),
        ({"batch": True}, f"batch: {number} True\n  hint: such as batch=32"),
        ({"ratios": (0.1, 1.0)}, "ratios: expected numbers above 0 and below 1, found 1.0\n  hint: such as ratios=(0.1, 0.01)"),
        ({"ratios": (0.1, 0.1)}, "ratios: duplicate ratio in (0.1, 0.1)\n  hint: name each ratio once"),
        ({"hook": print}, "hook: expected a hook of gradsim.torch.hook that a record can name: topk, fp16 or int8\n"
                          "  hint: record without it: norms and gains are those of whole gradients"),
        ({"hook": hook("powersgd", rank=1)}, "hook: expected a hook of gradsim.torch.hook that a record can name: topk, fp16 or int8\n"
                                             "  hint: record without it: norms and gains are those of whole gradients"),
        ({"name": "/dev/null/job"}, "name: cannot make the folder /dev/null: File exists\n  hint: name files in a folder that can be written"),
    ]
    said = []
    for changed, expected in cases:
        settings = {"model": parallel, "name": f"{folder}/job", "data_set": "made_up", "data_set_samples": 9, **changed}
        try:
            gradsim.torch.record(settings.pop("model"), settings.pop("name"), **settings)
            said.append(("nothing was refused", expected))
        except Refused as error:
            said.append((str(error), expected))
    return said


class Parts(unittest.TestCase):
    def test_pytorch_of_another_version_is_refused(self):
        hint = "  hint: install one of them: `pip install torch==2.15.0`; a CPU build is enough"
        with mock.patch.object(torch, "__version__", "2.1.0"), self.assertRaises(Refused) as refused:
            refusal.check_pytorch()
        self.assertEqual(str(refused.exception), f"PyTorch 2.1.0 is not supported: gradsim.torch is tested with PyTorch 2.9 and 2.15\n{hint}")
        with mock.patch.object(refusal.importlib.util, "find_spec", lambda name: None), self.assertRaises(Refused) as refused:
            refusal.check_pytorch()
        self.assertEqual(str(refused.exception), f"gradsim.torch needs PyTorch 2.9 and 2.15, and none is installed\n{hint}")
        with mock.patch.object(dist, "is_available", lambda: False), self.assertRaises(Refused) as refused:
            refusal.check_pytorch()
        self.assertEqual(str(refused.exception), f"this PyTorch was built without torch.distributed\n{hint}")

    def test_a_large_gradient_is_sampled_so_that_enough_values_are_left(self):
        self.assertEqual([statistics.stride_for(one) for one in (96, 10**5, 700_000, 11_689_512)], [1, 1, 7, 61])

    def test_a_sample_has_the_gains_of_all_values(self):
        gradient = (2 * uniform(1, 0, 0, 700_000) - 1) ** 5
        whole, sampled = (statistics.Gains((0.01, 0.1)).add(one, 0) for one in (gradient, gradient[::7]))
        for at in (0, 2, 4, 6):
            self.assertAlmostEqual(float(whole[at] / whole[at + 1]) / float(sampled[at] / sampled[at + 1]), 1, delta=0.01)

    def test_energies_are_those_of_a_whole_sort_in_each_step(self):
        gains, residual = statistics.Gains((0.02,)), torch.zeros(5000)
        for step, scale in enumerate((1, 1, 1, 0.01, 30, 1, 0)):  # some of them below the floor of the step before
            gradient = scale * (2 * uniform(7, step, 0, 5000) - 1) ** 3
            residual += gradient
            order = residual.abs().argsort(descending=True, stable=True)[:100]
            sent, given = float(residual[order].double().square().sum()), float(residual.double().square().sum())
            residual[order] = 0
            found = gains.add(gradient, 0)
            self.assertAlmostEqual(float(found[0]), sent, delta=1e-5 * sent)
            self.assertAlmostEqual(float(found[1]), given, delta=1e-5 * given)

    def test_parts_of_all_ranks_are_the_whole(self):
        for ranks in (1, 2, 3, 7):
            parts = [statistics.own_part(torch.arange(10), rank, ranks) for rank in range(ranks)]
            self.assertEqual(torch.cat(parts).tolist(), list(range(10)))

    def test_default_limits_of_buckets_are_named_where_they_fit(self):
        limits = "The default bucket limits of a scenario give these buckets."
        self.assertEqual(bucket_note((262144, 6553600, 5)), limits)
        self.assertNotEqual(bucket_note((262144, 6553599, 5)), limits)


if __name__ == "__main__":
    unittest.main()
