"""Mutated commands and scenario files: every one is done or refused with a reason."""
import os

from program import NO_NUMBER

EXTREMES = ["0", "-1", "1e308", "1e-320", "1e-300", "nan", "inf", "99999999999999999999", "0x10", "1,5", "1e", "",
            "4294967296", "0.5", "100 %", "-0", "1e9 s", "1 Gbit/s", "1 GB", "5 ms", "true", "null", "[]", "{}", "*", "&a",
            "\x1b[31m", "../../../etc/passwd", "/dev/zero", "\u202e", "a\nb", "x" * 5000]
LONG = "4294967296"
COMMANDS = [
    ["run", "FILE", "--quiet"],
    ["run", "FILE", "--quiet", "--format", "json"],
    ["run", "FILE", "--quiet", "--format", "csv", "--seed", "3"],
    ["run", "FILE", "--quiet", "--audit", "0.5"],
    ["check", "FILE"],
    ["explain", "FILE"],
    ["sweep", "FILE", "--axis", "cluster.workers=2,4", "--jobs", "1", "--quiet"],
    ["sweep", "FILE", "--axis", "cluster.link.bandwidth=1..10 Gbit/s log 3", "--jobs", "1", "--quiet"],
    ["cost", "ring_allreduce", "--ranks", "8", "--size", "100MB", "--latency", "5us", "--bandwidth", "10Gbit/s"],
    ["cost", "binomial_broadcast", "--ranks", "6", "--size", "1MiB", "--latency", "5us", "--bandwidth", "1Gbit/s"],
    ["list", "collectives"],
    ["list", "transports", "--format", "json"],
    ["completion", "bash"],
]
SMALL = ["--set", "training.steps=2", "--set", "training.epochs=null"]  # the last one of a key counts


class Commands:
    """One case: a command with up to three mutations, of itself or of its scenario."""

    title = "mutated commands"

    def __init__(self, sim, root, scratch):
        self.sim = sim
        self.root = root
        self.scratch = scratch
        folder = os.path.join(root, "scenarios", "what_if")
        live = ("live_", "advise_", "parametric_", "replay_")  # minutes of training, or another command
        self.scenarios = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
                          if name.endswith(".yaml") and not name.startswith(live)]

    def case(self, random):
        text = open(random.choice(self.scenarios), encoding="utf-8").read()
        for _ in range(random.choice([0, 1, 1, 2, 3])):
            text = self.mutated_text(text, random)
        file = os.path.join(self.scratch, "case.yaml")
        with open(file, "w", encoding="utf-8", errors="surrogateescape") as out:
            out.write(text)
        command = [file if word == "FILE" else word for word in random.choice(COMMANDS)]
        if command[0] in ("run", "explain", "sweep", "check"):
            command += ["--set", "training.steps=2"]
        for _ in range(random.choice([0, 0, 1, 2])):
            command = self.mutated_command(command, random)
        command = [word.replace("\0", "") for word in command]
        ended = self.sim.run(command, cwd=self.scratch)
        if ended.timed_out and "steps=" + LONG in " ".join(command) + text.replace(": ", "="):
            return command, text, None  # as long as it was asked to be
        if ended.code == 0 and NO_NUMBER.search(" ".join([text, *command]).encode(errors="replace")):
            ended.out = b""  # the word that it prints may be a name
        return command, text, ended

    @staticmethod
    def mutated_text(text, random):
        lines = text.split("\n")
        kind = random.randrange(6)
        at = random.randrange(len(lines))
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(random.randrange(len(lines) + 1), lines[at])
        elif kind == 2:
            words = lines[at].split(" ")
            words[random.randrange(len(words))] = random.choice(EXTREMES)
            lines[at] = " ".join(words)
        elif kind == 3 and ":" in lines[at]:
            lines[at] = lines[at].rsplit(":", 1)[0] + ": " + random.choice(EXTREMES)
        elif kind == 4:
            line = list(lines[at])
            if line:
                line[random.randrange(len(line))] = chr(random.randrange(1, 0x250))
            lines[at] = "".join(line)
        else:
            other = random.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        return "\n".join(lines)

    @staticmethod
    def mutated_command(command, random):
        command = list(command)
        at = random.randrange(len(command))
        kind = random.randrange(5)
        if kind == 0 and len(command) > 1:
            del command[at]
        elif kind == 1:
            command.insert(at, command[random.randrange(len(command))])
        elif kind == 2:
            command[at] = random.choice(EXTREMES)
        elif kind == 3 and "=" in command[at]:
            command[at] = command[at].split("=")[0] + "=" + random.choice(EXTREMES)
        else:
            word = command[at]
            cut = random.randrange(len(word) + 1)
            command[at] = word[:cut] + random.choice(["", " ", "=", "-", ",", ".."]) + word[cut + 1:]
        return command
