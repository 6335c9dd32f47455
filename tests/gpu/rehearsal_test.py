"""A first contact rehearsed: stages on the processor, whole and broken off, imported, and run by `sim`.

rehearsal_test.py BIN_DIR
"""
import contextlib
import gzip
import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path[:0] = [os.path.join(ROOT, "calibrate/first_contact"), os.path.join(ROOT, "calibrate/probes")]
import import_device  # noqa: E402
import import_results  # noqa: E402
import pytorch_statistics  # noqa: E402
import results  # noqa: E402
import run  # noqa: E402
import stages  # noqa: E402

BIN = os.path.abspath(sys.argv.pop(1))
CALIBRATE, SIM = os.path.join(BIN, "calibrate"), os.path.join(BIN, "sim")
MEASURED = ("topk", "int8")
SIZES = ("100000", "200000", "400000")


def kernels(place):
    commands = []
    for size in SIZES:
        for name in MEASURED:
            case = f"{name}_{size}"
            options = ("--compressors", name, "--elements", size, "--seconds", "10ms", "--quiet")
            files = ("-o", os.path.join(place.folder, f"{case}.csv"))
            commands.append(stages.Command(case, (CALIBRATE, "probe", "kernels", *options, *files), 60))
    level = os.path.join(ROOT, "tests/gpu/level_times.py")
    for name in MEASURED:  # the smallest size last: the others take its times
        for size in reversed(SIZES):
            files = [os.path.join(place.folder, f"{name}_{of}.csv") for of in (size, SIZES[0])]
            commands.append(stages.Command(f"level_{name}_{size}", (sys.executable, "-B", level, *files), 60))
    return commands


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def table(collective):
    """Two ranks on one device: 40 us + 0.25 ns a byte, made up."""
    lines = [
        f"# collective={collective}; nranks=2; nodes=2",
        "# gpus=1x a processor",
        "# tool=made up for a rehearsal",
        "# licence=facts: measured figures, free to use",
        "size_bytes,time_us",
    ]
    lines += [f"{4 << i},{40 + 0.25e-3 * (4 << i):.4f}" for i in range(10, 24)]
    return "\n".join(lines) + "\n"


def record():
    """Ten recorded steps of eight workers; norms fall, gains too."""
    facts = {
        "model": "resnet18",
        "data_set": "fashion_mnist",
        "data_set_samples": 60000,
        "workers": 8,
        "batch": 32,
        "compression": "none",
        "gains_of": "topk",
        "source": "made up for a rehearsal",
        "licence": "facts: measured figures, free to use",
    }
    rows = []
    for step in range(1, 11):
        row = {"step": step, "samples": 256 * step, "loss": 2.3 / step, "accuracy": 0.1 + 0.05 * step}
        row |= {"mean_squared_norm": 1 / step, "noise_scale": None, "learning_rate": 0.1, "test_loss": 2 / step}
        row |= {f"squared_norm_{i}": 2 / step for i in range(8)}
        row |= {f"gain_{r:g}": r**0.2 / step**0.1 for r in pytorch_statistics.RATIOS}
        row |= {f"gain_raw_{r:g}": r**0.3 / step**0.1 for r in pytorch_statistics.RATIOS}
        rows.append(row)
    return pytorch_statistics.print_record(facts, 8, rows)


class Folders(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.base)
        self.out, self.state, self.into = (os.path.join(self.base, name) for name in ("out", "state", "tree"))
        os.makedirs(self.out)
        os.makedirs(self.state)

    def bring_in(self):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
            status = import_results.main([self.out, "--calibrate", CALIBRATE, "--into", self.into])
        return status, said.getvalue()

    def contents(self):
        found = {}
        for path in results.files_below(self.into):
            with open(os.path.join(self.into, path), "rb") as file:
                found[path] = file.read()
        return found


class Rehearsal(Folders):
    def measure(self):
        """The folder as ./dev gpu --device cpu writes it, with tables, a trace and a record as a GPU node would add."""
        contact = run.FirstContact(self.out, self.state, "cpu")
        contact.record["device"] = "cpu"
        stage = [stages.Stage("kernels", 1, "times of compressors", kernels, needs_build=False)]
        stage += [
            stages.Stage(name, 1, "as a GPU node writes it", self.made_up(write_files), needs_build=False)
            for name, write_files in (("nccl", self.write_tables), ("traces", self.write_trace), ("statistics", self.write_record))
        ]
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertTrue(contact.run(10, stage))

    def made_up(self, write_files):
        """Commands of a stage whose files are written when it begins."""

        def commands(place):
            write_files()
            return [stages.Command("a", ("true",), 9)]

        return commands

    def write_tables(self):
        for collective in ("all_reduce", "all_gather"):
            write(os.path.join(self.state, "nccl", f"own_{collective}", f"{collective}.csv"), table(collective))

    def write_trace(self):
        with open(os.path.join(ROOT, "tests/calibrate/logs/one_step_2_ranks.json"), "rb") as trace:
            with gzip.open(os.path.join(self.state, "traces", "tiny_b1.json.gz"), "wb") as zipped:
                zipped.write(trace.read())

    def write_record(self):
        write(os.path.join(self.state, "statistics", "resnet18_fashion_mnist.csv"), record())

    def test_what_is_brought_home_is_imported_twice_alike_and_runs(self):
        self.measure()
        self.assertLessEqual(len(os.listdir(self.out)), 8)
        status, said = self.bring_in()
        self.assertEqual(status, 0)
        self.assertRegex(
            said,
            r"^dev gpu-import: NCCL, every second size from the others: median error [0-9.]+ %, 90th percentile [0-9.]+ %\n"
            r"dev gpu-import: left out: device file: no copy of 25000000 values or more was measured\n$",
        )
        once = self.contents()
        name = next(path for path in once if path.startswith("scenarios/kernel_times/"))[len("scenarios/kernel_times/") : -4]
        for path in (
            f"scenarios/kernel_times/{name}.yaml",
            f"scenarios/collective_times/{name}.yaml",
            f"scenarios/measurements/{name}_own_all_reduce.csv",
            f"scenarios/workloads/tiny_b1_{name}.yaml",
            f"scenarios/learners/resnet18_fashion_mnist_{name}.csv",
            "tests/ledger.yaml",
            "docs/performance.md",
        ):
            self.assertIn(path, once)
        for path in (f"scenarios/kernel_times/{name}.csv", f"scenarios/learners/resnet18_fashion_mnist_{name}.csv"):
            self.assertIn(b"rehearsal: times of a processor, not of a GPU", once[path])
        self.assertEqual(self.bring_in()[0], 0)
        self.assertEqual(self.contents(), once)
        self.check_ledger()
        self.check_run(name)

    def check_ledger(self):
        done = subprocess.run(
            (CALIBRATE, "validate", os.path.join(self.into, "tests/ledger.yaml")), capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def check_run(self, name):
        if not os.path.exists(SIM):
            self.skipTest("no sim in this build")
        tree = os.path.join(self.into, "scenarios")
        scenario = os.path.join(tree, "first.yaml")
        text = f"""\
            # Does what was brought home run?
            workload: workloads/tiny_b1_{name}.yaml
            cluster:
              workers: 2
              link: {{latency: 30 us, bandwidth: 10 Gbit/s}}
              collective_times: collective_times/{name}.yaml
              extrapolate: true
            training: {{batch: 1, steps: 10}}
            learner: {{kind: replay, file: learners/resnet18_fashion_mnist_{name}.csv}}
            compression: {{method: topk, ratio: 10 %, kernel_times: kernel_times/{name}.yaml}}
            """
        write(scenario, textwrap.dedent(text))
        done = subprocess.run((SIM, "run", scenario, "--format", "json"), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("measured", done.stdout)
        json.loads(done.stdout)

    def test_archives_cut_at_any_place_are_named_and_the_rest_is_imported(self):
        self.measure()
        path = os.path.join(self.out, "nccl.tar.gz")
        with open(path, "rb") as file:
            whole = file.read()
        for share in (0, 0.1, 0.5, 0.99):
            with open(path, "wb") as file:
                file.write(whole[: int(share * len(whole))])
            shutil.rmtree(self.into, ignore_errors=True)
            status, said = self.bring_in()
            self.assertEqual(status, 0, said)
            self.assertIn("nccl.tar.gz: damaged", said)
            self.assertTrue(any(path.startswith("scenarios/kernel_times/") for path in self.contents()))

    def test_a_row_cut_in_the_middle_is_left_out_by_name(self):
        self.measure()
        path = os.path.join(self.state, "statistics", "resnet18_fashion_mnist.csv")
        write(path, "# model: resnet18\n")
        results.write_archive(self.state, self.out, "statistics")
        status, said = self.bring_in()
        self.assertEqual(status, 0)
        self.assertIn("left out: resnet18_fashion_mnist.csv: no recorded step", said)


def shaped_table(operation, ranks, mbit, time_of, note=""):
    """As `calibrate probe nccl` writes one; `time_of(bytes)` in s."""
    lines = [f"# collective={operation}; nranks={ranks}; nodes={ranks}", f"# network=sockets over {mbit} Mbit/s per direction, 0 us added one way"]
    lines += [f"# note={note}"] if note else []
    sizes = [4, 64, *(65536 << i for i in range(7))][0 if ranks == 2 else 2 :]
    rows = [f"{size},{1e6 * time_of(size):.6f},{size / time_of(size) / 1e9:.4g}" for size in sizes]
    return "\n".join([*lines, "size_bytes,time_us,algbw_GBs", *rows]) + "\n"


class ShapedLinks(Folders):
    """Times of an exact network, 50 us and four fifths of the line rate: what is imported predicts them but for the shares of rings."""

    def write_shaped(self):
        latency, kept = 50e-6, "compression ratio 0.1; the size is the dense gradient's"
        for mbit in (1000, 200):
            rate = 0.8 * mbit * 1e6 / 8
            chain = lambda size: (math.ceil(size / 524288) + 1) * (latency + size / (math.ceil(size / 524288) * rate))  # noqa: E731
            ring = lambda size: 4 * (latency + size / 3 / rate)  # noqa: E731
            sparse = lambda size: int(size / 4 * 0.1) * 4  # noqa: E731
            computing = lambda size: 100e-6 + size / 10e9  # noqa: E731
            tables = {
                "all_reduce": ring,
                "all_gather": lambda size: ring(size) / 2,
                "broadcast": chain,
                "topk_all_gather_messages": lambda size: ring(3 * sparse(size)),
                "ar_topk_messages": lambda size: chain(sparse(size)) + ring(sparse(size)),
                "topk_all_gather": lambda size: ring(3 * sparse(size)) + computing(size),
                "topk_all_gather_local": computing,
                "ar_topk": lambda size: chain(sparse(size)) + ring(sparse(size)) + 3 * computing(size),
                "ar_topk_select": computing,
                "ar_topk_apply": lambda size: 2 * computing(size),
            }
            folder = os.path.join(self.state, "nccl", "shaped")
            ping = shaped_table("point_to_point", 2, mbit, lambda size: latency + size / rate)
            write(os.path.join(folder, f"ping_pong_{mbit}", "point_to_point.csv"), ping)
            for operation, time_of in tables.items():
                compressed = "topk" in operation and "messages" not in operation
                text = shaped_table(operation, 3, mbit, time_of, kept if "topk" in operation else "")
                write(os.path.join(folder, f"{'compressed_' if compressed else ''}n3_{mbit}", f"{operation}.csv"), text)
        results.write_archive(self.state, self.out, "nccl")
        results.write_record(self.out, {"schema_version": 1, "device": "cpu", "stages": {}})

    def test_are_compared_with_the_prediction_from_ping_pongs_and_become_an_entry(self):
        self.write_shaped()
        status, said = self.bring_in()
        self.assertEqual(status, 0, said)
        found = re.search(r"shaped links, predicted from the ping-pong at another rate: median error ([0-9.]+) %, 90th percentile ([0-9.]+) %", said)
        self.assertTrue(found, said)
        self.assertLess(float(found.group(2)), 10)  # rings send both ways at once, which the fit takes to cost a share
        once = self.contents()
        ledger = once["tests/ledger.yaml"].decode()
        self.assertIn("rule: nccl_other_bandwidth\n", ledger)
        self.assertIn(found.group(0)[: len("shaped links")], once["docs/performance.md"].decode())
        table = next(text for path, text in once.items() if path.endswith("_shaped_live.csv")).decode()
        self.assertIn("\nnccl,topk_allgather,ring,3,200,0,104856,", table)
        self.assertIn("\nnccl,allgather,ring,3,1000,0,1398101,", table)
        self.assertIn("\nnccl,artopk_exchange,ring,3,200,0,104856,", table)
        done = subprocess.run(
            (CALIBRATE, "validate", os.path.join(self.into, "tests/ledger.yaml")), capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.bring_in()[0], 0)
        self.assertEqual(self.contents(), once)

    def compare(self):
        script = os.path.join(ROOT, "calibrate/first_contact/import_shaped.py")
        words = (sys.executable, "-B", script, os.path.join(self.state, "nccl", "shaped"), "--calibrate", CALIBRATE)
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def test_are_printed_beside_their_predictions(self):
        self.write_shaped()
        done = self.compare()
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["exchange", "measured", "(ms)", "predicted", "(ms)", "error", "(%)"])
        rows = {line[:28].strip() for line in lines[1:-1]}
        self.assertEqual(
            rows,
            {"allreduce ring", "allgather ring", "bcast nccl_chain", "topk_allgather ring", "artopk ring", "topk_exchange ring", "artopk_exchange ring"},
        )
        self.assertRegex(lines[-1], r"^predicted from the ping-pong at the other rate: median error [0-9.]+ %, 90th percentile [0-9.]+ %$")
        for line in lines[1:-1]:
            measured, predicted, error = (float(word) for word in line.split()[-3:])
            self.assertAlmostEqual(100 * (predicted / measured - 1), error, delta=1)
            self.assertLess(abs(error), 10)

    def test_of_one_rate_are_not_compared(self):
        self.write_shaped()
        for folder in ("ping_pong_200", "n3_200", "compressed_n3_200"):
            shutil.rmtree(os.path.join(self.state, "nccl", "shaped", folder))
        results.write_archive(self.state, self.out, "nccl")
        _, said = self.bring_in()
        self.assertNotIn("another rate", said)
        self.assertNotIn("nccl_other_bandwidth", self.contents()["tests/ledger.yaml"].decode())
        done = self.compare()
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, "import_shaped: nothing to compare: ping-pongs and exchanges at two line rates are needed\n")


class BrokenOff(Folders):
    """The stage of the kernels is broken off in ways of its own; what was measured before stays importable."""

    SCRIPT = """
        import sys
        sys.path[:0] = [{first!r}]
        sys.argv[1:] = []
        import run, stages
        run.KEEP_EVERY_S = 0
        def commands(place):
            copy = ("bash", "-c", {write!r})
            return [stages.Command("first", copy, 9), stages.Command("hang", ("bash", "-c", "echo > {mark}; sleep 1000"), 1000)]
        contact = run.FirstContact({out!r}, {state!r}, "cpu")
        contact.record["device"] = "cpu"
        import signal
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        contact.run(10, [stages.Stage("kernels", 9, "times", commands, needs_build=False)])
    """

    def broken_off(self, wanted):
        """@returns the status of a run that is sent a signal during its second command"""
        mark = os.path.join(self.base, "begun")
        os.mkfifo(mark)
        measure = f"{CALIBRATE} probe kernels --compressors int8 --elements 1000,2000,4000 --seconds 1ms --quiet -o {self.state}/kernels/int8.csv"
        script = textwrap.dedent(self.SCRIPT).format(
            first=os.path.join(ROOT, "calibrate/first_contact"), write=measure, mark=mark, out=self.out, state=self.state
        )
        process = subprocess.Popen((sys.executable, "-B", "-c", script), stderr=subprocess.DEVNULL, start_new_session=True)
        with open(mark, encoding="ascii"):  # opens once the second command has begun
            pass
        process.send_signal(wanted)
        process.wait()
        if wanted == signal.SIGKILL:  # nobody ends what it started
            for child in self.sleepers(mark):
                os.kill(child, signal.SIGKILL)
        return process.returncode

    def sleepers(self, mark):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if mark.encode() in file.read() and int(pid) != os.getpid():
                        found.append(int(pid))
        return found

    def test_a_killed_run_leaves_what_was_measured(self):
        self.assertEqual(self.broken_off(signal.SIGKILL), -signal.SIGKILL)
        self.check_importable()

    def test_a_run_that_is_asked_to_end_leaves_what_was_measured(self):
        self.assertEqual(self.broken_off(signal.SIGTERM), 143)
        self.assertEqual(results.read_record(self.out)["stages"]["kernels"]["state"], "partial")
        self.check_importable()

    def check_importable(self):
        self.assertEqual(results.read_record(self.out)["stages"]["kernels"]["cases"], {"first": {"state": "done"}})
        status, said = self.bring_in()
        self.assertEqual(status, 0, said)
        self.assertTrue(any(path.startswith("scenarios/kernel_times/") for path in self.contents()))

    def test_a_device_lost_in_the_middle_leaves_what_was_measured(self):
        lost = os.path.join(self.base, "lost")
        texts = [
            f"{CALIBRATE} probe kernels --compressors int8 --elements 1000,2000,4000 --seconds 1ms --quiet -o {self.state}/kernels/int8.csv",
            f"touch {lost}; echo cudaErrorDeviceUnavailable >&2; exit 3",
            f"test ! -e {lost} || exit 3",
        ]
        commands = [stages.Command(f"case_{i}", ("bash", "-c", text), 60) for i, text in enumerate(texts)]
        contact = run.FirstContact(self.out, self.state, "cpu")
        contact.record["device"] = "cpu"
        with contextlib.redirect_stderr(io.StringIO()) as said:
            contact.run(10, [stages.Stage("kernels", 9, "times", lambda place: commands, needs_build=False)])
        self.assertIn("kernels: case_1: exit code 3: cudaErrorDeviceUnavailable\ndev gpu: kernels: case_2: exit code 3\n", said.getvalue())
        cases = results.read_record(self.out)["stages"]["kernels"]["cases"]
        self.assertEqual([case["state"] for case in cases.values()], ["done", "failed", "failed"])
        status, _ = self.bring_in()
        self.assertEqual(status, 0)

    def test_a_disk_that_fills_up_leaves_the_archives_that_were_whole(self):
        """On a file system of its own of 96 KiB, where this user may mount one."""
        script = textwrap.dedent(
            f"""
            mount -t tmpfs -o size=96k none {self.out} || exit 3
            {sys.executable} -B -c '
            import sys
            sys.path[:0] = ["{ROOT}/calibrate/first_contact"]
            import run, stages
            contact = run.FirstContact("{self.out}", "{self.state}", "cpu")
            contact.record["device"] = "cpu"
            def write(text):
                return lambda place: [stages.Command("a", ("bash", "-c", text), 60)]
            measure = "{CALIBRATE} probe kernels --compressors int8 --elements 1000,2000,4000 --seconds 1ms --quiet -o {self.state}/kernels/int8.csv"
            rows = [stages.Stage("kernels", 1, "times", write(measure), needs_build=False)]
            rows += [stages.Stage("nccl", 1, "large", write("head -c 300000 /dev/urandom > {self.state}/nccl/large"), needs_build=False)]
            contact.run(10, rows)
            '
            cp -r {self.out} {self.base}/rescued
            """
        )
        done = subprocess.run(("unshare", "-rm", "bash", "-c", script), capture_output=True, text=True, check=False)
        if done.returncode == 3 or "unshare" in done.stderr:
            self.skipTest("this user may not mount a file system")
        self.assertIn("nccl: its results could not be written: [Errno 28]", done.stderr)
        self.out = os.path.join(self.base, "rescued")
        self.assertNotIn("nccl.tar.gz", os.listdir(self.out))
        status, said = self.bring_in()
        self.assertEqual(status, 0, said)
        self.assertTrue(any(path.startswith("scenarios/kernel_times/") for path in self.contents()))


class DeviceFiles(unittest.TestCase):
    FOLDER = os.path.join(ROOT, "scenarios/devices")

    def made(self, device, elements, copy_us):
        rows = [{"elements": elements, "copy_us": copy_us}]
        return import_device.device_file(device, "a_name", rows, ["results sha256:0"], self.FOLDER)

    def test_has_the_peaks_of_its_datasheet_and_the_bandwidth_of_its_copies(self):
        # 8 x 10^8 bytes in 200 us are 4 TB/s, of 4.8.
        text, why = self.made("NVIDIA H200", 10**8, 200)
        self.assertIsNone(why)
        self.assertIn("name: a_name\n", text)
        self.assertIn("memory_efficiency:\n  share: 0.8333\n  source: \"4.000 TB/s in device-to-device copies", text)
        self.assertEqual(len(re.findall("memory_efficiency:", text)), 1)
        self.assertNotIn("aliases", text)

    def check_read(self, text):
        if not os.path.exists(SIM):
            self.skipTest("no sim in this build")
        with tempfile.TemporaryDirectory() as folder:
            layers = os.path.join(os.path.abspath(ROOT), "scenarios/workloads/layers/alexnet.csv")
            write(os.path.join(folder, "d.yaml"), text)
            write(
                os.path.join(folder, "s.yaml"),
                f"# Q\nworkload: {{name: w, provenance: made up, layers: {layers}, times: {{roofline: d.yaml, batch: 32}}}}\ncluster: {{workers: 2, link: {{latency: 1 us, bandwidth: 1 Gbit/s}}}}\n"
                "training: {batch: 32, steps: 1}\n",
            )
            done = subprocess.run((SIM, "run", os.path.join(folder, "s.yaml")), capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_is_read_by_sim(self):
        self.check_read(self.made("NVIDIA H200", 10**8, 200)[0])

    def test_is_not_made_of_small_copies_impossible_ones_or_an_unknown_name(self):
        self.assertEqual(self.made("NVIDIA H200", 10**6, 2)[1], "no copy of 25000000 values or more was measured")
        self.assertEqual(self.made("NVIDIA H200", 10**8, 100)[1], "copies at 8.00 TB/s are above the datasheet's 4.80 TB/s")
        self.assertEqual(
            self.made("GPU 7", 10**8, 200)[1],
            "neither a matrix product nor multiprocessors with their clock were recorded, and no datasheet names it",
        )
        self.assertEqual(self.made("GPU 7", 10**6, 2)[1], "no copy of 25000000 values or more was measured")

    NOTES = [
        "# GPU 7, compute capability 9.0, 132 multiprocessors (at most 1980 MHz), 150000000000 bytes of memory (at most 3201 MHz), "
        "62914560 bytes of L2 cache, driver for CUDA 12.4, runtime 12.4"
    ]

    def made_of_facts(self, products):
        rows = [{"elements": 10**8, "copy_us": 200}]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "matrix_products.csv")
            if products:
                write(path, products)
            recorded = import_device.recorded_facts(self.NOTES, path)
            return import_device.device_file("GPU 7", "gpu_7", rows, ["results sha256:0"], self.FOLDER, recorded)

    def test_of_a_device_without_a_datasheet_has_what_was_recorded_and_says_what_it_lacks(self):
        # 2 x 128 x 132 x 1.98 GHz are 66.9082 TFLOP/s; 8 x 10^8 bytes in 200 us are 4000 GB/s.
        text, lacks = self.made_of_facts(None)
        self.assertIn("precision: fp32\npeak: 66.9082 TFLOP/s\nmemory_bandwidth: 4000 GB/s\nmemory: 150000000000 B\n", text)
        self.assertIn("compute_capability: 90\n", text)
        self.assertIn("upper bound: 132 multiprocessors at 1980 MHz, as recorded; nothing was measured", text)
        wanted = "datasheet (alias in scenarios/devices), matrix products in fp32, matrix products in tf32, matrix products in bf16, matrix products in fp16"
        self.assertEqual(lacks, "written without " + wanted)
        self.assertIn(f"# Unknown: {wanted}.\n", text)
        self.check_read(text)

    def test_of_a_device_without_a_datasheet_has_the_best_products_that_were_measured(self):
        products = "# PyTorch\nprecision,size,flop_per_s\nfp32,4096,5e13\nfp32,8192,5.1e13\nbf16,8192,7.9e14\nfp16,8192,cut\nint3,1,1e12\n"
        text, lacks = self.made_of_facts(products)
        self.assertIn("peak: 51 TFLOP/s\n", text)
        self.assertIn("peaks:\n  - {precision: bf16, peak: 790 TFLOP/s}\n", text)
        self.assertEqual(
            lacks, "written without datasheet (alias in scenarios/devices), matrix products in tf32, matrix products in fp16"
        )
        self.check_read(text)


if __name__ == "__main__":
    unittest.main()
