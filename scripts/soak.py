#!/usr/bin/env python3
"""Has Weir listen for hours under what sensors meet, and looks whether it stays as it is.

    scripts/soak.py BINARY CAPTURE [--rules RULES]... [--minutes 120] [--rate 20000] [--threads 2]

A capture is sent over a cable again and again, so many packets in a second. Meanwhile rules are loaded again each
minute, logs are moved away and opened anew every two, the interface goes down and comes back every three, and the
control socket is asked for counters every five seconds. Each minute shows packets, loss, resident memory, open files
and flows. Ends with status 1 where the program ended, answered with an error, lost more than a packet in a thousand
while the interface was up, left a broken line in a log, or kept growing: memory of the last quarter above 1.1 times
that of the second. Needs root and tcpreplay; says so in a line where they are missing, and is done.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

NEAR, FAR = "wsoak0", "wsoak1"
# Packets that may be lost, and growth of memory.
LOSS, GROWTH = 0.001, 1.1


def ip(words):
    subprocess.run(["ip", *words.split()], check=True)


class Control:
    """A client of the control socket."""

    def __init__(self, path):
        self.client = socket.socket(socket.AF_UNIX)
        self.client.settimeout(60)
        self.client.connect(str(path))
        self.send({"version": "0.2"})

    def send(self, message):
        self.client.sendall(json.dumps(message).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            piece = self.client.recv(1 << 20)
            if not piece:
                raise OSError("the control socket was closed")
            answer += piece
        return json.loads(answer)

    def ask(self, command, **arguments):
        return self.send({"command": command, "arguments": arguments})


def resident(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


class Soak:
    def __init__(self, given, folder):
        self.given, self.folder = given, folder
        self.logs = folder / "logs"
        self.logs.mkdir()
        self.wrong, self.memory, self.broken, self.down = [], [], 0, 0
        rules = [word for pattern in given.rules for word in ("-S", pattern)]
        self.engine = subprocess.Popen(
            [os.path.abspath(given.binary), "-i", FAR, "-t", str(given.threads), "-l", self.logs, "--zeek-logs", *rules,
             "--set", "unix-command.enabled=yes", "--set", f"unix-command.filename={folder}/control.socket",
             "--set", "outputs.eve-log.enabled=yes"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while not (folder / "control.socket").exists():
            if self.engine.poll() is not None:
                sys.exit(f"soak: {self.engine.stderr.read().decode().strip()}")
            time.sleep(0.1)
        self.control = Control(folder / "control.socket")
        self.sender = self.send()

    def send(self):
        command = ["tcpreplay", "-q", "-i", NEAR, "--loop=0", f"--pps={self.given.rate}", self.given.capture]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def check(self, what, answer):
        if answer.get("return") != "OK":
            self.wrong.append(f"{what}: {answer}")

    def minute(self, number):
        end = time.monotonic() + 60
        if number % 3 == 2:
            ip(f"link set {FAR} down")
            time.sleep(1)
            ip(f"link set {FAR} up")
            if self.sender.poll() is not None:
                self.sender = self.send()
        if number % 2 == 1:
            moved = self.logs / f"eve.json.{number}"
            (self.logs / "eve.json").rename(moved)
            self.engine.send_signal(signal.SIGHUP)
        self.check("ruleset-reload-rules", self.control.ask("ruleset-reload-rules"))
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(5, left))
            counters = self.control.ask("dump-counters")
            self.check("dump-counters", counters)
        if number % 2 == 1:
            self.broken += self.look_at(moved)
        self.memory.append(resident(self.engine))
        capture, flow = counters["message"]["capture"], counters["message"]["flow"]
        files = len(os.listdir(f"/proc/{self.engine.pid}/fd"))
        print(
            f"{number + 1:4} min {capture['kernel_packets']:12} packets {capture['kernel_drops']:8} lost "
            f"{self.memory[-1] / 1e6:7.0f} MB {files:4} files {flow.get('active', 0):8} flows",
            flush=True,
        )
        return capture

    @staticmethod
    def look_at(path):
        broken = 0
        with path.open("rb") as lines:
            for line in lines:
                try:
                    json.loads(line)
                except ValueError:
                    broken += 1
        path.unlink()
        return broken

    def run(self):
        capture = {}
        for number in range(self.given.minutes):
            capture = self.minute(number)
            if self.engine.poll() is not None:
                self.wrong.append(f"the program ended: {self.engine.stderr.read().decode().strip()}")
                return
        self.sender.terminate()
        self.sender.wait()
        self.engine.send_signal(signal.SIGINT)
        if self.engine.wait() != 0:
            self.wrong.append(f"status {self.engine.returncode}: {self.engine.stderr.read().decode().strip()}")
        self.broken += self.look_at(self.logs / "eve.json")
        if self.broken:
            self.wrong.append(f"{self.broken} broken lines in eve.json")
        if capture["kernel_drops"] > LOSS * capture["kernel_packets"]:
            self.wrong.append(f"{capture['kernel_drops']} of {capture['kernel_packets']} packets lost")
        quarter = max(1, len(self.memory) // 4)
        early, late = (sum(part) / len(part) for part in (self.memory[quarter : 2 * quarter] or self.memory, self.memory[-quarter:]))
        if late > GROWTH * early:
            self.wrong.append(f"memory grew from {early / 1e6:.0f} to {late / 1e6:.0f} MB")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("capture")
    parser.add_argument("--rules", action="append", default=[])
    parser.add_argument("--minutes", type=int, default=120)
    parser.add_argument("--rate", type=int, default=20_000)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    given.capture = os.path.abspath(given.capture)
    if os.geteuid() != 0 or shutil.which("tcpreplay") is None:
        print("soak: skipped, it needs root and tcpreplay (`apt-get install tcpreplay`)")
        return
    if os.environ.get("WEIR_SOAK") != "inside":
        os.execvpe("unshare", ["unshare", "--net", sys.executable, *sys.argv], {**os.environ, "WEIR_SOAK": "inside"})
    ip("link set lo up")
    ip(f"link add {NEAR} type veth peer name {FAR}")
    for link in (NEAR, FAR):
        ip(f"link set {link} mtu 9000 up")
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(given, pathlib.Path(folder))
        try:
            soak.run()
        finally:
            for process in (soak.sender, soak.engine):
                process.kill()
                process.wait()
        for what in soak.wrong:
            print(f"wrong: {what}")
        sys.exit(1 if soak.wrong else 0)


main()
