"""Costs of the lists of `weir view`, on its pages and in a terminal: records, hosts, rules, fields, packets and bytes that are
many or long. A row returns files by name, and for each of both how to look at them; rules and captures go by their names."""

import base64
import itertools
import json
import pathlib
import shutil
import struct
import sys

from measure import Table
from records import record

LOOKS = str(pathlib.Path(__file__).with_name("looks.py"))


def command(binary, made):
    """The program over a folder of these files."""
    kind, way, files = made
    shutil.rmtree("shown", ignore_errors=True)
    pathlib.Path("shown").mkdir()
    for name, content in files.items():
        place = pathlib.Path(name if name.endswith(".pcap") else f"shown/{name}")
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    captures = [word for name in files if name.endswith(".pcap") for word in ("--captures", name)]
    return [sys.executable, LOOKS, kind, binary, "shown", json.dumps(way), *captures]


def pages(files, *ends):
    return "pages", ends, files


def terminal(files, *way):
    return "terminal", way, files


TABLE = Table(command, nothing=terminal({"eve.json": record(1)}))


def row(size):
    """Makes two rows of a function that gives files, a way at the terminal and addresses of pages."""

    def keep(function):
        for kind, look in (("terminal", lambda made: terminal(made[0], *made[1])), ("pages", lambda made: pages(made[0], *made[2]))):
            def make(n, look=look):
                return look(function(n))

            make.__name__ = f"{function.__name__}_{kind}"
            TABLE.row(size)(make)
        return function

    return keep


def alert(i, **members):
    """An alert of a rule of its own."""
    told = {"signature_id": i, "signature": f"RULE {i}", "severity": i % 3 + 1, "category": "Test", "action": "allowed"}
    return typed("alert", i, **{"alert": told, **members})


def typed(kind, i, number=None, **members):
    """A record of a type, between two hosts."""
    ends = {"src_ip": "10.0.0.1", "src_port": 1000, "dest_ip": "10.0.0.2", "dest_port": 80, "proto": "TCP"}
    line = json.loads(record(i if number is None else number, **{**ends, **members}))
    line["timestamp"] = json.loads(record(i))["timestamp"]
    return json.dumps({**line, "event_type": kind}) + "\n"


def flow(i, number=None, **members):
    moment = "2024-05-01T10:00:00.000000+0000"
    told = {"start": moment, "end": moment, "bytes_toserver": 1, "bytes_toclient": 1, "pkts_toserver": 1, "pkts_toclient": 1}
    return typed("flow", i, number, flow=told, **members)


def address(i):
    return f"10.{i >> 16 & 255}.{i >> 8 & 255}.{i & 255}"


def packets(texts):
    """A capture of segments of one side, each with the number of its first byte."""
    capture = bytearray(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 101))
    for sequence, text in texts:
        length = 40 + len(text)
        head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, length & 0xFFFF, 0, 0, 64, 6, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
        head += struct.pack(">HHIIBBHHH", 1000, 80, sequence, 0, 0x50, 0x18, 0, 0, 0)
        capture += struct.pack("<IIII", 1714557600, 0, length, length) + head + text
    return bytes(capture)


OVERVIEW = ["/api/about", "/api/traffic", "/api/talkers", "/api/lost", "/api/alerts"]
STREAM = "client=10.0.0.1&client_port=1000&server=10.0.0.2&server_port=80&protocol=tcp"


@row(10_000)
def hosts(n):
    """Each connection is of two hosts of its own."""
    lines = "".join(flow(i, i, src_ip=address(i), dest_ip=address(i + n)) for i in range(n))
    return {"eve.json": lines}, [["", "↔"]], OVERVIEW


@row(10_000)
def protocols(n):
    """Each connection is of a protocol of its own."""
    lines = "".join(flow(i, i, app_proto=f"p{i}") for i in range(n))
    return {"eve.json": lines}, [["", "other"]], OVERVIEW


@row(2_500)
def rules(n):
    """Each alert is of a rule of its own, from and to hosts of its own."""
    lines = "".join(alert(i, src_ip=address(i), dest_ip=address(i + n)) for i in range(1, n + 1))
    shown = min(n, 2_000)
    return {"eve.json": lines}, [["2", "alerts of"], ["G", f"{shown}/{shown}"]], ["/api/alerts"]


@row(10_000)
def alerts_of_a_rule(n):
    lines = "".join(alert(7, src_ip=address(i), dest_ip=address(i + n)) for i in range(n))
    return {"eve.json": lines}, [["2", "alerts of 1 rules"], ["\r", "Time (UTC)"]], ["/api/search?q=alert.signature_id:7"]


@row(10_000)
def found_records(n):
    """Records of the same moment are put into an order of their own."""
    lines = "".join(record(i).replace(f"{i % 1000:03}000+0000", "000000+0000") for i in range(n))
    pages = [f"/api/search?offset={offset}&limit=500" for offset in (0, 500, n // 2)]
    return {"eve.json": lines}, [["3", "Time (UTC)"], ["G", "1 – 100; older"], ["n", " 1/101"]], pages


@row(25)
def types(n):
    """A type more for a hundred records more."""
    lines = "".join(typed(f"type{i % n}", i) for i in range(100 * n))
    return {"eve.json": lines}, [["3", "Time (UTC)"], ["f\r", "Types"]], ["/api/search", "/api/facets?field=src_ip"]


@row(10_000)
def values_of_a_field(n):
    lines = "".join(typed("dns", i, src_ip=address(i)) for i in range(n))
    return {"eve.json": lines}, [["3", "Time (UTC)"], ["f\r", "There are more"]], ["/api/facets?field=src_ip"]


@row(250)
def fields_of_a_record(n):
    lines = typed("dns", 1, dns={f"name{i}": "x" for i in range(n)})
    return {"eve.json": lines}, [["3", "Time (UTC)"], ["\r", "All fields"]], ["/api/record?table=eve.dns&flow=1", "/api/search"]


@row(100_000)
def text_of_a_record(n):
    lines = typed("dns", 1, dns={"text": "\u0001 \u202e" * n})
    return {"eve.json": lines}, [["3", "Time (UTC)"], ["\r", "All fields"]], ["/api/record?table=eve.dns&flow=1", "/api/search"]


@row(10_000)
def list_of_a_record(n):
    lines = typed("dns", 1, dns={"answers": [{"rdata": f"a{i}.example"} for i in range(n)]})
    return {"eve.json": lines}, [["3", "Time (UTC)"], ["\r", "All fields"]], ["/api/record?table=eve.dns&flow=1", "/api/search"]


def with_rule(rule, payload):
    told = {"signature_id": 7, "signature": "RULE", "severity": 1, "rule": rule}
    lines = alert(7, alert=told, payload=base64.b64encode(payload).decode())
    return {"eve.json": lines}, [["2", "alerts of"], ["\r", "1 – 1"], ["\r", "severity 1, sid 7"]], ["/api/record?table=eve.alert&flow=7&sid=7"]


@row(4_000)
def contents_of_a_rule(n):
    """As many contents, none of which is there, as bytes to look for them in."""
    contents = "".join(f'content:"{i}"; ' for i in range(n))
    return with_rule(f"alert tcp any any -> any any ({contents}sid:7;)", b"x" * n)


@row(16_000)
def long_content_of_a_rule(n):
    """A content of which all but the end is at each place of the payload, in any case."""
    return with_rule(f'alert tcp any any -> any any (content:"{"A" * n}B"; nocase; sid:7;)', b"a" * 2 * n)


@row(16_000)
def content_that_is_everywhere(n):
    return with_rule(f'alert tcp any any -> any any (content:"{"A" * n}"; sid:7;)', b"A" * 2 * n)


CONNECTION = [["4", "these are all"], ["\r", "Community id"]]


@row(10_000)
def records_of_a_connection(n):
    lines = "".join(typed("dns", i, 7) for i in range(n)) + flow(n, 7)
    return {"eve.json": lines}, CONNECTION, ["/api/connection?id=7"]


@row(25)
def types_of_a_connection(n):
    lines = "".join(typed(f"type{i % n}", i, i // n or 7) for i in range(100 * n)) + flow(n, 7)
    return {"eve.json": lines}, CONNECTION, ["/api/connection?id=7"]


@row(10_000)
def connections_of_the_same_ends(n):
    """Zeek's log has many connections of which some may be the one of EVE's record."""
    head = "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n"
    head += "#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tduration\n"
    head += "#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tinterval\n"
    log = head + "".join(f"1714557600.{i % 1000:06}\tC{i}\t10.0.0.1\t1000\t10.0.0.2\t80\ttcp\t1.0\n" for i in range(n))
    return {"eve.json": flow(1, 7), "conn.log": log}, CONNECTION, ["/api/connection?id=7"]


@row(10_000)
def certificates_of_a_connection(n):
    """A chain of many, of which each is a record."""
    prints = [f"{i:08x}" for i in range(n)]
    ends = {"id.orig_h": "10.0.0.1", "id.orig_p": 1000, "id.resp_h": "10.0.0.2", "id.resp_p": 80}
    moment = {"ts": 1714557600.0}
    conn = json.dumps({**moment, "uid": "C7", **ends, "proto": "tcp", "duration": 1.0}) + "\n"
    ssl = json.dumps({**moment, "uid": "C7", **ends, "version": "TLSv12", "cert_chain_fps": prints}) + "\n"
    # The last ones of the chain are shown first.
    x509 = "".join(json.dumps({**moment, "uid": "C7", "fingerprint": end, "certificate.subject": end}) + "\n" for end in prints[::-1])
    return {"conn.log": conn, "ssl.log": ssl, "x509.log": x509}, [*CONNECTION, ["G", "Fingerprint"]], ["/api/connection?id=C7"]


def conversation(texts):
    files = {"eve.json": flow(1, 7), "all.pcap": packets(texts)}
    save = [["w", "Write to"], ["\x15out.pcapng\r", "written to"]]
    pathlib.Path("out.pcapng").unlink(missing_ok=True)
    return files, [*CONNECTION, ["\t\r", "What both sides said:"], ["G", "x shows"], ["\x1b", "Community id"], *save], [f"/api/stream?{STREAM}", f"/api/packets?{STREAM}"]


@row(10_000)
def packets_of_a_connection(n):
    return conversation((i, b"x") for i in range(n))


@row(10_000)
def packets_out_of_order(n):
    """The first byte comes last."""
    return conversation(itertools.chain([(0, b"x")], ((i + 2, b"x") for i in range(n)), [(1, b"x")]))


@row(10_000)
def packets_with_gaps(n):
    return conversation((2 * i, b"x") for i in range(n))


@row(10_000)
def packets_that_overlap(n):
    return conversation((i % 100, b"x" * 1400) for i in range(n))
