"""What a first contact says of a device: its file, made of the datasheet of its name and the copies that were measured."""
import glob
import os
import re

import summary

VALUE_BYTES = 4
COPY_PASSES = 2  # a copy reads and writes


def datasheet(device, folder):
    """The text of the one shipped device file that has this name among its aliases; None where there is none or several."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*_datasheet.yaml"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        aliases = re.search(r"^aliases: \[(.*)\]$", text, re.MULTILINE)
        names = [name.strip(" '\"") for name in aliases.group(1).split(",")] if aliases else []
        if any(device.lower() == name.lower() for name in names):
            found.append(text)
    return found[0] if len(found) == 1 else None


def bytes_per_second(text):
    """`4.8 TB/s` of the key memory_bandwidth."""
    found = re.search(r"^memory_bandwidth: ([0-9.]+) (GB|TB)/s$", text, re.MULTILINE)
    return float(found.group(1)) * {"GB": 1e9, "TB": 1e12}[found.group(2)] if found else None


def copy_rate(rows):
    """Bytes per second of copies of the largest gradients, read and written; None where none are long enough."""
    long = [row for row in rows if row["elements"] >= summary.LONG and row["copy_us"] > 0]
    if not long:
        return None
    largest = max(row["elements"] for row in long)
    times = sorted(row["copy_us"] for row in long if row["elements"] == largest)
    return COPY_PASSES * VALUE_BYTES * largest / (times[len(times) // 2] * 1e-6)


def device_file(device, name, rows, notes, folder):
    """@returns (text, None), or (None, why there is no file)"""
    sheet = datasheet(device, folder)
    if sheet is None:
        return None, f"no datasheet, or several, with the alias `{device}` in scenarios/devices"
    peak, rate = bytes_per_second(sheet), copy_rate(rows)
    if peak is None or rate is None:
        return None, f"no copy of {summary.LONG} values or more was measured"
    if rate > peak:
        return None, f"copies at {rate / 1e12:.2f} TB/s are above the datasheet's {peak / 1e12:.2f} TB/s"
    body = re.sub(r"^(#.*|aliases:.*)\n", "", sheet, flags=re.MULTILINE)
    body = re.sub(r"^memory_efficiency:\n(  .*\n)+", "", body, flags=re.MULTILINE)
    body = re.sub(r"^name: .*$", f"name: {name}", body, count=1, flags=re.MULTILINE)
    head = [f"# {device}: peaks of its datasheet, and the memory bandwidth that copies reached."]
    head += [f"# {note}" for note in notes]
    head.append("# Licence: figures are facts and may be used freely.")
    share = f"memory_efficiency:\n  share: {rate / peak:.4f}\n  source: \"{rate / 1e12:.3f} TB/s in device-to-device copies, reads and writes counted; {'; '.join(notes)}\"\n"
    return "\n".join(head) + "\n" + body.rstrip("\n") + "\n" + share, None
