"""Recorded statistics: formulas by hand, the record's text, and a tiny training where PyTorch is there.

statistics_test.py
"""
import gzip
import importlib.util
import os
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SCRIPT = os.path.join(ROOT, "calibrate/probes/pytorch_statistics.py")
sys.path[:0] = [os.path.dirname(SCRIPT)]
import pytorch_statistics as statistics  # noqa: E402


def run(*words):
    return subprocess.run((sys.executable, "-B", SCRIPT, *words), capture_output=True, text=True, check=False)


class Formulas(unittest.TestCase):
    def test_noise_scale_by_hand(self):
        # Noise 8, signal 3: a worker of 4 samples sees 3 + 8 / 4, the mean of two 3 + 8 / 8.
        self.assertAlmostEqual(statistics.noise_scale(2, 4, 5, 4), 8 / 3)

    def test_noise_scale_without_signal_or_of_one_worker_is_unknown(self):
        self.assertIsNone(statistics.noise_scale(2, 4, 8, 1))
        self.assertIsNone(statistics.noise_scale(2, 4, 4, 5))
        self.assertIsNone(statistics.noise_scale(1, 4, 4, 4))

    def test_relative_change_by_hand(self):
        changes = statistics.Changes(50)  # smoothing 0.5
        self.assertIsNone(changes.add([4] * 50))
        self.assertAlmostEqual(changes.add([4] * 49 + [8]), 0.5)  # 4 -> 4 + 0.5 * 4
        self.assertAlmostEqual(changes.add([0] * 50), -0.5)  # 4 -> 2; the last: 6 -> 3
        self.assertEqual(statistics.Changes(200).smoothing, 1)

    def test_what_left_the_window_does_not_count(self):
        changes = statistics.Changes(1)
        for norm in [1000, *[2] * 24]:
            changes.add([norm])
        self.assertLess(changes.add([2]), -0.99)  # the first is forgotten: 2 after about 786
        self.assertEqual(changes.add([2]), 0)

    def test_what_was_not_measured_is_an_empty_cell(self):
        text = statistics.print_record({"model": "m"}, 1, [{"step": 1, "loss": float("nan"), "squared_norm_0": 2.5}])
        self.assertEqual(
            text,
            "# model: m\nstep,samples,learning_rate,loss,test_loss,accuracy,mean_squared_norm,noise_scale,"
            "relative_change,squared_norm_0,gain_0.1,gain_0.01,gain_0.001,gain_raw_0.1,gain_raw_0.01,gain_raw_0.001\n"
            "1,,,,,,,,,2.5,,,,,,\n",
        )


class BadInput(unittest.TestCase):
    def test_missing_data_ends_with_3(self):
        done = run("gpt_tinyshakespeare", "-o", "/nowhere/r.csv", "--data", "/nowhere")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(
            done.stderr,
            "pytorch_statistics: no training data in `/nowhere/tinyshakespeare`; name the folder that holds it by --data\n",
        )

    def test_no_workers_are_refused(self):
        done = run("gpt_tinyshakespeare", "-o", "r.csv", "--data", "d", "--workers", "0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--workers: 0; accepted: 1 or more", done.stderr)


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class Trainings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with gzip.open(path, "wb") if name.endswith(".gz") else open(path, "wb") as file:
            file.write(data)

    def record_of(self, training):
        path = os.path.join(self.folder, "r.csv")
        tiny = ("--device", "cpu", "--workers", "2", "--batch", "2", "--width", "4", "--steps", "3", "--every", "2")
        done = run(training, "-o", path, "--data", self.folder, *tiny, "--test-samples", "8", "--seconds", "1e9")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file.read().splitlines() if not line.startswith("#")]
        header, rows = lines[0].split(","), [line.split(",") for line in lines[1:]]
        self.assertEqual([row[0] for row in rows], ["1", "2", "3"])
        return [dict(zip(header, row)) for row in rows]

    def check(self, rows):
        self.assertTrue(all(float(row["squared_norm_1"]) > 0 for row in rows))
        self.assertEqual([bool(row["relative_change"]) for row in rows], [False, True, True])
        *rows, between = rows
        self.assertEqual((between["gain_0.1"], between["accuracy"]), ("", ""))
        for name in ("gain_0.1", "gain_raw_0.1", "accuracy"):
            self.assertTrue(all(0 <= float(row[name]) <= 1 for row in rows))
        self.assertEqual(rows[0]["gain_0.1"], rows[0]["gain_raw_0.1"])  # no residual yet

    def test_pictures(self):
        for part, count in (("train", 20), ("t10k", 8)):
            pixels = bytes((7 * i) % 256 for i in range(count * 784))
            self.write(f"fashion-mnist/{part}-images-idx3-ubyte.gz", struct.pack(">IIII", 0x803, count, 28, 28) + pixels)
            self.write(f"fashion-mnist/{part}-labels-idx1-ubyte.gz", struct.pack(">II", 0x801, count) + bytes(i % 10 for i in range(count)))
        self.check(self.record_of("resnet18_fashion_mnist"))

    def test_text(self):
        self.write("tinyshakespeare/input.txt", b"to be or not to be, " * 100)
        self.check(self.record_of("gpt_tinyshakespeare"))


if __name__ == "__main__":
    unittest.main()
