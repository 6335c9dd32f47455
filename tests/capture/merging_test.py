"""Captures of two numbers of ranks as one graph: rules of sizes by hand, and what is refused."""

import doctest
import importlib
import sys
import tempfile
import unittest
from pathlib import Path

import captured  # noqa: F401  finds the package

from gradsim.capture import CaptureRefused, merge

merging = importlib.import_module("gradsim.capture.merging")
HEAD = "operation,stream,duration_us,after,collective,bytes,among,flops,memory_bytes,kind,precision,group,queue"


class Merging(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.here = Path(self.folder.name)

    def capture(self, world, *rows, parameters=10):
        """The files of a capture with these rows."""
        (self.here / f"{world}.csv").write_text("\n".join(["# Step", HEAD, *rows]) + "\n")
        path = self.here / f"{world}.yaml"
        path.write_text(f'name: "a"\nprovenance: "me: {world}"\ngraph: "{world}.csv"\nparameters: {parameters}\nbatch: 1\nrecorded_workers: {world}\n')
        return path

    def merged(self, *paths):
        return merge(paths, self.here / "both")

    def refusal(self, *paths):
        with self.assertRaises(CaptureRefused) as refused:
            self.merged(*paths)
        return refused.exception.what

    @staticmethod
    def rows(world, name="update", count=None):
        return (f"gather,communication,,,all_gather,4096,all,,,,,,", f"{name},compute,,0,,,,,{96 // world + 10},optimizer,,,",
                f"sum,communication,,1,all_reduce,8,,,,,,0:4:{count or world // 4},")

    def test_rules_hold_for_another_number_of_ranks(self):
        merged = self.merged(self.capture(8, *self.rows(8)), self.capture(16, *self.rows(16, "step")))
        self.assertEqual([row["bytes"] or row["memory_bytes"] for row in merged.rows], ["4096", "10+96/N", "8"])
        self.assertEqual(merged.rows[2]["group"], "0:4:N/4")
        self.assertEqual(merging.size_at(merged.rows[1]["memory_bytes"], 32), 96 // 32 + 10)
        self.assertIn("update,compute,,0,,,,,10+96/N,optimizer,,,\n", (self.here / "both.csv").read_text())
        self.assertEqual((self.here / "both.yaml").read_text(),
                         "# Step\n# Sizes by captures with 8 and 16 ranks; N is the number of workers. Two determine a rule, and no third "
                         'one was compared.\nname: "both"\nprovenance: "me: 8; sizes by captures with 8 and 16 ranks"\n'
                         'graph: "both.csv"\nparameters: 10\nbatch: 1\n')

    def test_a_third_capture_is_compared(self):
        paths = [self.capture(world, *self.rows(world)) for world in (8, 16, 32)]
        self.assertEqual(self.merged(*paths).rows[1]["memory_bytes"], "10+96/N")
        self.assertEqual(self.refusal(*paths[:2], self.capture(48, *self.rows(24, count=12))),
                         "row 1 (`update`): memory_bytes is `22` of 8, `16` of 16, `14` of 48 ranks")

    def test_a_row_has_the_rules_of_its_operations(self):
        def of(world):
            path = self.capture(world, f"step,compute,,,,,,,{800 // world + 4 * world},pointwise,,,")
            (self.here / f"{world}.operations.csv").write_text(
                f"# All\noperation,row,flops,memory_bytes\nmul,0,,{800 // world}\n" + "zeros_like,0,,4\n" * world)
            return path
        self.assertEqual(self.merged(of(8), of(16)).rows[0]["memory_bytes"], "800/N+4*N")

    def test_a_size_that_two_rules_fit_needs_a_third_capture(self):
        def of(world, size):
            return self.capture(world, f"update,compute,,,,,,,{size},optimizer,,,")
        with self.assertRaises(CaptureRefused) as refused:
            self.merged(of(8, 120), of(16, 128))
        self.assertEqual(refused.exception.what, "row 0 (`update`): memory_bytes is `120` of 8, `128` of 16 ranks, which both "
                         "`136-128/N` and `112+1*N` give")
        self.assertEqual(refused.exception.hint, "capture a third number of ranks, which tells the rules apart, such as `--world 8,16,32`")
        self.assertEqual(self.merged(of(8, 120), of(16, 128), of(32, 144)).rows[0]["memory_bytes"], "112+1*N")
        self.assertEqual(self.merged(of(8, 120), of(16, 128), of(32, 132)).rows[0]["memory_bytes"], "136-128/N")

    def test_an_operation_that_two_rules_fit_leaves_its_row_open(self):
        def of(world, size):
            path = self.capture(world, f"step,compute,,,,,,,{800 // world + size},pointwise,,,")
            (self.here / f"{world}.operations.csv").write_text(
                f"# All\noperation,row,flops,memory_bytes\nmul,0,,{800 // world}\ncat,0,,{size}\n")
            return path
        self.assertRegex(self.refusal(of(8, 120), of(16, 128)), "both `136[+]672/N` and `112[+]800/N[+]1[*]N` give$")
        self.assertEqual(self.merged(of(8, 120), of(16, 128), of(32, 144)).rows[0]["memory_bytes"], "112+800/N+1*N")

    def test_captures_that_differ_otherwise_are_refused(self):
        first = self.capture(8, *self.rows(8))
        self.assertEqual(self.refusal(first, self.capture(16, *self.rows(16)[:2])), f"2 rows, and 3 of {first}")
        self.assertEqual(self.refusal(first, self.capture(16, *self.rows(16), parameters=11)), f"`parameters` is 11, and 10 in {first}")
        self.assertEqual(self.refusal(first, self.capture(16, "gather,communication,,,all_gather,16384,all,,,,,,", *self.rows(16)[1:])),
                         "row 0 (`gather`): bytes is `4096` of 8, `16384` of 16 ranks")
        self.assertEqual(self.refusal(first, self.capture(16, *self.rows(16)[:2], self.rows(16)[2].replace("all_reduce", "broadcast"))),
                         "row 2 (`sum`): collective is `all_reduce` of 8, `broadcast` of 16 ranks")
        self.assertEqual(self.refusal(first, first), "expected captures with different numbers of ranks")

    def test_examples(self):
        for name in ("merging", "pairs", "groups"):
            result = doctest.testmod(importlib.import_module(f"gradsim.capture.{name}"))
            self.assertEqual((result.failed, result.attempted > 0), (0, True), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
