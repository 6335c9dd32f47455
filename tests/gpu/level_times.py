"""What a quiet machine would have measured: times in proportion to the number of values.

level_times.py FILE FIRST

The times of FILE become those of the first row of FIRST, times values over values, times 1 + 10 ratio; so a busy machine changes
how large times are, and nothing else.
"""
import csv
import sys

TIMES = ("median_us", "min_us", "p95_us", "copy_us", "restore_us")


def parts(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return [line for line in lines if line.startswith("#")], list(csv.DictReader(line for line in lines if not line.startswith("#")))


def main(path, first):
    base = parts(first)[1][0]
    comments, rows = parts(path)
    for row in rows:
        larger = int(row["elements"]) / int(base["elements"])
        shape = (1 + 10 * float(row["ratio"])) / (1 + 10 * float(base["ratio"]))
        for name in TIMES:
            row[name] = f"{float(base[name]) * larger * (1 if name == 'copy_us' else shape):.4f}"
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in comments))
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


main(*sys.argv[1:])
