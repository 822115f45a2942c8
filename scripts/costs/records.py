"""Costs of keeping records as Parquet and asking of them (`weir archive`, `weir query`): lines whose shapes make columns
many, deep or of changing types. A row returns lines."""

import json
import pathlib
import shutil

from measure import Table


def command(binary, lines):
    """The archive of a log, then a question over its lines."""
    pathlib.Path("eve.json").write_text(lines)
    shutil.rmtree("archive", ignore_errors=True)
    script = f"'{binary}' archive eve.json --to archive && '{binary}' query 'select count(*) from dns' eve.json"
    return ["sh", "-c", script]


def record(i, **members):
    """A line of EVE, an hour's worth of which is ten million."""
    moment = f"2024-05-01T10:{i // 60_000 % 60:02}:{i // 1000 % 60:02}.{i % 1000:03}000+0000"
    return json.dumps({"timestamp": moment, "flow_id": i, "event_type": "dns", **members}) + "\n"


TABLE = Table(command, nothing=record(1))
row = TABLE.row


@row(20_000)
def ordinary(n):
    return "".join(record(i, src_ip="10.0.0.1", src_port=i % 65536, dns={"rrname": f"w{i % 500}.example.com"}) for i in range(n))


@row(2_000)
def names_of_their_own(n):
    """Each record has a member that no other one has."""
    return "".join(record(i, dns={f"name{i}": i}) for i in range(n))


@row(500)
def names_in_each(n):
    """Each record has many members that no other one has, on all levels."""
    return "".join(record(i, **{f"a{i}": {f"b{i}_{k}": {f"c{k}": 1} for k in range(5)}}) for i in range(n))


@row(20)
def names_of_one(n):
    """Records of n members each."""
    return "".join(record(i, dns={f"name{k}": k for k in range(n)}) for i in range(1_000))


@row(10_000)
def types_in_turns(n):
    values = [1, "text", 1.5, True, None, [1], {"a": 1}, -1, 1 << 63, []]
    return "".join(record(i, dns={"value": values[i % len(values)]}) for i in range(n))


@row(1_000)
def types_in_turns_by_column(n):
    """One column after another is to become wider."""
    return "".join(record(i, dns={f"value{k}": "text" if k == i % 500 else k for k in range(50)}) for i in range(n))


@row(10_000)
def types_of_items(n):
    return "".join(record(i, dns={"list": [i, str(i), [i], {"a": i}][: i % 5]}) for i in range(n))


@row(1_000)
def lists(n):
    return "".join(record(i, dns={"list": list(range(200))}) for i in range(n))


@row(1_000)
def lists_of_lists(n):
    nested = [[[[[[[[[[1]]]]]]]]]]
    return "".join(record(i, dns={"list": [nested] * 20}) for i in range(n))


@row(1_000)
def lists_of_objects(n):
    return "".join(record(i, dns={"list": [{"a": k, f"b{k % 40}": "x"} for k in range(50)]}) for i in range(n))


@row(50_000)
def one_list(n):
    return record(1, dns={"list": list(range(n))})


@row(50_000)
def one_text(n):
    return record(1, dns={"text": "\\\"\n" * n})


@row(16)
def objects_within_each_other(n):
    value = 1
    for _ in range(min(n, 120)):
        value = {"a": value}
    return "".join(record(i, dns=value) for i in range(1_000))


@row(2_000)
def texts_with_escapes(n):
    return "".join(record(i, dns={"text": "\u0001é\"\\" * 50}) for i in range(n))


@row(2_000)
def types_of_records(n):
    return "".join(record(i).replace('"dns"', f'"type{i}"') for i in range(n)) + record(0)


@row(2_000)
def lines_that_are_cut(n):
    return record(0) + "".join(record(i, dns={"rrname": "x"})[: 20 + i % 60] + "\n" for i in range(n))


@row(20)
def hours_in_turns(n):
    """Each record is of another hour."""
    return "".join(record(i).replace("2024-05-01T10", f"20{i // 288 % 90 + 10}-{i // 24 % 12 + 1:02}-01T{i % 24:02}") for i in range(n))
