#!/usr/bin/env python3
"""What Weir takes for a capture: CPU seconds (user and system, all threads) and peak memory.

    scripts/bench.py BINARY CAPTURE [RULES] [--runs N] [--vs BINARY] [--json FILE]

Machines differ and are seldom alone. So the time that `gzip -6` takes for the same capture in the same
minutes is the unit, the runs of all rows take turns, and medians are shown. Start-up, and the loading of
rules, are measured on a capture without packets and taken off. `--vs` measures a second program beside the
first. `--json` adds the figures as one line to a file, a history to keep.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# A capture without packets: its 24 bytes of header.
NOTHING = b"\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0"
FLOWS_ONLY = "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types:\n        - flow\n"
NO_EVE = "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: no\n"


class Bench:
    def __init__(self, folder, capture, rules):
        self.folder = folder
        self.capture = capture
        self.logs = os.path.join(folder, "logs")
        self.nothing = self.file("nothing.pcap", NOTHING)
        flows = self.file("flows.yaml", FLOWS_ONLY.encode())
        no_eve = self.file("none.yaml", NO_EVE.encode())
        off = ["--disable-detection"]
        self.rows = {
            "flow records only": [*off, "-c", flows],
            "all EVE records": off,
            "Zeek's logs only": [*off, "-c", no_eve, "--zeek-logs=tsv"],
            "EVE records and Zeek's logs": [*off, "--zeek-logs=tsv"],
        }
        if rules:
            self.rows["rules and all EVE records"] = ["-S", rules]

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(content)
        return path

    def run(self, command):
        """CPU seconds and peak memory in kilobytes of one run."""
        shutil.rmtree(self.logs, ignore_errors=True)
        os.makedirs(self.logs)
        with open(os.path.join(self.folder, "said"), "wb") as said:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            with open(said.name, encoding="utf-8", errors="replace") as said:
                sys.exit(f"{' '.join(command)} failed with exit code {process.returncode}:\n{said.read()}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss

    def command(self, binary, capture, options):
        return [binary, "-r", capture, "-l", self.logs, "-k", "none", *options]

    def measure(self, binaries, runs):
        """CPU seconds and memory of each row by program; the gzip runs are row None."""
        plan = [(None, None, ["gzip", "-6", "-c", self.capture])]
        for name, options in self.rows.items():
            for binary in binaries:
                plan.append((name, binary, self.command(binary, self.capture, options)))
                plan.append((f"start: {name}", binary, self.command(binary, self.nothing, options)))
        # What is read again is in the system's cache, and compiled matchers are on the disk.
        for _, _, command in plan:
            self.run(command)
        found = {}
        for number in range(runs):
            for name, binary, command in plan:
                found.setdefault((name, binary), []).append(self.run(command))
            if sys.stderr.isatty():
                print(f"\rround {number + 1} of {runs}", end="", file=sys.stderr)
        if sys.stderr.isatty():
            print(file=sys.stderr)
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("capture")
    parser.add_argument("rules", nargs="?", default="")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--vs", metavar="BINARY")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    binaries = [binary for binary in (args.binary, args.vs) if binary]
    folder = tempfile.mkdtemp()
    try:
        bench = Bench(folder, args.capture, args.rules)
        found = bench.measure(binaries, args.runs)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    unit = statistics.median(seconds for seconds, _ in found[None, None])
    print(f"{'':<28} {'CPU s':>7} {'gzip':>7} {'spread':>7} {'memory':>8}" + ("  ratio" if args.vs else ""))
    print(f"{'gzip -6':<28} {unit:7.2f} {1:7.2f}")
    figures = []
    for name in bench.rows:
        net = []
        for binary in binaries:
            start = statistics.median(seconds for seconds, _ in found[f"start: {name}", binary])
            seconds = sorted(seconds - start for seconds, _ in found[name, binary])
            memory = max(memory for _, memory in found[name, binary])
            middle = statistics.median(seconds)
            net.append(middle)
            spread = (seconds[-1] - seconds[0]) / middle
            shown = name if binary == args.binary else f"  {os.path.basename(binary)}"
            ratio = f" {net[0] / middle:6.2f}" if len(net) > 1 else ""
            print(
                f"{shown:<28} {middle:7.3f} {middle / unit:7.3f} {spread:7.0%} {memory / 1024:5.0f} MB{ratio}"
            )
            figures.append({"row": name, "binary": binary, "cpu": middle, "gzip": middle / unit, "start": start})
            if "-S" in bench.rows[name]:
                print(f"{'  loading the rules':<28} {start:7.3f} {start / unit:7.3f}")
    if args.json:
        with open(args.json, "a", encoding="utf-8") as history:
            line = {"time": int(time.time()), "capture": args.capture, "unit": unit, "figures": figures}
            history.write(json.dumps(line) + "\n")


main()
