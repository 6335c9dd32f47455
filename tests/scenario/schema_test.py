"""Asks of the JSON schema that editors use to accept every shipped scenario, and to refuse what the reader refuses.

    schema_test.py SIM SOURCES
"""
import json
import subprocess
import sys
import unittest
from pathlib import Path

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: Python has no {missing.name}")
    sys.exit(77)

SIM, SOURCES = sys.argv.pop(1), Path(sys.argv.pop(1))
FOLDERS = ("scenarios", "scenarios/papers", "scenarios/what_if", "tests/audit/bases")


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = subprocess.run([SIM, "schema"], check=True, capture_output=True, text=True).stdout
        cls.validator = jsonschema.validators.validator_for(json.loads(text))(json.loads(text))

    def errors_of(self, scenario):
        return [f"{error.json_path}: {error.message}" for error in self.validator.iter_errors(scenario)]

    def test_accepts_every_shipped_scenario(self):
        files = [file for folder in FOLDERS for file in sorted((SOURCES / folder).glob("*.yaml"))]
        self.assertGreater(len(files), 100)
        for file in files:
            with self.subTest(file=file.name):
                self.assertEqual(self.errors_of(yaml.safe_load(file.read_text())), [])

    def test_refuses_a_misspelt_key_in_every_block(self):
        model = {"name": "w", "layers": "l.csv", "times": {"total": "1 s", "device": "d", "batch": 1}}
        for path in ((), ("workload",), ("workload", "times"), ("cluster",), ("cluster", "link"), ("training",)):
            scenario = yaml.safe_load((SOURCES / "scenarios/quickstart.yaml").read_text()) | {"workload": model}
            self.assertEqual(self.errors_of(scenario), [])
            block = scenario
            for key in path:
                block = block.setdefault(key, {})
            block["bandwith"] = 1
            with self.subTest(path=path):
                self.assertNotEqual(self.errors_of(scenario), [])
            del block["bandwith"]


if __name__ == "__main__":
    unittest.main()
