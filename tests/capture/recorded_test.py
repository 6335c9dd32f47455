"""What needs no PyTorch: recorded graphs against closed forms, the files that are written, options and their refusals, and runs
of the recorded graphs by `sim`, where its path is given."""

import contextlib
import dataclasses
import io
import json
import re
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from captured import HERE, ROOT, read_rows

from gradsim import __main__ as program
from gradsim.capture import export, fusion, groups, refusal, roofline, values, versions, work
from gradsim.capture.operations import Capture, Operation, cut_step, drop_operations
from gradsim.capture.report import quantity, report

RECORDED = HERE / "recorded"
SIM = Path(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None


def sums(name):
    """Number and bytes of the collectives of a recorded graph, by collective and reach."""
    found = {}
    for row in read_rows(RECORDED / f"{name}.csv"):
        if row["collective"]:
            count, size = found.get((row["collective"], row["among"]), (0, 0))
            found[row["collective"], row["among"]] = (count + 1, size + int(row["bytes"]))
    return found


def outcome(*arguments):
    """Exit code, stdout and stderr of `gradsim`."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = program.main(list(arguments))
    return code, out.getvalue(), err.getvalue()


class RecordedGraphs(unittest.TestCase):
    def test_bytes_are_closed_forms(self):
        self.assertEqual(sums("ddp_cnn"), {("broadcast", "all"): (2, 6680), ("all_reduce", "all"): (3, 4 * 24310888)})
        table, block = 32000 * 4096, 4 * 4096**2 + 3 * 4096 * 11008 + 2 * 4096
        parameters = 2 * table + 32 * block + 4096
        self.assertEqual(sums("fsdp_llama"), {("all_gather", "all"): (65, 2 * parameters + 2 * 32 * block),
                                              ("reduce_scatter", "all"): (33, 4 * parameters)})
        self.assertEqual(sums("tensor_parallel"), {("all_reduce", "all"): (15, 15 * 1024 * 1024 * 4), ("all_gather", "all"): (1, 131072000)})
        self.assertEqual(sums("torchrun_ddp"), {("broadcast", "all"): (2, 520), ("all_reduce", "all"): (4, 4 * 20880232 + 4)})
        self.assertEqual(sums("hsdp")["reduce_scatter", "node"], (5, 4 * 83152896))
        self.assertEqual(sums("hsdp")["all_reduce", "nodes"], (5, 4 * 83152896 // 8))
        self.assertEqual(sums("hsdp")["all_gather", "node"][0], 18)

    def test_collectives_are_awaited_and_rows_wait_for_earlier_ones_of_other_streams(self):
        for path in sorted(RECORDED.glob("*.csv")):
            with self.subTest(path.name):
                rows = read_rows(path)
                last, before = {}, []  # the rows that each row waits for, directly or not
                for number, row in enumerate(rows):
                    after = [int(one) for one in row["after"].split()]
                    self.assertTrue(all(one < number and rows[one]["stream"] != row["stream"] for one in after), row)
                    direct = after + ([last[row["stream"]]] if row["stream"] in last else [])
                    before.append(set(direct).union(*(before[one] for one in direct)))
                    last[row["stream"]] = number
                ends = [number for stream, number in last.items() if stream != "communication"]
                waited = set().union(*(before[one] for one in ends))
                self.assertEqual([row for number, row in enumerate(rows) if row["collective"] and number not in waited], [])

    def test_a_recorded_graph_runs(self):
        if SIM is None or not SIM.is_file():
            self.skipTest("skipped: the path of `sim` is not given")
        for name, parameters, batch, workers in (("ddp_cnn", 24310888, 32, 8), ("fsdp_llama", 6738415616, 1, 64),
                                                 ("hsdp", 83152896, 4, 16), ("torchrun_ddp", 20880232, 32, 16)):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                scenario = Path(folder) / "scenario.yaml"
                scenario.write_text(SCENARIO.format(graph=RECORDED / f"{name}.csv", parameters=parameters, batch=batch, workers=workers))
                run = subprocess.run([SIM, "run", scenario, "--quiet", "--format", "json"], capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 0, run.stderr)
                arm = json.loads(run.stdout)["arms"][0]
                self.assertGreater(arm["step_time_s"], arm["compute_time_s"])
                if name == "fsdp_llama":  # rings send all but a worker's own share
                    self.assertAlmostEqual(arm["sent_bytes"] / sum(size for _, size in sums(name).values()), 63 / 64)


SCENARIO = """workload: {{name: captured, graph: {graph}, parameters: {parameters}, batch: {batch}}}
cluster: {{use: nvidia_dgx_h100, workers: {workers}}}
training: {{batch: {batch}, steps: 4}}
"""


def operation(index, name="mm", stream="compute", after=(), **settings):
    settings.setdefault("kind", "matmul")
    return Operation(index, settings.pop("kind"), name, stream, list(after), **settings)


def captured(operations, world=16, per_node=8):
    return Capture("train.py", "2.15.0", 0, world, per_node, 3, operations, parameters=10, samples=4)


RATES = roofline.Roofline({"": 1e12}, 1e12, "device", "a roofline")
ALL = tuple(range(16))


class Files(unittest.TestCase):
    STEP = [operation(0, flops=10**6, memory_bytes=10, dtype="bfloat16"), operation(1, "add", kind="reduction", memory_bytes=2 * 10**6),
            operation(2, "all_reduce", "communicator 0", [1], kind="collective", payload=64, ranks=ALL, gradient=True, dtype="bfloat16"),
            operation(3, flops=3 * 10**6, memory_bytes=30, dtype="bfloat16"), operation(4, "sum", "compute", [2], kind="pointwise", memory_bytes=10**6)]

    def test_neighbours_become_one_row_until_something_waits(self):
        rows = export.fuse(captured(self.STEP))
        frozen = dataclasses.replace(RATES, frozen=True)
        self.assertEqual(export.graph_lines(rows, frozen)[1:],
                         ["add,compute,3.000,,,,,,,,,,", "all_reduce,communication,,0,all_reduce,64,all,,,gradient,bf16,,", "mm,compute,3.000,,,,,,,,,,",
                          "sum,compute,1.000,1,,,,,,,,,"])
        self.assertAlmostEqual(export.seconds_without_exchange(rows, RATES), 7e-6)

    def test_each_communicator_has_a_queue(self):
        step = captured([operation(0, "all_gather", "communicator 0", kind="collective", payload=64, ranks=tuple(range(8))),
                         operation(1, "all_reduce", "communicator 1", [0], kind="collective", payload=64, ranks=(0, 8)),
                         operation(2, "all_gather", "communicator 0", kind="collective", payload=64, ranks=tuple(range(8)))])
        self.assertEqual(export.graph_lines(export.fuse(step), RATES)[1:],
                         ["all_gather,communication,,,all_gather,64,node,,,,,,0", "all_reduce,communication,,0,all_reduce,64,nodes,,,,,,1",
                          "all_gather,communication,,,all_gather,64,node,,,,,,0"])

    def test_rows_state_work_of_one_kind_and_wait_as_before(self):
        rows = work.split_by_work(export.fuse(captured(self.STEP)))
        self.assertEqual(export.graph_lines(rows, RATES)[1:],
                         ["mm,compute,,,,,,1000000,10,matmul,bf16,,", "add,compute,,,,,,,2000000,pointwise,,,",
                          "all_reduce,communication,,1,all_reduce,64,all,,,gradient,bf16,,", "mm,compute,,,,,,3000000,30,matmul,bf16,,",
                          "sum,compute,,2,,,,,1000000,pointwise,,,"])
        self.assertAlmostEqual(export.seconds_without_exchange(rows, RATES), 7e-6)

    def test_operations_of_like_intensity_share_a_row(self):
        def flops_of(*operations):
            return [one.operations and sum(each.flops for each in one.operations)
                    for one in work.split_by_work([export.Row("compute", list(operations), [])])]
        like = [operation(0, flops=1000, memory_bytes=100), operation(1, flops=150, memory_bytes=10)]  # 10 and 15 a byte
        self.assertEqual(flops_of(*like), [1150])
        self.assertEqual(flops_of(*like, operation(2, flops=170, memory_bytes=10)), [1150, 170])  # 17
        self.assertEqual(flops_of(like[0], operation(1, flops=150, memory_bytes=10, dtype="float32")), [1000, 150])
        self.assertEqual(flops_of(operation(0), like[1]), [150])  # without work: anywhere
        self.assertEqual(flops_of(operation(0)), [0])

    def test_a_written_graph_takes_what_the_scenarios_device_needs(self):
        if SIM is None or not SIM.is_file():
            self.skipTest("skipped: the path of `sim` is not given")
        step = captured([operation(0, flops=312 * 10**12, memory_bytes=10**9, dtype="bfloat16"),
                         operation(1, "add", kind="pointwise", memory_bytes=10**12)], world=1)
        with tempfile.TemporaryDirectory() as folder:
            export.write_files(step, RATES, f"{folder}/step")
            for device in ("a100_sxm4_80gb_datasheet", "h100_sxm_datasheet"):
                scenario = Path(folder) / "scenario.yaml"
                scenario.write_text(f"workload: ./step.yaml\ncluster: {{workers: 1, device: {device}, link: {{latency: 0 s, bandwidth: 1 Gbit/s}}}}\ntraining: {{batch: 4, steps: 4}}\n")
                run = subprocess.run([SIM, "run", scenario, "--quiet", "--format", "json"], capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 0, run.stderr)
                expected = sum(map(roofline.read_device(ROOT / "scenarios" / "devices" / f"{device}.yaml").seconds, step.operations))
                self.assertAlmostEqual(json.loads(run.stdout)["arms"][0]["step_time_s"], expected)

    def checked(self, rows):
        """Exit code and errors of `sim check` on a graph with these rows, whose columns are those of a captured one."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "graph.csv").write_text("\n".join(["# A graph of a test", export.GRAPH_COLUMNS + ",peer", *rows, ""]))
            scenario = Path(folder, "graph.yaml")
            scenario.write_text("# Is it read?\n" + SCENARIO.format(graph=f"{folder}/graph.csv", parameters=8, batch=1, workers=8))
            run = subprocess.run([SIM, "check", scenario], capture_output=True, text=True, check=False)
            return run.returncode, run.stderr

    def test_the_simulator_reads_every_column_kind_and_precision_and_no_others(self):
        if SIM is None or not SIM.is_file():
            self.skipTest("skipped: the path of `sim` is not given")
        rows = [f"{kind} {precision},compute,,,,,,1000000,1000,{kind},{precision},,,"
                for kind in sorted(work.KINDS) for precision in work.STATED]
        rows.append("all_reduce,communication,,,all_reduce,32,all,,,gradient,fp32,,,")
        self.assertEqual(self.checked(rows), (0, ""))
        code, errors = self.checked([rows[0].replace(",attention,", ",dreaming,"), *rows[1:]])
        self.assertEqual(code, 1)
        accepted = re.search("dreaming.*accepted: ([a-z, ]*)", errors)
        self.assertIsNotNone(accepted, errors)
        self.assertEqual({kind.strip() for kind in accepted[1].split(",")}, set(work.KINDS))

    def test_all_columns_are_written_and_a_graph_where_it_can_carry_the_step(self):
        with tempfile.TemporaryDirectory() as folder:
            step = captured([operation(0, flops=7, dtype="bfloat16", place="train.py:9"),
                             operation(1, "all_reduce", "communicator 0", [0], kind="collective", payload=64, ranks=ALL)])
            files, _ = export.write_files(step, RATES, f"{folder}/step")
            self.assertEqual([Path(one).name for one in files], ["step.operations.csv", "step.csv", "step.yaml"])
            first, second = read_rows(files[0])
            self.assertEqual((first["kind"], first["flops"], first["dtype"], first["row"], first["source"]),
                             ("matmul", "7", "bfloat16", "0", "train.py:9"))
            self.assertEqual((second["collective"], second["bytes"], second["group"], second["after"]), ("all_reduce", "64", "0:1:16", "0"))
            self.assertIn('graph: "step.csv"\nparameters: 10\nbatch: 4\n', Path(files[2]).read_text())

    def test_flops_of_a_type_that_a_graph_cannot_state_are_refused_without_durations(self):
        for dtype in ("float64", "int8", "complex64"):
            step = captured([operation(0, "add", kind="pointwise", memory_bytes=8, dtype="int64"),
                             operation(1, flops=7, memory_bytes=8, dtype=dtype, place="train.py:9")])
            with self.subTest(dtype), tempfile.TemporaryDirectory() as folder:
                with self.assertRaises(refusal.CaptureRefused) as caught:
                    export.write_files(step, RATES, f"{folder}/step")
                self.assertEqual(str(caught.exception), f"train.py:9: `mm` computes in {dtype}, and a graph states FLOPs of fp32, bf16, fp16 "
                                 f"and fp8 only\n  hint: `--durations` states times in their place; state the peak of {dtype} by `--flops-rate`")
                self.assertEqual(list(Path(folder).iterdir()), [])
                export.write_files(step, dataclasses.replace(RATES, frozen=True), f"{folder}/step")
                self.assertEqual(len(read_rows(f"{folder}/step.csv")), 1)
        step.operations.append(operation(2, "send", "communicator 0", kind="send", payload=8, ranks=(0, 8)))
        with tempfile.TemporaryDirectory() as folder:  # no graph is written, which could have a wrong precision
            self.assertEqual(len(export.write_files(step, RATES, f"{folder}/step")[0]), 1)

    def test_durations_by_the_peak_of_another_precision_are_noted(self):
        step, rates = captured([operation(0, flops=7, dtype="float64")]), roofline.Roofline({"": 1e12, "bf16": 1e12}, 1e12, "device", frozen=True)
        note = "no rate for fp64 is stated: that of device's first peak is taken"
        with tempfile.TemporaryDirectory() as folder:
            files, rows = export.write_files(step, rates, f"{folder}/step")
            self.assertIn(f"# Note: {note}.\n", Path(f"{folder}/step.yaml").read_text())
            self.assertIn(f"not understood  {note}\n", report(step, rates, rows, files))

    def test_gradients_of_a_type_that_a_graph_cannot_state_are_not_marked(self):
        step = captured([operation(index, "all_reduce", "communicator 0", kind="collective", payload=64, ranks=ALL, gradient=True, dtype=dtype)
                         for index, dtype in enumerate(("float64", "float16"))])
        note = "gradients of float64 are not marked: a graph states values of fp32, bf16, fp16 and fp8 only"
        with tempfile.TemporaryDirectory() as folder:
            files, rows = export.write_files(step, RATES, f"{folder}/step")
            self.assertEqual([(one["kind"], one["precision"]) for one in read_rows(f"{folder}/step.csv")], [("", ""), ("gradient", "fp16")])
            self.assertIn(f"# Note: {note}.\n", Path(f"{folder}/step.yaml").read_text())
            self.assertIn(f"not understood  {note}\n", report(step, RATES, rows, files))

    def test_a_chain_of_a_compiled_script_reads_its_inputs_and_writes_what_is_used_later(self):
        def pointwise(index, reads, writes, after=()):
            return operation(index, "mul", after=after, kind="pointwise", reads=tuple((one, 8) for one in reads),
                             writes=tuple((one, 8) for one in writes), memory_bytes=8 * (len(reads) + len(writes)))
        chain = [pointwise(0, [1, 2], [3]), pointwise(1, [3], [4]), pointwise(2, [4, 1], [5]), operation(3, memory_bytes=7, reads=((5, 8), (3, 8)))]
        # It reads 1 and 2, and writes 3 and 5, which the product reads; 4 is used inside alone.
        self.assertEqual([one.memory_bytes for one in fusion.fuse_chains(chain)], [8 * 4, 0, 0, 7])
        chain[1].after = [0]  # waits for another stream: a chain of its own begins
        self.assertEqual([one.memory_bytes for one in fusion.fuse_chains(chain)], [24, 24, 0, 7])

    def test_groups_that_the_graph_cannot_carry_are_listed(self):
        def reasons(name, ranks):
            return export.unsupported(captured([operation(0, name, kind="collective", payload=8, ranks=ranks)]))
        self.assertEqual(reasons("all_reduce", ALL) + reasons("all_gather", tuple(range(8))) + reasons("all_reduce", (0, 1)), [])
        self.assertEqual(reasons("all_reduce", (0, 1, 5)), ["1 `all_reduce` among ranks 0+1+5 of 16 have no schedule"])
        self.assertEqual(reasons("all_reduce", (0, 1, 2)), ["1 `all_reduce` among ranks 0:1:3 of 16 have no schedule"])
        self.assertEqual(reasons("gather", ALL), ["1 `gather` among ranks 0:1:16 of 16 have no schedule"])

    def test_messages_of_ranks_that_all_do_the_same_have_rows(self):
        def message(index, name, peer, after=(), ranks=ALL, **values):
            return operation(index, name, "communicator 0", list(after), kind=name, peer=peer, ranks=ranks,
                             **({"payload": 8, "place": f"ring.py:{index}"} | values))
        def reasons(*messages):
            return export.unsupported(captured(list(messages)))
        ring = [message(0, "send", 1), message(1, "recv", 15)]
        self.assertEqual(reasons(*ring), [])
        lines = export.graph_lines(export.fuse(captured(ring)), RATES)
        self.assertEqual(lines, [export.GRAPH_COLUMNS + ",peer", "send,communication,,,send,8,all,,,,,,,+1",
                                 "recv,communication,,,recv,8,all,,,,,,,-1"])
        self.assertEqual(reasons(message(0, "send", 1, ranks=(0, 8)), message(1, "recv", 1, ranks=(0, 8))), [])  # each other
        self.assertEqual(reasons(ring[0]), ["`send` at ring.py:0 (+1 in its group) has no other end: ranks differ, as stages of a "
                                            "pipeline do"])
        self.assertEqual(reasons(ring[0], message(1, "recv", 15, after=[0])),
                         ["`send` at ring.py:0 is waited for before its other end: ranks that all do the same would wait for each "
                          "other; `batch_isend_irecv` launches both at once"])
        self.assertEqual(reasons(ring[0], message(1, "recv", 15, payload=9)), ["`recv` at ring.py:1 of 9 B, and its other end has 8"])
        self.assertEqual(reasons(message(0, "recv", None)), ["`recv` at ring.py:0 takes messages of any rank"])

    def test_operations_of_the_host_are_dropped_and_what_they_waited_for_stays(self):
        steps = [operation(0), operation(1, stream="other", after=[0]), operation(2, "copy", "other", on_host=True),
                 operation(3, after=[2])]
        kept = drop_operations(cut_step(steps, 0, 4), lambda one: not one.on_host)
        self.assertEqual([(one.index, one.after) for one in kept], [(0, []), (1, [0]), (2, [1])])

    def test_the_screen_names_groups_waits_and_what_was_not_understood(self):
        step = captured([operation(0, flops=2 * 10**12),
                         operation(1, "all_gather", "communicator 0", kind="collective", payload=3 * 10**9, ranks=tuple(range(8))),
                         operation(2, "read of a value", "host", kind="host", place="train.py:31")])
        step.notes = ["saving of checkpoints is left out"]
        screen = report(step, RATES, export.fuse(step), ["a.csv"])
        for line in ("computing   2 TFLOP in 2 operations, 2 s by a roofline", "all_gather  0:1:8 (node)       1   3 GB",
                     "host waits  1 x read of a value at train.py:31", "not understood  saving of checkpoints is left out"):
            self.assertIn(line, screen)
        self.assertLessEqual(len(screen.splitlines()), 15)


class Parts(unittest.TestCase):
    def test_ranks_have_names_and_reaches(self):
        self.assertEqual([groups.name_ranks(one) for one in ([0, 1, 2], [1, 9], [5], [0, 1, 3])], ["0:1:3", "1:8:2", "5:1:1", "0+1+3"])
        reaches = [groups.reach_of(one, 16, 8) for one in (range(16), range(8, 16), [2, 10], range(4, 12), [0, 1])]
        self.assertEqual(reaches, ["all", "node", "nodes", None, None])

    def test_groups_have_a_word_or_their_ranks(self):
        columns = [groups.columns_of(name, ranks, 16, 8) for name, ranks in
                   (("all_reduce", range(16)), ("all_gather", range(8)), ("all_reduce", [2, 10]), ("all_gather", [2, 10]),
                    ("broadcast", range(8)), ("all_reduce", [4, 5, 6, 7]), ("all_reduce", [1, 3]), ("all_reduce", [2, 4]), ("reduce", range(16)))]
        self.assertEqual(columns, [("all", ""), ("node", ""), ("nodes", ""), ("", "2:8:2"), ("", "0:1:8"), ("", "4:1:4"), ("", "1:2:2"), None, None])

    def test_rates_have_units_and_devices_their_peaks(self):
        self.assertEqual(roofline.parse_rate("990 Tflop/s", "FLOP/s", ""), 990e12)
        h100 = roofline.read_device(ROOT / "scenarios" / "devices" / "h100_sxm_datasheet.yaml")
        self.assertAlmostEqual(h100.flops["bf16"], 989e12 * 0.803)
        self.assertEqual((h100.flops["fp32"], h100.memory, h100.device), (67e12, 3.35e12, "h100_sxm_datasheet"))
        v100 = roofline.read_device(ROOT / "scenarios" / "devices" / "v100_sxm2_datasheet.yaml")
        self.assertAlmostEqual(v100.memory, 900e9 * 0.46)
        self.assertAlmostEqual(v100.seconds(operation(0, flops=int(15.7e9), dtype="float32")), 1e-3 / 0.823)

    def test_quantities_have_six_digits(self):
        self.assertEqual([quantity(one, "B") for one in (26429366272, 512, 97243552)], ["26.4294 GB", "512 B", "97.2436 MB"])

    def test_a_read_number_prints_and_computes_and_its_tests_turn_in_the_last_step(self):
        reads = values.Reads(steps=3)
        number = reads.mark(0.5, "train.py:3")
        self.assertEqual(f"{number / 2:.3f}", "0.250")
        self.assertEqual((number * 2).read_at, "train.py:3")
        with mock.patch.object(values, "called_by_library", lambda: False):
            outcomes = []
            for _ in range(3):
                outcomes.append(number < 1)
                reads.end_step()
        self.assertEqual(outcomes, [True, True, False])
        self.assertIn("`--read train.py:3=VALUE`", str(reads.steering_test()))


class Options(unittest.TestCase):
    def assert_refused(self, text, *arguments):
        code, out, err = outcome("capture", "--world", "8", "-o", "unwritten", *arguments, "--", "train.py")
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, f"error: {text}\n")

    def test_pytorch_that_is_absent_or_of_another_version(self):
        hint = "  hint: install one of them: `pip install torch==2.15.0`; a CPU build is enough"
        with mock.patch.object(versions.importlib.util, "find_spec", lambda name: None):
            self.assert_refused(f"capture needs PyTorch 2.9 and 2.15, and none is installed\n{hint}")
        old = types.ModuleType("torch")
        old.__version__ = "1.13.1"
        with mock.patch.dict(sys.modules, {"torch": old}), mock.patch.object(versions.importlib.util, "find_spec", lambda name: old):
            self.assert_refused(f"PyTorch 1.13.1 is not supported: capture is tested with PyTorch 2.9 and 2.15\n{hint}")
        self.assertEqual([versions.supported(one) for one in ("2.9.1+cpu", "2.15.0", "2.1.0", "2.10.0")], [True, True, False, False])

    def test_options_that_are_wrong(self):
        self.assert_refused("--ranks: expected different whole numbers with commas between them, found `0,0`\n  hint: such as 0,16,48",
                            "--ranks", "0,0")
        self.assert_refused("--flops-rate: expected a rate in FLOP/s, found `990`\n  hint: such as `990 TFLOP/s`", "--flops-rate", "990")
        self.assert_refused("--memory-rate: expected a rate above 0, found `0 TB/s`", "--memory-rate", "0 TB/s")
        self.assert_refused("--device: a device and rates are stated\n  hint: state `--device`, or `--flops-rate` and `--memory-rate`",
                            "--device", "x", "--flops-rate", "1 FLOP/s")
        self.assert_refused("--device: no such file: x.yaml\n  hint: state a file of scenarios/devices, or `--flops-rate`", "--device", "x.yaml")
        self.assert_refused("--read: expected FILE:LINE=VALUE, found `train.py=1`\n  hint: such as `--read train.py:31=0.5`",
                            "--read", "train.py=1")

    def test_usage(self):
        self.assertEqual(outcome("version"), (0, "gradsim 0.2.0\n", ""))
        self.assertEqual(outcome()[0], 2)
        self.assertEqual(outcome("capture")[0], 2)
        self.assertIn("unknown command `caption`", outcome("caption")[2])
        self.assertEqual(outcome("capture", "--help")[0], 0)

    def test_a_refusal_has_a_place_a_sentence_and_a_hint(self):
        self.assertEqual(str(refusal.CaptureRefused("train.py:3", "no", "do")), "train.py:3: no\n  hint: do")


if __name__ == "__main__":
    unittest.main()
