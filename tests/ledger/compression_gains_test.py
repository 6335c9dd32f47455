"""Published gains of compression: which rows become pairs of arms, what they gained, and what is left out; no simulator."""

import importlib.util
import sys
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
spec = importlib.util.spec_from_file_location("compression_gains", HERE / "compression_gains.py")
gains = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gains)


def row(model, network, method, value, **rest):
    return {"model": model, "network": network, "method": method, "value": str(value), **rest}


class CompressionGains(unittest.TestCase):
    def setUp(self):
        self.skipped = Counter()

    def pairs(self, of, *rows):
        return list(of(rows, self.skipped))

    def test_throughputs_are_divided_and_epoch_times_the_other_way_round(self):
        vgg = [
            row("VGG16", "100 Gbit/s TCP", "PyTorch DDP dense", 8000, metric="throughput"),
            row("VGG16", "100 Gbit/s TCP", "Horovod dense", 9000, metric="throughput"),
            row("VGG16", "100 Gbit/s TCP", "ByteGrad 8-bit hierarchical", 20000, metric="throughput"),
        ]
        bert = [
            row("BERT-Large SQuAD", "1 Gbit/s TCP (shaped)", "Horovod dense", 2500, metric="epoch time"),
            row("BERT-Large SQuAD", "1 Gbit/s TCP (shaped)", "ByteGrad 8-bit hierarchical", 500, metric="epoch time"),
        ]
        fast, slow = self.pairs(gains.bagua, *vgg, *bert)
        self.assertEqual((fast[0], fast[3]), ("vgg16-100g-bytegrad", 2.5))
        self.assertEqual((slow[0], slow[3]), ("bert_large-1g-bytegrad", 5))
        self.assertIn("execution: ddp_overlap", fast[1])
        self.assertIn("execution: horovod_fusion", slow[1])
        self.assertIn("method: int8", fast[2])

    def test_what_is_not_modelled_or_not_known_is_counted(self):
        rows = [row("VGG16", "2 Gbit/s TCP", "PyTorch DDP dense", 1, metric="throughput")]
        rows += [row("VGG16", "2 Gbit/s TCP", name, 2, metric="throughput") for name in ("asynchronous", "ByteGrad 8-bit hierarchical")]
        self.assertEqual(self.pairs(gains.bagua, *rows), [])
        unknown = [row("GPT 18B", "not stated", name, 1, batch="1K") for name in ("ZeRO-3 dense", "ZeRO++")]
        large = [row("GPT 138B", "400 Gbit/s", name, 1, batch="1K") for name in ("ZeRO-3 dense", "ZeRO++")]
        self.assertEqual(self.pairs(gains.zeropp, *unknown, *large), [])
        self.assertEqual(
            dict(self.skipped),
            {
                "Bagua, asynchronous: not modelled": 1,
                "Bagua, 2 Gbit/s: no goodput of the transport was published": 1,
                "ZeRO++ on a network that is not stated": 1,
                "ZeRO++, GPT 138B: second copies and activations exceed 32 GB here": 1,
            },
        )

    def test_zeropp_is_compared_with_zero3_on_the_same_network(self):
        rows = [
            row("GPT 18B", f"{rate} Gbit/s", name, value, batch="2K tokens per GPU")
            for rate, name, value in ((400, "ZeRO-3 dense", 40), (100, "ZeRO-3 dense", 26), (400, "ZeRO++", 50), (100, "ZeRO++", 39))
        ]
        fast, slow = self.pairs(gains.zeropp, *rows)
        self.assertEqual((fast[0], fast[3], slow[0], slow[3]), ("gpt-18b-2k-400g", 1.25, "gpt-18b-2k-100g", 1.5))
        self.assertIn("sequence: 2048", slow[1])
        self.assertIn("rate: 100 Gbit/s", slow[2])
        self.assertIn("data: zero++", slow[2])

    def test_the_dense_column_of_the_same_table_is_compared_with(self):
        rows = [
            row("AlexNet", "20 Gbit/s", method, value, source=f"Tyagi & Swany Table {table}")
            for table, method, value in (("III", "dense ring", 230), ("III", "lwtopk 0.1", 115), ("IV", "dense tree", 600), ("IV", "ar-topk star 0.01", 60))
        ]
        gathered, reduced = self.pairs(gains.tyagi, *rows)
        self.assertEqual((gathered[0], gathered[3]), ("alexnet-iii-lwtopk-0.1", 2))
        self.assertEqual((reduced[0], reduced[3]), ("alexnet-iv-ar-topk-star-0.01", 10))
        self.assertIn("method: lwtopk, ratio: 0.1", gathered[2])
        self.assertIn("ar_topk_tree", reduced[2])
        self.assertNotIn("compression", reduced[1])


if __name__ == "__main__":
    unittest.main()
