#!/usr/bin/env python3
"""Compares Zeek's logs over those captures that need no protocol which is not built.

    scripts/zeek_built.py SHARED BINARY [OPTIONS]
    scripts/zeek_built.py SHARED --list

A capture counts when Zeek's own logs of it name built services only, have no log of another protocol,
and tell of no failed analyzer of one. OPTIONS are those of zeek/compare, which does the work.
"""

import json
import os
import subprocess
import sys
import tempfile

SERVICES = {"dhcp", "dns", "http", "irc", "irc-dcc-data", "finger", "rdpeudp", "socks", "xmpp", "ssl", "ssh", "smtp", "ftp", "ftp-data", "krb", "krb_tcp", "ldap_tcp", "ldap_udp", "dnp3_tcp", "dnp3_udp", "modbus", "quic", "ntp", "mqtt", "mysql", "postgresql", "rdp", "radius", "redis", "rfb", "sip", "smb", "snmp", "syslog", "websocket", "dce_rpc", "dtls", "vxlan", "geneve", "gtpv1", "teredo", "ayiya", "gssapi", "ntlm"}
LOGS = {"conn", "dhcp", "dns", "http", "ssl", "ssh", "smtp", "ftp", "quic", "kerberos", "ldap", "ldap_search", "dnp3", "modbus", "ntp", "mqtt_connect", "mqtt_publish", "mqtt_subscribe", "mysql", "postgresql", "rdp", "radius", "redis", "rfb", "sip", "smb_files", "smb_mapping", "ntlm", "snmp", "socks", "syslog", "websocket", "dce_rpc", "x509", "ocsp", "files", "tunnel", "weird", "analyzer", "pe"}
ALWAYS = {"packet_filter", "reporter", "loaded_scripts", "stats", "capture_loss", "telemetry", "analyzer_debug"}


def rows(folder, log):
    """The rows of a log, none where it was not written."""
    path = os.path.join(folder, log + ".log")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        return [json.loads(line) for line in lines if line.strip() and not line.startswith("#")]


def is_built(folder):
    """Whether what Zeek wrote of a capture needs built protocols only."""
    logs = {name[:-4] for name in os.listdir(folder) if name.endswith(".log")}
    services = {name for row in rows(folder, "conn") for name in row.get("service", "").split(",") if name}
    failed = {row.get("analyzer_name", "").lower() for row in rows(folder, "analyzer")}
    return logs <= LOGS | ALWAYS and services | failed <= SERVICES


def built(shared):
    """The captures that count, as paths below the folder of captures."""
    captures, expected = os.path.join(shared, "zeek", "captures"), os.path.join(shared, "zeek", "logs")
    names = sorted(os.path.relpath(os.path.join(r, f), captures) for r, _, files in os.walk(captures) for f in files)
    return [name for name in names if os.path.isdir(os.path.join(expected, name)) and is_built(os.path.join(expected, name))]


def main():
    shared, rest = os.path.realpath(sys.argv[1]), sys.argv[2:]
    names = built(shared)
    if rest[0] == "--list":
        print("\n".join(names))
        return 0
    with tempfile.TemporaryDirectory(prefix="zeek-built-") as folder:
        for name in names:
            link = os.path.join(folder, name)
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(os.path.join(shared, "zeek", "captures", name), link)
        command = [os.path.join(shared, "zeek", "compare"), "--captures", folder, "--binary", rest[0]]
        return subprocess.run(command + rest[1:], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
