#!/usr/bin/env python3
"""Whether the records are the same for any number of workers.

    scripts/determinism.py BINARY PATH [WORKERS...] [--two] [--rules PATTERN]

Runs the capture PATH, or every capture below it, with one worker and with each other number (2 4 8
unless others are given; with --two, each capture with two of them in turn), with the rules beside it
(test.rules) or those of PATTERN, and with Zeek's logs. Compares all that was written but the times at
which logs were opened, and of the counters (stats) the last record, but for what it tells of the run.
Ends with status 1 where anything differs, and shows the first lines that do.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

CAPTURES = {".pcap", ".pcapng", ".cap", ".trace"}
# Lines that tell of the run rather than of the traffic.
OF_THE_RUN = re.compile(rb'^#(open|close)\t|"event_type":"stats"')
# Counters that tell of the run: how long it took, what is kept to be used again, memory.
RUN_COUNTERS = re.compile(r"^uptime$|^detect\.engines|^tcp\.segment_from_|memuse$")
# Logs of the engine itself.
OWN_LOGS = {"stats.log", "stats-2.log", "suricata.log", "weir.log"}
# Zeek's logs with those that the policy scripts make.
SCRIPTS = ["local", "misc/detect-traceroute", "protocols/ssl/expiring-certs", "protocols/ssl/weak-keys"]
ZEEK = ["--zeek-logs", "--set", "outputs.90.zeek.enabled=yes"] + [
    word for number, name in enumerate(SCRIPTS) for word in ("--set", f"outputs.90.zeek.scripts.{number}={name}")
]


def counters(value, name=""):
    """Pairs of name and value in a record of counters."""
    if not isinstance(value, dict):
        return [] if RUN_COUNTERS.search(name) else [f"{name} {value}".encode()]
    return [line for key in sorted(value) for line in counters(value[key], f"{name}.{key}" if name else key)]


def records(binary, capture, workers, rules):
    """All that a run wrote, by file, as lists of lines."""
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "-r", str(capture), "-l", folder, "-k", "none", "-q", "-t", str(workers)] + ZEEK
        beside = capture.parent / "test.rules"
        if rules or beside.exists():
            command += ["-S", rules or str(beside)]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=900)
        found = {}
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file() and path.name not in OWN_LOGS:
                lines = path.read_bytes().split(b"\n")
                name = str(path.relative_to(folder))
                found[name] = [l for l in lines if not OF_THE_RUN.search(l)]
                stats = [l for l in lines if l.endswith(b"}}") and b'"event_type":"stats"' in l]
                if stats:
                    found[f"{name}: stats"] = counters(json.loads(stats[-1])["stats"])
        return found


def compare(binary, capture, numbers, rules):
    """What differs, in a few lines; nothing where nothing does."""
    alone = records(binary, capture, 1, rules)
    for workers in numbers:
        several = records(binary, capture, workers, rules)
        if several == alone:
            continue
        for name in sorted(alone.keys() | several.keys()):
            one, other = alone.get(name, []), several.get(name, [])
            if one != other:
                pairs = [(a, b) for a, b in zip(one, other) if a != b] or [(str(len(one)).encode(), str(len(other)).encode())]
                a, b = pairs[0]
                return (f"{capture}: {name} differs with {workers} workers\n"
                        f"  1: {a.decode(errors='replace')[:300]}\n  {workers}: {b.decode(errors='replace')[:300]}")
    return None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("path", type=pathlib.Path)
    parser.add_argument("workers", type=int, nargs="*", default=[2, 4, 8])
    parser.add_argument("--two", action="store_true")
    parser.add_argument("--rules")
    given = parser.parse_args()
    below = given.path.rglob("*") if given.path.is_dir() else [given.path]
    captures = sorted(path for path in below if path.suffix in CAPTURES and path.is_file())
    if not captures:
        sys.exit(f"There is no capture at {given.path}.")

    def one(number, capture):
        numbers = given.workers
        if given.two:
            numbers = [w for place, w in enumerate(numbers) if place != number % len(numbers)][:2]
        return compare(given.binary, capture, numbers, given.rules)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        differences = [d for d in pool.map(one, range(len(captures)), captures) if d]
    for difference in differences:
        print(difference)
    choice = "two of " if given.two else ""
    print(f"determinism: {len(captures)} captures with 1 and {choice}{', '.join(map(str, given.workers))} workers, {len(differences)} differ")
    sys.exit(1 if differences else 0)


main()
