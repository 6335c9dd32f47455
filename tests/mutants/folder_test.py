"""Programs of mutants open the modules of the build that they are linked from; files are compiled with their own options."""
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


class Units(unittest.TestCase):
    def test_of_a_file_are_its_own_or_the_first_of_several_files(self):
        alone = {"directory": "/build", "file": os.path.join(folder.ROOT, "sim/engine/simgrid.cpp"), "command": "c++ -DX -c a -o b"}
        several = {"directory": "/build", "file": "sim/engine/CMakeFiles/sim_engine.dir/Unity/unity_0_cxx.cxx", "command": ""}
        engine = folder.Folder.__new__(folder.Folder)
        engine.units = [alone, several]
        self.assertIs(engine.unit_of("sim/engine/simgrid.cpp"), alone)
        self.assertIs(engine.unit_of("sim/engine/phases.cpp"), several)
        self.assertIn("-DX", engine.compile_command(alone, "source", "output"))
        engine.units = [alone]  # nothing is compiled together
        self.assertIs(engine.unit_of("sim/engine/phases.cpp"), alone)


if __name__ == "__main__":
    unittest.main()
