"""What a first contact brought home is imported, twice as once, and what is damaged is named.

import_results_test.py BIN_DIR
"""
import contextlib
import io
import os
import sys
import unittest

from scratch import HEADER, Scratch, results, row
import import_results

CALIBRATE = os.path.join(os.path.abspath(sys.argv.pop(1)), "calibrate")


class Importing(Scratch):
    def write_results(self, device="cuda"):
        os.makedirs(os.path.join(self.state, "kernels"))
        for size in (1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000):
            rows = [row("int8", size, 1, (size / 1000, size / 4000, size / 2000))]
            with open(os.path.join(self.state, "kernels", f"int8_{size}.csv"), "w", encoding="utf-8") as file:
                file.write("\n".join(["# device=Test GPU 7", "# licence: facts", HEADER, *rows]) + "\n")
        results.write_archive(self.state, self.out, "kernels")
        results.write_record(self.out, {"schema_version": 1, "device": device, "stages": {}})

    def bring_in(self, *options):
        into = os.path.join(self.base, "tree")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
            status = import_results.main([self.out, "--calibrate", CALIBRATE, *(options or ("--into", into))])
        return status, said.getvalue(), into

    def contents(self, into):
        found = {}
        for path in results.files_below(into):
            with open(os.path.join(into, path), "rb") as file:
                found[path] = file.read()
        return found

    def test_times_and_costs_carry_device_and_hash_and_twice_is_as_once(self):
        self.write_results()
        status, said, into = self.bring_in()
        self.assertEqual(status, 0)
        self.assertEqual(
            said,
            "dev gpu-import: left out: device file: no copy of 25000000 values or more was measured\n",
        )
        once = self.contents(into)
        self.assertEqual(
            sorted(once),
            ["docs/performance.md", "scenarios/kernel_times/test_gpu_7.csv", "scenarios/kernel_times/test_gpu_7.yaml"],
        )
        self.assertIn(b"# results sha256:", once["scenarios/kernel_times/test_gpu_7.csv"])
        self.assertIn(b"device: 'Test GPU 7'", once["scenarios/kernel_times/test_gpu_7.yaml"])
        self.assertEqual(self.bring_in()[0], 0)
        self.assertEqual(self.contents(into), once)

    def test_a_case_that_was_measured_twice_counts_once(self):
        self.write_results()
        more, fewer = (row("int8", size, 1, (1, 0, 1)).replace(",9,", f",{many},") for size, many in ((1_000_000, 20), (2_000_000, 3)))
        with open(os.path.join(self.state, "kernels", "int8_1000000_2.csv"), "w", encoding="utf-8") as file:
            file.write("\n".join(["# device=Test GPU 7", HEADER, more, fewer]) + "\n")
        results.write_archive(self.state, self.out, "kernels")
        status, said, into = self.bring_in()
        self.assertEqual((status, "duplicate" in said), (0, False), said)
        text = self.contents(into)["scenarios/kernel_times/test_gpu_7.csv"].decode()
        self.assertEqual(len([line for line in text.splitlines() if line.startswith("int8,")]), 5)
        self.assertIn(more + "\n", text)
        self.assertNotIn(fewer, text)

    def test_without_kernel_times_the_device_is_named_as_pytorch_or_the_driver_says(self):
        os.makedirs(os.path.join(self.state, "compression"))
        rows = [f"{model},fp16,bucket,{pieces},{values},9,1.5" for model, pieces, values in (("a", 5, 1000), ("b", 9, 5000))]
        head = ["# device=Test GPU 7", "# PyTorch 2.11.0", "model,method,grain,pieces,values,repetitions,median_ms"]
        for record, wanted in (({}, "test_gpu_7"), ({"gpu": "Test GPU 8"}, "test_gpu_8")):
            with open(os.path.join(self.state, "compression", "compression.csv"), "w", encoding="utf-8") as file:
                file.write("\n".join([*head, *rows]) + "\n")
            results.write_archive(self.state, self.out, "traces")
            results.write_record(self.out, {"schema_version": 1, "device": "cuda", "stages": {}, **record})
            status, said, into = self.bring_in()
            self.assertEqual(status, 0, said)
            self.assertIn(f"scenarios/kernel_times/pytorch_{wanted}.yaml", self.contents(into))

    def test_a_rehearsal_is_labelled_and_not_taken_into_the_repository(self):
        self.write_results("cpu")
        status, said, _ = self.bring_in("--calibrate", CALIBRATE)
        self.assertEqual(status, 1)
        self.assertIn("is a rehearsal without a GPU; name a folder for it by --into", said)
        _, _, into = self.bring_in()
        self.assertIn(b"rehearsal: times of a processor", self.contents(into)["scenarios/kernel_times/test_gpu_7.csv"])

    def test_a_damaged_archive_is_named_and_the_rest_is_imported(self):
        self.write_results()
        with open(os.path.join(self.out, "nccl.tar.gz"), "wb") as file:
            file.write(b"half")
        status, said, into = self.bring_in()
        self.assertEqual(status, 0)
        self.assertIn("nccl.tar.gz: damaged", said)
        self.assertIn("scenarios/kernel_times/test_gpu_7.csv", self.contents(into))

    def test_a_folder_of_something_else_is_refused(self):
        status, said, _ = self.bring_in()
        self.assertEqual(status, 1)
        self.assertIn("no stages.json in", said)

    def test_tables_of_nccl_say_which_choice_they_are_of(self):
        self.write_results()
        folder = os.path.join(self.state, "nccl", "ring_ll_all_reduce")
        os.makedirs(folder)
        with open(os.path.join(folder, "all_reduce.csv"), "w", encoding="utf-8") as file:
            file.write("# collective=all_reduce; nranks=2\nsize_bytes,time_us\n4,5\n")
        results.write_archive(self.state, self.out, "nccl")
        _, _, into = self.bring_in()
        table = self.contents(into)["scenarios/measurements/test_gpu_7_ring_ll_all_reduce.csv"].decode().splitlines()
        self.assertRegex(table[1], "^# note=results sha256:[0-9a-f]{64}; table ring_ll_all_reduce$")
        self.assertEqual(table[2:], ["size_bytes,time_us", "4,5"])

    def test_each_collective_of_a_choice_has_a_table_of_its_own(self):
        self.write_results()
        folder = os.path.join(self.state, "nccl", "own")
        os.makedirs(folder)
        for collective in ("all_reduce", "broadcast"):
            with open(os.path.join(folder, f"{collective}.csv"), "w", encoding="utf-8") as file:
                file.write(f"# collective={collective}; nranks=2\nsize_bytes,time_us\n4,5\n")
        results.write_archive(self.state, self.out, "nccl")
        _, _, into = self.bring_in()
        held = sorted(path for path in self.contents(into) if "_own_" in path)
        self.assertEqual(held, [f"scenarios/measurements/test_gpu_7_own_{name}.csv" for name in ("all_reduce", "broadcast")])

    def said_of(self, record):
        os.makedirs(self.out, exist_ok=True)
        with open(os.path.join(self.out, "stages.json"), "w", encoding="utf-8") as file:
            file.write(record)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            status = import_results.main([self.out, "--calibrate", "/nowhere/calibrate", "--into", os.path.join(self.state, "i")])
        return status, said.getvalue()

    def test_a_record_that_is_none_is_refused_before_the_program_is_looked_for(self):
        path = os.path.join(self.out, "stages.json")
        wanted = f"dev gpu-import: {path}: expected `stages`, each with state, seconds and cases; copy the folder again\n"
        for stages_of_record in ("", ', "stages": []', ', "stages": {"facts": {"state": "done"}}'):
            self.assertEqual(self.said_of('{"schema_version": 1' + stages_of_record + "}"), (1, wanted))
        status, said = self.said_of('{"schema_version": 1, "stages')
        self.assertEqual(status, 1)
        self.assertIn("not JSON", said)
        self.assertIn("copy the folder again, or remove the file to measure anew", said)
        self.assertEqual(
            self.said_of('{"schema_version": 1, "device": "cuda", "stages": {}}'),
            (3, "dev gpu-import: no program `/nowhere/calibrate`; build it first: ./dev build calibrate\n"),
        )

    def test_tables_of_shaped_links_are_named_by_rate_and_collective(self):
        self.write_results()
        for collective in ("all_reduce", "all_gather"):
            folder = os.path.join(self.state, "nccl", "shaped", "n2_200")
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, f"{collective}.csv"), "w", encoding="utf-8") as file:
                file.write(f"# collective={collective}; nranks=2\nsize_bytes,time_us\n4,5\n")
        results.write_archive(self.state, self.out, "nccl")
        _, _, into = self.bring_in()
        held = [path for path in self.contents(into) if "shaped" in path]
        self.assertEqual(
            held,
            [f"scenarios/measurements/test_gpu_7_shaped_n2_200_{name}.csv" for name in ("all_gather", "all_reduce")],
        )

    def test_a_section_of_the_page_is_replaced_where_it_was(self):
        page = import_results.replace_section("# Page\n", "a", "one\n") + "after\n"
        again = import_results.replace_section(page, "a", "two\n")
        self.assertEqual(again, "# Page\n\n<!-- measured on a -->\ntwo\n<!-- end of a -->\nafter\n")


if __name__ == "__main__":
    unittest.main()
