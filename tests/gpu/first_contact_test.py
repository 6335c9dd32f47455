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
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../calibrate/first_contact"))
import import_results  # noqa: E402
import results  # noqa: E402
import run  # noqa: E402
import stages  # noqa: E402
import summary  # noqa: E402

CALIBRATE = os.path.join(os.path.abspath(sys.argv.pop(1)), "calibrate")
PACK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../calibrate/first_contact/pack.sh")
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

    def test_a_stage_begins_with_the_time_that_is_left_where_that_is_enough_for_a_case(self):
        rows = [stage("facts", shell("a", "true"), minutes=2), stage("kernels", shell("b", "true"), minutes=5)]
        said = self.run_stages(*rows, minutes=1)
        self.assertIn("kernels: a test, at most 1 min", said)
        self.assertEqual(self.cases("kernels"), {"b": {"state": "done"}})

    def test_a_stage_without_time_for_a_case_is_not_begun(self):
        said = self.run_stages(stage("facts", shell("a", "true"), minutes=2), minutes=0.25)
        self.assertEqual(said, "dev gpu: facts: not begun: needs 0.3 min, 0.2 min are left\n")
        self.assertFalse(os.path.exists(os.path.join(self.out, results.RECORD)))

    def test_time_that_others_left_is_given_to_stages_that_were_not_finished(self):
        row = stage("kernels", shell("a", "true"), shell("b", "true"), minutes=1)
        contact = self.contact()
        begun = contact.now()

        def one_case_takes_a_minute(command, *_):
            self.clock.seconds += 61
            return {"state": "done"}

        with mock.patch.object(run.processes, "run_command", one_case_takes_a_minute), contextlib.redirect_stderr(io.StringIO()):
            self.assertTrue(contact.run(3, [row]))
        self.assertEqual(contact.now() - begun, 122)
        self.assertEqual(sorted(self.cases("kernels")), ["a", "b"])

    def test_a_lost_device_ends_the_run_and_what_was_measured_is_kept(self):
        rows = [
            stage("facts", shell("a", "true")),
            None,
            stage("nccl", shell("d", "true")),
        ]
        there = os.path.join(self.base, "there")
        with open(there, "w", encoding="ascii"):
            pass
        rows[1] = stage("kernels", shell("b", f"rm {there}; exit 3"), shell("c", "true"))
        with self.path_with("nvidia-smi", f"if test -e {there}; then echo GPU 0; else echo No devices were found; exit 6; fi"):
            said = self.run_stages(*rows)
        self.assertIn("the device was lost: No devices were found; what was measured before is kept", said)
        record = results.read_record(self.out)["stages"]
        self.assertEqual((record["facts"]["state"], record["kernels"]["state"]), ("done", "lost"))
        self.assertEqual(record["kernels"]["cases"], {"b": {"state": "failed", "why": "exit code 3"}})
        self.assertNotIn("nccl", record)

    @contextlib.contextmanager
    def path_with(self, program, text):
        """A shell script of this name comes first on PATH."""
        path = os.path.join(self.base, program)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        with mock.patch.dict(os.environ, PATH=f"{self.base}:{os.environ['PATH']}"):
            yield

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
        if shutil.which("nvidia-smi"):
            self.skipTest("there may be a GPU here")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(run.main(["--out", os.path.join(self.base, "none")]), 3)
        self.assertRegex(said.getvalue(), "dev gpu: no (NVIDIA GPU|nvcc|cmake|C\\+\\+)")
        self.assertFalse(os.path.exists(os.path.join(self.base, "none")))

    def plan(self, minutes):
        """{stage: when it ends}, with programs that were brought along"""
        with mock.patch.object(stages.Place, "built", lambda place: True), contextlib.redirect_stdout(io.StringIO()) as plan:
            self.assertEqual(run.main(["--dry-run", "--minutes", str(minutes), "--out", self.out]), 0)
        return {line.split()[0]: line.split()[2] for line in plan.getvalue().splitlines()[1:]}

    def test_nine_minutes_hold_what_is_worth_most_and_four_more_the_rest(self):
        first = ("facts", "tests", "compression", "kernels", "traces", "nccl")
        ends = self.plan(9)
        self.assertEqual(ends["build"], "carried")
        self.assertEqual([ends[name] for name in first], ["0.3", "1.3", "2.3", "4.1", "6.3", "9"])
        self.assertEqual(ends["overlap"], "no")
        results.write_record(
            self.out, {"schema_version": 1, "device": "cuda", "stages": {name: {"state": "done", "seconds": 1, "cases": {}} for name in first}}
        )
        ends = self.plan(4)
        self.assertEqual({ends[name] for name in first}, {"done"})
        self.assertEqual(ends["benchmark"], "4")


def read_line(line):
    words = line.split()
    return (words[0], words[1], *([" ".join(words[2:])] if words[0] == "failed" else [])) if words[:1] in (["begins"], ["failed"]) else None


class Batches(Scratch):
    """Cases of one process: a shell that says which it is at."""

    def read(self, line):
        """As the programs' own; after `begins hang` the clock leaps, once it has been read for when that was."""
        said = read_line(line)
        if said and said[1] == "hang":
            self.leaps = iter((0, 1e6))
        return said

    leaps = iter(())
    seconds = 0

    def leaping(self):
        self.seconds = next(self.leaps, self.seconds)
        return self.seconds

    def run_batch(self, texts):
        """`texts` are {case: shell words}; a process is given those that are left."""
        count = os.path.join(self.base, "processes")

        def argv(names):
            script = [f"echo x >> {count}", *(f"echo begins {name} >&2\n{texts[name]}" for name in names)]
            return ("bash", "-c", "\n".join(script))

        row = stage("kernels", stages.Batch(tuple(texts), argv, self.read, LONG_S))
        said = self.run_stages(row)
        with open(count, encoding="ascii") as file:
            return said, len(file.read().split())

    def states(self):
        return {name: found["state"] for name, found in self.cases("kernels").items()}

    def test_one_process_takes_all_cases(self):
        _, processes = self.run_batch({"a": "", "b": "", "c": ""})
        self.assertEqual((self.states(), processes), ({"a": "done", "b": "done", "c": "done"}, 1))

    def test_after_a_case_that_hangs_another_process_goes_on_with_the_next(self):
        with mock.patch.object(run.processes, "now", self.leaping):
            said, processes = self.run_batch({"a": "", "hang": "sleep 1000", "c": ""})
        self.assertEqual((self.states(), processes), ({"a": "done", "hang": "over_time", "c": "done"}, 2))
        self.assertIn("kernels: hang: did not end within 60 s", said)

    def test_after_a_case_that_ends_the_process_another_goes_on_with_the_next(self):
        _, processes = self.run_batch({"a": "", "b": "exit 9", "c": "kill -9 $$", "d": ""})
        self.assertEqual((self.states(), processes), ({"a": "done", "b": "failed", "c": "failed", "d": "done"}, 3))
        self.assertEqual(self.cases("kernels")["c"]["why"], "signal 9")

    def test_a_case_that_the_program_says_has_failed_takes_no_other_with_it(self):
        _, processes = self.run_batch({"a": "echo failed a too little memory >&2", "b": "", "c": "true; exit 3"})
        self.assertEqual((self.states(), processes), ({"a": "failed", "b": "done", "c": "done"}, 1))
        self.assertEqual(self.cases("kernels")["a"]["why"], "too little memory")

    def test_a_program_that_begins_no_case_is_not_started_for_each(self):
        batch = stages.Batch(("a", "b"), lambda names: ("bash", "-c", "echo no driver >&2; exit 3"), read_line, 9)
        self.run_stages(stage("kernels", batch))
        self.assertEqual(self.cases("kernels")["b"], {"state": "failed", "why": "exit code 3: no driver"})

    def test_a_program_that_is_not_there_is_named(self):
        self.run_stages(stage("kernels", stages.Batch(("a",), lambda names: ("/nowhere/calibrate",), read_line, 9)))
        self.assertEqual(self.cases("kernels")["a"]["why"], "/nowhere/calibrate: No such file or directory")

    def test_where_the_time_ends_the_case_that_it_was_at_is_left_for_another_run(self):
        self.clock = self.leaping
        self.run_batch({"a": "", "hang": "sleep 1000", "c": ""})
        self.assertEqual(self.states(), {"a": "done"})
        self.assertEqual(results.read_record(self.out)["stages"]["kernels"]["state"], "partial")

    def test_lines_of_the_programs_name_their_cases(self):
        self.assertEqual(stages.read_kernels("3 of 9: topk of 1000000 values, ratio 0.1"), ("begins", "topk_1000000"))
        self.assertEqual(
            stages.read_kernels("failed: topk of 1000000 values, ratio 0.1: out of memory: 4 GB"),
            ("failed", "topk_1000000", "out of memory: 4 GB"),
        )
        self.assertEqual(stages.read_traces("vgg16, batch 32"), ("begins", "vgg16"))
        self.assertEqual(stages.read_traces("vgg16, batch 32: skipped: no torchvision"), ("failed", "vgg16", "no torchvision"))
        self.assertIsNone(stages.read_kernels("warning: 3 of 9"))
        self.assertIsNone(stages.read_traces("a warning"))


class BareNode(Scratch):
    """What the stages ask of a machine, on machines that lack it."""

    def place(self, device="emulated"):
        return stages.Place(self.base, os.path.join(self.base, "stage"), device, 1)

    def with_program(self, name, text="exit 0"):
        path = os.path.join(self.base, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        stages.starts.cache_clear()
        return path

    def carry(self, architecture, text="exit 0"):
        self.with_program("build-gpu/bin/calibrate", text)
        with open(os.path.join(self.base, "build-gpu/architecture"), "w", encoding="ascii") as file:
            file.write(architecture + "\n")

    def test_programs_that_start_and_are_for_this_gpu_are_not_built_again(self):
        self.carry("emulated")
        self.assertEqual(stages.build(self.place()), [])
        self.assertEqual(stages.missing(self.place(), ["kernels"]), [])

    def test_programs_that_do_not_start_or_are_for_newer_gpus_are_built_here(self):
        self.carry("emulated", "echo 'libfmt.so.9: cannot open' >&2; exit 127")
        self.assertNotEqual(stages.build(self.place()), [])
        for capability, built in (("8.0", False), ("9.0", True), ("10.0", True), ("", True)):
            self.carry("90")
            smi = self.with_program("nvidia-smi", f"echo {capability}")
            stages.compute_capability.cache_clear()
            with mock.patch.dict(os.environ, PATH=f"{os.path.dirname(smi)}:{os.environ['PATH']}"):
                self.assertEqual(self.place("cuda").built(), built, capability)
        stages.compute_capability.cache_clear()

    def test_ninja_compiles_where_it_is_there(self):
        self.with_program("ninja")
        with mock.patch.dict(os.environ, PATH=f"{self.base}:/usr/bin:/bin"):
            configure = next(command for command in stages.build(self.place()) if command.name == "configure")
        self.assertEqual(configure.argv[configure.argv.index("-G") + 1], "Ninja")

    def test_a_tree_without_headers_on_a_machine_without_packages_is_told_what_to_bring(self):
        everything = {name: f"/bin/{name}" for name in ("cmake", "ninja", "c++", "dpkg-query")}
        with mock.patch.object(stages.shutil, "which", everything.get), mock.patch.object(stages.os.path, "exists", lambda path: False):
            lacks = stages.missing_to_build(self.base, "emulated")
        self.assertEqual(
            lacks,
            [
                "this tree has no third_party/ and this machine not the packages: unpack the archive of `./dev pack` here",
                "or bring programs along: `./dev pack --built sm_90` where there is a compiler",
            ],
        )

    def test_a_machine_with_neither_ninja_nor_make_is_named(self):
        some = {"cmake": "/bin/cmake", "c++": "/bin/c++"}
        with mock.patch.object(stages.shutil, "which", some.get):
            self.assertEqual(stages.missing_to_build(self.base, "emulated")[0], "no ninja and no make")
            self.assertIn("no nvcc (PATH, /usr/local/cuda/bin): install the CUDA toolkit 12 or newer", stages.missing_to_build(self.base, "cuda"))

    def test_nccl_of_a_wheel_is_built_with_and_opened(self):
        wheel = os.path.join(self.base, "site", "nvidia", "nccl")
        for name in ("include/nccl.h", "lib/libnccl.so.2"):
            os.makedirs(os.path.dirname(os.path.join(wheel, name)), exist_ok=True)
            with open(os.path.join(wheel, name), "w", encoding="ascii"):
                pass
        stages.nccl_folder.cache_clear()
        self.addCleanup(stages.nccl_folder.cache_clear)
        with mock.patch.dict(os.environ, PYTHONPATH=os.path.join(self.base, "site")):
            self.assertEqual(stages.nccl_folder(), wheel)
            configure = next(command for command in stages.build(self.place()) if command.name == "configure")
            probes = stages.nccl(self.place())
        self.assertIn(f"-DNCCL_INCLUDE_DIR={wheel}/include", configure.argv)
        for command in probes:
            self.assertIn(f"{wheel}/lib/libnccl.so.2", command.argv)

    def test_all_tables_of_nccl_are_three_processes(self):
        self.assertEqual([command.name for command in stages.nccl(self.place())], ["own", "ring_simple", "ring_ll", "shaped"])


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
    """The functions of the packing script that bring training data along and bound the archives."""

    def shell(self, call, **environment):
        clean = {key: value for key, value in os.environ.items() if key != "GRADSIM_DATA"}
        return subprocess.run(
            ("bash", "-c", f"source {PACK}; {call}"), capture_output=True, text=True, cwd=self.base, env={**clean, **environment}, check=False
        )

    def archive(self, name, size):
        with open(os.path.join(self.base, name), "wb") as file:
            file.truncate(size)
        return name

    def test_both_archives_have_at_most_54_mb_together(self):
        one, other = self.archive("a.tar.gz", 30_000_000), self.archive("b.tar.gz", 24_000_000)
        self.assertEqual(self.shell(f"check_size {one} {other}").returncode, 0)
        other = self.archive("b.tar.gz", 24_000_001)
        done = self.shell(f"check_size {one} {other}")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(
            done.stderr,
            "dev: pack: the archives have 54000001 bytes together, more than 54000000; leave the training data out by --without-data\n",
        )
        self.assertFalse(os.path.exists(os.path.join(self.base, one)))

    def test_data_are_brought_along_from_the_first_folder_that_has_them(self):
        for folder in ("sets/tinyshakespeare", "data/tinyshakespeare", "data/fashion-mnist"):
            os.makedirs(os.path.join(self.base, folder))
        with open(os.path.join(self.base, "sets/tinyshakespeare/mark"), "w", encoding="ascii"):
            pass
        done = self.shell("pack_training_data into", GRADSIM_DATA="sets")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(os.path.join(self.base, "into"))), ["fashion-mnist", "tinyshakespeare"])
        self.assertEqual(os.listdir(os.path.join(self.base, "into/tinyshakespeare")), ["mark"])

    def test_missing_data_are_a_failure(self):
        done = self.shell("pack_training_data into", GRADSIM_DATA="sets")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(
            done.stderr,
            "dev: pack: no folder fashion-mnist in sets: name the folder that holds it by GRADSIM_DATA, or leave out what trains on it by "
            "--without-data\n",
        )

    def test_unknown_options_are_refused(self):
        for words, said in (
            ("--built 90", "--built: `90`; accepted: sm_NN, as sm_90, or emulated"),
            ("--fast", "unknown option --fast; accepted: --built, --without-data"),
        ):
            done = self.shell(f"read_arguments {words}")
            self.assertEqual((done.returncode, done.stderr), (2, f"dev: pack: {said}\n"))


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
        os.makedirs(os.path.join(self.state, "compression"))
        with open(os.path.join(self.state, "compression", "compression.csv"), "w", encoding="utf-8") as file:
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

    def test_each_collective_of_a_choice_has_a_table_of_its_own(self):
        self.write_results()
        folder = os.path.join(self.state, "nccl", "own")
        os.makedirs(folder)
        for collective in ("all_reduce", "broadcast"):
            with open(os.path.join(folder, f"{collective}.csv"), "w", encoding="utf-8") as file:
                file.write(f"# collective={collective}; nranks=2\nsize_bytes,time_us\n4,5\n")
        results.write_archive(self.state, self.out, "nccl")
        _, _, into = self.bring_in()
        held = sorted(path for path in self.contents(into) if "_own_" in path)
        self.assertEqual(held, [f"scenarios/measurements/test_gpu_7_own_{name}.csv" for name in ("all_reduce", "broadcast")])

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
