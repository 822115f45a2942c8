#!/usr/bin/env python3
"""Sends captures over a cable between two networks, and compares what Weir writes of them live with what it writes when
it reads the same packets from a file.

    scripts/live.py BINARY FOLDER... [--rules RULES] [--threads 2] [--captures 300]

Two programs listen at the far end: one with so many threads, and one that records with one thread. The recording is
then read as a capture, so that both have the same packets at nearly the same times. Records are compared as a multiset,
but for times, ids, numbers of packets and names of interfaces. Needs root, iproute2 and Linux; says so in a line where that is
missing. Exits with 1 where records differ.
"""

import argparse
import collections
import ctypes
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

ETHERNET = 1
LONGEST = 65000
# Packets of a capture that are sent at most: the rest is left out.
MOST_PACKETS = 3000
# What differs between an interface and a file: ids, names, and times, which each socket has of its own.
LEFT_OUT = ("timestamp", "flow_id", "pcap_cnt", "in_iface", "capture_file", "pkt_src", "zeek_uid", "parent_id")
TIMES = ("start", "end", "age")


def packets(path):
    """Packets of a pcap file of Ethernet; none of other files."""
    data = path.read_bytes()
    for order, magics in (("<", (0xA1B2C3D4, 0xA1B23C4D)), (">", (0xA1B2C3D4, 0xA1B23C4D))):
        if len(data) >= 24 and struct.unpack(order + "I", data[:4])[0] in magics:
            break
    else:
        return []
    if struct.unpack(order + "I", data[20:24])[0] != ETHERNET:
        return []
    found, at = [], 24
    while at + 16 <= len(data) and len(found) < MOST_PACKETS:
        length, wire = struct.unpack(order + "II", data[at + 8 : at + 16])
        at += 16
        # A frame that was cut cannot be sent as it was.
        if 14 <= length <= LONGEST and length == wire:
            found.append(data[at : at + length])
        at += length
    return found


def ip(words):
    subprocess.run(["ip", *words.split()], check=True, stderr=subprocess.DEVNULL)


def enter(namespace):
    """Moves this thread into a network namespace."""
    if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), 0) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Cable:
    """Two namespaces with an interface each."""

    def __enter__(self):
        self.names = [f"weir-live-{os.getpid()}{end}" for end in "nf"]
        self.ends = [f"wl{os.getpid() % 100000}{end}" for end in "nf"]
        for name in self.names:
            ip(f"netns add {name}")
            ip(f"netns exec {name} sysctl -q -w net.ipv6.conf.all.disable_ipv6=1")
            ip(f"netns exec {name} sysctl -q -w net.ipv6.conf.default.disable_ipv6=1")
        near, far = self.ends
        ip(f"link add {near} netns {self.names[0]} mtu 65535 type veth peer name {far} netns {self.names[1]} mtu 65535")
        for name, end in zip(self.names, self.ends):
            ip(f"-n {name} link set {end} arp off up")
        return self

    def __exit__(self, *_):
        for name in self.names:
            ip(f"netns del {name}")

    def sender(self):
        """A socket at the near end."""
        with open(f"/run/netns/{self.names[0]}") as there, open("/proc/self/ns/net") as here:
            enter(there)
            try:
                found = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
                found.bind((self.ends[0], 0))
            finally:
                enter(here)
        return found

    def listen(self, binary, logs, options):
        """Starts the program at the far end, and waits until it listens."""
        logs.mkdir()
        command = ["ip", "netns", "exec", self.names[1], binary, "-v", "-i", self.ends[1], "-l", logs, "--summary=json"]
        output, said = open(logs / "summary.json", "w"), open(logs / "said.txt", "w")
        process = subprocess.Popen([*map(str, command), *map(str, options)], stdout=output, stderr=said)
        log = logs / "weir.log"
        while not (log.exists() and "Engine started" in log.read_text()):
            if process.poll() is not None:
                sys.exit(f"live: {(logs / 'said.txt').read_text().strip()}")
            time.sleep(0.05)
        return process


def records(folder):
    """Records without what differs in any case, counted."""
    counted = collections.Counter()
    with open(folder / "eve.json", encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            record = json.loads(line)
            if record["event_type"] == "stats":
                continue
            for key in LEFT_OUT:
                record.pop(key, None)
            record.get("tunnel", {}).pop("pcap_cnt", None)
            for part in (record, *(record.get(name, {}) for name in ("flow", "netflow", "metadata"))):
                for key in TIMES:
                    part.pop(key, None)
            counted[json.dumps(record, sort_keys=True)] += 1
    return counted


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--rules")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--captures", type=int, default=300)
    given = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("ip") is None:
        print("skipped: captures are sent by root, with iproute2")
        return 0
    rules = ["-S", given.rules] if given.rules else []
    work = pathlib.Path(tempfile.mkdtemp(prefix="weir-live-"))
    sent = captures = 0
    with Cable() as cable:
        live = cable.listen(given.binary, work / "live", ["-t", given.threads, *rules])
        recorder = cable.listen(given.binary, work / "beside", ["-t", "1", "--record", work / "recording"])
        sender = cable.sender()
        for path in sorted(path for folder in given.folders for path in folder.rglob("*.pcap")):
            frames = packets(path) if path.is_file() else []
            if not frames or captures >= given.captures:
                continue
            captures += 1
            for number, frame in enumerate(frames):
                sender.send(frame)
                if number % 100 == 99:
                    time.sleep(0.001)
            sent += len(frames)
        time.sleep(0.5)
        for process in (live, recorder):
            process.send_signal(signal.SIGTERM)
        for process in (live, recorder):
            process.wait()
    summary = json.loads((work / "live/summary.json").read_text())
    (work / "read").mkdir()
    file = work / "recording/worker-01.pcapng"
    command = [given.binary, "-q", "-r", file, "-l", work / "read", *rules]
    subprocess.run(list(map(str, command)), check=True)
    heard, read = records(work / "live"), records(work / "read")
    drops = sum(interface["kernel_drops"] for interface in summary["interfaces"])
    print(f"{captures} captures, {sent} packets sent, {summary['packets']} heard, {drops} dropped")
    print(f"{sum(heard.values())} records heard, {sum(read.values())} read, {sum((heard & read).values())} equal")
    for name, only in (("heard", heard - read), ("read", read - heard)):
        kinds = collections.Counter(json.loads(record)["event_type"] for record in only.elements())
        if kinds:
            print(f"  only {name}: {dict(kinds)}")
            for record in list(only)[:3]:
                print(f"    {record[:400]}")
    print(f"what was written is in {work}")
    return int(heard != read)


if __name__ == "__main__":
    sys.exit(main())
