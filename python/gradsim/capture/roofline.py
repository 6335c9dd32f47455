"""How long an operation takes: the larger of FLOPs / rate and bytes / rate, with rates that are stated or a device file's."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from gradsim.capture.operations import Operation
from gradsim.capture.refusal import CaptureRefused

PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
# Types of tensors -> precisions of device files.
PRECISIONS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16", "float8_e4m3fn": "fp8", "float8_e5m2": "fp8", "float64": "fp64"}


@dataclass
class Roofline:
    """Rates of a device. flops: FLOP/s by precision (`bf16`), "" for those that are not listed. memory: bytes/s.
    frozen: whether graphs state the times by these rates, in place of FLOPs and bytes.

    Leaves out: the time to launch an operation, efficiencies that depend on its size, operations that run side by side.
    """

    flops: dict[str, float]
    memory: float
    device: str = ""
    source: str = ""
    missing: dict[str, None] = field(default_factory=dict)
    frozen: bool = False

    def seconds(self, one: Operation) -> float:
        """The time of an operation of the device; 0 for collectives, whose time is the simulator's, and for the host."""
        if one.communicates or one.kind == "host":
            return 0.0
        precision = PRECISIONS.get(one.dtype, "")
        rate = self.flops.get(precision, self.flops[""])
        if one.flops and precision not in self.flops and len(self.flops) > 1:
            self.missing.setdefault(precision or one.dtype)
        return max(one.flops / rate, one.memory_bytes / self.memory)

    def notes(self) -> list[str]:
        """One sentence for each precision without a rate among the operations that `seconds` was asked for."""
        device = self.device or "the device"
        return [f"no rate for {name} is stated: that of {device}'s first peak is taken" for name in self.missing]


def parse_rate(text: str, unit: str, where: str) -> float:
    """A rate such as `990 TFLOP/s` or `3.35 TB/s`. unit: `FLOP/s` or `B/s`, in any case. Raises CaptureRefused."""
    match = re.fullmatch(r"\s*([0-9.]+(?:[eE][+-]?\d+)?)\s*([kKMGTP]?)(\w+/s)\s*", text)
    if match is None or match[3].lower() != unit.lower():
        raise CaptureRefused(where, f"expected a rate in {unit}, found `{text}`", f"such as `{'990 TFLOP/s' if unit == 'FLOP/s' else '3.35 TB/s'}`")
    try:
        rate = float(match[1]) * PREFIXES[match[2]]
    except ValueError:
        rate = 0.0
    if rate <= 0:
        raise CaptureRefused(where, f"expected a rate above 0, found `{text}`")
    return rate


def find_device(name: str) -> Path:
    """A device file by path, or by its name in scenarios/devices of this or a parent folder. Raises CaptureRefused."""
    if name.endswith((".yaml", ".yml")):
        if Path(name).is_file():
            return Path(name)
        raise CaptureRefused("--device", f"no such file: {name}", "state a file of scenarios/devices, or `--flops-rate`")
    for folder in (Path.cwd(), *Path.cwd().parents, *Path(__file__).resolve().parents):
        path = folder / "scenarios" / "devices" / f"{name}.yaml"
        if path.is_file():
            return path
    raise CaptureRefused("--device", f"unknown device `{name}`: no scenarios/devices/{name}.yaml in this folder or above it",
                         "state the path of a device file, or `--flops-rate` and `--memory-rate`")


def read_device(path: Path) -> Roofline:
    """The roofline of a device file: `peak`, `peaks`, `memory_bandwidth` and their efficiencies. Raises CaptureRefused.

    Reads the form of the shipped files (keys at the start of a line, `peaks` as a list of maps in braces), not all of YAML;
    leaves `launch` and `overlap_slowdown` out.
    """
    lines = (line.split(" #")[0] for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    top = {key: value.strip() for key, value in re.findall(r"^(\w+):(.*(?:\n[ \t].*)*)", "\n".join(lines), re.MULTILINE)}
    where = str(path)
    for key in ("peak", "memory_bandwidth"):
        if key not in top:
            raise CaptureRefused(where, f"missing key `{key}`", "a device file states `peak` and `memory_bandwidth`")
    first = parse_rate(top["peak"], "FLOP/s", where) * _share(top.get("compute_efficiency", ""))
    rates = {"": first, top.get("precision", "fp32").strip(): first}
    for entry in re.findall(r"-\s*\{(precision:(?:[^{}]|\{[^{}]*\})*)\}", top.get("peaks", "")):
        precision = re.search(r"precision:\s*(\w+)", entry)
        peak = re.search(r"peak:\s*([^,{}]+)", entry)
        if precision and peak:
            efficiency = re.search(r"efficiency:\s*(\{[^{}]*\}|[^,{}]+)", entry)
            rates[precision[1]] = parse_rate(peak[1], "FLOP/s", where) * _share(efficiency[1] if efficiency else "")
    memory = parse_rate(top["memory_bandwidth"], "B/s", where) * _share(top.get("memory_efficiency", ""))
    return Roofline(rates, memory, top.get("name", path.stem).strip(), f"peaks of {path.name} with its efficiencies")


def _share(text: str) -> float:
    """An efficiency: a share, a percentage, or a map with `share`; 1 where none is given."""
    match = re.search(r"(?:share:\s*)?([0-9.]+)\s*(%?)", text)
    return 1.0 if match is None else float(match[1]) / (100 if match[2] else 1)
