"""The package `gradsim` on the program that was built: results, overrides, errors, threads, cancellation."""

import inspect
import json
import os
import subprocess
import sys
import threading
import types
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
os.environ["GRADSIM_SIM"] = sys.argv.pop(1)
sys.path.insert(0, str(ROOT / "python"))

import gradsim  # noqa: E402
from gradsim import server  # noqa: E402
from gradsim.result import read_rows  # noqa: E402

SMALL = {
    "workload": "resnet50_v100",
    "cluster": {"workers": 4, "link": {"latency": "1 ms", "bandwidth": "1 Gbit/s"}},
    "training": {"batch": 32, "epochs": 1, "samples": 1280},
}


def output_of_cli(*arguments):
    return subprocess.run([os.environ["GRADSIM_SIM"], *arguments], check=True, capture_output=True, text=True).stdout


class Run(unittest.TestCase):
    def test_has_the_bytes_of_the_command_line(self):
        result = gradsim.run("quickstart")
        self.assertEqual(str(result), output_of_cli("run", "quickstart", "--quiet"))
        data = json.loads(output_of_cli("run", "quickstart", "--quiet", "--format", "json"))
        del data["schema_version"]
        self.assertEqual(result.data, data)
        rows = read_rows(output_of_cli("run", "quickstart", "--quiet", "--format", "csv"))
        self.assertEqual([list(row) for row in result.rows], [list(row) for row in rows])

    def test_arms_phases_and_verdicts_are_those_of_the_data(self):
        result = gradsim.run("quickstart")
        self.assertEqual(list(result.arms), ["dense-ring", "dense-tree", "topk-1%", "ar-topk-1%"])
        self.assertAlmostEqual(result.arms["dense-ring"]["step_time_s"], 0.9043678288)
        self.assertEqual(len(result.phases), 8)
        self.assertIn("`dense-ring` wins", result.verdict)
        self.assertIsNone(result.met)
        self.assertEqual(result.question, "Which collective and which compression ratio pay when the network degrades?")

    def test_a_dict_is_a_scenario_and_an_override_changes_a_copy(self):
        base = gradsim.Scenario.from_dict(SMALL)
        slower = base.override({"cluster.link.bandwidth": "500 Mbit/s"}, seed=3)
        self.assertEqual(base.settings, {})
        times = [one.run().arms["run"]["step_time_s"] for one in (base, slower)]
        self.assertGreater(times[1], 1.9 * (times[0] - 0.0957))
        self.assertEqual(slower.run().arms["run"]["seed"], 3)

    def test_steps_are_kept_where_they_are_asked_for(self):
        result = gradsim.run(SMALL, steps=True)
        self.assertEqual([row["step"] for row in result.steps], list(range(10)))
        with self.assertRaisesRegex(ValueError, "steps=True"):
            gradsim.run(SMALL).steps

    def test_a_notebook_shows_what_a_terminal_shows(self):
        result = gradsim.Result(text="a < b")
        self.assertEqual(result._repr_html_(), "<pre>a &lt; b</pre>")

    def test_a_missed_figure_is_an_error_when_strict(self):
        missed = {**SMALL, "expect": [{"metric": "step_time", "value": "9 s", "within": "1 %", "source": "by hand"}]}
        self.assertFalse(gradsim.run(missed).met)
        with self.assertRaisesRegex(gradsim.InputError, "expect"):
            gradsim.run(missed, strict=True)


class Commands(unittest.TestCase):
    def test_a_ring_takes_its_closed_form(self):
        cost = gradsim.cost("ring_allreduce", ranks=8, size="100MB", latency="500ns", bandwidth="50GB/s")
        self.assertAlmostEqual(cost.data["time_s"], 14 * (500e-9 + 1e8 / 8 / 50e9), places=12)

    def test_a_sweep_has_a_row_for_each_arm_of_each_point(self):
        rows = gradsim.sweep(SMALL, {"cluster.workers": [2, 4], "cluster.link.bandwidth": ["1 Gbit/s", "10 Gbit/s"]}).rows
        self.assertEqual(len(rows), 4)
        by_point = {(row["cluster.workers"], row["cluster.link.bandwidth"]): row["step_time_s"] for row in rows}
        self.assertLess(by_point[2, "10 Gbit/s"], by_point[2, "1 Gbit/s"])

    def test_points_of_a_grid_are_those_of_a_sweep(self):
        axes = {"cluster.workers": [2, 4]}
        swept = [row["step_time_s"] for row in gradsim.sweep(SMALL, axes).rows]
        scenario = gradsim.Scenario.from_dict(SMALL)
        one_by_one = [gradsim.run_point(scenario, changes)[-1]["step_time_s"] for changes in gradsim.grid(axes)]
        self.assertEqual(swept, one_by_one)

    def test_why_and_explain_and_check_and_list_answer(self):
        self.assertIn("16 workers do the work of", gradsim.why(model="resnet50_v100", workers=16, link="10Gbit/s",
                                                               alone="96ms", step="240ms").text)
        self.assertIn("run", gradsim.explain(SMALL).text)
        self.assertIn("core_exponent: 1 ", gradsim.check(SMALL).text)
        self.assertIn("fsdp", [row["name"] for row in gradsim.catalogue("shardings").rows])


    def test_keys_are_those_of_the_schema(self):
        keys = gradsim.keys()
        self.assertIn("cluster.link.bandwidth", keys)
        self.assertIn("compression.ratio", keys)
        self.assertGreater(len(keys), 300)


class Objective(unittest.TestCase):
    """Without Optuna: a trial that takes the first value of a list and the middle of a range."""

    class Trial:
        def suggest_categorical(self, key, values):
            return values[0]

        def suggest_float(self, key, low, high, log):
            return (low * high) ** 0.5 if log else (low + high) / 2

        suggest_int = suggest_float

    def setUp(self):
        self.pruned = type("TrialPruned", (Exception,), {})
        stand_in = types.ModuleType("optuna")
        stand_in.TrialPruned = self.pruned
        self.enterContext(mock.patch.dict(sys.modules, {"optuna": stand_in}))

    def test_is_the_figure_of_the_point(self):
        from gradsim.optuna import objective
        space = {"cluster.workers": [2, 4], "compression.ratio": ("log", 0.001, 0.1)}
        topk = {**SMALL, "compression": {"method": "topk", "ratio": 1}}
        found = objective(topk, space, ["step_time_s", "sent_bytes"])(self.Trial())
        run = gradsim.Scenario.from_dict(topk).override({"cluster.workers": 2, "compression.ratio": 0.01}).run()
        self.assertEqual(found, [run.arms["run"]["step_time_s"], run.arms["run"]["sent_bytes"]])

    def test_prunes_a_refused_point_and_refuses_an_unknown_figure(self):
        from gradsim.optuna import objective
        with self.assertRaises(self.pruned):
            objective(SMALL, {"cluster.workers": [0]}, ["step_time_s"])(self.Trial())
        with self.assertRaisesRegex(gradsim.InputError, "no `nonsense`"):
            objective(SMALL, {"cluster.workers": [2]}, ["nonsense"])(self.Trial())


class Errors(unittest.TestCase):
    def test_all_problems_of_a_file_have_their_places(self):
        with self.assertRaises(gradsim.InputError) as caught:
            gradsim.Scenario.from_text("workload: resnet50_v100\ncluster:\n  workers: 0\n  wokers: 3\n").run()
        places = [(problem.file, problem.line, problem.column) for problem in caught.exception.problems]
        self.assertIn(("-", 3, 12), places)
        self.assertTrue(all(problem.what in str(caught.exception) for problem in caught.exception.problems))

    def test_a_remedy_removes_its_problem(self):
        wrong = gradsim.Scenario.from_text(json.dumps({**SMALL, "cluster": {"wokers": 4, "link": SMALL["cluster"]["link"]}}))
        with self.assertRaises(gradsim.InputError) as caught:
            wrong.check()
        self.assertEqual(caught.exception.problems[0].remedy["cluster.workers"], "4")

    def test_a_file_that_is_missing_and_an_unknown_option_are_input_errors(self):
        with self.assertRaises(gradsim.InputError):
            gradsim.run("no_such_scenario")
        with self.assertRaisesRegex(gradsim.InputError, "--nonsense"):
            gradsim.command("run", arguments=["quickstart"], nonsense=1)

    def test_a_program_that_is_missing_is_named_with_its_remedy(self):
        kept = os.environ["GRADSIM_SIM"]
        os.environ["GRADSIM_SIM"] = "/nowhere/sim"
        try:
            with self.assertRaisesRegex(gradsim.ProgramError, "GRADSIM_SIM"):
                server.find_program()
        finally:
            os.environ["GRADSIM_SIM"] = kept


class OneServer(unittest.TestCase):
    def test_answers_threads_each_with_their_own_reply(self):
        with ThreadPoolExecutor(8) as pool:
            workers = [2, 3, 4, 5, 6, 7, 8, 9] * 3
            results = list(pool.map(lambda n: gradsim.run({**SMALL, "cluster": {**SMALL["cluster"], "workers": n}}), workers))
        self.assertEqual([result.arms["run"]["workers"] for result in results], workers)

    def test_cancels_a_request_and_serves_on(self):
        own = gradsim.Server(workers=1)
        long_run = {**SMALL, "training": {**SMALL["training"], "epochs": 10_000_000}, "cluster": {**SMALL["cluster"], "changes": [
            {"at": f"epoch {n}", "bandwidth": f"{n} Mbit/s"} for n in range(1, 400)]}}
        started = threading.Event()
        number, future = own.submit("run", {"arguments": ["-"], "input": json.dumps(long_run), "network": "simgrid",
                                            "audit": "100 %"}, lambda line: started.set())
        started.wait(20)
        own.cancel(number)
        try:
            with self.assertRaises(gradsim.Cancelled):
                future.result(60)
        except gradsim.GradsimError as error:  # it was too quick, or refused: no cancellation to see
            self.fail(str(error))
        self.assertEqual(own.call("version")["exit_code"], 0)
        own.close()
        self.assertFalse(own.is_running())

    def test_says_when_the_program_has_ended(self):
        own = gradsim.Server(workers=1)
        own._process.kill()
        own._process.wait()
        with self.assertRaisesRegex(gradsim.ProgramError, "ended with exit code"):
            own.call("version")
        own.close()


class Frames(unittest.TestCase):
    def test_hold_units_in_their_columns_and_origins_beside(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("no pandas")
        frame = gradsim.run("quickstart").to_pandas()
        self.assertIn("step_time_s", frame.columns)
        self.assertEqual(frame.attrs["origins"]["topk-1%"]["compute_time_origin"], "measured")


class Documentation(unittest.TestCase):
    def test_every_public_name_is_documented(self):
        for name in gradsim.__all__:
            thing = getattr(gradsim, name)
            self.assertTrue(inspect.getdoc(thing), name)
            if not inspect.isclass(thing):
                continue
            for member, value in vars(thing).items():
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, (property, classmethod))):
                    self.assertTrue(inspect.getdoc(value if not isinstance(value, classmethod) else value.__func__),
                                    f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
