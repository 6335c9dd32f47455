"""The folder of results of a first contact: archives, record, going on from it, and its page with goals by hand."""
import contextlib
import io
import os
import unittest
from unittest import mock

from scratch import HEADER, Scratch, results, row, run, stages
import summary


class Archives(Scratch):
    def test_every_stage_has_one_archive_and_there_are_at_most_eight_files(self):
        held = [name for names in results.ARCHIVES.values() for name in names]
        self.assertEqual(sorted(held), sorted(row.name for row in stages.STAGES))
        self.assertLessEqual(len(results.ARCHIVES) + 2, 8)

    def test_an_archive_leaves_out_its_largest_file_where_it_would_be_too_large(self):
        os.makedirs(os.path.join(self.state, "kernels"))
        for name, size in (("small", 10), ("large", 100_000)):
            with open(os.path.join(self.state, "kernels", name), "wb") as file:
                file.write(os.urandom(size))
        most, results.MOST_BYTES = results.MOST_BYTES, 50_000
        try:
            self.assertEqual(results.write_archive(self.state, self.out, "kernels"), ["kernels/large"])
        finally:
            results.MOST_BYTES = most
        self.assertLessEqual(os.path.getsize(os.path.join(self.out, "kernels.tar.gz")), 50_000)


    def written(self, name, data):
        os.makedirs(os.path.join(self.state, "kernels"), exist_ok=True)
        with open(os.path.join(self.state, "kernels", name), "wb") as file:
            file.write(data)

    def unpacked(self):
        """{name: contents} of the archive in a fresh folder"""
        results.write_archive(self.state, self.out, "kernels")
        fresh, found = os.path.join(self.base, "fresh"), {}
        self.assertEqual(results.unpack(self.out, fresh), [])
        for name in results.files_below(fresh):
            with open(os.path.join(fresh, name), "rb") as file:
                found[name] = file.read()
        return found

    def test_of_a_try_that_was_killed_the_earlier_one_comes_home_where_it_is_more(self):
        for now, wanted in ((b"one", b"one, two"), (None, b"one, two"), (b"one, two, three", b"one, two, three")):
            self.written("a.csv", b"one, two")
            results.set_aside(os.path.join(self.state, "kernels"), "log.txt")
            if now is not None:
                self.written("a.csv", now)
            self.assertEqual(self.unpacked(), {"kernels/a.csv": wanted})
            results.settle(os.path.join(self.state, "kernels"), done=True)

    def test_what_is_still_being_written_is_left_out(self):
        self.written("a.csv", b"whole")
        self.written("a.csv.new", b"half")
        os.makedirs(os.path.join(self.state, "kernels", ".unfinished"))
        self.written(".unfinished/trace.json", b"half")
        self.assertEqual(self.unpacked(), {"kernels/a.csv": b"whole"})

    def test_each_file_is_compressed_once_however_many_are_left_out(self):
        for i in range(20):
            self.written(f"{i}.json.gz", os.urandom(1000 + i))
        with mock.patch.object(results, "MOST_BYTES", 8000), mock.patch.object(results, "packed", wraps=results.packed) as packed:
            left_out = results.write_archive(self.state, self.out, "kernels")
        self.assertEqual(left_out[:2], ["kernels/19.json.gz", "kernels/18.json.gz"])
        self.assertLess(packed.call_count, 4)
        self.assertLessEqual(os.path.getsize(os.path.join(self.out, "kernels.tar.gz")), 8000)


class Options(Scratch):
    def refused(self, *words):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as end:
            run.arguments(list(words))
        self.assertEqual(end.exception.code, 2)
        return said.getvalue().splitlines()[-1]

    def test_unknown_stages_and_no_time_are_refused(self):
        self.assertIn("unknown stage `nccI`; accepted: facts, build,", self.refused("--stages", "facts,nccI"))
        self.assertIn("--minutes: 0; accepted: above 0", self.refused("--minutes", "0"))
        self.assertIn("unrecognized arguments: --stage", self.refused("--stage", "facts"))

    def test_nothing_is_made_where_there_is_nothing_to_go_on_from(self):
        out = os.path.join(self.base, "new")
        for dry in ((), ("--dry-run",)):
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(run.main(["--resume", "/nowhere", "--device", "cpu", "--out", out, "--state", self.state, *dry]), 1)
            self.assertEqual(said.getvalue(), "dev gpu: --resume: no stages.json in `/nowhere`; name a folder that ./dev gpu wrote\n")
        self.assertFalse(os.path.exists(out))

    def test_a_folder_that_cannot_be_made_is_named(self):
        path = os.path.join(self.base, "a-file")
        with open(path, "w", encoding="ascii"):
            pass
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(run.main(["--stages", "facts", "--device", "cpu", "--out", path, "--state", self.state]), 3)
        self.assertIn(f"dev gpu: {path}: File exists; name other folders by --out and --state\n", said.getvalue())

    def test_results_of_another_device_or_none_are_not_resumed(self):
        said = run.arguments(["--resume", self.out, "--out", self.out, "--state", self.state])
        with self.assertRaisesRegex(ValueError, "--resume: no stages.json in "):
            run.resume(said)
        results.write_record(self.out, {"schema_version": 1, "device": "cpu", "stages": {}})
        with self.assertRaisesRegex(ValueError, "--resume: results of `cpu`, not of `cuda`; name --device"):
            run.resume(said)

    def test_stages_whose_results_were_not_written_are_run_again(self):
        entry = {"state": "done", "seconds": 1, "cases": {}}
        record = {"schema_version": 1, "device": "cuda", "stages": {"facts": entry, "kernels": {**entry, "unwritten": "[Errno 28]"}}}
        results.write_record(self.out, record)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            run.resume(run.arguments(["--resume", self.out, "--out", self.out, "--state", self.state]))
        self.assertEqual(said.getvalue(), "dev gpu: kernels: its results were not written; it is run again\n")
        self.assertEqual(list(results.read_record(self.out)["stages"]), ["facts"])

    def test_results_of_another_gpu_are_not_resumed(self):
        results.write_record(self.out, {"schema_version": 1, "device": "cuda", "gpu": "NVIDIA H100 80GB HBM3", "stages": {}})
        said = run.arguments(["--resume", self.out, "--out", self.out, "--state", self.state])
        with self.path_with("nvidia-smi", "echo 'GPU 0: NVIDIA H200 (UUID: GPU-1)'; echo 'GPU 1: another (UUID: GPU-2)'"):
            with self.assertRaisesRegex(ValueError, "--resume: results of NVIDIA H100 80GB HBM3, and here is NVIDIA H200; name another folder by --out"):
                run.resume(said)
        with self.path_with("nvidia-smi", "echo 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-3)'"):
            run.resume(said)
        with self.path_with("nvidia-smi", "echo Failed to initialize NVML >&2; exit 9"):
            run.resume(said)

    def test_a_record_that_is_not_whole_is_refused(self):
        for text, why in (("{", "not JSON"), ("[]", "expected schema_version 1")):
            results.replace(os.path.join(self.out, results.RECORD), text.encode())
            with self.assertRaisesRegex(ValueError, why):
                results.read_record(self.out)


class Goals(unittest.TestCase):
    def verdict(self, *lines):
        return summary.verdict(summary.GOALS[0], summary.read_times("\n".join([HEADER, *lines])))

    def test_is_reached_by_compressing_alone(self):  # (190 - 20) / 100
        self.assertEqual(self.verdict(row("topk", 25_000_000, 0.01, (190, 20, 100))), ("reached", "1.70"))

    def test_is_missed_by_the_worst_size(self):  # 204 / 100 over 1.7: 20 %
        lines = [row("topk", 25_000_000, 0.01, (100, 0, 100)), row("topk", 10**8, 0.001, (204, 0, 100))]
        self.assertEqual(self.verdict(*lines), ("missed by 20 %", "2.04"))

    def test_is_not_measured_by_small_sizes_other_ratios_or_half_rows(self):
        lines = [row("topk", 10**6, 0.01, (1, 0, 1)), row("topk", 10**8, 0.1, (1, 0, 1)), "topk,100000000,0.01,9"]
        self.assertEqual(self.verdict(*lines), ("not measured", ""))


class Page(Scratch):
    def test_has_what_compression_costs_inside_pytorch_of_whole_rows(self):
        os.makedirs(os.path.join(self.state, "compression"))
        with open(os.path.join(self.state, "compression", "compression.csv"), "w", encoding="utf-8") as file:
            file.write("# device=Test GPU 7\nmodel,method,grain,pieces,values,repetitions,median_ms\n")
            file.write("resnet50,topk,bucket,5,25557032,9,1.5\nlinear_24x1024,fp16,ddp_pass,1,25190400,9,2.25\nvgg16,int8,tens")
        text = summary.page({"device": "cuda", "stages": {}}, self.state)
        self.assertTrue(text.endswith("| resnet50, topk | bucket | 1.50 |\n| linear_24x1024, fp16 | ddp pass | 2.25 |\n"), text)

    def test_has_no_table_where_nothing_was_measured(self):
        self.assertNotIn("PyTorch", summary.page({"device": "cuda", "stages": {}}, self.state))


if __name__ == "__main__":
    unittest.main()
