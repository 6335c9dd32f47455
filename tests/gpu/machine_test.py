"""What stages of a first contact ask of a machine, on machines that lack it."""
import os
import unittest
from unittest import mock

from scratch import Scratch, machine, stages


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
        machine.starts.cache_clear()
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
            machine.compute_capability.cache_clear()
            with mock.patch.dict(os.environ, PATH=f"{os.path.dirname(smi)}:{os.environ['PATH']}"):
                self.assertEqual(self.place("cuda").built(), built, capability)
        machine.compute_capability.cache_clear()

    def test_programs_of_a_newer_cuda_than_the_driver_are_not_started(self):
        for driver, built in (((12, 8), False), ((13, 0), True), ((14, 1), True), (None, True)):
            self.carry("90 13.0")
            with mock.patch.object(machine, "driver_cuda", lambda: driver), mock.patch.object(machine, "compute_capability", lambda: 90):
                self.assertEqual(self.place("cuda").built(), built, driver)

    def test_why_programs_are_not_for_this_machine_is_said(self):
        path = os.path.join(self.base, "build-gpu/architecture")
        brought = "the programs that were brought along "
        for text, device, why in (
            ("90 13.0", "cuda", brought + "need a driver for CUDA 13.0, and this one is for 12.8"),
            ("100 12.8", "cuda", brought + "are for compute capability 10, and this GPU has 9"),
            ("emulated", "cuda", brought + "are for a GPU that is emulated"),
            ("90 13.0", "cpu", brought + "are for a GPU"),
            ("90", "cuda", None),
        ):
            self.carry(text)
            with mock.patch.object(machine, "driver_cuda", lambda: (12, 8)), mock.patch.object(machine, "compute_capability", lambda: 90):
                self.assertEqual(machine.why_not_here(path, device), why)
        self.carry("90 13.0")
        with mock.patch.object(machine, "driver_cuda", lambda: (12, 8)), mock.patch.object(machine, "missing_to_build", lambda *_: ["no nvcc"]):
            lacks = stages.missing(self.place("cuda"), ["kernels"])
        self.assertEqual(lacks, [brought + "need a driver for CUDA 13.0, and this one is for 12.8", "no nvcc"])

    def test_tools_of_a_wheel_are_found(self):
        for folder in ("cu13", "cuda_nvcc"):
            nvcc = self.with_program(f"site/nvidia/{folder}/bin/nvcc")
            spec = mock.Mock(submodule_search_locations=[os.path.join(self.base, "site/nvidia")])
            machine.wheel_tools.cache_clear()
            self.addCleanup(machine.wheel_tools.cache_clear)
            with mock.patch.object(machine.importlib.util, "find_spec", lambda _: spec), mock.patch.object(
                machine.shutil, "which", lambda path: path if path.startswith(self.base) else None
            ):
                self.assertEqual(machine.find_nvcc(), nvcc)
                configure = next(command for command in stages.build(self.place()) if command.name == "configure")
                self.assertIn(f"-DCMAKE_CUDA_COMPILER={nvcc}", configure.argv)
            os.remove(nvcc)

    def test_a_program_that_lists_no_compressors_is_quoted(self):
        for text, why in (("echo --device cuda: no usable CUDA device found >&2; exit 3", "no usable CUDA device found"), ("exit 3", "lists no compressors")):
            self.carry("emulated", text)
            with self.assertRaisesRegex(OSError, why):
                stages.kernels(self.place())
        self.carry("emulated", "echo 'unknown compressor `?`; accepted: topk, int8' >&2; exit 1")
        self.assertEqual(stages.kernels(self.place())[0].names, ("topk_1000", "int8_1000"))

    def test_a_second_try_of_some_compressors_writes_another_file_than_the_first_of_all(self):
        self.carry("emulated", "echo 'unknown compressor `?`; accepted: topk, int8' >&2; exit 1")
        batch = stages.kernels(self.place())[0]
        written = lambda names: batch.argv(names)[batch.argv(names).index("-o") + 1]  # noqa: E731
        first = written(("topk_1000", "int8_1000"))
        os.makedirs(os.path.dirname(first))
        with open(first, "w", encoding="ascii"):
            pass
        self.assertEqual(written(("topk_1000",)), first.replace("topk_1000", "topk_1000_2"))

    def test_temporary_files_go_where_there_is_room(self):
        free = {"/small": 1 << 20, "/large": 1 << 40, "/larger": 1 << 41, "/smaller": 1 << 19}
        with mock.patch.object(machine.shutil, "disk_usage", lambda path: mock.Mock(free=free[path])), mock.patch.object(machine.os, "access", lambda *_: True):
            self.assertEqual(machine.roomy_folder("/small", "/large"), "/large")
            self.assertEqual(machine.roomy_folder("/large", "/larger"), "/large")
            self.assertEqual(machine.roomy_folder("/small", "/smaller"), "/small")
        self.assertEqual(machine.roomy_folder("/nowhere", self.base), self.base)

    def test_ninja_compiles_where_it_is_there(self):
        self.with_program("ninja")
        with mock.patch.dict(os.environ, PATH=f"{self.base}:/usr/bin:/bin"):
            configure = next(command for command in stages.build(self.place()) if command.name == "configure")
        self.assertEqual(configure.argv[configure.argv.index("-G") + 1], "Ninja")

    def test_a_tree_without_headers_on_a_machine_without_packages_is_told_what_to_bring(self):
        everything = {name: f"/bin/{name}" for name in ("cmake", "ninja", "c++", "dpkg-query")}
        with mock.patch.object(machine.shutil, "which", everything.get), mock.patch.object(machine.os.path, "exists", lambda path: False):
            lacks = machine.missing_to_build(self.base, "emulated")
        self.assertEqual(
            lacks,
            [
                "this tree has no third_party/ and this machine not the packages: unpack the archive of `./dev pack` here",
                "or bring programs along: `./dev pack --built sm_90` where there is a compiler",
            ],
        )

    def test_a_machine_with_neither_ninja_nor_make_is_named(self):
        some = {"cmake": "/bin/cmake", "c++": "/bin/c++"}
        with mock.patch.object(machine.shutil, "which", some.get):
            self.assertEqual(machine.missing_to_build(self.base, "emulated")[0], "no ninja and no make")
            self.assertIn("no nvcc (PATH, /usr/local/cuda/bin, Python's packages): install the CUDA toolkit 12 or newer", machine.missing_to_build(self.base, "cuda"))

    def test_nccl_of_a_wheel_is_built_with_and_opened(self):
        wheel = os.path.join(self.base, "site", "nvidia", "nccl")
        for name in ("include/nccl.h", "lib/libnccl.so.2"):
            os.makedirs(os.path.dirname(os.path.join(wheel, name)), exist_ok=True)
            with open(os.path.join(wheel, name), "w", encoding="ascii"):
                pass
        machine.nccl_folder.cache_clear()
        self.addCleanup(machine.nccl_folder.cache_clear)
        with mock.patch.dict(os.environ, PYTHONPATH=os.path.join(self.base, "site")):
            self.assertEqual(machine.nccl_folder(), wheel)
            configure = next(command for command in stages.build(self.place()) if command.name == "configure")
            probes = stages.nccl(self.place())
        self.assertIn(f"-DNCCL_INCLUDE_DIR={wheel}/include", configure.argv)
        for command in probes:
            self.assertIn(f"{wheel}/lib/libnccl.so.2", command.argv)

    def test_all_tables_of_nccl_are_three_processes(self):
        self.assertEqual([command.name for command in stages.nccl(self.place())], ["own", "ring_simple", "ring_ll", "shaped"])


if __name__ == "__main__":
    unittest.main()
