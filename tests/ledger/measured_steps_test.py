"""The scenarios of measured steps: what is read, what is an input, and what is left out; a fake simulator answers."""

import csv
import importlib.util
import json
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("measured_steps", HERE / "measured_steps.py")
measured_steps = importlib.util.module_from_spec(spec)
spec.loader.exec_module(measured_steps)

COSTS = ["source", "model", "batch", "workers", "gpus_per_node", "gpu", "network", "method", "metric", "value", "unit", "note"]


def write_rows(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


class MeasuredSteps(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.data = Path(scratch.name) / "data"
        self.folder = Path(scratch.name)
        self.real = measured_steps.simulate
        measured_steps.simulate = self.simulate
        measured_steps.log = lambda text: None

    def tearDown(self):
        measured_steps.simulate = self.real

    @staticmethod
    def simulate(sim, command, path, *_):
        """A goodput of 5 in place of 10 Gbit/s; as figures, the lines of `expect`."""
        if command == "fit":
            return {"unknowns": [{"identified": "yes", "stated": 1.25e9, "value": 0.625e9}]}
        text = Path(path).read_text(encoding="utf-8")
        figures = [line for line in text.splitlines() if line.startswith("  - {arm:")]
        return {"expectations": {"figures": figures}}

    def write_adaptdl(self):
        for model in measured_steps.ADAPTDL_MODELS:
            folder = self.data / "adaptdl" / model
            rows = [["1", 8, 0.1, 0], ["4", 8, 0.2, 0], ["1111", 8, 0.3, 0], ["14", 8, 0.4, 0], ["14", 9, 0.4, 0]]
            write_rows(folder / "placements.csv", ["placement", "local_bsz", "step_time", "sync_time"], rows)
            rows = [[8, 10, 8, 0.5, 0]]
            write_rows(folder / "scalability.csv", ["num_nodes", "num_replicas", "local_bsz", "step_time", "sync_time"], rows)

    def figures(self, name):
        return json.loads((self.folder / name).read_text(encoding="utf-8"))["expectations"]["figures"]

    def test_steps_on_one_node_and_batches_without_a_single_replica_are_left_out(self):
        self.write_adaptdl()
        alone, rows = measured_steps.adaptdl_rows(self.data / "adaptdl/bert")
        self.assertEqual(alone, {8: 0.1})
        self.assertEqual([row[0] for row in rows], ["1111", "14", "8x10"])
        self.assertEqual(rows[2][1], (1, 1, 1, 1, 1, 1, 2, 2))

    def test_only_the_measured_step_is_an_input_and_only_where_it_was_used(self):
        self.write_adaptdl()
        measured_steps.adaptdl("sim", self.data, self.folder)
        inputs = [line for line in self.figures("adaptdl_bert_one_step.json") if "(an input)" in line]
        self.assertEqual(len(inputs), 1)
        self.assertIn('"1111:8"', inputs[0])
        self.assertFalse([line for line in self.figures("adaptdl_bert_hardware.json") if "(an input)" in line])

    def test_the_levels_differ_in_the_goodput_alone(self):
        self.write_adaptdl()
        measured_steps.adaptdl("sim", self.data, self.folder)
        hardware = (self.folder / "adaptdl_bert_hardware.yaml").read_text(encoding="utf-8")
        one_step = (self.folder / "adaptdl_bert_one_step.yaml").read_text(encoding="utf-8")
        self.assertEqual(hardware.replace("bandwidth: 10 Gbit/s", "bandwidth: 5 Gbit/s"), one_step.replace(" (an input)", ""))

    def test_throughput_and_epochs_become_steps(self):
        source = "BaguaSys/tutorials 45b5c9f"
        rows = [
            [source, "VGG16", "", 128, 8, "", "10 Gbit/s TCP", "Bagua dense", "throughput", 4096, "", ""],
            [source, "VGG16", "", 128, 8, "", "10 Gbit/s TCP", "asynchronous", "throughput", 9999, "", ""],
            [source, "BERT-Large SQuAD", "", 128, 8, "", "2 Gbit/s TCP", "Horovod dense", "epoch time", 88641, "s", ""],
            ["another", "VGG16", "", 128, 8, "", "10 Gbit/s TCP", "Bagua dense", "throughput", 1, "", ""],
        ]
        write_rows(self.data / "costs/end_to_end.csv", COSTS, rows)
        expected = [("VGG16", 10, "Bagua dense", 1), ("BERT-Large SQuAD", 2, "Horovod dense", 768)]
        self.assertEqual(measured_steps.bagua_rows(self.data), expected)

    def test_top_level_keys_are_cut_outside_braces(self):
        self.assertEqual(measured_steps.top_level("a: {b: 1, c: [2, 3]}, d: 4"), ["a: {b: 1, c: [2, 3]}", "d: 4"])

    def test_a_refusal_of_the_simulator_ends_with_its_message(self):
        with self.assertRaises(SystemExit) as ended:
            self.real(sys.executable, "-c", "import sys; sys.exit('refused')")
        self.assertIn("refused", str(ended.exception))


if __name__ == "__main__":
    unittest.main()
