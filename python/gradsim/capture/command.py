"""The command `gradsim capture`: options in, files and one screen out."""

from __future__ import annotations

import argparse
import subprocess
import sys

from gradsim.capture.refusal import CaptureRefused
from gradsim.capture.roofline import Roofline, find_device, parse_rate, read_device
from gradsim.capture.values import parse_stated

FLOPS_RATE, MEMORY_RATE = "990 TFLOP/s", "3.35 TB/s"
EPILOG = """example: gradsim capture --world 64 --per-node 8 -o llama -- train.py --config llama.yaml
then:    sim run SCENARIO.yaml, whose `workload` is llama.yaml

Exit codes: 0 done, 1 input refused, 2 usage, 130 interrupted. The script's own output goes to stderr.
"""


def parser() -> argparse.ArgumentParser:
    """The options of `gradsim capture`."""
    options = argparse.ArgumentParser(prog="gradsim capture", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=EPILOG,
                                      description="Records one step of an unmodified PyTorch training script on one CPU, without GPU.")
    options.add_argument("--world", required=True, metavar="N",
                         help="ranks of the training, as torchrun would start; of several, such as 8,16, the sizes for any number follow")
    options.add_argument("--per-node", type=int, default=8, metavar="N", help="ranks of a node (default: 8)")
    options.add_argument("--steps", type=int, default=3, metavar="N",
                         help="steps to run; the last is kept, and must equal the one before (default: 3)")
    options.add_argument("--ranks", default="0", metavar="LIST", help="ranks to record, such as 0,16: files NAME.rank16.* (default: 0)")
    options.add_argument("--device", metavar="FILE", help="device whose rates give the times: a file or name of scenarios/devices; the scenario may have another")
    options.add_argument("--flops-rate", metavar="RATE", help=f"FLOPs per second in any precision (default: {FLOPS_RATE})")
    options.add_argument("--memory-rate", metavar="RATE", help=f"bytes of memory per second (default: {MEMORY_RATE})")
    options.add_argument("--durations", action="store_true",
                         help="states times by these rates in NAME.csv, in place of FLOPs and bytes for any device")
    options.add_argument("--batch", type=int, metavar="N", help="samples of a rank and step (default: rows of the model's inputs)")
    options.add_argument("--replica", type=int, metavar="N", help="ranks that compute the same samples (default: by names of mesh dimensions)")
    options.add_argument("--read", action="append", default=[], metavar="FILE:LINE=VALUE", help="what a read of a value returns")
    options.add_argument("-m", dest="as_module", action="store_true", help="SCRIPT is a module, as for `python -m`")
    options.add_argument("-o", dest="name", required=True, metavar="NAME", help="writes NAME.csv, NAME.yaml and NAME.operations.csv")
    options.add_argument("script", help="after `--`: the script")
    options.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    return options


def main(arguments: list[str]) -> int:
    """Runs `gradsim capture` with these arguments. Returns the exit code."""
    try:
        options = parser().parse_args(arguments)
    except SystemExit as exit_:
        return 0 if exit_.code in (0, None) else 2
    try:
        ranks, worlds = _numbers("--ranks", options.ranks, "0,16,48"), _numbers("--world", options.world, "8,16")
        wrong = None if options.replica is None else _replica_problem(options.replica, worlds)
        if wrong is not None:
            print(f"{parser().prog}: error: argument --replica: {wrong}", file=sys.stderr)
            return 2
        if len(ranks) > 1:
            return _each(arguments, options, "--ranks", "rank", ranks)
        if len(worlds) > 1:
            return _each(arguments, options, "--world", "world", worlds) or _merge(options, worlds)
        return _record(options, worlds[0], ranks[0])
    except CaptureRefused as refusal:
        print(f"error: {refusal}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _numbers(option: str, text: str, example: str) -> list[int]:
    try:
        numbers = [int(one) for one in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or len(set(numbers)) != len(numbers):
        raise CaptureRefused(option, f"expected different whole numbers with commas between them, found `{text}`", f"such as {example}")
    return numbers


def _replica_problem(replica: int, worlds: list[int]) -> str | None:
    """Why these worlds have no replicas of so many ranks; None where they have."""
    if replica < 1:
        return f"expected at least 1 rank, found {replica}"
    return next((f"{world} ranks are not a multiple of {replica}" for world in worlds if world % replica), None)


def _each(arguments: list[str], options: argparse.Namespace, option: str, word: str, numbers: list[int]) -> int:
    """Each rank or world in a process of its own: PyTorch keeps one world for each."""
    end = len(arguments) - len(options.arguments) - 1
    end -= arguments[end - 1] == "--"
    worst = 0
    for number in numbers:
        print(f"{word} {number}", flush=True)
        command = [*arguments[:end], option, str(number), "-o", f"{options.name}.{word}{number}", "--", options.script, *options.arguments]
        code = subprocess.run([sys.executable, "-m", "gradsim", "capture", *command], check=False).returncode
        worst = max(worst, code)
    return worst


def _merge(options: argparse.Namespace, worlds: list[int]) -> int:
    from gradsim.capture.merging import merge

    merged = merge([f"{options.name}.world{one}.yaml" for one in worlds], options.name)
    changed = sum(any("N" in row.get(column, "") for column in ("bytes", "flops", "memory_bytes", "group")) for row in merged.rows)
    print(f"wrote {options.name}.csv, {options.name}.yaml; {len(merged.rows)} rows, of which {changed} depend on the number of workers")
    return 0


def _roofline(options: argparse.Namespace) -> Roofline:
    if options.device is not None:
        if options.flops_rate is not None or options.memory_rate is not None:
            raise CaptureRefused("--device", "a device and rates are stated", "state `--device`, or `--flops-rate` and `--memory-rate`")
        device = read_device(find_device(options.device))
        device.frozen = options.durations
        return device
    flops, memory = options.flops_rate or FLOPS_RATE, options.memory_rate or MEMORY_RATE
    stated = options.flops_rate is not None or options.memory_rate is not None
    return Roofline({"": parse_rate(flops, "FLOP/s", "--flops-rate")}, parse_rate(memory, "B/s", "--memory-rate"), "",
                    f"a roofline of {flops} and {memory}{'' if stated else ' (assumed)'}", frozen=stated or options.durations)


def _record(options: argparse.Namespace, world: int, rank: int) -> int:
    roofline = _roofline(options)
    stated = parse_stated(options.read)
    from gradsim.capture import versions

    versions.check_pytorch()
    from gradsim.capture import export, launcher, report

    request = launcher.Request(options.script, options.arguments, world, options.per_node, rank, options.steps,
                               options.as_module, stated)
    capture = launcher.record_script(request)
    if options.batch is not None:
        capture.samples = options.batch
    if options.replica is not None:
        capture.replica = options.replica
    if world % (capture.replica or 1):
        raise CaptureRefused("--replica", f"{world} ranks are not a multiple of {capture.replica}", "write how many ranks share their samples")
    files, rows = export.write_files(capture, roofline, options.name)
    print(report.report(capture, roofline, rows, files), end="")
    return 0 if rows else 1
