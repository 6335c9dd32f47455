"""Computing beside copies: the probe without its kernel, the kernel on a processor, rows that are cut, fits exact on made-up data, the key of a device.

overlap_test.py BIN_DIR
"""
import contextlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path[:0] = [os.path.join(ROOT, "calibrate", folder) for folder in ("first_contact", "probes")]
import import_overlap  # noqa: E402
import pytorch_overlap as overlap  # noqa: E402
from scratch import Job  # noqa: E402

SIM = os.path.join(os.path.abspath(sys.argv.pop(1)), "sim") if len(sys.argv) > 1 else ""
HEAD = "# device=GPU 7\n# multiprocessors=100\n# memory_gb_per_s=1000\n" + ",".join(import_overlap.COLUMNS) + "\n"


def line(what, size, channels, rate, slowdown, asked=None):
    return f"{what},{size},{channels},{asked or rate:g},{rate:g},10,{10 * (1 + slowdown):.6f},{slowdown:.5f},{channels}\n"


def mixed(channels, rate, share):
    """By hand for channels 20, rate 100: 0.25 of products, 0.25 of memory."""
    return share * (100 / (100 - channels) - 1) + (1 - share) * (1 / (1 - 2 * rate / 1000) - 1)


def follows(share):
    """Times that follow the formula."""
    text = HEAD
    for channels, rate in ((2, 50), (4, 50), (20, 100), (50, 50)):
        text += line("transformer_backward", 0, channels, rate, mixed(channels, rate, share))
        text += line("matrix_product", 4096, channels, rate, 100 / (100 - channels) - 1)
    return text


class Fits(unittest.TestCase):
    def test_terms_by_hand(self):
        self.assertAlmostEqual(import_overlap.of_products(20, 100), 0.25)
        self.assertAlmostEqual(import_overlap.of_memory(100, 1000), 0.25)
        self.assertAlmostEqual(mixed(20, 100, 0.3), 0.25)
        self.assertAlmostEqual(import_overlap.of_memory(900, 1000), 99)  # never without end

    def test_the_share_of_products_is_found_again(self):
        for share in (0, 0.3, 1):
            found = import_overlap.fit(follows(share))
            self.assertAlmostEqual(found.share, share, delta=1e-3)
            self.assertLess(max(*found.backward_error, *found.products_error), 0.01)

    def test_an_error_is_said_in_points(self):
        text = HEAD + line("transformer_backward", 0, 50, 50, 1.1) + line("matrix_product", 64, 20, 50, 0.28)
        found = import_overlap.fit(text)
        self.assertEqual(found.share, 1)  # the formula's end: 1.0 for 50 of 100
        self.assertAlmostEqual(found.backward_error[0], 10, delta=1e-3)
        self.assertAlmostEqual(found.products_error[1], 3, delta=1e-3)

    def test_without_facts_of_the_device_or_backward_passes_there_is_none(self):
        self.assertIsNone(import_overlap.fit(follows(0.3).replace("# multiprocessors=100\n", "")))
        self.assertIsNone(import_overlap.fit(follows(0.3).replace("# memory_gb_per_s=1000\n", "")))
        self.assertIsNone(import_overlap.fit(HEAD + line("matrix_product", 64, 2, 50, 0.1)))
        self.assertEqual(import_overlap.page_lines(HEAD), [])


class Tables(unittest.TestCase):
    def test_a_cut_row_is_left_out_and_named(self):
        text = HEAD + line("transformer_backward", 0, 2, 50, 0.1) + "matrix_product,64,2,50,49,10,1"
        made, left_out = import_overlap.table(text, ["results sha256:0"])
        self.assertEqual(left_out, ["overlap: `matrix_product,64,2,50,49,10,1` is not a whole row"])
        self.assertTrue(made.endswith("multiprocessors\ntransformer_backward,0,2,50,50,10,11.000000,0.10000,2\n"))
        self.assertIn("# device=GPU 7\n# multiprocessors=100\n# memory_gb_per_s=1000\n# results sha256:0\n", made)

    def test_figures_that_contradict_each_other_are_left_out(self):
        wrong = "transformer_backward,0,2,50,50,10,11,0.5,2"
        self.assertEqual(import_overlap.table(HEAD + wrong + "\n", [])[1][0], f"overlap: `{wrong}` is not a whole row")

    def test_nothing_makes_no_table(self):
        self.assertEqual(import_overlap.table("", []), (None, ["overlap: no row, or not said on which device"]))

    def test_a_table_is_written_below_measurements(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "overlap"))
            with open(os.path.join(folder, "overlap/overlap.csv"), "w", encoding="utf-8") as file:
                file.write(follows(0.3) + "cut")
            job, nothing = Job(folder), Job(os.path.join(folder, "overlap"))
            import_overlap.import_into(job, "gpu_7")
            import_overlap.import_into(nothing, "gpu_7")
        self.assertEqual(list(job.files), ["scenarios/measurements/gpu_7_overlap.csv"])
        self.assertEqual(job.left_out, ["overlap: `cut` is not a whole row"])
        self.assertEqual((nothing.files, nothing.left_out), ({}, []))

    def test_the_page_says_measured_and_predicted(self):
        lines = "\n".join(import_overlap.page_lines(follows(0.3)))
        self.assertIn("* the backward pass of transformer is 25 % slower beside 20 channels at 100 GB/s; the formula says 25 %.", lines)
        self.assertIn("0.30 S/(S - c) + 0.70 / (1 - traffic / memory rate), less 1, with 100 multiprocessors S", lines)
        self.assertIn("error 0.0 points in the median, 0.0 at most", lines)

    def test_all_is_the_same_twice(self):
        for make in (lambda: import_overlap.table(follows(0.3), ["n"]), lambda: import_overlap.device_key(follows(0.3), ["n"])):
            self.assertEqual(make(), make())


class DeviceKey(unittest.TestCase):
    ROWS = (
        line("transformer_backward", 0, 2, 49.2, 0.04, 50)
        + line("resnet50_backward", 0, 4, 48.1, 0.12, 50)
        + line("transformer_backward", 0, 4, 48, 0.06, 50)
        + line("transformer_backward", 0, 8, 50, 0.5)
        + line("transformer_backward", 0, 2, 12.5, 0.01)
        + line("matrix_product", 64, 2, 50, 0.9)
    )
    WANTED = (
        "overlap_slowdown:\n  share: 0.0600\n"
        '  source: "backward passes (resnet50, transformer) beside copies by 2 to 4 channels at 50 GB/s: 4.0 to 12.0 %; results sha256:0"\n'
    )

    def test_is_the_median_of_backward_passes_as_network_interfaces_are_used(self):
        self.assertEqual(import_overlap.device_key(HEAD + self.ROWS, ["results sha256:0"]), self.WANTED)

    def test_a_pass_that_was_faster_counts_as_none(self):
        self.assertIn("share: 0.0000\n", import_overlap.device_key(HEAD + line("transformer_backward", 0, 2, 50, -0.01), []))

    def test_is_not_made_of_other_settings(self):
        self.assertIsNone(import_overlap.device_key(HEAD + line("transformer_backward", 0, 8, 50, 0.5), []))
        self.assertIsNone(import_overlap.device_key(HEAD, []))

    def test_is_taken_by_sim(self):
        if not os.path.exists(SIM):
            self.skipTest("no sim in this build")
        with tempfile.TemporaryDirectory() as folder:
            layers = os.path.join(ROOT, "scenarios/workloads/layers/alexnet.csv")
            with open(os.path.join(ROOT, "scenarios/devices/h100_sxm_datasheet.yaml"), encoding="utf-8") as file:
                device = file.read()
            with open(os.path.join(folder, "d.yaml"), "w", encoding="utf-8") as file:
                file.write(device + self.WANTED)
            path = os.path.join(folder, "s.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(
                    f"# Q\nworkload: {{name: w, provenance: made up, layers: {layers}, times: {{roofline: d.yaml, batch: 32}}}}\n"
                    "cluster: {workers: 2, link: {latency: 1 us, bandwidth: 10 Gbit/s}}\ntraining: {batch: 32, steps: 1}\n"
                )
            done = subprocess.run((SIM, "check", path), capture_output=True, text=True, check=False)
        self.assertRegex(done.stdout, r"overlap_slowdown: 0.06 +# measured on h100_sxm_datasheet \(backward passes", done.stderr)


def run(*words):
    """@returns (exit code, what was said)"""
    said = io.StringIO()
    with mock.patch.object(sys, "argv", ["pytorch_overlap", *words]), contextlib.redirect_stderr(said):
        try:
            return overlap.main(), said.getvalue()
        except SystemExit as ended:
            return ended.code, said.getvalue()


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class Probe(unittest.TestCase):
    def setUp(self):
        import torch

        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path, self.torch = os.path.join(folder.name, "o.csv"), torch

    def test_no_gpu_ends_with_3(self):
        if self.torch.cuda.is_available():
            self.skipTest("there is a GPU")
        self.assertEqual(run("-o", "/nowhere/o.csv"), (3, "pytorch_overlap: PyTorch sees no GPU here; --device cpu measures the processor\n"))

    def test_a_device_without_the_kernel_ends_with_3(self):
        with mock.patch.object(self.torch.cuda, "is_available", return_value=True):
            status, said = run("-o", self.path, "--library", "/nowhere/lib.so")
        self.assertEqual((status, said), (3, "pytorch_overlap: no library `/nowhere/lib.so`; build it: ninja overlap_copy\n"))

    def test_a_rehearsal_measures_every_case_and_can_be_imported(self):
        status, said = run("-o", self.path, "--device", "cpu", "--seconds", "0")
        self.assertEqual((status, said), (0, ""))
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        rows, left_out = import_overlap.read_rows(text)
        self.assertEqual(left_out, [])
        sizes = {(row.what, row.size) for row, _ in rows if row.what != "resnet50_backward"}
        self.assertEqual(sizes, {("transformer_backward", 0), ("matrix_product", 256), ("matrix_product", 128)})
        self.assertTrue(all(0 < row.rate < 1.5 * row.asked for row, _ in rows))
        self.assertEqual(import_overlap.device_of(text), "a processor")

    def test_a_case_that_fails_leaves_the_others(self):
        def broken(*_):
            raise RuntimeError("out of memory\nmore")

        with mock.patch.object(overlap, "blocks", broken):
            status, said = run("-o", self.path, "--device", "cpu", "--seconds", "0")
        self.assertEqual((status, said), (4, "pytorch_overlap: transformer_backward 0: out of memory\n"))
        with open(self.path, encoding="utf-8") as file:
            self.assertIn("matrix_product,128,", file.read())

    def test_alone_and_beside_alternate_and_a_failed_copy_is_no_figure(self):
        order, copy = [], mock.Mock()
        copy.start.side_effect = lambda *_: order.append("start")
        copy.stop.side_effect = lambda: order.append("stop") or (2e9, 2)
        clock = mock.Mock()
        clock.seconds.side_effect = lambda work, calls: order.append("work") or (0.03 if order[-2:-1] == ["start"] else 0.02)
        self.assertEqual(overlap.measure(None, 2, copy, clock, (2, 1), 0), (0.01, 0.015, 2e9, 2))
        self.assertEqual(order, ["work", *["work", "start", "work", "stop"] * 3])
        copy.stop.side_effect = RuntimeError("the copy ended before it was stopped: its time limit was reached")
        with self.assertRaisesRegex(RuntimeError, "its time limit was reached"):
            overlap.measure(None, 1, copy, clock, (2, 1), 0)


@unittest.skipUnless(shutil.which("c++"), "there is no C++ compiler")
class Kernel(unittest.TestCase):
    """overlap_copy.cu with one thread a block, each block a thread of this processor: rates, limits, ends."""

    ON_A_PROCESSOR = (
        ("constexpr unsigned threads = 512;", "constexpr unsigned threads = 1;"),
        ("quads_a_thread = 8;", "quads_a_thread = 4096;"),
        ('asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));', "time = std::chrono::steady_clock::now().time_since_epoch().count();"),
        ('asm volatile("mov.u32 %0, %%smid;" : "=r"(number));', "number = blockIdx.x;"),
    )

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        with open(os.path.join(ROOT, "calibrate/probes/overlap_copy.cu"), encoding="utf-8") as file:
            text = file.read()
        for on_device, here in cls.ON_A_PROCESSOR:
            assert on_device in text, on_device
            text = text.replace(on_device, here)
        source, cls.library = (os.path.join(folder.name, name) for name in ("copy.cpp", "libcopy.so"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        headers = os.path.join(ROOT, "tests/gpu/processor_blocks")
        subprocess.run(("c++", "-std=c++20", "-O2", "-w", "-shared", "-fPIC", "-pthread", f"-I{headers}", source, "-o", cls.library), check=True)

    def copy(self, limit=4.0):
        for name, value in (("MOST_BLOCKS", 4), ("REGION_BYTES", 1 << 20), ("LIMIT_S", limit)):
            patch = mock.patch.object(overlap, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        copy = overlap.DeviceCopy(self.library)
        self.addCleanup(copy.close)
        return copy

    def test_reaches_the_rate_that_is_asked_with_any_number_of_blocks(self):
        copy = self.copy()
        for channels in (1, 2, 4):
            copy.start(channels, 1e8)
            time.sleep(0.2)
            rate, held = copy.stop()
            self.assertAlmostEqual(rate / 1e8, 1, delta=0.25)
            self.assertEqual(held, channels)

    def test_without_a_rate_is_as_fast_as_it_can(self):
        copy = self.copy()
        copy.start(1, 0)
        time.sleep(0.05)
        self.assertGreater(copy.stop()[0], 2e8)

    def test_ends_by_itself_and_says_so(self):
        copy = self.copy(limit=0.02)
        copy.start(1, 1e7)
        time.sleep(0.1)
        with self.assertRaisesRegex(RuntimeError, "the copy ended before it was stopped: its time limit was reached"):
            copy.stop()

    def test_what_cannot_be_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "more blocks than there is memory for"):
            self.copy().start(5, 1e7)
        with self.assertRaisesRegex(RuntimeError, "the time limit is not within 0 s and 10 s"):
            self.copy(limit=60).start(1, 1e7)


if __name__ == "__main__":
    unittest.main()
