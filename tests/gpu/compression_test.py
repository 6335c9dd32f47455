"""Compression inside PyTorch: shapes of published models, buckets by hand, what each method leaves, and models of our own.

compression_test.py
"""
import contextlib
import importlib.util
import io
import math
import os
import sys
import tempfile
import unittest
from unittest import mock

PROBES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../calibrate/probes")
sys.path[:0] = [PROBES]
import pytorch_compression as compression  # noqa: E402
import pytorch_traces as traces  # noqa: E402


def run(*words):
    """@returns (exit code, what was said); in this process, since to import PyTorch takes a second"""
    said = io.StringIO()
    with mock.patch.object(sys, "argv", ["pytorch_compression", *words]), contextlib.redirect_stderr(said):
        try:
            return compression.main(), said.getvalue()
        except SystemExit as ended:
            return ended.code, said.getvalue()


class Shapes(unittest.TestCase):
    def test_models_have_their_published_numbers_of_parameters(self):
        counts = {name: sum(math.prod(shape) for shape in shapes) for name, shapes in compression.MODELS.items()}
        self.assertEqual(counts, {"resnet50": 25_557_032, "vgg16": 138_357_544, "gpt2_small": 124_439_808, "gpt2_medium": 354_823_168})

    def test_buckets_hold_gradients_as_they_come_until_they_are_full(self):
        million = (1000, 1000)  # 4 MB of the 26.2 of a bucket
        self.assertEqual(compression.buckets_of([million] * 8), [[7, 6, 5, 4, 3, 2], [1, 0]])
        self.assertEqual(compression.buckets_of([(5000, 5000), million, (9, 1000, 1000)]), [[2], [1], [0]])


class BadInput(unittest.TestCase):
    def test_unknown_names_are_refused(self):
        status, said = run("-o", "c.csv", "--models", "resnet5")
        self.assertEqual(status, 2)
        self.assertIn("--models: unknown resnet5; accepted: resnet50, vgg16, gpt2_small, gpt2_medium", said)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_no_gpu_ends_with_3(self):
        import torch

        if torch.cuda.is_available():
            self.skipTest("there is a GPU")
        self.assertEqual(
            run("-o", "/nowhere/c.csv"), (3, "pytorch_compression: PyTorch sees no GPU here; --device cpu measures the processor\n")
        )


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class OnTheProcessor(unittest.TestCase):
    def test_what_arrives_and_what_is_kept_is_the_gradient(self):
        import torch

        torch.manual_seed(1)
        for method in compression.METHODS:
            for shape in ((40, 30), (7,)):
                (part,) = compression.parts_of(torch, method, [shape], [[0]], "cpu")
                part.step()
                self.assertLess(part.error(), 1e-3, method)
        (top,) = compression.parts_of(torch, "topk", [(30, 20), (400,)], [[1, 0]], "cpu")
        top.step()
        self.assertEqual(int((top.sum != 0).sum()), 10)
        self.assertGreaterEqual(float(top.sum[top.sum != 0].abs().min()), float(top.residual.abs().max()))

    def test_hooks_of_ddp_are_measured_on_one_rank(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.csv")
            self.assertEqual(run("-o", path, "--device", "cpu", "--models", "none", "--seconds", "0"), (0, ""))
            with open(path, encoding="utf-8") as file:
                rows = [line.split(",") for line in file.read().splitlines() if not line.startswith("#")]
        self.assertEqual([row[1:3] for row in rows[1:]], [[name, "ddp_pass"] for name in ("none", "fp16", "powersgd")])
        self.assertTrue(all(float(row[6]) > 0 for row in rows[1:]))

    def test_models_of_our_own_have_the_parameters_of_their_publications(self):
        import torch

        count = lambda model: sum(p.numel() for p in model.parameters())  # noqa: E731
        model, _ = traces.gpt2(1, 64, 1, vocabulary=100, places=16)(torch, 1, "cpu")
        self.assertEqual(count(model), sum(math.prod(shape) for shape in compression.decoder(1, 64, 100, 16)))
        # Embeddings of 100 words, 512 places and 2 kinds, a layer, and the head, whose bias has 100 values.
        layer = 4 * (64 * 64 + 64) + (64 * 256 + 256) + (256 * 64 + 64) + 4 * 64
        model, loss = traces.bert(1, 64, vocabulary=100, words=8)(torch, 2, "cpu")
        self.assertEqual(count(model), 64 * (100 + 512 + 2) + 2 * 64 + layer + (64 * 64 + 64) + 2 * 64 + 100)
        self.assertTrue(math.isfinite(float(loss(model.eval()))))


if __name__ == "__main__":
    unittest.main()
