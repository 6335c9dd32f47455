"""Stages of a first contact that fail, hang, are killed, lose the device or the disk, or find no time."""
import contextlib
import io
import os
import shutil
import unittest
from unittest import mock

from scratch import Scratch, machine, results, run, shell, stage, stages


class Stages(Scratch):
    def test_a_failing_case_takes_no_other_with_it(self):
        said = self.run_stages(
            stage("facts", shell("lost", "echo device lost >&2; exit 3"), shell("kept", "true")),
            stage("kernels", shell("topk", "true")),
        )
        self.assertEqual(self.cases("facts")["lost"], {"state": "failed", "why": "exit code 3: device lost"})
        self.assertEqual(self.cases("facts")["kept"], {"state": "done"})
        self.assertEqual(self.cases("kernels")["topk"], {"state": "done"})
        self.assertIn("facts: lost: exit code 3: device lost", said)

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

    def test_results_come_home_while_a_case_runs(self):
        home = os.path.join(self.out, "kernels.tar.gz")
        with mock.patch.object(run, "KEEP_EVERY_S", 0):
            self.run_stages(stage("kernels", shell("a", f"until test -e {home}; do sleep 0.05; done")))
        self.assertEqual(self.cases("kernels"), {"a": {"state": "done"}})

    def test_a_case_that_is_tried_again_takes_nothing_from_its_first_try(self):
        path = os.path.join(self.state, "kernels", "a.csv")

        def tried(text):
            """@returns the file after a try that writes this"""
            self.run_stages(stage("kernels", shell("a", f"echo {text} > {path}; test {text} = whole")))
            with open(path, encoding="ascii") as file:
                return file.read().strip(), os.listdir(os.path.dirname(path))

        self.assertEqual(tried("longer-than-whole")[0], "longer-than-whole")
        self.assertEqual(tried("short")[0], "longer-than-whole")
        self.assertEqual(tried("longer-than-before-and-whole")[0], "longer-than-before-and-whole")
        text, files = tried("whole")
        self.assertEqual((text, sorted(files)), ("whole", ["a.csv", "log.txt"]))

    def test_what_failed_in_an_earlier_run_comes_last(self):
        count = os.path.join(self.base, "count")
        failing, other = stage("kernels", shell("a", f"echo kernels >> {count}; exit 3")), stage("nccl", shell("b", f"echo nccl >> {count}"))
        self.run_stages(failing)
        self.run_stages(failing, other)
        with open(count, encoding="ascii") as file:
            self.assertEqual(file.read().split(), ["kernels", "nccl", "kernels"])

    def test_what_other_results_have_left_in_the_folder_of_work_files_is_not_of_these(self):
        left = os.path.join(self.state, "kernels", "left.csv")
        os.makedirs(os.path.dirname(left))
        with open(left, "w", encoding="ascii"):
            pass
        self.run_stages(stage("kernels", shell("a", "true")))
        self.assertFalse(os.path.exists(left))
        self.assertTrue(os.path.exists(os.path.join(self.state, "kernels.earlier", "left.csv")))

    def test_a_stage_that_cannot_say_its_commands_keeps_what_was_done_before(self):
        def commands(place):
            raise OSError("no usable CUDA device found")

        self.run_stages(stage("kernels", shell("a", "true"), shell("b", "false")))
        said = self.run_stages(stages.Stage("kernels", 1, "a test", commands, needs_build=False))
        self.assertIn("kernels: no usable CUDA device found", said)
        self.assertEqual(self.cases("kernels")["a"], {"state": "done"})

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

    def test_one_answer_that_no_device_is_there_is_no_proof(self):
        asked = os.path.join(self.base, "asked")
        answers = f"echo x >> {asked}; if test $(wc -l < {asked}) = 2; then exit 9; else echo GPU 0; fi"
        with self.path_with("nvidia-smi", answers):  # asked in the beginning, too
            said = self.run_stages(stage("kernels", shell("b", "exit 3"), shell("c", "true")))
        self.assertNotIn("lost", said)
        self.assertEqual(self.cases("kernels")["c"], {"state": "done"})


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

    def test_a_full_disk_is_said_once_a_stage(self):
        with mock.patch.object(run, "KEEP_EVERY_S", 0), mock.patch.object(results, "replace", lambda path, data: self.full(path)):
            said = self.run_stages(stage("facts", *(shell(name, "true") for name in "abc")))
        self.assertEqual(said.count("could not be written"), 1, said)

    def full(self, path):
        raise OSError(28, "No space left on device")

    def run_where_writing_fails(self, fails):
        """@returns (whether all is done and written, the record that was written); `fails(path)` tells which files fail"""
        whole = results.replace

        def replace(path, data):
            return self.full(path) if fails(path) else whole(path, data)

        with mock.patch.object(results, "replace", replace), contextlib.redirect_stderr(io.StringIO()):
            done = self.contact().run(100, [stage("facts", shell("a", "true")), stage("kernels", shell("b", "true"))])
        return done, results.read_record(self.out)["stages"]

    def test_results_that_cannot_be_written_make_the_run_a_failed_one_and_the_record_says_so(self):
        done, record = self.run_where_writing_fails(lambda path: path.endswith("kernels.tar.gz"))
        self.assertFalse(done)
        self.assertIn("No space left on device", record["kernels"]["unwritten"])
        self.assertEqual(
            run.FirstContact(self.out, self.state, "cuda").what_is_left([stage("facts"), stage("kernels"), stage("nccl")]),
            [
                "not done: nccl; the same command goes on with what is left",
                f"not written for want of room or rights: kernels; their work files are in {self.state}",
            ],
        )
        self.assertNotIn("unwritten", record["facts"])

    def test_what_could_not_be_written_is_written_in_the_end_where_there_is_room_again(self):
        seen = []

        def fails(path):
            seen.append(path)
            return path.endswith("machine.tar.gz") and not any(path.endswith("kernels.tar.gz") for path in seen)

        done, record = self.run_where_writing_fails(fails)
        self.assertTrue(done)
        self.assertNotIn("unwritten", record["facts"])
        self.assertTrue(os.path.exists(os.path.join(self.out, "machine.tar.gz")))


    def test_without_a_gpu_it_ends_with_3_and_says_what_is_missing(self):
        exists = os.path.exists
        with mock.patch.object(machine.os.path, "exists", lambda path: not path.startswith("/dev/") and exists(path)):
            with self.path_with("nvidia-smi", "echo No devices were found; exit 6"), contextlib.redirect_stderr(io.StringIO()) as said:
                machine.compute_capability.cache_clear()
                self.addCleanup(machine.compute_capability.cache_clear)
                self.assertEqual(run.main(["--out", os.path.join(self.base, "none")]), 3)
        self.assertEqual(
            said.getvalue(),
            "dev gpu: no NVIDIA GPU with its driver here (no /dev/nvidiactl, and nvidia-smi names none); "
            "run this on a node with one, or rehearse it here by ./dev gpu --rehearse\n",
        )
        self.assertFalse(os.path.exists(os.path.join(self.base, "none")))

    def can_run(self, lacks, names, pytorch=True):
        """@returns (the stages that can run of those of these names, what was said)"""
        said = run.arguments(["--stages", names, "--state", self.state])
        rows = [row for row in stages.STAGES if row.name in said.stages]
        lacking = [] if pytorch else [name for name in stages.OF_PYTORCH if name in said.stages]
        with mock.patch.object(stages, "missing", lambda *_: lacks), mock.patch.object(stages, "without_pytorch", lambda _: lacking):
            with contextlib.redirect_stderr(io.StringIO()) as text:
                found = run.stages_that_can_run(said, rows)
        return [row.name for row in found], text.getvalue()

    def test_without_programs_the_stages_of_pytorch_are_run_all_the_same(self):
        found, said = self.can_run(["no nvcc"], "facts,build,tests,compression,kernels,traces")
        self.assertEqual(found, ["facts", "compression", "traces"])
        self.assertEqual(said, "dev gpu: no nvcc\ndev gpu: without programs only these stages are run: compression, traces\n")

    def test_where_only_facts_would_be_left_nothing_is_run(self):
        self.assertEqual(self.can_run(["no nvcc"], "facts,build,kernels")[0], [])
        self.assertEqual(self.can_run(["no nvcc"], "facts,compression", pytorch=False)[0], [])

    def test_a_python_without_pytorch_is_named_in_the_beginning(self):
        found, said = self.can_run([], "kernels,products", pytorch=False)
        self.assertEqual(found, ["kernels", "products"])
        self.assertRegex(said, r"^dev gpu: no PyTorch in \S+: products will fail; put the Python that has it first on PATH\n$")

    def plan(self, minutes):
        """{stage: when it ends}, with programs that were brought along"""
        with mock.patch.object(stages.Place, "built", lambda place: True), contextlib.redirect_stdout(io.StringIO()) as plan:
            self.assertEqual(run.main(["--dry-run", "--minutes", str(minutes), "--out", self.out]), 0)
        return {line.split()[0]: line.split()[2] for line in plan.getvalue().splitlines()[1:]}

    def test_a_plan_with_a_build_says_how_to_do_without_it(self):
        for built, said in ((False, True), (True, False)):
            with mock.patch.object(stages.Place, "built", lambda place: built), contextlib.redirect_stdout(io.StringIO()) as plan:
                self.assertEqual(run.main(["--dry-run", "--out", self.out, "--state", self.state]), 0)
            self.assertEqual("Programs that `./dev pack --built sm_90` brings along need no build." in plan.getvalue(), said)

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


if __name__ == "__main__":
    unittest.main()
