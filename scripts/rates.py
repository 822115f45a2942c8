#!/usr/bin/env python3
"""Sends packets over a cable at a rate, and shows what Weir loses, how its memory goes, and what a packet costs it, beside
what one costs when the same packets are read from a file.

    scripts/rates.py BINARY [--size 64] [--rate 200000] [--seconds 60] [--threads 2] [--reload SECONDS] [--rules RULES]...

Packets are of UDP, of two thousand flows in both directions, all of one size. While the file is read, as many packets
go over another cable, where nobody listens: both runs share their processors with the sender. Both are done twice, in
turn. Ends with status 1 where a packet was lost or memory grew after the first third.

With --reload the rules are loaded again every so many seconds while packets come, once, and no file is read: the rules' first and
last are the same, so that memory may grow by a third while both are there, and a thread may pause for 2 ms.

Needs root and tcpreplay; says so in a line where they are missing, and is done.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

FLOWS, PACKETS = 2000, 200_000
# Memory may differ by so much from what it was after a third of the time.
GROWTH = 1.02
# The same while rules are loaded again, and the longest pause of a thread in milliseconds.
RELOAD_GROWTH, PAUSE = 1.3, 2.0


def ip(words):
    subprocess.run(["ip", *words.split()], check=True)


def checksum(header):
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frames(size):
    """Frames of one size on the wire, without their checksum of four bytes."""
    size -= 4 if size == 64 else 0
    for number in range(PACKETS):
        flow, back = number % FLOWS, number // FLOWS % 2
        ends = [(bytes([10, 0, flow >> 8, flow & 255]), 1024 + flow), (bytes([10, 1, 0, flow % 250 + 1]), 7)]
        (source, sport), (target, dport) = ends[::-1] if back else ends
        length = size - 14
        header = struct.pack(">BBHHHBBH", 0x45, 0, length, number & 0xFFFF, 0, 64, 17, 0) + source + target
        header = header[:10] + struct.pack(">H", checksum(header)) + header[12:]
        datagram = struct.pack(">HHHH", sport, dport, length - 20, 0) + bytes(length - 28)
        yield b"\2\0\0\0\0\2\2\0\0\0\0\1\x08\0" + header + datagram


def capture(path, size, times=1):
    record = [struct.pack("<IIII", 1_700_000_000, 0, len(frame), len(frame)) + frame for frame in frames(size)]
    with path.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        for _ in range(times):
            out.writelines(record)


def spent(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / ticks, int(fields[12]) / ticks


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


class Runs:
    def __init__(self, given, folder):
        self.given, self.folder = given, folder
        rules = [word for pattern in given.rules for word in ("-S", pattern)]
        self.command = [os.path.abspath(given.binary), "-t", str(given.threads), "--zeek-logs",
                        "--set", "outputs.eve-log.enabled=yes", "--summary=json", *rules]
        self.sent, self.read = folder / "sent.pcap", folder / "read.pcap"
        capture(self.sent, given.size)
        # Some seconds of reading, in three gigabytes at most.
        self.times = max(1, min(40, 3_000_000_000 // self.sent.stat().st_size))
        capture(self.read, given.size, self.times)

    def logs(self, name):
        logs = self.folder / name
        shutil.rmtree(logs, ignore_errors=True)
        logs.mkdir()
        return logs

    def send(self, interface, packets):
        return subprocess.Popen(
            ["tcpreplay", "-q", "-K", "-i", interface, f"--pps={self.given.rate}", f"--limit={packets}", "--loop=0", self.sent],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def live(self):
        packets = self.given.rate * self.given.seconds
        logs = self.logs("live")
        weir = subprocess.Popen([*self.command, "-v", "-i", "rate1", "-l", logs], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in weir.stderr:
            if b"Engine started" in line:
                break
        os.set_blocking(weir.stderr.fileno(), False)
        before = spent(weir.pid)
        sender, began, memory = self.send("rate0", packets), time.monotonic(), []
        asked = 0
        while sender.poll() is None:
            time.sleep(0.2 if not self.given.reload else 0.02)
            memory.append((time.monotonic() - began, resident(weir.pid)))
            if self.given.reload and memory[-1][0] >= (asked + 1) * self.given.reload:
                weir.send_signal(signal.SIGUSR2)
                asked += 1
        said = sender.stdout.read().decode()
        sent = int(next(line.split(":")[1].split()[0] for line in said.splitlines() if "Successful packets" in line))
        elapsed = time.monotonic() - began
        time.sleep(1)
        after = spent(weir.pid)
        weir.send_signal(signal.SIGINT)
        os.set_blocking(weir.stderr.fileno(), True)
        output, told = weir.communicate()
        summary = json.loads(output)
        heard = summary["interfaces"][0]
        got = heard["kernel_packets"] - heard["kernel_drops"]
        third = next(resident for when, resident in memory if when >= elapsed / 3)
        grown = max(resident for when, resident in memory if when >= elapsed / 3)
        user, system = (1e6 * (late - early) / got for early, late in zip(before, after))
        print(f"live   {sent / elapsed:9.0f} packets/s  {sent:10} sent {sent - got:6} lost  {third / 1e6:5.0f} MB after a third, "
              f"{grown / 1e6:5.0f} at most  {user:.3f} + {system:.3f} us for a packet", flush=True)
        if self.given.reload:
            steady = next(resident for when, resident in memory if when >= self.given.reload * 0.9)
            pauses = [float(found) for found in re.findall(r"took a thread ([0-9.]+) ms", told.decode())]
            print(f"reload {len(pauses)} of {asked} done, memory {grown / steady:.2f} times that before, "
                  f"a thread paused for {max(pauses, default=0):.3f} ms at most", flush=True)
            failed = sent != got or grown > RELOAD_GROWTH * steady or not pauses or max(pauses) > PAUSE
            return user + system, failed
        return user + system, sent != got or grown > GROWTH * third

    def file(self):
        sender = self.send("idle0", 1 << 40)
        weir = subprocess.Popen([*self.command, "-r", self.read, "-l", self.logs("file")], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(weir.pid, 0)
        sender.terminate()
        sender.wait()
        start = self.start()
        packets = PACKETS * self.times
        user, system = (1e6 * (spent - at_start) / packets for spent, at_start in
                        ((usage.ru_utime, start[0]), (usage.ru_stime, start[1])))
        print(f"file   {packets:10} packets, beside as many of another cable: {user:.3f} + {system:.3f} us for a packet", flush=True)
        return user + system

    def start(self):
        """What it takes to begin."""
        nothing = self.folder / "nothing.pcap"
        nothing.write_bytes(self.sent.read_bytes()[:24])
        weir = subprocess.Popen([*self.command, "-r", nothing, "-l", self.logs("start")], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(weir.pid, 0)
        return usage.ru_utime, usage.ru_stime


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--rate", type=int, default=200_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--reload", type=float, help="seconds between two loads of the rules")
    parser.add_argument("--rules", action="append", default=[])
    given = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("tcpreplay") is None:
        print("rates: skipped, they need root and tcpreplay (`apt-get install tcpreplay`)")
        return
    if os.environ.get("WEIR_RATES") != "inside":
        os.execvpe("unshare", ["unshare", "--net", sys.executable, *sys.argv], {**os.environ, "WEIR_RATES": "inside"})
    subprocess.run("sysctl -q -w net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1", shell=True, check=False)
    for near, far in (("rate0", "rate1"), ("idle0", "idle1")):
        ip(f"link add {near} type veth peer name {far}")
        ip(f"link set {near} up")
        ip(f"link set {far} up")
    place = "/dev/shm" if shutil.disk_usage("/dev/shm").free > 8 << 30 else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        runs = Runs(given, pathlib.Path(folder))
        if given.reload:
            sys.exit(1 if runs.live()[1] else 0)
        rounds = [(runs.live(), runs.file()) for _ in range(2)]
        live, file = (min(costs) for costs in zip(*((live[0], file) for live, file in rounds)))
        print(f"live {live:.3f} us, from a file {file:.3f} us: {live / file:.2f}")
        sys.exit(1 if any(live[1] for live, _ in rounds) else 0)


main()
