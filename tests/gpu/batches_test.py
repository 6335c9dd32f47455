"""Cases that one process of a first contact takes one after the other: those that hang, end it or fail."""
import os
import subprocess
import sys
import time
import unittest
from unittest import mock

from scratch import LONG_S, Scratch, results, run, stage, stages


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

    def test_results_come_home_while_it_runs(self):
        home = os.path.join(self.out, "kernels.tar.gz")
        with mock.patch.object(run, "KEEP_EVERY_S", 0):
            self.run_batch({"a": f"until test -e {home}; do sleep 0.05; done"})
        self.assertEqual(self.states(), {"a": "done"})

    def test_after_a_case_that_hangs_another_process_goes_on_with_the_next(self):
        with mock.patch.object(run.processes, "now", self.leaping):
            said, processes = self.run_batch({"a": "", "hang": "sleep 1000", "c": ""})
        self.assertEqual((self.states(), processes), ({"a": "done", "hang": "over_time", "c": "done"}, 2))
        self.assertIn("kernels: hang: did not end within 60 s", said)

    def test_a_process_ends_with_the_first_contact_that_was_killed(self):
        script = "import processes, signal; print(processes.start(('sleep', '100000'), '/', open('/dev/null', 'wb')).pid, flush=True); signal.pause()"
        folder = os.path.dirname(os.path.abspath(run.__file__))
        killed = subprocess.Popen((sys.executable, "-B", "-c", script), cwd=folder, stdout=subprocess.PIPE, text=True)
        child = int(killed.stdout.readline())
        killed.stdout.close()
        killed.kill()
        killed.wait()
        for _ in range(600):
            if not self.is_running(child):
                return
            time.sleep(0.1)
        os.kill(child, 9)
        self.fail("it goes on")

    def is_running(self, pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                return file.read().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

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


if __name__ == "__main__":
    unittest.main()
