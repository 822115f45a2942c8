#!/usr/bin/env python3
"""Whether the records are the same for any number of workers, and EVE with Zeek's logs and without.

    scripts/determinism.py BINARY PATH... [--workers N...] [--two] [--rules PATTERN] [--damage SEED]
                           [--folders NUMBER] [--random] [--before BINARY]

Runs each PATH, and every capture below those that are folders, with one worker and with each other number (2 4 8
unless others are given; with --two, each capture with two of them in turn), with the rules beside it
(test.rules) or those of PATTERN, and with Zeek's logs; the last number of workers once more without these. Compares
all that was written but the times at which logs were opened, and of the counters (stats) the last record, but for what
it tells of the run; without Zeek's logs, all of EVE and fast.log but the uids of these logs.
With --damage, captures are read with packets changed, cut off, lost, doubled or out of order, by a generator
of random numbers that begins with SEED. With --folders, so many folders of a few captures of any kinds of links are
read instead, each in one run, some of them with settings of their own; --random takes a seed that it says. Ends
with status 1 where anything differs, or the program fails, and shows the first lines that do. WEIR_KEEP=folder keeps
the captures of those runs.
With --before, what is compared is another build of the program, with as many workers each time: with Zeek's logs and
the rules, with the rules alone, and with Zeek's logs alone.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import secrets
import shutil
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
ZEEK = ["--zeek-logs", "--set", "outputs.eve-log.enabled=yes", "--set", "outputs.90.zeek.enabled=yes", "--set", "outputs.90.zeek.local-zones.0=example.org"] + [
    word for number, name in enumerate(SCRIPTS) for word in ("--set", f"outputs.90.zeek.scripts.{number}={name}")
]


# Settings that runs of folders take in turn.
SETTINGS = [
    [],
    ["vlan.use-for-tracking=false"],
    ["decoder.recursion-level.use-for-tracking=false"],
    ["outputs.1.eve-log.ethernet=yes", "outputs.1.eve-log.types.0.alert.packet=yes"],
    ["stream.midstream=true", "stream.async-oneside=true"],
    ["decoder.gtp.enabled=yes", "app-layer.protocols.pgsql.enabled=yes"],
]
# Captures of a folder.
TOGETHER = 5
# What EVE has of Zeek's logs.
UID = re.compile(rb',"zeek_uid":"[^"]*"')


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


class NoRun(Exception):
    """Rules or settings stop the program before it begins."""


class ProgramFailed(Exception):
    """The program ended in another way than by itself."""


def counters(value, name=""):
    """Pairs of name and value in a record of counters."""
    if not isinstance(value, dict):
        return [] if RUN_COUNTERS.search(name) else [f"{name} {value}".encode()]
    return [line for key in sorted(value) for line in counters(value[key], f"{name}.{key}" if name else key)]


def records(binary, capture, workers, rules, options=()):
    """All that a run wrote, by file, as lists of lines."""
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "-r", str(capture), "-l", folder, "-k", "none", "-q", "-t", str(workers), *options]
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
        if "eve.json" not in found and workers == 1 and ended.returncode == 1:
            raise NoRun
        if "eve.json" not in found:
            raise ProgramFailed(f"no eve.json with {workers} workers")
        return found


def without_zeek(found):
    """Of all that a run wrote, what does not depend on whether Zeek's logs are written."""
    names = [name for name in found if name.startswith("eve.json") or name == "fast.log"]
    return {name: [UID.sub(b"", line) for line in found[name]] for name in names}


def difference(what, alone, other):
    """The first lines of two runs that differ; nothing where none do."""
    for name in sorted(alone.keys() | other.keys()):
        one, another = alone.get(name, []), other.get(name, [])
        if one != another:
            pairs = [(a, b) for a, b in zip(one, another) if a != b] or [(str(len(one)).encode(), str(len(another)).encode())]
            a, b = pairs[0]
            return f"{name} differs with {what}\n  - {a.decode(errors='replace')[:300]}\n  + {b.decode(errors='replace')[:300]}"
    return None


def compare(binary, capture, numbers, rules, options=()):
    """What differs, in a few lines; nothing where nothing does."""
    alone = records(binary, capture, 1, rules, [*options, *ZEEK])
    for workers in numbers:
        found = difference(f"{workers} workers", alone, records(binary, capture, workers, rules, [*options, *ZEEK]))
        if found:
            return found
    plain = records(binary, capture, numbers[-1], rules, options)
    return difference("Zeek's logs", without_zeek(plain), without_zeek(alone))


def compare_builds(before, binary, capture, numbers, rules, options=()):
    """What differs between two builds, in a few lines; nothing where nothing does."""
    for workers in numbers:
        for what, of_rules, more in [("all outputs", rules, ZEEK), ("EVE alone", rules, []), ("no rules", None, ZEEK)]:
            former, now = (records(build, capture, workers, of_rules, [*options, *more]) for build in (before, binary))
            found = difference(f"{what}, {workers} workers", former, now)
            if found:
                return found
    return None


def read(binary, capture, numbers, rules, options=(), before=None):
    """What differs, or how the program failed."""
    try:
        if before:
            return compare_builds(before, binary, capture, numbers, rules, options)
        return compare(binary, capture, numbers, rules, options)
    except NoRun:
        return None
    except (ProgramFailed, subprocess.TimeoutExpired) as failure:
        return str(failure)


def captures_of(paths):
    """The captures at or below paths."""
    for path in paths:
        below = path.rglob("*") if path.is_dir() else [path]
        yield from sorted(one for one in below if one.suffix in CAPTURES and one.is_file())


def fill(folder, captures, chance, damage):
    """Puts a few captures into a folder, some of them damaged and some twice; answers the rules beside one of them."""
    chosen = [chance.choice(captures) for _ in range(chance.randrange(2, TOGETHER + 1))]
    if chance.random() < 0.3:
        chosen.append(chosen[0])
    for number, capture in enumerate(chosen):
        raw = capture.read_bytes()
        if damage and chance.random() < 0.8:
            raw = damaged(raw, chance)
        (folder / f"{number}{capture.suffix}").write_bytes(raw)
    beside = [rules for capture in chosen if (rules := capture.parent / "test.rules").exists()]
    return str(chance.choice(beside)) if beside else None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("paths", type=pathlib.Path, nargs="+")
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--two", action="store_true")
    parser.add_argument("--rules")
    parser.add_argument("--damage", metavar="SEED")
    parser.add_argument("--folders", type=int, metavar="NUMBER")
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--before", metavar="BINARY")
    given = parser.parse_args()
    seed = secrets.token_hex(4) if given.random else given.damage
    captures = list(captures_of(given.paths))
    if not captures:
        sys.exit(f"There is no capture at {', '.join(map(str, given.paths))}.")

    def numbers(number):
        if not given.two:
            return given.workers
        return [w for place, w in enumerate(given.workers) if place != number % len(given.workers)][:2]

    def capture(number):
        path = captures[number]
        beside = path.parent / "test.rules"
        rules = given.rules or (str(beside) if beside.exists() else None)
        with tempfile.TemporaryDirectory() as folder:
            as_read = path
            if seed is not None:
                as_read = pathlib.Path(folder) / path.name
                as_read.write_bytes(damaged(path.read_bytes(), random.Random(f"{seed} {path.name}")))
            found = read(given.binary, as_read, numbers(number), rules, before=given.before)
        return found and f"{path}: {found}"

    def together(number):
        chance = random.Random(f"{seed} folder {number}")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            beside = fill(folder, captures, chance, seed is not None)
            rules = given.rules if given.rules and chance.random() < 0.5 else beside
            options = [word for setting in chance.choice(SETTINGS) for word in ("--set", setting)]
            found = read(given.binary, folder, numbers(number), rules, options, given.before)
            if found and (kept := os.environ.get("WEIR_KEEP")):
                shutil.copytree(folder, pathlib.Path(kept) / f"{seed}-{number}", dirs_exist_ok=True)
        return found and f"folder {number} ({' '.join(options)}, rules {rules}): {found}"

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        count = given.folders or len(captures)
        differences = 0
        for found in pool.map(together if given.folders else capture, range(count)):
            if found:
                differences += 1
                print(found, flush=True)
    choice = "two of " if given.two else ""
    kind = "folders" if given.folders else "captures"
    kind += f" damaged by {seed}," if seed is not None else ""
    kinds = f"{choice}{', '.join(map(str, given.workers))} workers"
    compared = f"by two builds with {kinds}" if given.before else f"with 1 and {kinds}"
    print(f"determinism: {count} {kind} {compared}, {differences} differ")
    sys.exit(1 if differences else 0)


main()
