"""A first contact on a bare node: all stages run and come home, and each of five faults is noticed.

bare_node_test.py BIN_DIR
"""
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../calibrate/first_contact"))
import bare_node  # noqa: E402
import import_results  # noqa: E402
import results  # noqa: E402
import stages  # noqa: E402

CALIBRATE = os.path.join(os.path.abspath(sys.argv.pop(1)), "calibrate")
MINUTES = 9
# Libraries of glibc and of the compiler; the benchmark program brings one more along.
ON_EVERY_NODE = {"linux-vdso.so.1", "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "/lib64/ld-linux-x86-64.so.2"}


def setUpModule():
    reason = bare_node.why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    global base, archives
    base = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, base)
    archives = bare_node.pack_emulated(base)


class Node(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=base)
        self.addCleanup(shutil.rmtree, self.folder)
        self.node = bare_node.BareNode(self.folder)

    def unpack(self, *which):
        self.tree = self.node.unpack(*(which or archives))
        return self.tree

    def edit(self, path, old, new):
        """Puts a fault back into the unpacked tree."""
        path = os.path.join(self.tree, path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))

    def gpu(self, *words, **settings):
        """@returns (exit code, what was said, the record of the stages)"""
        options = ("--device", "emulated", "--out", "/node/results", *words)
        done = self.node.run(["./dev", "gpu", *options], "/node/gradsim", **settings)
        return done.returncode, done.stderr, results.read_record(os.path.join(self.node.shared, "results"))["stages"]


class Rehearsal(Node):
    def test_every_stage_runs_and_what_comes_home_is_imported(self):
        out, into = os.path.join(self.folder, "out"), os.path.join(self.folder, "into")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            status = bare_node.rehearse(self.node, archives, MINUTES, out)
        record = results.read_record(out)["stages"]
        self.assertEqual({name: entry["state"] for name, entry in record.items() if entry["state"] not in ("done", "skipped", "partial")}, {}, said.getvalue())
        self.assertEqual(sorted(record), sorted(row.name for row in stages.STAGES))
        self.assertEqual([name for name, entry in record.items() if entry["state"] == "skipped"], ["build", "sanitize"])
        self.assertEqual(status, 0 if all(entry["state"] != "partial" for entry in record.values()) else 3)
        self.assertLessEqual(len(os.listdir(out)), 8)
        self.assertLessEqual(max(entry.stat().st_size for entry in os.scandir(out)), results.MOST_BYTES)
        with contextlib.redirect_stdout(io.StringIO()) as written, contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(import_results.main([out, "--calibrate", CALIBRATE, "--into", into]), 0)
        for kind in ("kernel_times", "learners", "measurements"):  # Debian's PyTorch has no Kineto, so no workloads
            self.assertIn(f"scenarios/{kind}/", written.getvalue(), said.getvalue())

    def test_the_programs_need_no_library_that_a_node_may_lack(self):
        self.unpack()
        for name in ("bin/calibrate", "tests/test_device", "tests/test_device_probes", "bench/kernels_bench"):
            done = self.node.run(["ldd", f"build-gpu/{name}"], "/node/gradsim")
            needed = {line.split()[0] for line in done.stdout.splitlines()}
            brought = {"libbenchmark.so.1debian"} if name.startswith("bench") else set()
            self.assertLessEqual(needed, ON_EVERY_NODE | brought, name)
            self.assertNotIn("not found", done.stdout, name)

    def test_without_programs_a_node_configures_with_ninja_and_the_wheel(self):
        self.unpack()
        settings = self.node.bring_wheel(self.tree)
        shutil.rmtree(os.path.join(self.tree, "build-gpu"))
        done = self.configure(**settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("NCCL: found (/node/site/nvidia/nccl/include/nccl.h)", done.stdout)

    def configure(self, **settings):
        words = "import stages, subprocess, sys; place = stages.Place('.', '/node', 'emulated', 1); sys.exit(max(subprocess.run(c.argv).returncode for c in stages.build(place)[:2]))"
        return self.node.run(["python3", "-B", "-c", f"import sys; sys.path.insert(0, 'calibrate/first_contact'); {words}"], "/node/gradsim", **settings)


class FaultsThatStoppedIt(Rehearsal):
    """Each put back, and noticed."""

    test_every_stage_runs_and_what_comes_home_is_imported = None
    test_the_programs_need_no_library_that_a_node_may_lack = None
    test_without_programs_a_node_configures_with_ninja_and_the_wheel = None

    def test_a_plain_checkout_is_told_what_to_bring_before_anything_is_built(self):
        self.unpack(archives[0])
        shutil.rmtree(os.path.join(self.tree, "third_party"))
        status, said, record = self.gpu("--stages", "build,kernels")
        self.assertEqual((status, record), (3, {}))
        self.assertIn("no third_party/", said)

    def test_makefiles_cannot_be_built_where_there_is_no_make(self):
        self.unpack(archives[0])
        self.edit("calibrate/first_contact/stages.py", 'options += ["-G", "Ninja"]', "pass")
        done = self.configure()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Unix Makefiles", done.stderr)

    def test_nccl_is_not_found_where_nobody_asks_the_wheels(self):
        self.unpack()
        settings = self.node.bring_wheel(self.tree)
        self.edit("calibrate/first_contact/machine.py", "    return said if said and os.path.isdir(said) else None", "    return None")
        status, _, record = self.gpu("--stages", "nccl", **settings)
        self.assertEqual((status, record["nccl"]["state"]), (3, "failed"))
        self.assertEqual(record["nccl"]["cases"]["own"]["state"], "failed")

    def test_the_benchmark_program_does_not_start_without_its_library_beside_the_tree(self):
        self.unpack()
        os.remove(os.path.join(self.tree, "third_party/lib/libbenchmark.so.1debian"))
        _, _, record = self.gpu("--stages", "benchmark")
        self.assertEqual(record["benchmark"]["cases"]["kernels_bench"]["state"], "failed")

    def test_stages_that_need_their_whole_time_do_not_begin(self):
        self.unpack()
        settings = self.node.bring_wheel(self.tree)
        begun = [name for name in self.gpu("--stages", "facts,kernels", "--minutes", "1", **settings)[2]]
        self.assertEqual(begun, ["facts", "kernels"])
        shutil.rmtree(os.path.join(self.node.shared, "results"))
        self.edit("calibrate/first_contact/run.py", "if left_s < 60 * stage.least:", "if left_s < 60 * stage.minutes:")
        begun = [name for name in self.gpu("--stages", "facts,kernels", "--minutes", "1", **settings)[2]]
        self.assertEqual(begun, ["facts"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
