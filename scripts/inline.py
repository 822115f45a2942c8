#!/usr/bin/env python3
"""Puts Weir between real clients and real servers, and looks whether anything is held back that should not be.

    scripts/inline.py BINARY [--rules RULES]... [--minutes 10] [--threads 2]

Three networks: clients (curl, wrk, dig, ping), Weir between two interfaces (`copy-mode: ips`), and servers (nginx, with
and without TLS, and dnsmasq). A file of a gigabyte comes three times alone, to show how fast. Then clients fetch small
files, that of a gigabyte again and again, ask for names, and ask for a page that a rule of this script drops. Ends with
status 1 where an answer is missing or has other bytes, the page came through, or Weir dropped anything else. Needs root
and these programs on Linux; says so in a line where one is missing, and is done.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

PROGRAMS = ["ip", "nginx", "curl", "wrk", "dig", "dnsmasq", "openssl", "ping"]
CLIENT, SERVER = "10.99.0.1", "10.99.0.2"
LARGE = 1 << 30
# The page that is dropped, and its rule.
FORBIDDEN = "held-back-by-a-rule"
RULE = f'drop http any any -> any any (msg:"a page that is held back"; http.uri; content:"{FORBIDDEN}"; sid:9000001;)\n'
SMALL = [0, 1, 1000, 1460, 20_000, 300_000]


def ip(words):
    subprocess.run(["ip", *words.split()], check=True)


class Networks:
    """Clients, Weir's, and servers', joined by two cables."""

    def __enter__(self):
        self.names = [f"weir-inline-{os.getpid()}-{name}" for name in ("client", "sensor", "server")]
        for name in self.names:
            ip(f"netns add {name}")
            ip(f"-n {name} link set lo up")
        client, sensor, server = self.names
        ip(f"link add c0 netns {client} type veth peer name s0 netns {sensor}")
        ip(f"link add v0 netns {server} type veth peer name s1 netns {sensor}")
        ip(f"-n {client} address add {CLIENT}/24 dev c0")
        ip(f"-n {server} address add {SERVER}/24 dev v0")
        for name, link in ((client, "c0"), (sensor, "s0"), (sensor, "s1"), (server, "v0")):
            ip(f"-n {name} link set {link} up")
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False)

    def inside(self, which, command, **options):
        return subprocess.Popen(["ip", "netns", "exec", self.names[which], *map(str, command)], **options)


class Servers:
    """nginx and dnsmasq, and the files that they serve."""

    def __init__(self, networks, folder):
        self.pages = folder / "pages"
        self.pages.mkdir()
        self.digests = {}
        for size in SMALL:
            self.write(f"small-{size}", os.urandom(size))
        self.write(FORBIDDEN, b"not to be seen")
        with (self.pages / "large").open("wb") as out:
            digest = hashlib.sha256()
            for _ in range(LARGE >> 24):
                block = os.urandom(1 << 24)
                digest.update(block)
                out.write(block)
        self.digests["large"] = digest.hexdigest()
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=server.example"]
        subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
        (folder / "nginx.conf").write_text(
            f"user root;\ndaemon off;\npid {folder}/nginx.pid;\nerror_log {folder}/nginx.log;\nevents {{}}\n"
            f"http {{ access_log off; root {self.pages}; sendfile on;\n  server {{ listen 80; listen 443 ssl http2;\n"
            f"    ssl_certificate {certificate}; ssl_certificate_key {key}; }} }}\n"
        )
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.running = [
            networks.inside(2, ["nginx", "-p", folder, "-c", folder / "nginx.conf"], **quiet),
            networks.inside(2, ["dnsmasq", "-k", "-C", "/dev/null", "-p", "53", f"--address=/example/{SERVER}", "-h"], **quiet),
        ]

    def write(self, name, content):
        (self.pages / name).write_bytes(content)
        self.digests[name] = hashlib.sha256(content).hexdigest()

    def end(self):
        for process in self.running:
            process.terminate()
            process.wait()


class Clients:
    """Loops that ask until the time is over, and count what they got."""

    def __init__(self, networks, digests, until):
        self.networks, self.digests, self.until = networks, digests, until
        self.began = time.monotonic()
        self.got, self.wrong = collections.Counter(), []

    def output(self, command, patience=120):
        process = self.networks.inside(0, command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            return process.communicate(timeout=patience)[0], process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return b"", None

    def fail(self, what):
        self.wrong.append(f"after {time.monotonic() - self.began:.0f} s: {what}")

    def fetch(self, kind, words, names):
        """Files of one call of curl, compared with what the server has."""
        with tempfile.TemporaryDirectory() as folder:
            urls = [word for name in names for word in ("-o", f"{folder}/{name}", words[-1] + name)]
            _, status = self.output(["curl", "-s", "--max-time", "110", *words[:-1], *urls])
            for name in names:
                path = pathlib.Path(folder, name)
                digest = hashlib.sha256(path.read_bytes() if path.exists() else b"").hexdigest()
                if status == 0 and digest == self.digests[name]:
                    self.got[kind] += 1
                else:
                    self.fail(f"{kind} {name}: curl ended with {status}")

    def small(self):
        names = [f"small-{size}" for size in SMALL]
        self.fetch("files by HTTP", [f"http://{SERVER}/"], names)
        self.fetch("files by TLS", ["-k", f"https://{SERVER}/"], names)
        self.fetch("files by HTTP/1.1 over TLS", ["-k", "--http1.1", f"https://{SERVER}/"], names)

    def large(self):
        script = f"curl -s --max-time 110 http://{SERVER}/large | sha256sum"
        said, _ = self.output(["sh", "-c", script])
        if said.decode().split(" ")[0] == self.digests["large"]:
            self.got["files of a gigabyte"] += 1
        else:
            self.fail("a file of a gigabyte")

    def rate(self):
        """Gbit/s at which a file of a gigabyte comes while nothing else does."""
        address = f"http://{SERVER}/large"
        said, _ = self.output(["curl", "-s", "-o", "/dev/null", "-w", "%{speed_download}", "--max-time", "110", address])
        return float(said or 0) * 8 / 1e9

    def dropped(self):
        for scheme in ("http",):
            said, status = self.output(["curl", "-s", "--max-time", "3", f"{scheme}://{SERVER}/{FORBIDDEN}"])
            if status == 0 or said:
                self.fail(f"the page came through: {said[:40]!r}")
            else:
                self.got["pages held back"] += 1

    def names(self):
        for words in (["a.example"], ["+tcp", "b.example"]):
            said, status = self.output(["dig", "+short", "+tries=1", "+time=3", f"@{SERVER}", *words])
            if status == 0 and said.decode().strip() == SERVER:
                self.got["names"] += 1
            else:
                self.fail(f"names {words}: {said[:80]!r}")

    def load(self):
        said, _ = self.output(["wrk", "-t1", "-c8", "-d5s", f"http://{SERVER}/small-1460"])
        fields = dict(line.strip().split(": ", 1) for line in said.decode().splitlines() if ": " in line)
        count = next((int(line.split()[0]) for line in said.decode().splitlines() if " requests in " in line), 0)
        if count == 0 or "Socket errors" in fields:
            self.fail(f"wrk: {count} requests, {fields.get('Socket errors')}")
        self.got["requests of wrk"] += count

    def echoes(self):
        _, status = self.output(["ping", "-q", "-c", "20", "-i", "0.05", "-W", "2", SERVER])
        if status == 0:
            self.got["echoes"] += 20
        else:
            self.fail("ping")

    def run(self):
        def loop(act):
            while time.monotonic() < self.until:
                act()

        acts = [self.small, self.large, self.dropped, self.names, self.load, self.echoes]
        threads = [threading.Thread(target=loop, args=(act,)) for act in acts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def weir(networks, given, folder):
    """Weir between the cables, once packets come through."""
    (folder / "test.rules").write_text(RULE)
    pair = [("s0", "s1"), ("s1", "s0")]
    entries = "".join(
        f"  - interface: {own}\n    copy-mode: ips\n    copy-iface: {other}\n    threads: {given.threads}\n" for own, other in pair
    )
    (folder / "weir.yaml").write_text(
        "%YAML 1.1\n---\naf-packet:\n" + entries + "unix-command:\n  enabled: no\noutputs:\n"
        "  - eve-log: {enabled: yes, filename: eve.json, types: [alert, drop: {alerts: yes, flows: all}, stats, anomaly: {types: {stream: yes}}]}\n"
    )
    rules = [word for pattern in given.rules for word in ("-S", pattern)]
    command = [os.path.abspath(given.binary), "--af-packet", "-c", folder / "weir.yaml", "-l", folder, "-S", folder / "test.rules", *rules]
    process = networks.inside(1, command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    for _ in range(200):
        said = networks.inside(0, ["ping", "-q", "-c", "1", "-W", "1", SERVER], stdout=subprocess.DEVNULL)
        if said.wait() == 0:
            return process
        if process.poll() is not None:
            sys.exit(f"inline: {process.stderr.read().decode().strip()}")
    sys.exit("inline: no packet comes through")


def records(folder):
    with (folder / "eve.json").open() as lines:
        for line in lines:
            yield json.loads(line)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--rules", action="append", default=[])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    missing = [name for name in PROGRAMS if shutil.which(name) is None and not os.path.exists(f"/usr/sbin/{name}")]
    if os.geteuid() != 0 or missing:
        print(f"inline: skipped, {', '.join(missing) + ' missing' if missing else 'only root can make networks'}")
        return
    with tempfile.TemporaryDirectory() as folder, Networks() as networks:
        folder = pathlib.Path(folder)
        servers = Servers(networks, folder)
        engine = weir(networks, given, folder)
        clients = Clients(networks, servers.digests, time.monotonic() + given.minutes * 60)
        print("Gbit/s of a file of a gigabyte:  ", ", ".join(f"{clients.rate():.1f}" for _ in range(3)), flush=True)
        clients.run()
        engine.send_signal(signal.SIGINT)
        engine.wait()
        servers.end()
        # Anomalies by packet. Data that was acknowledged before and is sent again: the receiver has it, whatever becomes of this.
        odd = collections.defaultdict(list)
        for record in records(folder):
            if "anomaly" in record and "flow_id" in record:
                odd[record["flow_id"], record["timestamp"]].append(record["anomaly"]["event"])
        drops, stats = collections.Counter(), {}
        # Connections that clients begin between ports of one that a rule dropped, of which the engine may know for minutes.
        begun = collections.Counter()
        for record in records(folder):
            if record["event_type"] == "drop":
                flags = record["drop"]
                if flags.get("reason") == "flow drop" and flags.get("syn") and not flags.get("ack"):
                    begun[record["timestamp"][11:19], record["src_port"], record["dest_port"]] += 1
                drop = record.get("alert", {}).get("signature_id") or record["drop"].get("reason")
                if drop == "stream error":
                    events = odd[record["flow_id"], record["timestamp"]]
                    is_again = "stream.pkt_spurious_retransmission" in events
                    drop = "acknowledged before" if is_again else f"stream error: {', '.join(events)} {flags}"
                drops[drop] += 1
            elif record["event_type"] == "stats":
                stats = record["stats"]
        for kind, count in sorted(clients.got.items()):
            print(f"{kind:32} {count:10}")
        print("packets accepted, held back:     ", stats["ips"]["accepted"], stats["ips"]["blocked"])
        print("drops by rule or reason:         ", dict(drops))
        for (when, *ports), count in begun.items():
            print("SYN held back with a flow:       ", when, ports, count)
        for what in clients.wrong:
            print(f"wrong: {what}")
        allowed = {9000001, "flow drop", "rules", "acknowledged before"}
        false = {drop: count for drop, count in drops.items() if drop not in allowed}
        if false:
            print(f"wrong: other drops: {false}")
        sys.exit(1 if clients.wrong or false else 0)


main()
