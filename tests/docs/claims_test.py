"""Figures of claims.py by hand, from small documents of `sim run` and `sim advise`."""
import unittest

from claims import Claim, Run, number, with_table


def run_of(**times):
    """Arms `a/fast`, `a/slow`, ... by time; a published ratio of one pair and published times of another."""
    arms = [{"arm": name.replace("_", "/"), "total_time_s": time, "steps": 10} for name, time in times.items()]
    row = {"metric": "total_time", "over": None}
    figures = [
        {**row, "arm": "a/slow", "over": "a/fast", "theirs": 1.75},
        {**row, "arm": "b/slow", "theirs": 90.0},
        {**row, "arm": "b/fast", "theirs": 70.0},
    ]
    return Run({"arms": arms, "expectations": {"figures": figures}})


RUN = run_of(a_slow=3.0, a_fast=2.0, b_slow=8.0, b_fast=2.0, b_slower=10.0)
FIGURE = {"arm": "*/slow", "over": "*/fast", "metric": "total_time_s"}


def claim(figure, **texts):
    entry = {"paper": "P", "claim": "c", "runs": {"r": "run r.yaml"}, "figures": {"f": figure}, **texts}
    return Claim(entry, {"run r.yaml": RUN})


class Figures(unittest.TestCase):
    def test_divides_arms_of_the_same_text(self):
        self.assertEqual(RUN.values(FIGURE), [1.5, 4.0])
        self.assertEqual(RUN.values({**FIGURE, "among": ["b"]}), [4.0])

    def test_divides_by_several_arms_or_by_the_least(self):
        self.assertEqual(RUN.values({"arm": "b/slow", "over": ["b/fast", "b/slower"], "metric": "total_time_s"}), [4.0, 0.8])
        self.assertEqual(RUN.values({"arm": "b/slow", "over_least": ["b/fast", "b/slower"], "metric": "total_time_s"}), [4.0])

    def test_multiplies_and_divides_metrics(self):
        self.assertEqual(RUN.values({"arm": "a/slow", "metric": "total_time_s * steps"}), [30.0])
        self.assertEqual(RUN.values({"arm": "a/slow", "metric": "steps / total_time_s"}), [10 / 3])

    def test_takes_published_ratios_and_ratios_of_published_times(self):
        self.assertEqual(RUN.values(FIGURE, published=True), [1.75, 90 / 70])

    def test_reads_searches_and_configurations_of_advice(self):
        searches = [{"method": "scavenger (ends)", "total_time_s": 4.0}, {"method": "arbitrary", "total_time_s": 6.0}]
        configurations = [{"true_time_s": 2.0, "true_cost_usd": 5.0}, {"true_time_s": 3.0, "true_cost_usd": 4.0}]
        arm = {"name": "x", "searches": searches, "configurations": configurations}
        advice = Run({"arms": [arm], "bounds": [{"arm": "x", "metric": "time_error", "ours": 0.03}]})
        self.assertEqual(advice.values({"arm": "x", "metric": "arbitrary.total_time_s / search.total_time_s"}), [1.5])
        self.assertEqual(advice.values({"arm": "x", "metric": "most.true_cost_usd / least.true_cost_usd"}), [1.25])
        self.assertEqual(advice.values({"arm": "x", "metric": "time_error"}), [0.03])


class Texts(unittest.TestCase):
    def test_shows_two_digits(self):
        shown = [number(value, "") for value in (13.2, 1.96, 0.6624, 0.996, 9.96, 104.2, 0)]
        self.assertEqual(shown, ["13", "2.0", "0.66", "1.0", "10", "104", "0"])
        self.assertEqual(number(0.0317, "%"), "3.2")

    def test_prints_all_ranges_extremes_and_counts(self):
        for how, text in (("all", "1.5, 4.0"), ("range", "1.5 to 4.0"), ("max", "4.0"), ("min", "1.5"), ("above_one", "2")):
            self.assertEqual(claim({**FIGURE, "print": how}, here="{f} of {f.count}").text("here"), f"{text} of 2")
        self.assertEqual(claim(FIGURE, published="{f.published}").text("published"), "1.75, 1.29")

    def test_refuses_a_figure_without_values(self):
        with self.assertRaisesRegex(SystemExit, "no arm for `f`"):
            claim({**FIGURE, "arm": "*/gone"}, here="{f}").text("here")
        with self.assertRaisesRegex(SystemExit, "no published figure for `f`"):
            claim({"arm": "a/fast", "metric": "steps"}, here="{f.published}").text("here")

    def test_computes_the_verdict(self):
        def verdict(**rule):
            return claim(FIGURE, holds={"figures": ["f"], **rule}).verdict()

        self.assertEqual([verdict(at_least=bound) for bound in (1, 2, 5)], ["yes", "1 of 2", "no"])
        self.assertEqual([verdict(at_most=bound) for bound in (1, 2, 5)], ["no", "1 of 2", "yes"])
        self.assertEqual(verdict(at_least="published"), "1 of 2")

    def test_writes_between_the_marks_alone(self):
        page = "a\n<!-- claims: begin -->\nold\n<!-- claims: end -->\nb\n"
        self.assertEqual(with_table(page, "new"), page.replace("old", "new"))
        with self.assertRaises(SystemExit):
            with_table("no marks", "new")


if __name__ == "__main__":
    unittest.main()
