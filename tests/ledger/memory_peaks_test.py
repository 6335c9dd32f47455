#!/usr/bin/env python3
"""Which rows of the table of memory become runs, and with which degrees and batches."""

import importlib.util
import sys
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
spec = importlib.util.spec_from_file_location("memory_peaks", HERE / "memory_peaks.py")
memory_peaks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(memory_peaks)


def row(**columns):
    return {"sharding": "", "gpus": "8", "micro_batch": "1", "params": "2e11", "note": "line 500; ", "model": ""} | columns


class MemoryPeaks(unittest.TestCase):
    def test_each_row_is_a_run_or_is_counted(self):
        skipped = Counter()
        rows = memory_peaks.steps.table(HERE.parent / "data/llm/memory.csv")
        found = list(memory_peaks.peaks(rows, skipped))
        self.assertEqual(Counter(result for result, *_ in found), {"shown": 75, "allocated": 19})
        self.assertEqual(len({name for _, name, *_ in found}), 94)
        self.assertEqual(skipped["BLOOM: stages of unequal length"], 1)
        self.assertEqual(skipped["torchtitan: 126 blocks on 8 stages"], 6)

    def test_degrees_follow_their_word(self):
        self.assertEqual(memory_peaks.degree(row(sharding="ZeRO-1 DP8 TP4 PP12"), "PP"), 12)
        self.assertEqual(memory_peaks.degree(row(sharding="TP 4 FSDP 2"), "TP"), 4)
        self.assertEqual(memory_peaks.degree(row(sharding="FSDP"), "FSDP"), 0)

    def test_a_sequence_that_several_gpus_share_is_a_shorter_one(self):
        text = memory_peaks.torchtitan(row(sharding="FSDP 4 CP 2", sequence="65536", recomputation="full", model="Llama3.1-8B"))
        self.assertIn("sequence: 32768}, recomputation: full", text)

    def test_embedding_has_the_place_of_a_block_in_later_runs(self):
        text = memory_peaks.megatron(row(sharding="ZeRO-1 DP8 TP4 PP12", note="line 900; "))
        self.assertIn("layers: 96, hidden: 12288", text)
        self.assertIn("gradient_bytes: 2", text)

    def test_shapes_that_the_log_does_not_state_are_left_out(self):
        self.assertEqual(memory_peaks.megatron(row(note="line 389; ")), "shape or degrees are not stated")
        self.assertEqual(memory_peaks.megatron(row(sharding="DP? TP8 PP4")), "shape or degrees are not stated")


if __name__ == "__main__":
    unittest.main()
