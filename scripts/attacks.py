#!/usr/bin/env python3
"""What attacks cost: each at four sizes, and whether cost stays within bounds.

    scripts/attacks.py BINARY GENERATOR [NAME...] [--ordinary CAPTURE] [--rules FILE]
        [--settings FILE] [--runs bare,full] [--scale 1] [--workers NUMBER]

GENERATOR is the program that writes attacks (`cargo build --profile plain -p weir-testkit --example attack`); without
names, all that it lists are run, and a name that ends in * is for all that begin so. Each is run at its size n, 2n,
4n and 8n, with an n for which the largest capture has a megabyte at least: bare, that is without rules, and in full,
with rules that look at what attacks send, all of EVE's record types and Zeek's logs. `--runs kept` adds rules on
frames, their records, the packets' log and extraction of all files; `--runs inline` holds packets back, as between
networks; `--runs streams` adds a file for each stream and
body; `--runs profiled` measures each packet, `--runs scripted` gives a script of Zeek's language the events;
`--runs costly` adds rules that describe files and call scripts, and judges growth alone. `--workers` sets how many share
the work. Shown are CPU seconds,
most seconds for a megabyte and how much more that is than for ordinary traffic, and peak memory. A row that is out of
bounds is run again, three times at most, and the least of each size counts, for other programs on the machine only add
to a time. Ends with status 1 where twice the traffic takes more than 2.2 times as long or as much memory, or a
megabyte of any size more than 60 times what one of ordinary traffic takes.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

# Most growth of time and memory for twice the traffic, and most cost for a megabyte in units of ordinary traffic's.
GROWTH, DEARER = 2.2, 60.0
# Below these, times and memory are those of the start.
SECONDS, BYTES = 0.05, 24 << 20
# Runs of more than these tell what a megabyte takes.
TELLING = 0.1
# The largest capture of an attack has so many bytes at least, and that of ordinary traffic: where there are few, the
# start says more than they do.
LEAST, LEAST_ORDINARY = 1 << 20, 32 << 20
# So many runs of ordinary traffic: what they take in the middle is compared with.
ORDINARY_RUNS = 5
# Room that the captures and logs of an attack need.
MEMORY = 4 << 30
# Longest that a run may take.
PATIENCE = 300
# What is out of bounds is run again so often, and the least of each size counts: other programs only add to a time.
AGAIN = 3
STEPS = [1, 2, 4, 8]



def settings(path):
    """The settings that attacks are run under, as arguments."""
    lines = path.read_text().replace("FOLDER", str(path.parent.resolve())).splitlines()
    return [word for line in lines if not line.startswith("#") for word in ("--set", line)]


def arguments():
    here = pathlib.Path(__file__).parent
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("generator")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--ordinary", default=str(here.parent / "sample/sample.pcap"))
    parser.add_argument("--rules", default=str(here / "attacks/attacks.rules"))
    parser.add_argument("--settings", type=pathlib.Path, default=here / "attacks/settings.txt")
    parser.add_argument("--runs", default="bare,full")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--workers", type=int, default=0)
    return parser.parse_intermixed_args()


class Runner:
    """Runs captures and says what that took."""

    def __init__(self, given, folder):
        self.folder = folder
        common = [given.binary, "-q", "-k", "none", *settings(given.settings)]
        if given.workers:
            common += ["--threads", str(given.workers)]
        full = [*common, "-S", given.rules, "--zeek-logs"]
        beside = given.settings.parent
        costly = [*full, "-s", beside / "costly.rules"]
        kept = [*full, "-s", beside / "frames.rules", *settings(beside / "kept.txt")]
        streams = [*full, *settings(beside / "streams.txt")]
        inline = [*full, "-s", beside / "inline.rules", "--simulate-ips"]
        profiled = [*full, *settings(beside / "profiled.txt")]
        scripted = [*full, "--zeek-script", beside / "attacks.zeek"]
        self.commands = {
            "bare": common,
            "full": full,
            "kept": kept,
            "streams": streams,
            "costly": costly,
            "inline": inline,
            "profiled": profiled,
            "scripted": scripted,
        }

    def run(self, kind, capture):
        """CPU seconds and peak memory of one run; no seconds where it does not end."""
        logs = self.folder / "logs"
        subprocess.run(["rm", "-rf", logs], check=True)
        logs.mkdir()
        command = [*self.commands[kind], "-r", capture, "-l", logs]
        # A pipe that nobody reads would stop a program that has much to say.
        told = self.folder / "told"
        with told.open("wb") as errors:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        began = time.monotonic()
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            if time.monotonic() - began > PATIENCE:
                process.kill()
                os.wait4(process.pid, 0)
                return None, 0
            time.sleep(0.002)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"attacks: {' '.join(map(str, command))}: {told.read_text(errors='replace')[-2000:].strip()}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024

    def check(self, kind):
        """Ends the program where a rule cannot be loaded."""
        tested = subprocess.run([*self.commands[kind], "-T", "-l", self.folder], capture_output=True, text=True, check=False)
        if tested.returncode != 0:
            sys.exit(f"attacks: rules of {kind} cannot be loaded: {tested.stderr.strip()}")

    def start(self, kind):
        """What a run takes that reads nothing."""
        nothing = self.folder / "nothing.pcap"
        nothing.write_bytes(bytes.fromhex("d4c3b2a1020004000000000000000000" "0000040001000000"))
        return min(self.run(kind, nothing) for _ in range(3))


def ordinary(runner, kind, capture, start):
    """Seconds that a megabyte of ordinary traffic takes; of a small capture many times over."""
    size = os.path.getsize(capture)
    if size < LEAST_ORDINARY:
        content = pathlib.Path(capture).read_bytes()
        capture = runner.folder / "ordinary.pcap"
        # In pieces: the memory of this program is where that of its runs begins.
        with capture.open("wb") as out:
            out.write(content[:24])
            for _ in range(LEAST_ORDINARY // size):
                out.write(content[24:])
        size = os.path.getsize(capture)
    seconds = sorted(runner.run(kind, capture)[0] for _ in range(ORDINARY_RUNS))[ORDINARY_RUNS // 2]
    return max(seconds - start[0], 0.01) / (size / 1e6)


def generate(generator, name, size, capture):
    """Writes an attack of this size."""
    with capture.open("wb") as out:
        subprocess.run([generator, name, str(size)], check=True, stdout=out)


def first_size(generator, name, size, capture):
    """A multiple of an attack's size, so that its largest capture is large enough."""
    generate(generator, name, size, capture)
    largest = capture.stat().st_size * STEPS[-1]
    return size * max(1, -(-LEAST // largest))


def place():
    """A folder in memory, where there is room: making files costs ten times as much on a disk where as many were
    removed within seconds, as those of the run before are."""
    memory = pathlib.Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > MEMORY
    return memory if roomy else None


def judge(rows, usual):
    """What of a row of (bytes, seconds, memory) is out of bounds."""
    wrong = []
    for before, after in zip(rows, rows[1:]):
        if after[1] is None:
            wrong.append("endless")
            break
        if before[1] > SECONDS and after[1] > GROWTH * before[1]:
            wrong.append(f"time ×{after[1] / before[1]:.1f}")
        if before[2] > BYTES and after[2] > GROWTH * before[2]:
            wrong.append(f"memory ×{after[2] / before[2]:.1f}")
    if any(seconds > SECONDS for _, seconds, _ in ended(rows)) and dearest(rows) > DEARER * usual:
        wrong.append("dear")
    return wrong


def ended(rows):
    """Those of the rows that came to an end."""
    return [row for row in rows if row[1] is not None]


def dearest(rows):
    """Most seconds that a megabyte took, of runs that are long enough to tell; those of the last one where none is.

    Later ones may take less for a megabyte: a stream is read no further than to its depth."""
    long = [row for row in ended(rows) if row[1] > TELLING] or ended(rows)[-1:]
    return max((seconds / (size / 1e6) for size, seconds, _ in long), default=0)


def main():
    given = arguments()
    listed = subprocess.run([given.generator, "list"], check=True, capture_output=True, text=True).stdout
    sizes = {line.split()[0]: int(line.split()[1]) for line in listed.splitlines()}

    def wanted(name):
        return not given.names or any(
            name == pattern or pattern.endswith("*") and name.startswith(pattern[:-1]) for pattern in given.names
        )

    failed = False
    with tempfile.TemporaryDirectory(dir=place()) as folder:
        folder = pathlib.Path(folder)
        runner = Runner(given, folder)
        kinds = given.runs.split(",")
        for kind in kinds:
            runner.check(kind)
        starts = {kind: runner.start(kind) for kind in kinds}
        usual = {kind: ordinary(runner, kind, given.ordinary, starts[kind]) for kind in kinds}
        for kind in kinds:
            print(f"{'ordinary traffic':30} {kind:8} {usual[kind]:.4f} CPU s per MB")
        capture = folder / "attack.pcap"
        for name in filter(wanted, sizes):
            first = first_size(given.generator, name, max(1, int(sizes[name] * given.scale)), capture)

            def measure(kinds):
                """(bytes, seconds, memory) of each size, by kind of run."""
                rows = {kind: [] for kind in kinds}
                for step in STEPS:
                    generate(given.generator, name, first * step, capture)
                    for kind in kinds:
                        if rows[kind] and rows[kind][-1][1] is None:
                            continue
                        seconds, memory = runner.run(kind, capture)
                        net = None if seconds is None else max(seconds - starts[kind][0], 0.0005)
                        rows[kind].append((capture.stat().st_size, net, max(memory - starts[kind][1], 0)))
                return rows

            def judged(kind):
                return judge(rows[kind], float("inf") if kind == "costly" else usual[kind])

            rows = measure(kinds)
            for _ in range(AGAIN):
                doubtful = [kind for kind in kinds if judged(kind) and rows[kind][-1][1] is not None]
                for kind, other in (measure(doubtful) if doubtful else {}).items():
                    if other[-1][1] is not None:
                        rows[kind] = [tuple(map(min, one, two)) for one, two in zip(rows[kind], other)]
            for kind in kinds:
                wrong = judged(kind)
                failed |= bool(wrong)
                size, _, memory = rows[kind][-1]
                times = " ".join("       -" if s is None else f"{s:8.3f}" for _, s, _ in rows[kind])
                per = dearest(rows[kind])
                print(
                    f"{name:30} {kind:8} {size / 1e6:7.2f} MB  {times} s  {per:8.4f} s/MB"
                    f" {per / usual[kind]:7.1f} × {memory / 1e6:6.0f} MB  {', '.join(wrong)}",
                    flush=True,
                )
    sys.exit(1 if failed else 0)


main()
