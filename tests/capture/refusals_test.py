"""What cannot be captured is refused, with the file and the line of the script and what to do."""

import sys
import tempfile
import unittest
from pathlib import Path

from captured import HERE, capture

from gradsim.capture import versions
from gradsim.capture.refusal import CaptureRefused


class Refusals(unittest.TestCase):
    def assert_refused(self, script, text, world=1, options=(), code=1):
        run = capture(HERE / "refused" / f"{script}.py", world=world, options=options)
        self.assertEqual(run.code, code, run.stderr)
        last = run.stderr[run.stderr.rfind("error: "):]
        self.assertRegex(last, text)
        self.assertEqual(run.rows, [])

    def test_a_step_that_a_read_value_steers(self):
        self.assert_refused("skips_by_loss", r"refused/skips_by_loss.py:8: the step depends on a value that was read from a tensor at "
                            r"\S*skips_by_loss.py:8: what follows depends on a test of it\n  hint: capture knows shapes, not values; "
                            r"state the value: `--read \S*skips_by_loss.py:8=VALUE`")

    def test_a_stated_value_takes_the_place_of_the_read(self):
        run = capture(HERE / "refused" / "skips_by_loss.py", world=1, options=("--read", "skips_by_loss.py:8=0.5"))
        self.assertEqual(run.code, 0, run.stderr)

    def test_a_training_that_a_read_value_stops(self):
        self.assert_refused("stops_by_loss", r"stops_by_loss.py:10: the step depends on a value .* what follows depends on a test of it")

    def test_sizes_that_are_read(self):
        self.assert_refused("sizes_by_counts", r"sizes_by_counts.py:11: the step depends on a value that was read from a tensor at "
                            r"\S*sizes_by_counts.py:11: it is a size or an index of `split`")

    def test_stated_sizes_are_equal_loads(self):
        run = capture(HERE / "refused" / "sizes_by_counts.py", world=1, options=("--read", "sizes_by_counts.py:11=8"))
        self.assertEqual(run.code, 0, run.stderr)

    def test_shapes_that_depend_on_values(self):
        self.assert_refused("shapes_by_values", r"shapes_by_values.py:7: the shape of the result of `aten\S*` depends on values, which "
                            r"are unknown here\n  hint: use an operation of fixed shape, such as `torch.where`")

    def test_a_loop_until_a_value_changes(self):
        self.assert_refused("waits_for_value", r"waits_for_value.py:7: the step depends on a value .* it is tested until it changes")

    def test_a_script_that_starts_processes(self):
        self.assert_refused("spawns", r"spawns.py:10: the script starts processes, and capture runs one rank in one process\n"
                            r"  hint: start the function of one rank, as torchrun does")

    def test_absent_data(self):
        self.assert_refused("needs_data", r"needs_data.py:4: the script needs data that is absent: train.bin\n  hint: give it a small file")

    def test_an_operator_of_a_cuda_extension(self):
        self.assert_refused("custom_operator", r"custom_operator.py:11: unknown operator `kernels::fused_norm`: it has no implementation "
                            r"for fake tensors\n  hint: describe its result by `torch.library.register_fake\(\"kernels::fused_norm\"\)`")

    def test_a_module_that_is_not_installed(self):
        self.assert_refused("imports_extension", r"imports_extension.py:2: the script needs the module `absent_cuda_extension`, "
                            r"which is not installed")

    def test_a_script_that_raises(self):
        self.assert_refused("raises", r"raises.py:9: the script raises ValueError: the learning rate is negative")

    def test_a_script_that_exits(self):
        self.assert_refused("exits", r"exits.py:4: the script exits with 'state a model' after 0 steps, before step 3")

    def test_a_script_that_ends_before_the_last_step(self):
        self.assert_refused("ends_early", r"ends_early.py: the script ended after 2 steps, before step 3\n  hint: give it more steps")

    def test_steps_that_differ(self):
        self.assert_refused("grows", r"grows.py:6: steps 2 and 3 differ: `\w+ of \d+ B`, then `\w+ of \d+ B`\n  hint: the number of the step, "
                            r"or a size that changes, steers it")

    def test_cuda_graphs(self):
        self.assert_refused("graphs", r"graphs.py:4: CUDA graphs cannot be recorded")

    def test_batch_normalisation_across_ranks(self):
        self.assert_refused("synchronises_norms", r"synchronises_norms.py:6: SyncBatchNorm cannot be recorded: its kernels need a GPU")

    def test_a_refusal_that_the_script_catches(self):
        self.assert_refused("catches_all", r"catches_all.py:8: the shape of the result of")

    def test_messages_between_pipeline_stages_are_written_but_not_as_a_graph(self):
        run = capture(HERE / "refused" / "pipeline.py", world=2, options=("--per-node", "2"))
        self.assertEqual((run.code, run.rows), (1, []))
        self.assertRegex(run.stdout, r"the graph format of `sim run` cannot carry this step: `send` at .*pipeline.py:10 \(\+1 in its "
                                     "group\\) has no other end: ranks differ, as stages of a pipeline do")
        sent = [one for one in run.operations if one["collective"] == "send"]
        self.assertEqual([(one["bytes"], one["group"], one["peer"]) for one in sent], [("128", "0:1:2", "1")])

    def test_each_rank_is_recorded_into_files_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            run = capture(HERE / "refused" / "pipeline.py", world=16, options=("--ranks", "0,9"), folder=folder)
            self.assertEqual(run.code, 1)
            self.assertIn("rank 9 of 16", run.stdout)
            self.assertEqual(sorted(one.name for one in Path(folder).glob("*.csv")),
                             ["step.rank0.operations.csv", "step.rank9.operations.csv"])

    def test_a_script_that_is_absent(self):
        self.assert_refused("nowhere", r"nowhere.py: no such script")


if __name__ == "__main__":
    try:
        versions.check_pytorch()
    except CaptureRefused as refusal:
        print(f"skipped: {refusal.what}")
        sys.exit(77)
    unittest.main()
