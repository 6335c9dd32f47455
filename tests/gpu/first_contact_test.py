"""First contact with a GPU: stages that fail, hang, are killed or lose the disk; goals by hand; import twice.

first_contact_test.py BIN_DIR
"""
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../calibrate/first_contact"))
import import_results  # noqa: E402
import results  # noqa: E402
import run  # noqa: E402
import stages  # noqa: E402
import summary  # noqa: E402

CALIBRATE = os.path.join(os.path.abspath(sys.argv.pop(1)), "calibrate")
DEV = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../dev")
HEADER = "compressor,elements,ratio,repetitions,median_us,min_us,p95_us,copy_us,wire_bytes,copies,restore_us"
LONG_S = 60  # a limit that nothing here reaches


def shell(name, text, limit_s=LONG_S):
    return stages.Command(name, ("bash", "-c", text), limit_s)


def stage(name, *commands, minutes=1):
    return stages.Stage(name, minutes, "a test", lambda place: commands, needs_build=False)


class Clock:
    """Stands still until it is told."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


class Scratch(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.base)
        self.out, self.state = (os.path.join(self.base, name) for name in ("out", "state"))
        os.makedirs(self.out)
        os.makedirs(self.state)
        self.clock = Clock()

    def contact(self):
        contact = run.FirstContact(self.out, self.state, "cuda", self.clock)
        contact.record["device"] = "cuda"
        return contact

    def run_stages(self, *rows, minutes=100):
        """@returns what was said"""
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.contact().run(minutes, rows)
        return said.getvalue()

    def cases(self, name):
        return results.read_record(self.out)["stages"][name]["cases"]


class Stages(Scratch):
    def test_a_failing_case_takes_no_other_with_it(self):
        said = self.run_stages(
            stage("facts", shell("lost", "echo device lost >&2; exit 3"), shell("kept", "true")),
            stage("kernels", shell("topk", "true")),
        )
        self.assertEqual(self.cases("facts")["lost"], {"state": "failed", "why": "exit code 3"})
        self.assertEqual(self.cases("facts")["kept"], {"state": "done"})
        self.assertEqual(self.cases("kernels")["topk"], {"state": "done"})
        self.assertIn("facts: lost: exit code 3", said)

    def test_a_hang_is_ended_with_all_that_it_started_and_the_next_case_follows(self):
        pid = os.path.join(self.base, "pid")
        self.run_stages(
            stage("nccl", shell("hang", f"trap '' TERM; sleep 100000 & echo $! > {pid}; wait; wait", 1), shell("next", "true"))
        )
        self.assertEqual(self.cases("nccl")["hang"], {"state": "over_time", "why": "did not end within 1 s"})
        self.assertEqual(self.cases("nccl")["next"], {"state": "done"})
        if os.path.exists(pid):  # it had begun
            with open(pid, encoding="ascii") as file:
                child = file.read().strip()
            if child and os.path.exists(f"/proc/{child}/stat"):
                with open(f"/proc/{child}/stat", encoding="ascii") as file:
                    self.assertEqual(file.read().rpartition(")")[2].split()[0], "Z")  # dead, not yet reaped

    def test_a_killed_case_is_named_by_its_signal(self):
        self.run_stages(stage("tests", shell("killed", "kill -9 $$")))
        self.assertEqual(self.cases("tests")["killed"], {"state": "failed", "why": "signal 9"})

    def test_a_program_that_is_not_there_is_named(self):
        self.run_stages(stage("facts", stages.Command("absent", ("/nowhere/nvidia-smi",), 5)))
        self.assertEqual(self.cases("facts")["absent"]["why"], "/nowhere/nvidia-smi: No such file or directory")

    def test_a_stage_that_does_not_fit_is_not_begun(self):
        said = self.run_stages(stage("facts", shell("a", "true"), minutes=2), minutes=1)
        self.assertEqual(said, "dev gpu: facts: not begun: needs 2 min, 1.0 min are left\n")
        self.assertFalse(os.path.exists(os.path.join(self.out, results.RECORD)))

    def test_cases_that_the_time_does_not_reach_leave_the_stage_partial(self):
        row = stage("kernels", shell("a", "true"), shell("b", "true"))
        contact = self.contact()
        ticks = iter((0.0, 1.0, 61.0, 61.0))
        contact.now = lambda: next(ticks)
        contact.run_stage(row, 60)
        self.assertEqual(results.read_record(self.out)["stages"]["kernels"]["state"], "partial")
        self.assertEqual(self.cases("kernels"), {"a": {"state": "done"}})

    def test_on_a_fresh_machine_only_what_was_not_done_runs_again(self):
        count = os.path.join(self.base, "count")
        rows = [
            stage("facts", shell("a", f"echo a >> {count}")),
            stage("kernels", shell("b", f"echo b >> {count}"), shell("c", f"echo c >> {count}; exit 1")),
        ]
        self.run_stages(*rows)
        brought = os.path.join(self.base, "brought")
        shutil.move(self.out, brought)
        shutil.rmtree(self.state)
        os.makedirs(self.out)
        os.makedirs(self.state)
        said = run.arguments(["--resume", brought, "--out", self.out, "--state", self.state])
        run.resume(said)
        self.run_stages(*rows)
        with open(count, encoding="ascii") as file:
            self.assertEqual(file.read().split(), ["a", "b", "c", "c"])
        self.assertTrue(os.path.exists(os.path.join(self.state, "facts", "log.txt")))

    def test_a_full_disk_is_said_and_the_stages_go_on(self):
        whole, results.replace = results.replace, lambda path, data: self.full(path)
        try:
            said = self.run_stages(stage("facts", shell("a", "true")), stage("kernels", shell("b", "true")))
        finally:
            results.replace = whole
        self.assertIn("facts: its results could not be written: [Errno 28] No space left on device", said)
        self.assertIn("kernels: its results could not be written", said)

    def full(self, path):
        raise OSError(28, "No space left on device")

    def test_every_stage_has_one_archive_and_there_are_at_most_eight_files(self):
        held = [name for names in results.ARCHIVES.values() for name in names]
        self.assertEqual(sorted(held), sorted(row.name for row in stages.STAGES))
        self.assertLessEqual(len(results.ARCHIVES) + 2, 8)

    def test_an_archive_leaves_out_its_largest_file_where_it_would_be_too_large(self):
        os.makedirs(os.path.join(self.state, "kernels"))
        for name, size in (("small", 10), ("large", 100_000)):
            with open(os.path.join(self.state, "kernels", name), "wb") as file:
                file.write(os.urandom(size))
        most, results.MOST_BYTES = results.MOST_BYTES, 50_000
        try:
            self.assertEqual(results.write_archive(self.state, self.out, "kernels"), ["kernels/large"])
        finally:
            results.MOST_BYTES = most
        self.assertLessEqual(os.path.getsize(os.path.join(self.out, "kernels.tar.gz")), 50_000)

    def test_without_a_gpu_it_ends_with_3_and_says_what_is_missing(self):
        if not stages.missing("cuda"):
            self.skipTest("there is a GPU here")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(run.main(["--out", os.path.join(self.base, "none")]), 3)
        self.assertRegex(said.getvalue(), "dev gpu: no (NVIDIA GPU|nvcc|cmake|C\\+\\+)")
        self.assertFalse(os.path.exists(os.path.join(self.base, "none")))

    def test_the_plan_of_nine_minutes_ends_with_the_build_and_the_tests(self):
        with contextlib.redirect_stdout(io.StringIO()) as plan:
            self.assertEqual(run.main(["--dry-run", "--minutes", "9", "--out", self.out]), 0)
        ends = {line.split()[0]: line.split()[2] for line in plan.getvalue().splitlines()[1:]}
        self.assertEqual((ends["facts"], ends["build"], ends["tests"]), ("0.5", "6.5", "8.5"))
        self.assertEqual(ends["sanitize"], "no")


    def test_all_stages_fit_into_25_minutes(self):
        self.assertLessEqual(sum(row.minutes for row in stages.STAGES), 25)


def row(compressor, elements, ratio, times):
    median, restore, copy = times
    return f"{compressor},{elements},{ratio},9,{median},{median},{median},{copy},8,1,{restore}"


class Options(Scratch):
    def refused(self, *words):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as end:
            run.arguments(list(words))
        self.assertEqual(end.exception.code, 2)
        return said.getvalue().splitlines()[-1]

    def test_unknown_stages_and_no_time_are_refused(self):
        self.assertIn("unknown stage `nccI`; accepted: facts, build,", self.refused("--stages", "facts,nccI"))
        self.assertIn("--minutes: 0; accepted: above 0", self.refused("--minutes", "0"))

    def test_results_of_another_device_or_none_are_not_resumed(self):
        said = run.arguments(["--resume", self.out, "--out", self.out, "--state", self.state])
        with self.assertRaisesRegex(ValueError, "--resume: no stages.json in "):
            run.resume(said)
        results.write_record(self.out, {"schema_version": 1, "device": "cpu", "stages": {}})
        with self.assertRaisesRegex(ValueError, "--resume: results of `cpu`, not of `cuda`; name --device"):
            run.resume(said)

    def test_a_record_that_is_not_whole_is_refused(self):
        for text, why in (("{", "not JSON"), ("[]", "expected schema_version 1")):
            results.replace(os.path.join(self.out, results.RECORD), text.encode())
            with self.assertRaisesRegex(ValueError, why):
                results.read_record(self.out)


class Packing(Scratch):
    """The functions of ./dev that bring training data along and bound the archive."""

    def shell(self, call, **environment):
        functions = "".join(
            f"source <(sed -n '/^{name}() {{/,/^}}/p' {DEV});" for name in ("pack_training_data", "check_pack_size")
        )
        stubs = "say() { echo \"$*\"; }; fail() { echo \"$*\"; exit 1; };"
        return subprocess.run(
            ("bash", "-c", f"{stubs} {functions} {call}"),
            capture_output=True,
            text=True,
            cwd=self.base,
            env={**os.environ, **environment},
            check=False,
        )

    def archive(self, size):
        path = os.path.join(self.base, "a.tar.gz")
        with open(path, "wb") as file:
            file.truncate(size)
        return path

    def test_an_archive_has_at_most_60_mb(self):
        path = self.archive(60_000_000)
        self.assertEqual(self.shell(f"check_pack_size {path}").returncode, 0)
        path = self.archive(60_000_001)
        done = self.shell(f"check_pack_size {path}", GRADSIM_DATA="sets")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "pack: the archive has 60000001 bytes, more than 60000000; take data out of sets\n")
        self.assertFalse(os.path.exists(path))

    def test_data_are_brought_along_and_those_that_are_missing_are_named(self):
        os.makedirs(os.path.join(self.base, "sets", "tinyshakespeare"))
        done = self.shell("pack_training_data into", GRADSIM_DATA="sets")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            done.stdout,
            "pack: no sets/fashion-mnist; its statistics cannot be recorded (GRADSIM_DATA names another folder)\n",
        )
        self.assertEqual(os.listdir(os.path.join(self.base, "into")), ["tinyshakespeare"])


class Goals(unittest.TestCase):
    def verdict(self, *lines):
        return summary.verdict(summary.GOALS[0], summary.read_times("\n".join([HEADER, *lines])))

    def test_is_reached_by_compressing_alone(self):  # (190 - 20) / 100
        self.assertEqual(self.verdict(row("topk", 25_000_000, 0.01, (190, 20, 100))), ("reached", "1.70"))

    def test_is_missed_by_the_worst_size(self):  # 204 / 100 over 1.7: 20 %
        lines = [row("topk", 25_000_000, 0.01, (100, 0, 100)), row("topk", 10**8, 0.001, (204, 0, 100))]
        self.assertEqual(self.verdict(*lines), ("missed by 20 %", "2.04"))

    def test_is_not_measured_by_small_sizes_other_ratios_or_half_rows(self):
        lines = [row("topk", 10**6, 0.01, (1, 0, 1)), row("topk", 10**8, 0.1, (1, 0, 1)), "topk,100000000,0.01,9"]
        self.assertEqual(self.verdict(*lines), ("not measured", ""))


class Page(Scratch):
    def test_has_what_compression_costs_inside_pytorch_of_whole_rows(self):
        os.makedirs(os.path.join(self.state, "traces"))
        with open(os.path.join(self.state, "traces", "compression.csv"), "w", encoding="utf-8") as file:
            file.write("# device=Test GPU 7\nmodel,method,grain,pieces,values,repetitions,median_ms\n")
            file.write("resnet50,topk,bucket,5,25557032,9,1.5\nlinear_24x1024,fp16,ddp_pass,1,25190400,9,2.25\nvgg16,int8,tens")
        text = summary.page({"device": "cuda", "stages": {}}, self.state)
        self.assertTrue(text.endswith("| resnet50, topk | bucket | 1.50 |\n| linear_24x1024, fp16 | ddp pass | 2.25 |\n"), text)

    def test_has_no_table_where_nothing_was_measured(self):
        self.assertNotIn("PyTorch", summary.page({"device": "cuda", "stages": {}}, self.state))


class Importing(Scratch):
    def write_results(self, device="cuda"):
        os.makedirs(os.path.join(self.state, "kernels"))
        for size in (1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000):
            rows = [row("int8", size, 1, (size / 1000, size / 4000, size / 2000))]
            with open(os.path.join(self.state, "kernels", f"int8_{size}.csv"), "w", encoding="utf-8") as file:
                file.write("\n".join(["# device=Test GPU 7", "# licence: facts", HEADER, *rows]) + "\n")
        results.write_archive(self.state, self.out, "kernels")
        results.write_record(self.out, {"schema_version": 1, "device": device, "stages": {}})

    def bring_in(self, *options):
        into = os.path.join(self.base, "tree")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
            status = import_results.main([self.out, "--calibrate", CALIBRATE, *(options or ("--into", into))])
        return status, said.getvalue(), into

    def contents(self, into):
        found = {}
        for path in results.files_below(into):
            with open(os.path.join(into, path), "rb") as file:
                found[path] = file.read()
        return found

    def test_times_and_costs_carry_device_and_hash_and_twice_is_as_once(self):
        self.write_results()
        status, said, into = self.bring_in()
        self.assertEqual(status, 0)
        self.assertEqual(
            said,
            "dev gpu-import: left out: device file: no copy of 25000000 values or more was measured\n",
        )
        once = self.contents(into)
        self.assertEqual(
            sorted(once),
            ["docs/performance.md", "scenarios/kernel_times/test_gpu_7.csv", "scenarios/kernel_times/test_gpu_7.yaml"],
        )
        self.assertIn(b"# results sha256:", once["scenarios/kernel_times/test_gpu_7.csv"])
        self.assertIn(b"device: 'Test GPU 7'", once["scenarios/kernel_times/test_gpu_7.yaml"])
        self.assertEqual(self.bring_in()[0], 0)
        self.assertEqual(self.contents(into), once)

    def test_a_rehearsal_is_labelled_and_not_taken_into_the_repository(self):
        self.write_results("cpu")
        status, said, _ = self.bring_in("--calibrate", CALIBRATE)
        self.assertEqual(status, 1)
        self.assertIn("is a rehearsal without a GPU; name a folder for it by --into", said)
        _, _, into = self.bring_in()
        self.assertIn(b"rehearsal: times of a processor", self.contents(into)["scenarios/kernel_times/test_gpu_7.csv"])

    def test_a_damaged_archive_is_named_and_the_rest_is_imported(self):
        self.write_results()
        with open(os.path.join(self.out, "nccl.tar.gz"), "wb") as file:
            file.write(b"half")
        status, said, into = self.bring_in()
        self.assertEqual(status, 0)
        self.assertIn("nccl.tar.gz: damaged", said)
        self.assertIn("scenarios/kernel_times/test_gpu_7.csv", self.contents(into))

    def test_a_folder_of_something_else_is_refused(self):
        status, said, _ = self.bring_in()
        self.assertEqual(status, 1)
        self.assertIn("no stages.json in", said)

    def test_tables_of_nccl_say_which_choice_they_are_of(self):
        self.write_results()
        folder = os.path.join(self.state, "nccl", "ring_ll_all_reduce")
        os.makedirs(folder)
        with open(os.path.join(folder, "all_reduce.csv"), "w", encoding="utf-8") as file:
            file.write("# collective=all_reduce; nranks=2\nsize_bytes,time_us\n4,5\n")
        results.write_archive(self.state, self.out, "nccl")
        _, _, into = self.bring_in()
        table = self.contents(into)["scenarios/measurements/test_gpu_7_ring_ll_all_reduce.csv"].decode().splitlines()
        self.assertRegex(table[1], "^# note=results sha256:[0-9a-f]{64}; table ring_ll_all_reduce$")
        self.assertEqual(table[2:], ["size_bytes,time_us", "4,5"])

    def said_of(self, record):
        os.makedirs(self.out, exist_ok=True)
        with open(os.path.join(self.out, "stages.json"), "w", encoding="utf-8") as file:
            file.write(record)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            status = import_results.main([self.out, "--calibrate", "/nowhere/calibrate", "--into", os.path.join(self.state, "i")])
        return status, said.getvalue()

    def test_a_record_that_is_none_is_refused_before_the_program_is_looked_for(self):
        path = os.path.join(self.out, "stages.json")
        wanted = f"dev gpu-import: {path}: expected `stages`, each with state, seconds and cases; copy the folder again\n"
        for stages_of_record in ("", ', "stages": []', ', "stages": {"facts": {"state": "done"}}'):
            self.assertEqual(self.said_of('{"schema_version": 1' + stages_of_record + "}"), (1, wanted))
        status, said = self.said_of('{"schema_version": 1, "stages')
        self.assertEqual(status, 1)
        self.assertIn("not JSON", said)
        self.assertIn("copy the folder again, or remove the file to measure anew", said)
        self.assertEqual(
            self.said_of('{"schema_version": 1, "device": "cuda", "stages": {}}'),
            (3, "dev gpu-import: no program `/nowhere/calibrate`; build it first: ./dev build calibrate\n"),
        )

    def test_tables_of_shaped_links_are_named_by_rate_and_collective(self):
        self.write_results()
        for collective in ("all_reduce", "all_gather"):
            folder = os.path.join(self.state, "nccl", "shaped", "n2_200")
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, f"{collective}.csv"), "w", encoding="utf-8") as file:
                file.write(f"# collective={collective}; nranks=2\nsize_bytes,time_us\n4,5\n")
        results.write_archive(self.state, self.out, "nccl")
        _, _, into = self.bring_in()
        held = [path for path in self.contents(into) if "shaped" in path]
        self.assertEqual(
            held,
            [f"scenarios/measurements/test_gpu_7_shaped_n2_200_{name}.csv" for name in ("all_gather", "all_reduce")],
        )

    def test_a_section_of_the_page_is_replaced_where_it_was(self):
        page = import_results.replace_section("# Page\n", "a", "one\n") + "after\n"
        again = import_results.replace_section(page, "a", "two\n")
        self.assertEqual(again, "# Page\n\n<!-- measured on a -->\ntwo\n<!-- end of a -->\nafter\n")


if __name__ == "__main__":
    unittest.main()
