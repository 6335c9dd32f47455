"""Charts of the package `gradsim`: lengths, axes, legends and errors, by hand."""

import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from gradsim import ColumnError, bars, lines  # noqa: E402


def element(chart, tag):
    return [one for one in ElementTree.fromstring(chart.svg).iter("{http://www.w3.org/2000/svg}" + tag)]


def texts(chart):
    return [one.text for one in element(chart, "text")]


def widths(chart):
    """Of the bars, in pixels, without the page and the squares of a legend."""
    return [float(one.get("width")) for one in element(chart, "rect") if one.get("height") == "18"]


def points(chart):
    return [[tuple(map(float, pair.split(","))) for pair in path.get("d")[1:].split(" ")] for path in element(chart, "path")]


class Bars(unittest.TestCase):
    def test_are_as_long_as_their_figures(self):
        chart = bars([{"arm": "a", "sent_bytes": 3e9}, {"arm": "b", "sent_bytes": 1e9}], y="sent_bytes")
        # 680 less 24 and 7 for the names' only letter, and 70 for the number: 579 for the longest.
        self.assertEqual(widths(chart), [579, 193])
        self.assertEqual(texts(chart), ["sent (GB)", "a", "3", "b", "1"])

    def test_stack_the_parts_of_a_step(self):
        row = {"arm": "a", "compute_time_s": 0.1, "compress_time_s": 0.0, "exposed_time_s": 0.3, "wait_time_s": None}
        chart = bars([row])
        self.assertEqual([round(one, 1) for one in widths(chart)], [144.8, 434.2])
        self.assertEqual(texts(chart), ["step time (ms)", "a", "400", "compute", "exchange (not hidden)"])

    def test_are_left_out_where_there_is_no_figure(self):
        chart = bars([{"seed": 1, "target_time_s": 7200.0}, {"seed": 2, "target_time_s": None}], "target_time_s", by="seed")
        self.assertEqual(len(widths(chart)), 1)
        self.assertEqual(texts(chart), ["target time (h)", "1", "2", "2", "none"])

    def test_without_any_figure_are_refused(self):
        with self.assertRaisesRegex(ValueError, "no row has a figure of `target_time_s`"):
            bars([{"arm": "a", "target_time_s": None}], "target_time_s")
        with self.assertRaisesRegex(ValueError, "no row has the parts of a step"):
            bars([{"arm": "a"}])

    def test_are_left_out_where_a_figure_is_not_finite(self):
        chart = bars([{"arm": "a", "loss": 2.0}, {"arm": "b", "loss": float("inf")}, {"arm": "c", "loss": float("nan")}], "loss")
        self.assertEqual((len(widths(chart)), texts(chart)), (1, ["loss", "a", "2", "b", "none", "c", "none"]))
        row = {"arm": "a", "compute_time_s": 1.0, "exposed_time_s": float("inf")}
        with self.assertRaisesRegex(ValueError, "no row has the parts of a step"):
            bars([row])

    def test_of_an_unknown_column_name_the_nearest_and_all(self):
        row = {"arm": "a", "step_time_s": 1.0, "sent_bytes": 2.0}
        with self.assertRaises(ColumnError) as raised:
            bars([row], y="step_tme_s")
        self.assertEqual(str(raised.exception), "unknown column `step_tme_s`; did you mean `step_time_s`? columns: arm, step_time_s, "
                         "sent_bytes")
        self.assertEqual(raised.exception.columns, ["arm", "step_time_s", "sent_bytes"])
        with self.assertRaisesRegex(ColumnError, "^unknown column `xyzzy`; columns: arm, step_time_s, sent_bytes$"):
            bars([row], by="xyzzy")
        with self.assertRaisesRegex(KeyError, "unknown column `workers`"):  # as other code catches it
            lines([row], x="workers", y="step_time_s")

    def test_of_a_column_that_one_row_lacks_name_the_row(self):
        with self.assertRaises(ColumnError) as raised:
            bars([{"arm": "a", "v": 1.0}, {"arm": "b"}], y="v")
        self.assertEqual(str(raised.exception), "row 1 has no column `v`, which other rows have")
        self.assertEqual((raised.exception.column, raised.exception.columns), ("v", ["arm", "v"]))

    def test_escape_names(self):
        self.assertIn("a &lt; b", bars([{"arm": "a < b", "sent_bytes": 1}], "sent_bytes").svg)


class Lines(unittest.TestCase):
    def test_of_a_small_range_are_linear_from_zero(self):
        rows = [{"arm": "a", "cluster.workers": n, "step_time_s": 0.01 * n} for n in (2, 4, 6)]
        chart = lines(rows, x="cluster.workers", y="step_time_s")
        self.assertEqual(points(chart), [[(70, 190), (360, 110), (650, 30)]])  # 240 pixels for 60 ms
        self.assertEqual(texts(chart)[:2], ["step time (ms)", "workers"])

    def test_over_a_factor_of_ten_are_logarithmic(self):
        rows = [{"arm": "a", "cluster.link.bandwidth": f"{n} Gbit/s", "step_time_s": 1 / n} for n in (1, 10, 100)]
        chart = lines(rows, x="cluster.link.bandwidth", y="step_time_s")
        self.assertEqual(points(chart), [[(70, 30), (360, 150), (650, 270)]])
        self.assertEqual(texts(chart)[:2], ["step time (s)", "bandwidth (Gbit/s)"])

    def test_of_numbers_are_named_with_their_title(self):
        rows = [{"workers": n, "hours": h, "cost_usd": 10 * h} for n in (8, 16) for h in (1, 2)]
        self.assertEqual(texts(lines(rows, "hours", "cost_usd", by="workers"))[-2:], ["8 workers", "16 workers"])

    def test_of_many_points_are_thinned(self):
        rows = [{"arm": "a", "step": n, "loss": 1.0} for n in range(1000)]
        self.assertEqual(len(points(lines(rows, "step", "loss"))[0]), 112)  # each ninth

    def test_of_few_points_are_in_the_order_of_the_axis_and_marked(self):
        chart = lines([{"arm": "a", "x": 3, "y": 3.0}, {"arm": "a", "x": 1, "y": 1.0}, {"arm": "a", "x": 2, "y": 2.0}], "x", "y")
        self.assertEqual(points(chart), [[(70, 190), (360, 110), (650, 30)]])
        self.assertEqual([(one.get("cx"), one.get("cy")) for one in element(chart, "circle")],
                         [("70.0", "190.0"), ("360.0", "110.0"), ("650.0", "30.0")])

    def test_count_in_millions(self):
        chart = lines([{"arm": "a", "x": 1_000_000, "y": 1.0}, {"arm": "a", "x": 20_000_000, "y": 1.0}], "x", "y")
        self.assertIn("10 M", texts(chart))

    def test_leave_out_rows_without_a_figure(self):
        rows = [{"arm": "a", "step": 1, "loss": 1.0}, {"arm": "a", "step": 2, "loss": None}, {"arm": "a", "step": 3, "loss": 2.0}]
        self.assertEqual(len(points(lines(rows, "step", "loss"))[0]), 2)

    def test_leave_out_rows_that_are_not_finite(self):
        rows = [{"arm": "a", "x": x, "y": y} for x, y in ((1, 1.0), (2, float("inf")), (3, float("nan")), (float("inf"), 1.0),
                                                          (float("nan"), 1.0), ("1e999", 1.0), (4, -float("inf")), (5, 2.0))]
        self.assertEqual(points(lines(rows, "x", "y")), [[(70, 150), (650, 30)]])
        with self.assertRaisesRegex(ValueError, "no row has a figure of `y`"):
            lines([{"arm": "a", "x": 1, "y": float("inf")}], "x", "y")

    def test_of_more_than_eight_names_are_refused(self):
        rows = [{"arm": f"arm {n}", "x": 1, "y": 1.0} for n in range(12)]
        self.assertEqual(len(points(lines(rows[:8], "x", "y"))), 8)
        with self.assertRaisesRegex(ValueError, "^12 lines, and 8 can be told apart; filter rows or choose another `by`$"):
            lines(rows, "x", "y")

    def test_whose_values_are_names_or_have_other_units_are_refused(self):
        rows = [{"arm": "a", "x": "1 Gbit/s", "y": 1.0}, {"arm": "a", "x": "100 Mbit/s", "y": 2.0}]
        with self.assertRaisesRegex(ValueError, "units of `x` differ: Gbit/s, Mbit/s"):
            lines(rows, "x", "y")
        with self.assertRaisesRegex(ValueError, "found `star`; bars show values that are names"):
            lines([{"arm": "a", "x": "star", "y": 1.0}], "x", "y")
        with self.assertRaisesRegex(ValueError, "no row has a figure of `y`"):
            lines([{"arm": "a", "x": 1, "y": None}], "x", "y")

    def test_are_a_whole_file(self):
        chart = lines([{"arm": "a", "x": 1, "y": 1.0}], "x", "y")
        self.assertTrue(re.match(r"<svg [^>]*aria-label=\"y over x\">", chart.svg))
        self.assertTrue(chart.svg.endswith("</svg>\n"))
        self.assertEqual(str(chart), chart._repr_svg_())


if __name__ == "__main__":
    unittest.main()
