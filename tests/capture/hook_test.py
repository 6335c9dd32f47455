"""Communication hooks of `gradsim.torch.hook`: their messages are those of the CPU references in kernels/, which
tests/kernels/recorded_messages.txt records, and two ranks of gloo get the same means."""

import unittest

import torch
from torch.nn.parallel import DistributedDataParallel

from jobs import ROOT, Given, run_ranks

from gradsim.torch import Refused, hook, low_rank_ratio
from gradsim.torch.compressors import LowRank, from_int8, kept, largest_indices, orthonormalise, philox_words, to_int8, uniform
from gradsim.torch.hooks import Int8, Residuals

RANKS, STEPS, SHAPE, BLOCK = 2, 3, (12, 7), 16
VALUES = 12 * 7 + 12


def read_messages():
    """The recorded lines: {(method, step, rank or `all`, quantity): list of numbers}."""
    lines = (ROOT / "tests" / "kernels" / "recorded_messages.txt").read_text().splitlines()
    parts = [line.split(":") for line in lines if not line.startswith("#")]
    return {tuple(name.split(",")): [float(one) for one in values.split()] for name, values in parts}


RECORDED = read_messages()


def recorded(method, step, rank, quantity):
    return torch.tensor(RECORDED[method, str(step), str(rank), quantity])


def gradient(rank, step):
    """As the head of the recorded messages says."""
    centred = 2 * uniform(rank, step, 0, VALUES) - 1
    return centred * centred * centred


def exchanged(rank, made, shapes):
    """The gradients that a rank has after each step of DistributedDataParallel with a hook."""
    model = Given(*shapes)
    parallel = DistributedDataParallel(model)
    parallel.register_comm_hook(None, made)
    means = []
    for step in range(STEPS):
        model.zero_grad()
        parallel(gradient(rank, step)).backward()
        means.append(model.gradient().clone())
    return means


class Messages(unittest.TestCase):
    def test_random_words_are_the_published_ones(self):
        # Known answers of Philox 4x32-10 in Random123 (kat_vectors): counter and key of zeros, and of ones.
        self.assertEqual([f"{one:08x}" for one in philox_words(0, 0, 0, 4).tolist()], ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"])
        self.assertTrue(torch.equal(philox_words(3, 2, 5, 6), philox_words(3, 2, 0, 12)[5:11]))

    def test_top_k_has_indices_and_values_of_the_reference(self):
        residual = [torch.zeros(VALUES) for _ in range(RANKS)]
        for step in range(STEPS):
            for rank in range(RANKS):
                vector = residual[rank].add_(gradient(rank, step))
                indices = largest_indices(vector, kept(0.1, VALUES))
                self.assertEqual(indices.tolist(), recorded("topk", step, rank, "indices").tolist())
                self.assertTrue(torch.equal(vector[indices], recorded("topk", step, rank, "values")))
                vector[indices] = 0

    def test_top_k_takes_the_first_of_equals_and_not_a_number_before_infinity(self):
        def chosen(values, count):
            return largest_indices(torch.tensor(values), count).tolist()
        self.assertEqual(chosen([1.0, -1.0, 1.0, -1.0, 1.0], 2), [0, 1])
        self.assertEqual(chosen([0.0] * 9, 3), [0, 1, 2])
        self.assertEqual(chosen([1.0, float("-inf"), 3e38, float("nan")], 1), [3])
        self.assertEqual(chosen([1.0, float("-inf"), 3e38, float("nan")], 2), [1, 3])
        self.assertEqual(chosen([1e-45, -3e-45, 0.0], 1), [1])

    def test_a_sampled_threshold_takes_nothing_away(self):
        def sorted_indices(values, count):
            order = sorted(range(len(values)), key=lambda at: (-abs(values[at]), at))
            return sorted(order[:count])
        cubes = (2 * uniform(1, 0, 0, 20_000) - 1) ** 3
        unlucky = cubes.clone()
        unlucky[:450:3] = 1  # 150 places of the sample: fewer than 200 pass
        for vector in (cubes, (8 * cubes).round(), torch.zeros(20_000), unlucky):
            for count in (1, 200, 9000):
                self.assertEqual(largest_indices(vector, count).tolist(), sorted_indices(vector.tolist(), count))

    def test_kept_rounds_halves_up_and_keeps_one_at_least(self):
        self.assertEqual([kept(one, 10) for one in (0.01, 0.15, 0.25, 0.24, 1.0)], [1, 2, 3, 2, 10])
        self.assertEqual(kept(0.5, 0), 0)

    def test_int8_has_codes_and_scales_of_the_reference(self):
        for step in range(STEPS):
            for rank in range(RANKS):
                codes, scales = to_int8(gradient(rank, step), BLOCK)
                self.assertEqual((codes.to(torch.int16) % 256).tolist(), recorded("int8", step, rank, "codes").tolist())
                self.assertTrue(torch.equal(scales, recorded("int8", step, rank, "scales")))

    def test_int8_by_hand(self):
        codes, scales = to_int8(torch.tensor([127, 2.5, -3.5, 0, 8]), 4)
        self.assertEqual((codes.tolist(), scales.tolist()), ([127, 2, -4, 0, 127], [127, 8]))
        broken, zeros = from_int8(*to_int8(torch.tensor([float("nan"), 1, 0, 0]), 2), 2).view(2, 2)
        self.assertTrue(broken.isnan().all() and (zeros == 0).all())
        largest = torch.tensor([torch.finfo(torch.float32).max])
        self.assertTrue(from_int8(*to_int8(largest, 1), 1).isfinite().all())

    def test_fp16_has_codes_of_the_reference(self):
        for step in range(STEPS):
            for rank in range(RANKS):
                codes = gradient(rank, step).to(torch.float16).view(torch.uint8)
                self.assertEqual(codes.tolist(), recorded("fp16", step, rank, "codes").tolist())

    def test_columns_become_orthonormal_and_a_dependent_one_zero(self):
        made = orthonormalise(torch.tensor([[1.0, -2.0, 0.0], [2.0, -4.0, 1.0], [2.0, -4.0, 0.0]]))
        self.assertTrue(torch.allclose(made[:, 0], torch.tensor([1.0, 2.0, 2.0]) / 3))
        self.assertTrue((made[:, 1] == 0).all())
        self.assertAlmostEqual(float(made[:, 0] @ made[:, 2]), 0, places=6)

    def test_a_low_rank_recovers_from_zeros_and_from_not_a_number(self):
        low, good = LowRank(2, seed=0), gradient(0, 0)[:84].view(SHAPE)

        def restored(matrix, step):
            p, q = low.back_project(matrix, low.project(matrix, step))
            return low.restore(p, q)
        for step, broken in enumerate((torch.zeros(SHAPE), torch.full(SHAPE, float("nan")))):
            restored(broken, 2 * step)
            self.assertGreater(float(restored(good, 2 * step + 1).square().sum() / good.square().sum()), 0.2)


class TwoRanks(unittest.TestCase):
    def assert_means(self, method, means, tolerance):
        for step in range(STEPS):
            expected = recorded(method, step, "all", "mean")
            self.assertTrue(torch.equal(means[0][step], means[1][step]), "ranks have different gradients")
            largest = float((means[0][step] - expected).abs().max() / expected.abs().max())
            self.assertLessEqual(largest, tolerance, f"step {step}")

    def test_top_k_with_error_feedback_has_the_bits_of_the_reference(self):
        self.assert_means("topk", run_ranks(exchanged, RANKS, hook("topk", ratio=0.1), [VALUES]), 0)

    def test_int8_is_summed_by_owners_with_the_bits_of_the_reference(self):
        self.assert_means("int8", run_ranks(exchanged, RANKS, Int8(BLOCK), [VALUES]), 0)

    def test_fp16_differs_by_the_rounding_of_its_sum(self):
        # The reference adds restored values in float32; an all-reduce of 2 bytes a value adds halves.
        self.assert_means("fp16", run_ranks(exchanged, RANKS, hook("fp16"), [VALUES]), 2**-11)

    def test_power_sgd_differs_by_the_precision_of_its_sums(self):
        means = run_ranks(exchanged, RANKS, hook("powersgd", rank=2, seed=5), [SHAPE, SHAPE[:1]])
        self.assert_means("powersgd", means, 1e-5)

    def test_without_error_feedback_each_step_is_the_first(self):
        means = run_ranks(exchanged, RANKS, hook("topk", ratio=0.1, error_feedback=False), [VALUES])[0]
        self.assertTrue(torch.equal(means[0], recorded("topk", 0, "all", "mean")))
        self.assertFalse(torch.equal(means[1], recorded("topk", 1, "all", "mean")))

    def test_one_rank_compresses_and_receives_its_own_message(self):
        for made, sent in ((hook("topk", ratio=0.1), 10), (Int8(BLOCK), VALUES), (hook("fp16"), VALUES)):
            mean = run_ranks(exchanged, 1, made, [VALUES])[0][0]
            self.assertLessEqual(int((mean != 0).sum()), sent)
            self.assertLess(float((mean - gradient(0, 0)).square().sum()), float(gradient(0, 0).square().sum()))


class Buckets(unittest.TestCase):
    def test_residuals_move_with_their_parameters_when_buckets_are_formed_anew(self):
        class Bucket:
            def __init__(self, index, parameters):
                self.index, self.parameters = lambda: index, lambda: parameters
                self.buffer = lambda: torch.zeros(sum(one.numel() for one in parameters))
        a, b, c = (torch.nn.Parameter(torch.zeros(size)) for size in (2, 3, 1))
        residuals = Residuals()
        residuals.of(Bucket(0, [a])).add_(1)
        residuals.of(Bucket(1, [b, c])).add_(torch.tensor([2.0, 2, 2, 3]))
        self.assertEqual(residuals.of(Bucket(0, [c, a])).tolist(), [3, 1, 1])
        self.assertEqual(residuals.of(Bucket(1, [b])).tolist(), [2, 2, 2])
        self.assertIs(residuals.of(Bucket(1, [b])), residuals.of(Bucket(1, [b])))


class Arguments(unittest.TestCase):
    def assert_refused(self, text, *arguments, **settings):
        with self.assertRaises(Refused) as refused:
            hook(*arguments, **settings)
        self.assertEqual(str(refused.exception), text)

    def test_arguments_that_are_wrong(self):
        self.assert_refused("method: unknown method `dgc`\n  hint: accepted: topk, fp16, int8, powersgd", "dgc")
        for ratio in (0, 1.5, float("nan"), None, "1 %"):
            self.assert_refused(f"ratio: expected a number above 0 and at most 1, found {ratio!r}\n  hint: such as ratio=0.01",
                                "topk", ratio=ratio)
        for rank in (0, 1.5, None):
            self.assert_refused(f"rank: expected a whole number of at least 1, found {rank!r}\n  hint: such as rank=4", "powersgd", rank=rank)
        self.assert_refused("ratio: `fp16` does not take `ratio`\n  hint: leave it out", "fp16", ratio=0.1)
        self.assert_refused("error_feedback: `int8` does not take `error_feedback`\n  hint: leave it out", "int8", error_feedback=True)

    def test_a_ratio_belongs_to_a_rank(self):
        self.assertAlmostEqual(low_rank_ratio(torch.nn.Linear(7, 12), 2), 2 * (12 + 7) / (12 * 7))
        with self.assertRaisesRegex(Refused, "^model: it has no matrix that PowerSGD could factor\n  hint: use topk$"):
            low_rank_ratio(torch.nn.LayerNorm(3), 2)

    def test_sparse_gradients_are_refused(self):
        with self.assertRaisesRegex(Exception, r"hook: bucket 0 has gradients of torch.float32, sparse_coo\n  hint: use dense "
                                               r"gradients, such as Embedding\(sparse=False\)"):
            run_ranks(sparse_gradients, 1)


def sparse_gradients(_rank):
    parallel = DistributedDataParallel(torch.nn.Embedding(4, 2, sparse=True))
    parallel.register_comm_hook(None, hook("topk", ratio=0.5))
    parallel(torch.tensor([1])).sum().backward()


if __name__ == "__main__":
    unittest.main()
