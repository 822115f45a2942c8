#!/usr/bin/env python3
"""Whether the records are the same for any number of workers.

    scripts/determinism.py BINARY FOLDER [WORKERS...] [--except NAME...]

Runs every capture below FOLDER with one worker and with each other number (2 4 8 unless others are
given), with the rules beside it (test.rules) and Zeek's logs, and compares all that was written but
the counters (stats) and the times at which logs were opened. Captures named after --except are left
out. Ends with status 1 where anything
differs, and shows the first lines that do.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

CAPTURES = {".pcap", ".pcapng", ".cap", ".trace"}
# Lines that tell of the run rather than of the traffic.
OF_THE_RUN = re.compile(rb'^#(open|close)\t|"event_type":"stats"')
# Logs of the engine itself.
OWN_LOGS = {"stats.log", "stats-2.log", "suricata.log", "weir.log"}
# Zeek's logs with those that the policy scripts make.
SCRIPTS = ["local", "misc/detect-traceroute", "protocols/ssl/expiring-certs", "protocols/ssl/weak-keys"]
ZEEK = ["--zeek-logs", "--set", "outputs.90.zeek.enabled=yes"] + [
    word for number, name in enumerate(SCRIPTS) for word in ("--set", f"outputs.90.zeek.scripts.{number}={name}")
]


def records(binary, capture, workers):
    """All that a run wrote, by file, as lists of lines."""
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "-r", str(capture), "-l", folder, "-k", "none", "-q", "-t", str(workers)] + ZEEK
        rules = capture.parent / "test.rules"
        if rules.exists():
            command += ["-S", str(rules)]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        found = {}
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file() and path.name not in OWN_LOGS:
                lines = path.read_bytes().split(b"\n")
                found[str(path.relative_to(folder))] = [l for l in lines if not OF_THE_RUN.search(l)]
        return found


def compare(binary, capture, numbers):
    """What differs, in a few lines; nothing where nothing does."""
    alone = records(binary, capture, 1)
    for workers in numbers:
        several = records(binary, capture, workers)
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
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    words, left_out = sys.argv[1:], set()
    if "--except" in words:
        at = words.index("--except")
        words, left_out = words[:at], set(words[at + 1:])
    binary, folder = words[0], pathlib.Path(words[1])
    numbers = [int(word) for word in words[2:]] or [2, 4, 8]
    found = (path for path in folder.rglob("*") if path.suffix in CAPTURES and path.is_file())
    captures = sorted(path for path in found if path.name not in left_out)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        differences = [d for d in pool.map(lambda c: compare(binary, c, numbers), captures) if d]
    for difference in differences:
        print(difference)
    print(f"determinism: {len(captures)} captures with 1 and {', '.join(map(str, numbers))} workers, {len(differences)} differ")
    sys.exit(1 if differences else 0)


main()
