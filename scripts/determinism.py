#!/usr/bin/env python3
"""Whether the records are the same for any number of workers.

    scripts/determinism.py BINARY PATH [WORKERS...] [--two] [--rules PATTERN] [--damage SEED]

Runs the capture PATH, or every capture below it, with one worker and with each other number (2 4 8
unless others are given; with --two, each capture with two of them in turn), with the rules beside it
(test.rules) or those of PATTERN, and with Zeek's logs. Compares all that was written but the times at
which logs were opened, and of the counters (stats) the last record, but for what it tells of the run.
With --damage, captures are read with packets changed, cut off, lost, doubled or out of order, by a generator
of random numbers that begins with SEED. Ends with status 1 where anything differs, or the program fails, and
shows the first lines that do.
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

CAPTURES = {".pcap", ".pcapng", ".cap", ".trace"}
# Lines that tell of the run rather than of the traffic.
OF_THE_RUN = re.compile(rb'^#(open|close)\t|"event_type":"stats"')
# Counters that tell of the run: how long it took, what is kept to be used again, memory.
RUN_COUNTERS = re.compile(r"^uptime$|^detect\.engines|^tcp\.segment_from_|memuse$")
# How the program ends by itself: what it was asked for is done, cannot be done, or up to where a capture is damaged.
ENDS = {0, 1, 2}
# Logs of the engine itself.
OWN_LOGS = {"stats.log", "stats-2.log", "suricata.log", "weir.log"}
# Zeek's logs with those that the policy scripts make.
SCRIPTS = ["local", "misc/detect-traceroute", "protocols/ssl/expiring-certs", "protocols/ssl/weak-keys"]
ZEEK = ["--zeek-logs", "--set", "outputs.90.zeek.enabled=yes", "--set", "outputs.90.zeek.local-zones.0=example.org"] + [
    word for number, name in enumerate(SCRIPTS) for word in ("--set", f"outputs.90.zeek.scripts.{number}={name}")
]


# Headers of pcap files, by their first word: the order of bytes.
PCAP = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">"}
# Bytes of a packet that are left alone when others are changed: what it is must still be told.
LINK_HEADER = 14


def changed(data, chance):
    """A packet with up to eight bytes changed."""
    data = bytearray(data)
    for _ in range(chance.randrange(1, 9)):
        if len(data) > LINK_HEADER:
            data[chance.randrange(LINK_HEADER, len(data))] = chance.randrange(256)
    return bytes(data)


def damaged(raw, chance):
    """A capture in which every tenth packet or so was damaged, all in one of four ways; as it is, if it is no pcap."""
    order = PCAP.get(raw[:4])
    if not order:
        return raw
    packets, at = [], 24
    while at + 16 <= len(raw):
        *time, captured, length = struct.unpack(order + "4I", raw[at:at + 16])
        packets.append((time, length, raw[at + 16:at + 16 + captured]))
        at += 16 + captured
    ways = {
        "changed": lambda time, length, data: [(time, length, changed(data, chance))],
        "cut off": lambda time, length, data: [(time, length, data[:chance.randrange(len(data) + 1)])],
        "lost": lambda *packet: [],
        "doubled": lambda *packet: [packet] * 2,
    }
    way, late, left = chance.choice([*ways, "late"]), [], []
    for packet in packets:
        if chance.random() > 0.1:
            left += [packet] + [(packet[0], *rest) for _, *rest in late]
            late = []
        elif way == "late":
            late.append(packet)
        else:
            left += ways[way](*packet)
    parts = [struct.pack(order + "4I", *time, len(data), length) + data for time, length, data in left]
    return raw[:24] + b"".join(parts)


class ProgramFailed(Exception):
    """The program ended in another way than by itself."""


def counters(value, name=""):
    """Pairs of name and value in a record of counters."""
    if not isinstance(value, dict):
        return [] if RUN_COUNTERS.search(name) else [f"{name} {value}".encode()]
    return [line for key in sorted(value) for line in counters(value[key], f"{name}.{key}" if name else key)]


def records(binary, capture, workers, rules):
    """All that a run wrote, by file, as lists of lines."""
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "-r", str(capture), "-l", folder, "-k", "none", "-q", "-t", str(workers)] + ZEEK
        if rules:
            command += ["-S", rules]
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=900)
        if ended.returncode not in ENDS:
            last = ended.stderr.decode(errors="replace").strip().splitlines()[-5:]
            raise ProgramFailed(f"status {ended.returncode} with {workers} workers\n  " + "\n  ".join(last))
        found = {}
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file() and path.name not in OWN_LOGS:
                lines = path.read_bytes().split(b"\n")
                name = str(path.relative_to(folder))
                found[name] = [l for l in lines if not OF_THE_RUN.search(l)]
                stats = [l for l in lines if l.endswith(b"}}") and b'"event_type":"stats"' in l]
                if stats:
                    found[f"{name}: stats"] = counters(json.loads(stats[-1])["stats"])
        if "eve.json" not in found:
            raise ProgramFailed(f"no eve.json with {workers} workers")
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
                return (f"{name} differs with {workers} workers\n"
                        f"  1: {a.decode(errors='replace')[:300]}\n  {workers}: {b.decode(errors='replace')[:300]}")
    return None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("path", type=pathlib.Path)
    parser.add_argument("workers", type=int, nargs="*", default=[2, 4, 8])
    parser.add_argument("--two", action="store_true")
    parser.add_argument("--rules")
    parser.add_argument("--damage", metavar="SEED")
    given = parser.parse_args()
    below = given.path.rglob("*") if given.path.is_dir() else [given.path]
    captures = sorted(path for path in below if path.suffix in CAPTURES and path.is_file())
    if not captures:
        sys.exit(f"There is no capture at {given.path}.")

    def one(number, capture):
        numbers = given.workers
        if given.two:
            numbers = [w for place, w in enumerate(numbers) if place != number % len(numbers)][:2]
        beside = capture.parent / "test.rules"
        rules = given.rules or (str(beside) if beside.exists() else None)
        with tempfile.TemporaryDirectory() as folder:
            read = capture
            if given.damage is not None:
                read = pathlib.Path(folder) / capture.name
                read.write_bytes(damaged(capture.read_bytes(), random.Random(f"{given.damage} {capture.name}")))
            try:
                difference = compare(given.binary, read, numbers, rules)
            except ProgramFailed as failure:
                difference = str(failure)
        return difference and f"{capture}: {difference}"

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        differences = [d for d in pool.map(one, range(len(captures)), captures) if d]
    for difference in differences:
        print(difference)
    choice = "two of " if given.two else ""
    kind = "captures" if given.damage is None else f"captures damaged by {given.damage},"
    print(f"determinism: {len(captures)} {kind} with 1 and {choice}{', '.join(map(str, given.workers))} workers, {len(differences)} differ")
    sys.exit(1 if differences else 0)


main()
