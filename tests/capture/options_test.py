"""Options of `gradsim capture` that are refused before anything is recorded, without PyTorch."""

import contextlib
import io
import sys
import unittest

import captured  # noqa: F401  finds the package

from gradsim.capture import command


class Options(unittest.TestCase):
    def refusal(self, *options):
        """Exit code and the last line of stderr."""
        with contextlib.redirect_stderr(io.StringIO()) as log, contextlib.redirect_stdout(io.StringIO()):
            code = command.main([*options, "-o", "a", "--", "absent.py"])
        return code, log.getvalue().splitlines()[-1]

    def test_a_replica_has_ranks_that_divide_each_world(self):
        for replica in ("0", "-4"):
            self.assertEqual(self.refusal("--world", "8", "--replica", replica),
                             (2, f"gradsim capture: error: argument --replica: expected at least 1 rank, found {replica}"))
        self.assertEqual(self.refusal("--world", "8,12", "--replica", "8"),
                         (2, "gradsim capture: error: argument --replica: 12 ranks are not a multiple of 8"))

    def test_a_replica_that_divides_each_world_is_accepted(self):
        code, last = self.refusal("--world", "8", "--replica", "8", "--flops-rate", "fast")
        self.assertEqual(code, 1)
        self.assertIn("hint", last)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
