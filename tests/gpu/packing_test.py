"""What `./dev pack` brings along, and how large it may be."""
import os
import subprocess
import unittest

from scratch import Scratch

PACK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../calibrate/first_contact/pack.sh")


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

    def test_the_cuda_version_of_the_programs_is_that_of_their_compiler(self):
        nvcc = os.path.join(self.base, "nvcc")
        with open(nvcc, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho Cuda compilation tools, release 13.0, V13.0.88\n")
        os.chmod(nvcc, 0o755)
        self.assertEqual(self.shell("cuda_version .").stdout, "")
        with open(os.path.join(self.base, "CMakeCache.txt"), "w", encoding="ascii") as file:
            file.write(f"CMAKE_CUDA_COMPILER:FILEPATH={nvcc}\n")
        self.assertEqual(self.shell("cuda_version .").stdout, "13.0\n")

    def test_unknown_options_are_refused(self):
        for words, said in (
            ("--built 90", "--built: `90`; accepted: sm_NN, as sm_90, or emulated"),
            ("--fast", "unknown option --fast; accepted: --built, --without-data"),
        ):
            done = self.shell(f"read_arguments {words}")
            self.assertEqual((done.returncode, done.stderr), (2, f"dev: pack: {said}\n"))


if __name__ == "__main__":
    unittest.main()
