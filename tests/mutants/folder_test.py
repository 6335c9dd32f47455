"""Programs of mutants open the modules of the build that they are linked from."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import folder  # noqa: E402

MODULE = "lib/gradsim/libgradsim_simgrid.so"


class Modules(unittest.TestCase):
    def test_are_found_from_the_folder_of_a_library_and_from_each_lane_in_it(self):
        with tempfile.TemporaryDirectory() as build:
            work = os.path.join(build, "mutants", "sim_engine")
            os.makedirs(os.path.join(work, "0"))
            os.makedirs(os.path.join(build, "lib", "gradsim"))
            with open(os.path.join(build, MODULE), "w", encoding="utf-8"):
                pass
            for _ in range(2):  # another folder of the same build finds them there
                folder.show_modules(build, work)
            for programs in (work, os.path.join(work, "0")):
                self.assertTrue(os.path.exists(os.path.join(programs, "..", MODULE)))


if __name__ == "__main__":
    unittest.main()
