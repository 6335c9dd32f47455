"""Relations that hold between two runs, whatever the figures are."""
import csv
import io
import os

COLLECTIVES = ["ring_allreduce", "tree_allreduce", "recursive_doubling_allreduce", "halving_doubling_allreduce"]
METHODS = [("none", None), ("topk", 0.01), ("topk", 0.1), ("fp16", None), ("randomk", 0.05)]


class Metamorphic:
    """One case: a random scenario, and one relation between it and a changed one."""

    title = "metamorphic runs"

    def __init__(self, sim, root, scratch):
        self.sim = sim
        self.scratch = scratch
        self.relations = [self.units, self.order, self.alone, self.seed, self.faster, self.closer, self.evaluators]

    def case(self, random):
        facts = {
            "workers": random.choice([2, 3, 4, 6, 8, 12, 16]),
            "gbit": random.choice([0.1, 0.5, 1, 2.5, 10, 40, 100]),
            "us": random.choice([1, 5, 25, 100, 1000]),
            "batch": random.choice([8, 32, 64]),
            "method": random.choice(METHODS),
            "collective": random.choice(COLLECTIVES),
        }
        relation = random.choice(self.relations)
        return relation(facts, random)

    # --- the relations: each returns (names of the runs, what was run, ended or a complaint)

    def units(self, facts, _):
        bits = f"{facts['gbit'] * 1e9:.0f} bit/s"
        return self.equal("units", facts, self.text(facts), self.text(facts, bandwidth=bits, latency=f"{facts['us']}000 ns"))

    def order(self, facts, random):
        lines = self.text(facts).strip().split("\n")
        random.shuffle(lines)
        return self.equal("order of keys", facts, self.text(facts), "\n".join(lines) + "\n")

    def alone(self, facts, _):
        first = self.text(facts)
        arms = first + "compare:\n  run: {}\n  slower: {cluster: {link: {bandwidth: 10 Mbit/s}}}\n"
        return self.equal("an arm among others", facts, first, arms, rows=1)

    def seed(self, facts, _):
        return self.equal("seed without randomness", facts, self.text(facts), self.text(facts) + "seed: 7\n")

    def faster(self, facts, _):
        return self.not_slower("twice the bandwidth", facts, self.text(facts),
                               self.text(facts, bandwidth=f"{2 * facts['gbit']} Gbit/s"))

    def closer(self, facts, _):
        return self.not_slower("half the latency", facts, self.text(facts), self.text(facts, latency=f"{facts['us'] / 2} us"))

    def evaluators(self, facts, _):
        path = self.times(self.text(facts) + "network: path\n")
        simgrid = self.times(self.text(facts) + "network: simgrid\n")
        if isinstance(path, Exception) or isinstance(simgrid, Exception):
            return "path and SimGrid", facts, path if isinstance(path, Exception) else simgrid
        off = abs(path[0] - simgrid[0]) / simgrid[0]
        return "path and SimGrid", facts, None if off <= 1e-9 else f"path takes {path[0]!r} s, SimGrid {simgrid[0]!r} s"

    # --- how they are judged

    def equal(self, name, facts, one, other, rows=None):
        a, b = self.times(one), self.times(other)
        for times in (a, b):
            if isinstance(times, Exception):
                return name, facts, times
        return name, facts, None if a[:rows] == b[:rows] else f"{a} against {b}"

    def not_slower(self, name, facts, one, other):
        a, b = self.times(one), self.times(other)
        for times in (a, b):
            if isinstance(times, Exception):
                return name, facts, times
        return name, facts, None if b[0] <= a[0] * (1 + 1e-9) else f"{a[0]!r} s become {b[0]!r} s"

    def times(self, text):
        """The step time of each arm in seconds, or the reason why there is none."""
        file = os.path.join(self.scratch, "case.yaml")
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        ended = self.sim.run(["run", file, "--quiet", "--format", "csv"])
        if ended.code != 0:
            return RuntimeError(f"exit code {ended.code}: {ended.err.decode(errors='replace').strip()}")
        return [float(row["step_time_s"]) for row in csv.DictReader(io.StringIO(ended.out.decode()))]

    @staticmethod
    def text(facts, bandwidth=None, latency=None):
        method, ratio = facts["method"]
        sparse = f"{{method: {method}, ratio: {ratio}}}" if ratio else f"{{method: {method}}}"
        collective = "ring_allgather" if method == "topk" else facts["collective"]
        bandwidth = bandwidth or f"{facts['gbit']} Gbit/s"
        latency = latency or f"{facts['us']} us"
        return (f"workload: resnet50_v100\n"
                f"cluster: {{workers: {facts['workers']}, link: {{latency: {latency}, bandwidth: {bandwidth}}}}}\n"
                f"training: {{batch: {facts['batch']}, steps: 3}}\n"
                f"compression: {sparse}\n"
                f"exchange: {{collective: {collective}}}\n")
