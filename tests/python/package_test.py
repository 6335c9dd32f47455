"""The package `gradsim` on the program that was built: results, overrides, errors, threads, cancellation."""

import functools
import inspect
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
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

    def test_an_override_adds_arms(self):
        arms = {"dense": {}, "topk": {"compression": {"method": "topk", "ratio": "1 %"}}}
        self.assertEqual(list(gradsim.Scenario.from_dict(SMALL).override(compare=arms).run().arms), ["dense", "topk"])
        compared = gradsim.Scenario.from_dict({**SMALL, "compare": {"dense": {}}})
        self.assertEqual(list(compared.override({"compare": {"half": {"training": {"batch": 16}}}}).run().arms), ["dense", "half"])

    def test_a_dict_needs_no_comment(self):
        self.assertEqual(gradsim.run(SMALL).warnings, [])
        text = ("workload: resnet50_v100\ncluster: {workers: 2, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}\n"
                "training: {batch: 32, steps: 2}\n")
        self.assertIn("line 1 is not a comment", gradsim.Scenario.from_text(text).run().warnings[0])

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

    def test_a_point_that_fails_is_a_row_and_a_warning_or_an_error_when_strict(self):
        axes = {"network": ["path", "simgrid"]}
        why = "network: background traffic shares the links; use `simgrid` or `auto`"
        swept = gradsim.sweep("what_if/background_traffic", axes)
        self.assertEqual([row["failure"] for row in swept.rows], [why, None, None, None, None])
        self.assertEqual(swept.warnings, [f"point 0 failed: {why}"])
        with self.assertRaises(gradsim.InputError) as caught:
            gradsim.sweep("what_if/background_traffic", axes, strict=True)
        self.assertEqual(str(caught.exception), f"point 0 failed: {why}")

    def test_points_of_a_grid_are_those_of_a_sweep(self):
        axes = {"cluster.workers": [2, 4]}
        swept = [row["step_time_s"] for row in gradsim.sweep(SMALL, axes).rows]
        scenario = gradsim.Scenario.from_dict(SMALL)
        one_by_one = [gradsim.run_point(scenario, changes)[-1]["step_time_s"] for changes in gradsim.grid(axes)]
        self.assertEqual(swept, one_by_one)

    def test_processes_map_points_each_with_a_program_of_its_own(self):
        point = functools.partial(gradsim.run_point, gradsim.Scenario.from_dict(SMALL))
        points = gradsim.grid({"cluster.workers": [2, 4]})
        here = [point(changes) for changes in points]
        with ProcessPoolExecutor(2) as pool:
            self.assertEqual(list(pool.map(point, points)), here)

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

    def test_prunes_a_point_whose_target_is_not_reached(self):
        from gradsim.optuna import objective
        with self.assertRaisesRegex(self.pruned, "no figure for one of step_time_s, target_time_s"):
            objective(SMALL, {"cluster.workers": [2]}, ["step_time_s", "target_time_s"])(self.Trial())


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

    def test_what_has_no_json_is_named_and_nothing_is_sent(self):
        for value in (float("nan"), object()):
            with self.assertRaisesRegex(gradsim.InputError, "cannot be stated"):
                gradsim.Scenario.from_dict(SMALL).override({"audit": value}).run()
        self.assertEqual(gradsim.run(SMALL).exit_code, 0)

    def test_numbers_of_numpy_and_paths_are_values(self):
        number = type("int64", (), {"item": lambda self: 2})()
        result = gradsim.Scenario.from_dict(SMALL).override({"cluster.workers": number}).run()
        self.assertEqual(result.arms["run"]["workers"], 2)
        self.assertEqual(gradsim.sweep(SMALL, {"cluster.workers": [number]}).rows[0]["cluster.workers"], 2)
        self.assertEqual(len(gradsim.run(ROOT / "scenarios" / "quickstart.yaml").arms), 4)

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


class EveryFourth:
    """Does what `periodic` with `every: 4` does."""

    def decide(self, seen):
        return "average_parameters" if (seen.step + 1) % 4 == 0 else "stay_local"


class AsAdaComm:
    """Does what `adacomm` does: H = ceil(sqrt(F / F_0) H_0) steps between two exchanges."""

    looks = "loss"

    def __init__(self, every):
        self.first = self.period = every
        self.begun, self.first_loss, self.losses, self.exchanged = 0, None, [], None

    def decide(self, seen):
        if self.exchanged is not None:
            mean = sum(self.losses) / len(self.losses)
            self.period = max(1, math.ceil(math.sqrt(mean / self.first_loss) * self.first))
            self.begun, self.losses, self.exchanged = self.exchanged + 1, [], None
        self.first_loss = self.first_loss or seen.loss
        self.losses.append(seen.loss)
        if seen.step + 1 - self.begun < self.period:
            return "stay_local"
        self.exchanged = seen.step
        return "average_parameters"


class Raises:
    def decide(self, seen):
        return self.ratio(seen.step)

    def ratio(self, step):
        return 1 / step


class DecidesNan:
    def decide(self, seen):  # no name
        return math.nan


class DecidesUnknown:
    def decide(self, seen):  # an unknown name
        return "average_everything"


class Hangs:
    def decide(self, seen):
        while seen.step == 2:
            time.sleep(0.01)
        return "stay_local"


class HalvesWhileGainsLast:
    """Halves the ratio while the message keeps 90 % of the gradient's energy; doubles it after that."""

    method = "topk"

    def __init__(self, first):
        self.ratio, self.seen = first, []

    def choose_ratio(self, seen):
        self.seen.append(seen)
        if seen.previous is not None:
            self.ratio = min(1, max(1e-3, self.ratio * (0.5 if seen.previous.gain > 0.9 else 2)))
        return self.ratio


class AlwaysTenth:
    def choose_ratio(self, seen):
        assert seen.workers == 4 and seen.values > 0
        return 0.1


class ChoosesTwo:
    method = "topk"

    def choose_ratio(self, seen):  # no share
        return 2


class DecidesBoth(AlwaysTenth):
    method = "topk"

    def decide(self, seen):
        return "average_gradients"


class ChoosesText:
    method = "topk"

    def choose_ratio(self, seen):  # no number
        return "10 %"


def line_of(text):
    """Number of the first line of this file that holds the text."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


LEARNING = {
    **SMALL,
    "learner": "live",
    "training": {"batch": 8, "steps": 40},
}


class PolicyInPython(unittest.TestCase):
    def assert_same_rows(self, scenario, policy, stated):
        built_in = gradsim.run({**scenario, "synchronisation": stated}, steps=True)
        own = gradsim.run(scenario, policies=policy, steps=True)
        self.assertEqual(own.steps, built_in.steps)
        names = {"synchronisation", "policy"}
        self.assertEqual([{key: value for key, value in row.items() if key not in names} for row in own.rows],
                         [{key: value for key, value in row.items() if key not in names} for row in built_in.rows])
        return own

    def test_gives_the_rows_of_the_built_in_one(self):
        own = self.assert_same_rows(SMALL, EveryFourth(), {"method": "periodic", "every": 4})
        self.assertEqual(sum(row["sent_bytes"] > 0 for row in own.steps), 2)  # of 10 steps

    def test_sees_the_loss_of_a_learner(self):
        own = self.assert_same_rows(LEARNING, AsAdaComm(8), {"method": "adacomm", "every": 8})
        self.assertGreater(sum(row["sent_bytes"] > 0 for row in own.steps), 4)

    def test_each_run_has_a_copy(self):
        policy = AsAdaComm(8)
        gradsim.run(LEARNING, policies=policy, seeds=2)
        self.assertIsNone(policy.first_loss)

    def test_is_compared_with_others_by_arms(self):
        arms = {"mine": {"synchronisation": gradsim.synchronisation(EveryFourth())},
                "theirs": {"synchronisation": {"method": "periodic", "every": 4}}}
        found = gradsim.run({**SMALL, "compare": arms}, policies=[EveryFourth()]).arms
        self.assertEqual(found["mine"]["total_time_s"], found["theirs"]["total_time_s"])

    def test_chooses_the_ratio_of_each_step(self):
        always = gradsim.run({**LEARNING, "compression": {"method": "topk", "ratio": 0.1}}, steps=True)
        own = gradsim.run({**LEARNING, "compression": {"method": "topk"}}, policies=AlwaysTenth(), steps=True)
        self.assertEqual([row["sent_bytes"] for row in own.steps], [row["sent_bytes"] for row in always.steps])
        self.assertEqual(own.rows[0]["accuracy"], always.rows[0]["accuracy"])

    def test_sees_what_the_step_before_sent_and_took(self):
        own = gradsim.run(LEARNING, policies=HalvesWhileGainsLast(0.5), steps=True)
        sent = [row["sent_bytes"] for row in own.steps]
        self.assertLess(sent[1], 0.6 * sent[0])  # half of the values keep more than 90 % of the energy
        self.assertGreater(len(set(sent)), 2)

    def test_a_ratio_is_compared_with_others_by_arms(self):
        arms = {"mine": {"compression": gradsim.compression(AlwaysTenth(), "topk")},
                "theirs": {"compression": {"method": "topk", "ratio": 0.1}}}
        found = gradsim.run({**LEARNING, "compare": arms}, policies=[AlwaysTenth()]).arms
        self.assertEqual(found["mine"]["total_time_s"], found["theirs"]["total_time_s"])
        with self.assertRaisesRegex(gradsim.InputError, "`EveryFourth` has no function `choose_ratio"):
            gradsim.compression(EveryFourth())

    def test_a_wrong_ratio_is_named_with_its_place(self):
        self.assert_failure(ChoosesText(), "policy `ChoosesText` chose '10 %'; expected a number above 0, at most 1",
                            "    def choose_ratio(self, seen):  # no number", scenario=LEARNING)
        self.assert_failure(ChoosesTwo(), "policy `ChoosesTwo` chose a ratio of 2 in step 0; accepted: above 0, at most 1 (the "
                            "dense gradient)", "    def choose_ratio(self, seen):  # no share", scenario=LEARNING)

    def test_a_ratio_needs_a_sparse_method(self):
        with self.assertRaisesRegex(gradsim.InputError, "compression"):
            gradsim.run(LEARNING, policies=AlwaysTenth())

    def assert_failure(self, policy, text, line, scenario=None, **options):
        with self.assertRaises(gradsim.PolicyError) as caught:
            gradsim.run(scenario or SMALL, policies=policy, **options)
        self.assertIn(text, str(caught.exception))
        self.assertEqual((caught.exception.file, caught.exception.line), (__file__, line_of(line)))
        self.assertTrue(str(caught.exception).startswith(f"{__file__}:{line_of(line)}: "))
        self.assertEqual(gradsim.command("version").exit_code, 0)  # serves on
        return caught.exception

    def test_that_raises_is_named_with_its_line(self):
        error = self.assert_failure(Raises(), "policy `Raises` raised ZeroDivisionError: division by zero", "        return 1 / step")
        self.assertIsInstance(error.__cause__, ZeroDivisionError)

    def test_that_decides_no_name_is_named(self):
        self.assert_failure(DecidesNan(), "policy `DecidesNan` decided nan; expected a name such as \"stay_local\"",
                            "seen):  # no name")

    def test_that_decides_an_unknown_name_hears_what_is_accepted(self):
        self.assert_failure(DecidesUnknown(), "policy `DecidesUnknown` decided `average_everything` in step 0, with "
                            "`averaged: parameters`; accepted: stay_local, average_parameters, average_before_step",
                            "seen):  # an unknown name")

    def test_that_hangs_is_named_with_the_line_where_it_does(self):
        self.assert_failure(Hangs(), "policy `Hangs` has not decided within 0.4 s", "time.sleep(0.01)", policy_timeout=0.4)

    def test_leaves_a_scenario_that_the_program_alone_refuses(self):
        with tempfile.TemporaryDirectory() as folder:
            gradsim.run(SMALL, policies=EveryFourth(), out=folder + "/run")
            resolved = Path(folder) / "run" / "scenario.resolved.yaml"
            self.assertIn("name: EveryFourth", resolved.read_text(encoding="utf-8"))
            refused = "policy `EveryFourth` was passed by a Python program, and `sim` cannot call it"
            for command in ("run", "check"):
                done = subprocess.run([os.environ["GRADSIM_SIM"], command, str(resolved)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 1)
                self.assertIn(refused, done.stderr)
            again = gradsim.run(resolved, policies=[EveryFourth()])
            self.assertEqual(again.arms["run"]["steps"], 10)
            text = resolved.read_text(encoding="utf-8").replace("sha256: ", "sha256: 0")
            with self.assertRaisesRegex(gradsim.InputError, "the source of policy `EveryFourth` has changed"):
                gradsim.Scenario.from_text(text).run(policies=[EveryFourth()])

    def refusal_of(self, answer):
        """Text of the error of a run whose client answers its first question so."""
        own = gradsim.Server(workers=1)
        self.addCleanup(own.close)
        stated = gradsim.synchronisation(EveryFourth())
        client = types.SimpleNamespace(put=lambda question: own._decide(1, answer))
        params = {"arguments": ["-"], "input": {**SMALL, "synchronisation": stated}, "policies": {"EveryFourth": stated["sha256"]}}
        with self.assertRaises(gradsim.InputError) as caught:
            own.submit("run", params, None, client)[1].result(30)
        return str(caught.exception)

    def test_of_another_client_is_refused_by_what_it_answers(self):
        self.assertEqual(self.refusal_of({"decision": 5}), "--policies: policy `EveryFourth` failed in step 0: the decision "
                         "`5` is not a name, or `kind` and `dense`")
        self.assertEqual(self.refusal_of({"error": "no idea"}), "--policies: policy `EveryFourth` failed in step 0: no idea")

    def test_two_of_one_class_are_refused(self):
        with self.assertRaisesRegex(gradsim.InputError, "two policies have one class"):
            gradsim.run(SMALL, policies=[AsAdaComm(2), AsAdaComm(8)])

    def test_without_decide_is_refused(self):
        with self.assertRaisesRegex(gradsim.InputError, "`int` has no function `decide"):
            gradsim.run(SMALL, policies=3)

    def test_with_both_functions_is_refused(self):
        with self.assertRaisesRegex(gradsim.InputError, "`DecidesBoth` has both `choose_ratio` and `decide`: split it into a class for each"):
            gradsim.run(LEARNING, policies=DecidesBoth())


class Frames(unittest.TestCase):
    def test_hold_units_in_their_columns_and_origins_beside(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("no pandas")
        steps = gradsim.run(SMALL, steps=True).steps_to_pandas()
        self.assertEqual(list(steps["step"]), list(range(10)))
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
