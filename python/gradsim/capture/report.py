"""What `gradsim capture` prints: one screen."""

from __future__ import annotations

from gradsim.capture.export import Row, seconds_without_exchange, unsupported
from gradsim.capture.groups import name_ranks, reach_of
from gradsim.capture.operations import Capture
from gradsim.capture.roofline import Roofline
from gradsim.capture.work import unmarked_gradients

PREFIXES = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def quantity(value: float, unit: str, digits: int = 6) -> str:
    """A value with its unit and a decimal prefix: `quantity(26429366272, "B")` is `26.4294 GB`."""
    for factor, prefix in PREFIXES:
        if value >= factor:
            return f"{value / factor:.{digits}g} {prefix}{unit}"
    return f"{value:g} {unit}"


def duration(seconds: float) -> str:
    return f"{seconds:.4g} s" if seconds >= 1 else f"{1e3 * seconds:.4g} ms"


def grouped(number: int) -> str:
    """A whole number with its thousands apart."""
    return f"{number:,}".replace(",", " ")


def report(capture: Capture, roofline: Roofline, rows: list[Row], files: list[str]) -> str:
    """Parameters, FLOPs, bytes by collective and group, waits of the host, and what was not understood."""
    lines = [f"{capture.script}: rank {capture.rank} of {capture.world}, {capture.per_node} a node, step {capture.steps}, "
             f"PyTorch {capture.torch_version}; took {capture.seconds:.0f} s of CPU and {capture.peak_bytes / 1e6:.0f} MB"]
    frozen = f", {grouped(capture.frozen)} more are frozen" if capture.frozen else ""
    lines.append(f"parameters  {grouped(capture.parameters)}{frozen}")
    lines.append(f"batch       {_batch(capture)}")
    if capture.replica:
        lines.append(f"replica     {capture.replica} ranks compute the same samples")
    lines.append(f"computing   {quantity(capture.flops, 'FLOP')} in {grouped(sum(not one.communicates for one in capture.operations))} "
                 f"operations" + (f", {duration(seconds_without_exchange(rows, roofline))} by {roofline.source}" if rows else ""))
    lines += _collectives(capture)
    waits = capture.host_waits()
    lines.append("host waits  " + ("none" if not waits else ", ".join(f"{count} x {what}" for what, count in waits.items())))
    notes = [*capture.notes, *unmarked_gradients(capture), *roofline.notes()]
    lines.append("not understood  " + ("nothing" if not notes else "; ".join(notes)))
    if rows:
        lines.append(f"wrote {', '.join(files)}; {len(rows)} rows")
    else:
        lines.append(f"wrote {', '.join(files)} only: the graph format of `sim run` cannot carry this step: "
                     + "; ".join(unsupported(capture)))
    return "\n".join(lines) + "\n"


def _batch(capture: Capture) -> str:
    if capture.samples is None:
        return "not seen: 1 sample represents all"
    passes = f" in {capture.micro_batches} forward passes" if capture.micro_batches > 1 else ""
    samples = "1 sample" if capture.samples == 1 else f"{grouped(capture.samples)} samples"
    return f"{samples} per rank and step{passes}"


def _collectives(capture: Capture) -> list[str]:
    sums = capture.collectives()
    if not sums:
        return ["exchange    nothing"]
    table = [("exchange", "ranks", "number", "bytes")]
    for (name, ranks), (count, size) in sums.items():
        reach = reach_of(ranks, capture.world, capture.per_node)
        table.append((name, name_ranks(ranks) + (f" ({reach})" if reach else ""), str(count), quantity(size, "B")))
    widths = [max(len(row[column]) for row in table) for column in range(4)]
    widths[0] = max(widths[0], 10)
    return [f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}" for row in table]
