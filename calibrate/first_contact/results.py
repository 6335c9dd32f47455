"""The folder of results: one archive per stage and one record of all stages, each whole or as it was before."""
import gzip
import io
import json
import os
import tarfile
import zlib

MOST_BYTES = 16 * 1024 * 1024  # of a file
LEVEL = 6  # of compression: a higher one takes time from the measurements
RECORD = "stages.json"
SCHEMA_VERSION = 1

# At most 8 files: this record, summary.md, and these archives.
ARCHIVES = {
    "machine": ("facts", "build", "tests", "sanitize"),
    "benchmark": ("benchmark", "products", "overlap"),
    "kernels": ("kernels",),
    "nccl": ("nccl",),
    "traces": ("compression", "traces"),
    "statistics": ("statistics",),
}


def replace(path, data):
    """Writes beside the file and renames."""
    beside = path + ".new"
    try:
        with open(beside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def read_record(folder):
    """@returns the record of a folder of results, or an empty one; raises ValueError where it cannot be read"""
    path = os.path.join(folder, RECORD)
    if not os.path.exists(path):
        return {"schema_version": SCHEMA_VERSION, "stages": {}}
    with open(path, encoding="utf-8") as file:
        try:
            record = json.load(file)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}: not JSON: {error}; copy the folder again, or remove the file to measure anew") from error
    if not isinstance(record, dict) or record.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(f"{path}: expected schema_version {SCHEMA_VERSION}; use the version that wrote it")
    stages = record.get("stages")
    entries = stages.values() if isinstance(stages, dict) else [None]
    if not all(isinstance(entry, dict) and isinstance(entry.get("cases"), dict) and {"state", "seconds"} <= entry.keys() for entry in entries):
        raise ValueError(f"{path}: expected `stages`, each with state, seconds and cases; copy the folder again")
    return record


def write_record(folder, record):
    replace(os.path.join(folder, RECORD), json.dumps(record, indent=1, sort_keys=True).encode() + b"\n")


BEFORE = ".before"  # ending of what an earlier try of a case has written, while the case runs again


def files_below(folder):
    """Sorted, without what is still being written: hidden files and folders, and `.new`."""
    found = []
    for base, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [os.path.relpath(os.path.join(base, name), folder) for name in names if not name.startswith(".") and not name.endswith(".new")]
    return sorted(found)


def set_aside(folder, but):
    """What an earlier try of a case has written, but for one file, so that another try cannot make it less."""
    for name in files_below(folder):
        path = os.path.join(folder, name)
        if name != but and not name.endswith(BEFORE):
            os.replace(path, path + BEFORE)


def settle(folder, done=False):
    """Puts back what was set aside where it is more than what was written since; all of it goes where the case is done."""
    for name in files_below(folder):
        if not name.endswith(BEFORE):
            continue
        before, path = os.path.join(folder, name), os.path.join(folder, name[: -len(BEFORE)])
        written = os.path.getsize(path) if os.path.exists(path) else None
        if written is not None and (done or written >= os.path.getsize(before)):
            os.remove(before)
        else:
            os.replace(before, path)


def packed(state, names):
    """The files as an archive; the same files give the same bytes."""
    raw = io.BytesIO()
    with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, compresslevel=LEVEL) as zipped, tarfile.open(fileobj=zipped, mode="w") as archive:
        for name in names:
            try:
                with open(os.path.join(state, name), "rb") as file:
                    data = file.read()
            except FileNotFoundError:  # renamed by the program that has written it
                continue
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return raw.getvalue()


def packed_size(path):
    """Bytes of a file in an archive; 0 where it is gone."""
    try:
        if path.endswith(".gz"):
            return os.path.getsize(path)
        with open(path, "rb") as file:
            return len(zlib.compress(file.read(), LEVEL))
    except FileNotFoundError:
        return 0


def write_archive(state, folder, archive):
    """@returns the files left out, those largest first that take most of it, so that the archive has at most MOST_BYTES"""
    names = [
        os.path.join(stage, name)
        for stage in ARCHIVES[archive]
        for name in files_below(os.path.join(state, stage))
    ]
    left_out, sizes = [], {name: packed_size(os.path.join(state, name)) for name in names}

    def leave_out_largest():
        largest = max(names, key=sizes.get)
        names.remove(largest)
        left_out.append(largest)

    while sum(sizes[name] for name in names) > MOST_BYTES:  # each is compressed once, and not again for each that is left out
        leave_out_largest()
    data = packed(state, names)
    while len(data) > MOST_BYTES:  # by what the archive itself takes
        leave_out_largest()
        data = packed(state, names)
    if names:
        replace(os.path.join(folder, archive + ".tar.gz"), data)
    return left_out


def unpack(folder, state):
    """The archives of a folder that was brought along, into the state; damaged ones are returned by name."""
    damaged = []
    for archive in ARCHIVES:
        path = os.path.join(folder, archive + ".tar.gz")
        if not os.path.exists(path):
            continue
        try:
            with gzip.open(path) as zipped:
                whole = io.BytesIO(zipped.read())  # first: what is cut anywhere is not whole
            with tarfile.open(fileobj=whole) as opened:
                for entry in opened.getmembers():
                    _unpack_file(opened, entry, state)
        except (tarfile.TarError, OSError, EOFError, zlib.error):
            damaged.append(path)
    for stages in ARCHIVES.values():
        for stage in stages:
            settle(os.path.join(state, stage))
    return damaged


def _unpack_file(opened, entry, state):
    parts = entry.name.split("/")
    if not entry.isfile() or entry.name.startswith("/") or ".." in parts:
        raise tarfile.TarError(f"{entry.name}: not a plain file within the folder")
    target = os.path.join(state, *parts)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as file:
        file.write(opened.extractfile(entry).read())
