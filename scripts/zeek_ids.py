#!/usr/bin/env python3
"""Checks that Zeek's logs can be joined, with each other and with EVE: every uid is in conn.log, every fuid
in files.log.

    scripts/zeek_ids.py BINARY CAPTURES [WORKERS...]

With 1, 2 and 4 workers unless others are given. Tunnels directly over IP have a uid and no connection, as
with Zeek itself; the connections inside of them name it in tunnel_parents.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

WITHOUT_CONNECTION = ("Tunnel::IP", "Tunnel::GRE")
FUIDS = re.compile(r"^(fuid|fuids|\w+_fuids)$")


def logs_of(binary, capture, workers):
    """The rows of every log, or None where the program did not end well."""
    with tempfile.TemporaryDirectory(prefix="zeek-ids-") as folder:
        command = [binary, "-r", capture, "-l", folder, "-k", "none", "--disable-detection", "--zeek-logs=json", "--set", "outputs.eve-log.enabled=yes", "-q", "-t", str(workers)]
        if subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60).returncode not in (0, 2):
            return None
        logs = {}
        for name in os.listdir(folder):
            if name.endswith(".log") and name not in ("fast.log", "stats.log", "suricata.log", "weir.log"):
                with open(os.path.join(folder, name), encoding="utf-8") as lines:
                    logs[name[:-4]] = [json.loads(line) for line in lines]
        with open(os.path.join(folder, "eve.json"), encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
        logs["eve.json"] = [{"uid": record["zeek_uid"]} for record in records if "zeek_uid" in record]
        return logs


def dangling(logs):
    """What has no row: pairs of log and id."""
    uids = {row["uid"] for row in logs.get("conn", [])}
    tunnels = uids | {row["uid"] for row in logs.get("tunnel", []) if "uid" in row}
    fuids = {row["fuid"] for row in logs.get("files", [])}
    lost = []
    for name, rows in logs.items():
        for row in rows:
            if name == "tunnel" and row["tunnel_type"] in WITHOUT_CONNECTION:
                continue
            if "uid" in row and row["uid"] not in uids:
                lost.append((name, row["uid"]))
            lost += [(name, uid) for uid in row.get("tunnel_parents", []) if uid not in tunnels]
            for key, value in row.items():
                if FUIDS.match(key):
                    ids = value if isinstance(value, list) else [value]
                    lost += [(name, fuid) for fuid in ids if fuid not in fuids]
    return lost


def check(binary, folder, captures, workers):
    """How many ids have no row, with so many workers."""
    failed = rows = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda capture: logs_of(binary, capture, workers), captures)
        for capture, logs in zip(captures, found):
            rows += sum(map(len, (logs or {}).values()))
            for name, lost in [("", "the program failed")] if logs is None else dangling(logs):
                print(f"zeek ids: {os.path.relpath(capture, folder)}, {workers} workers: {name} {lost}")
                failed += 1
    print(f"zeek ids: {rows} rows of {len(captures)} captures with {workers} workers, {failed} ids without a row")
    return failed


def main():
    binary, folder = os.path.realpath(sys.argv[1]), sys.argv[2]
    captures = sorted(os.path.join(r, f) for r, _, files in os.walk(folder) for f in files)
    numbers = [int(word) for word in sys.argv[3:]] or [1, 2, 4]
    return 1 if sum(check(binary, folder, captures, workers) for workers in numbers) else 0


if __name__ == "__main__":
    sys.exit(main())
