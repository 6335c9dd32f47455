"""Compression inside PyTorch: shapes of published models, buckets by hand, what each method leaves, and models of our own.

compression_test.py
"""
import contextlib
import gzip
import importlib.util
import io
import math
import os
import pathlib
import re
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
        counts = {name: sum(math.prod(shape) for shape in shapes) for name, shapes in compression.PUBLISHED.items()}
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
    def parts(self, method, shapes, pieces):
        import torch

        torch.manual_seed(1)
        return compression.parts_of(torch, method, shapes, pieces, "cpu")

    def test_what_arrives_and_what_is_kept_is_the_gradient(self):
        for method in compression.METHODS:
            for shape in ((40, 30), (7,), (1,)):
                (part,) = self.parts(method, [shape], [[0]])
                part.step()
                self.assertLessEqual(part.error(), part.tolerance, (method, shape))

    def test_a_wrong_message_is_found(self):
        for method in compression.METHODS:
            (part,) = self.parts(method, [(40, 30)], [[0]])
            part.step()
            part.sum.neg_()
            with self.assertRaisesRegex(RuntimeError, "differ from the gradient by"):
                part.step = lambda: None
                compression.check([part], method)

    def test_selections_send_as_many_values_as_they_promise(self):
        """Of 30 x 20 and 400 values at ratio 0.01: 10 in all, 6 and 4 of each tensor."""
        wanted = {"topk": (10, 10), "lwtopk": (10, 10), "ar_topk": (10, 10), "mstopk": (10, 10), "randomk": (10, 10)}
        wanted |= {"dgc": (8, 13), "redsync": (10, 20)}
        for method, (least, most) in wanted.items():
            (part,) = self.parts(method, [(30, 20), (400,)], [[1, 0]])
            part.step()
            sent = part.sum != 0
            self.assertTrue(least <= int(sent.sum()) <= most, (method, int(sent.sum())))
            if method not in ("lwtopk", "randomk"):
                self.assertGreaterEqual(float(part.sum[sent].abs().min()), float(part.residual.abs().max()), method)
            if method == "lwtopk":
                self.assertEqual((part.pieces, int(sent[:400].sum()), int(sent[400:].sum())), (2, 4, 6))

    def test_workers_draw_the_same_indices_and_others_in_the_next_step(self):
        one, other = (self.parts("randomk", [(40, 30)], [[0]])[0] for _ in range(2))
        other.gradient.mul_(3)
        places = []
        for part in (one, other, other):
            part.step()
            places.append((part.sum != 0).nonzero().view(-1).tolist())
        self.assertEqual(places[0], places[1])
        self.assertNotEqual(places[1], places[2])

    def test_velocity_is_masked_where_values_were_sent(self):
        (part,) = self.parts("dgc", [(40, 30)], [[0]])
        part.step()
        sent = part.sum != 0
        self.assertEqual(float(part.velocity[sent].abs().max()), 0)
        before = part.residual.clone()
        part.select = lambda size: size.argmax().view(1)
        part.step()
        rest = ~sent & (part.sum == 0)  # 0.9 of the velocity, which was the gradient, and the gradient
        self.assertLess(float((part.residual - before - 1.9 * part.gradient)[rest].abs().max()), 1e-8)

    def test_signs_are_packed_eight_to_a_byte(self):
        (part,) = self.parts("ef_sign", [(11,)], [[0]])
        part.gradient.copy_(part.gradient.abs() + 1e-3)
        part.gradient[3] *= -1
        part.step()
        self.assertEqual(len(part.bits), 16)
        mean = float(part.gradient.abs().mean())
        self.assertTrue(all(abs(float(part.sum[i]) - (-mean if i == 3 else mean)) < 1e-9 for i in range(11)))

    def test_rows_are_written_by_each_method_and_grain(self):
        with mock.patch.dict(compression.MODELS, {"small": [(30, 20), (30,), (10, 30)]}):
            status, said, rows = self.measured("--models", "small", "--no-hooks")
        self.assertEqual((status, said), (0, ""))
        wanted = [[method, grain] for method in compression.METHODS for grain in ("tensor", "bucket")]
        self.assertEqual([row[1:3] for row in rows], wanted)
        self.assertEqual({row[1]: row[3] for row in rows if row[2] == "bucket"}["lwtopk"], "3")
        self.assertTrue(all(row[3] == ("1" if row[1] != "lwtopk" and row[2] == "bucket" else "3") for row in rows))

    def test_a_method_that_fails_leaves_the_others(self):
        def broken(*_):
            raise RuntimeError("out of memory\nmore")

        models, methods = {"small": [(30, 20)]}, {"topk": broken}
        with mock.patch.dict(compression.MODELS, models), mock.patch.dict(compression.METHODS, methods):
            status, said, rows = self.measured("--models", "small", "--methods", "topk,int8", "--no-hooks")
        self.assertEqual((status, said), (4, "pytorch_compression: topk of small: out of memory\n"))
        self.assertEqual([row[1:3] for row in rows], [["int8", "tensor"], ["int8", "bucket"]])

    def test_it_goes_on_with_what_an_earlier_run_has_written(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(compression.MODELS, {"small": [(30, 20)]}):
            path = os.path.join(folder, "c.csv")
            words = ("-o", path, "--device", "cpu", "--seconds", "0", "--models", "small", "--no-hooks", "--methods")
            self.assertEqual(run(*words, "topk,int8")[0], 0)
            with open(path, encoding="utf-8") as file:
                first = file.read()
            whole, cut = first.splitlines()[-4:-1], first.splitlines()[-1]
            with open(path, "w", encoding="utf-8") as file:
                file.write(first[: -len(cut) // 2])
            with mock.patch.object(compression.Clock, "median", lambda *_: (7.0, 1)):
                self.assertEqual(run(*words, "topk,int8")[0], 0)
            with open(path, encoding="utf-8") as file:
                again = file.read().splitlines()
            self.assertEqual(again[:-2], first.splitlines()[:-2])  # of int8 one grain was cut, so that both are measured
            self.assertTrue(again[-1].endswith(",7000.0000") and again[-2].endswith(",7000.0000"), again)
            self.assertEqual(again[-4:-2], whole[:2])
            with open(path, "w", encoding="utf-8") as file:
                file.write(first.replace("# device=a processor", "# device=another"))
            self.assertEqual(run(*words, "int8")[0], 0)
            with open(path, encoding="utf-8") as file:
                self.assertNotIn("topk", file.read().partition("median_ms")[2])

    def test_every_published_method_is_measured(self):
        with open(os.path.join(PROBES, "../../scenarios/kernel_times/pytorch.yaml"), encoding="utf-8") as file:
            published = set(re.findall(r"\{method: (\w+),", file.read()))
        self.assertEqual(published - set(compression.METHODS), set())

    def measured(self, *words):
        """@returns (exit code, what was said, rows without comments and header)"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.csv")
            status, said = run("-o", path, "--device", "cpu", "--seconds", "0", *words)
            with open(path, encoding="utf-8") as file:
                rows = [line.split(",") for line in file.read().splitlines() if not line.startswith("#")]
        return status, said, rows[1:]

    def test_hooks_of_ddp_are_measured_on_one_rank(self):
        status, said, rows = self.measured("--models", "none")
        self.assertEqual((status, said), (0, ""))
        self.assertEqual([row[1:3] for row in rows], [[name, "ddp_pass"] for name in ("none", "fp16", "powersgd")])
        self.assertTrue(all(float(row[6]) > 0 for row in rows))

    def test_a_trace_is_there_once_it_is_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, home = pathlib.Path(folder, "unfinished", "m_b1.json"), pathlib.Path(folder)
            trace.parent.mkdir()
            trace.write_text("{}", encoding="ascii")
            with mock.patch.object(traces.shutil, "copyfileobj", side_effect=OSError(28, "full")), self.assertRaises(OSError):
                traces.compress(trace, home)
            self.assertFalse((home / "m_b1.json.gz").exists())
            self.assertEqual(gzip.decompress(traces.compress(trace, home).read_bytes()), b"{}")
            self.assertFalse(trace.exists())

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
