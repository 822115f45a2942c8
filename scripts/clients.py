#!/usr/bin/env python3
"""What clients of a running program cost it: of the control socket, of captures handed in there, and of metrics.

    scripts/clients.py BINARY [ROW...]

Each row is a number of requests, and two, four and eight times as many, to a program of its own each time, which
listens in a network of its own where nothing comes, or waits for captures. Shown are the CPU seconds that the program
takes for them and its peak memory. Ends with status 1 where twice the requests take more than 2.2 times as long or as
much memory. Needs root, for the network; without it, says so and is done.
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

# Most growth of time and memory for twice the requests; less than these says nothing of growth.
GROWTH, SECONDS, BYTES = 2.2, 0.04, 8 << 20
STEPS = [1, 2, 4, 8]
# A row out of bounds is run again so often, and the least of each size counts: other programs only add to a time.
AGAIN = 3
PATIENCE = 120

RULES = """\
alert ip any any -> any any (msg:"bits"; hostbits:isset,attacker; sid:1;)
alert http any any -> any any (msg:"names"; http.host; dataset:isset,names,type string,memcap 64mb,hashsize 65536; sid:2;)
"""
# A capture without packets: its header.
NOTHING = bytes.fromhex("d4c3b2a1020004000000000000000000" "0000040001000000")


class Program:
    """A program that runs, and its sockets."""

    def __init__(self, binary, folder, listens):
        self.folder = folder
        self.control, self.metrics = folder / "control.socket", folder / "metrics.socket"
        (folder / "test.rules").write_text(RULES)
        (folder / "nothing.pcap").write_bytes(NOTHING)
        command = [binary, "-q", "-S", folder / "test.rules", "-l", folder]
        if listens:
            command += ["-i", "lo", "--set", "unix-command.enabled=yes", "--set", f"unix-command.filename={self.control}"]
            command += [f"--metrics=unix:{self.metrics}"]
        else:
            command += [f"--unix-socket={self.control}"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.dialogue = self.dial()

    def open(self, path):
        """A connection, as soon as there is somebody to take it."""
        began = time.monotonic()
        while True:
            try:
                client = socket.socket(socket.AF_UNIX)
                client.settimeout(PATIENCE)
                client.connect(str(path))
                return client
            except OSError:
                client.close()
                if self.process.poll() is not None or time.monotonic() - began > PATIENCE:
                    sys.exit(f"clients: the program does not serve {path}: {self.process.stderr.read().decode().strip()}")
                time.sleep(0.01)

    def dial(self):
        client = self.open(self.control)
        self.send(client, {"version": "0.2"})
        return client

    def send(self, client, message):
        """One request, and its answer."""
        client.sendall(json.dumps(message).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            piece = client.recv(1 << 20)
            if not piece:
                sys.exit(f"clients: no answer to {message}")
            answer += piece
        return json.loads(answer)

    def ask(self, command, **arguments):
        answer = self.send(self.dialogue, {"command": command, "arguments": arguments})
        if answer["return"] != "OK":
            sys.exit(f"clients: {command}: {answer['message']}")
        return answer["message"]

    def scrape(self, request):
        client = self.open(self.metrics)
        client.sendall(request)
        while client.recv(1 << 20):
            pass
        client.close()

    def spent(self):
        """CPU seconds so far, of all threads that are there."""
        total = 0
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
        return total / 1e9

    def peak(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
        return 0

    def end(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def commands(program, count):
    for _ in range(count):
        program.ask("version")


def connections(program, count):
    for _ in range(count):
        program.dial().close()


def halves(program, count):
    """Requests without an end, and one that is too long: 15 clients beside the first one."""
    waiting = []
    for _ in range(count):
        client = program.open(program.control)
        client.sendall(b"{" * 4000)
        waiting.append(client)
        if len(waiting) == 15:
            waiting.pop(0).close()


def bits(program, count):
    for number in range(count):
        program.ask("add-hostbit", ipaddress=f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}", hostbit="attacker", expire=3600)


def values(program, count):
    for number in range(count):
        program.ask("dataset-add", setname="names", settype="string", datavalue=f"{number:0200}".encode().hex())


def jobs(program, count):
    """Captures that wait behind a folder that is followed."""
    follows = program.folder / "follows"
    follows.mkdir()
    out = {"output-dir": str(program.folder)}
    program.ask("pcap-file-continuous", filename=str(follows), **out)
    for _ in range(count):
        program.ask("pcap-file", filename=str(program.folder / "nothing.pcap"), **out)
    program.ask("pcap-file-list")


def scrapes(program, count):
    for _ in range(count):
        program.scrape(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")


def headers(program, count):
    request = b"GET /health HTTP/1.1\r\n" + b"".join(b"x%d: y\r\n" % number for number in range(60)) + b"\r\n"
    for _ in range(count):
        program.scrape(request)


# Name, requests, whether the program listens or waits for captures, and what sends them.
ROWS = {
    "commands": (1000, True, commands),
    "connections": (1000, True, connections),
    "requests-without-end": (1000, True, halves),
    "host-bits": (2000, True, bits),
    "values-of-datasets": (2000, True, values),
    "captures-that-wait": (1000, False, jobs),
    "metrics": (200, True, scrapes),
    "health-with-headers": (1000, True, headers),
}


def measure(binary, count, listens, act):
    with tempfile.TemporaryDirectory() as folder:
        program = Program(binary, pathlib.Path(folder), listens)
        try:
            before, peak = program.spent(), program.peak()
            act(program, count)
            return program.spent() - before, program.peak() - peak
        finally:
            program.end()


def judge(rows):
    wrong = []
    for (seconds, memory), (after, more) in zip(rows, rows[1:]):
        if seconds > SECONDS and after > GROWTH * seconds:
            wrong.append(f"time ×{after / seconds:.1f}")
        if memory > BYTES and more > GROWTH * memory:
            wrong.append(f"memory ×{more / memory:.1f}")
    return wrong


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if os.geteuid() != 0:
        print("clients: skipped, only root can make a network")
        return
    if os.environ.get("WEIR_CLIENTS") != "inside":
        inside = ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh", sys.executable, *sys.argv]
        os.execvpe("unshare", inside, {**os.environ, "WEIR_CLIENTS": "inside"})
    failed = False
    for name, (count, listens, act) in ROWS.items():
        if wanted and name not in wanted:
            continue
        rows = [measure(binary, step * count, listens, act) for step in STEPS]
        for _ in range(AGAIN):
            if judge(rows):
                again = [measure(binary, step * count, listens, act) for step in STEPS]
                rows = [tuple(map(min, one, two)) for one, two in zip(rows, again)]
        wrong = judge(rows)
        failed |= bool(wrong)
        times = " ".join(f"{seconds:8.3f}" for seconds, _ in rows)
        print(f"{name:24} {STEPS[-1] * count:6} {times} s {rows[-1][1] / 1e6:6.1f} MB  {', '.join(wrong)}", flush=True)
    sys.exit(1 if failed else 0)


main()
