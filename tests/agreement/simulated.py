"""Runs a scenario by the `sim` program, and reads each step's loss and whether workers exchanged."""
import csv
import json
import os
import subprocess
import tempfile


def run(sim, scenario):
    """(losses, exchanged) @param scenario  as Python values: JSON is YAML, too"""
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "scenario.yaml"), os.path.join(folder, "out")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scenario, file)
        done = subprocess.run([sim, "run", path, "--out", out, "--quiet"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)
        with open(os.path.join(out, "steps.csv"), encoding="utf-8") as file:
            steps = list(csv.DictReader(file))
    return [float(step["loss"]) for step in steps], [step["traffic"] != "nothing" for step in steps]
