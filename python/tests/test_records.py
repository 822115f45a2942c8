"""Captures and records as tables."""

import datetime
import gc
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import conftest
import pyarrow
import pytest
from conftest import RULES, ROOT, SAMPLE

import weir


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The logs that the program writes for the sample."""
    folder = tmp_path_factory.mktemp("written")
    command = [conftest.PROGRAM, "-r", SAMPLE, "-S", RULES, "--zeek-logs", "-q", "-l", folder]
    subprocess.run([*command, "--set", "outputs.eve-log.community-id=yes"], check=True)
    return folder


@pytest.fixture(scope="module")
def records() -> weir.Records:
    return weir.read(SAMPLE, rules=RULES)


def plain(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).isoformat()
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


def of_json(row: dict) -> dict:
    """A row of `weir query -o json`, with its times as Python writes them."""

    def moment(value: object) -> object:
        if isinstance(value, dict):
            return {key: moment(inner) for key, inner in value.items() if inner is not None}
        if isinstance(value, list):
            return [moment(inner) for inner in value]
        if isinstance(value, str) and value.endswith("Z") and value[:2] == "20":
            whole, _, part = value[:-1].partition(".")
            return plain(datetime.datetime.fromisoformat(f"{whole}.{part.ljust(6, '0')}+00:00"))
        return value

    return moment(row)


def test_tables_are_those_of_weir_query(written: pathlib.Path, records: weir.Records) -> None:
    rows = (line.split() for line in conftest.run("query", written).splitlines())
    listed = {name: int(count) for count, name in rows}

    def full(name: str) -> str:
        """A name with its kind: short ones are those of EVE, where it has such a table."""
        return name if "." in name else f"eve.{name}" if f"eve.{name}" in listed else f"zeek.{name}"

    for opened in (weir.open(written), records):
        assert {full(name): count for name, count in opened.tables.items()} == listed
        assert list(opened) == list(opened.tables) and len(opened) == len(listed)
        assert opened.tables["alert"] == 12 and opened.tables["conn"] == 70 and opened.tables["zeek.dns"] == 27


def test_rows_are_those_of_weir_query(written: pathlib.Path) -> None:
    opened = weir.open(written)
    for name in opened:
        expected = [of_json(row) for row in conftest.query(f"select * from {name}", written)]
        table = opened[name]
        assert isinstance(table, pyarrow.Table) and table.num_rows == opened.tables[name]
        table.validate(full=True)
        assert [plain(row) for row in table.to_pylist()] == expected, name
        assert [plain(row) for row in opened.rows(name)] == expected, name


def test_a_capture_is_read_with_all_logs(written: pathlib.Path, records: weir.Records) -> None:
    opened = weir.open(written)
    same = [name for name in records if name != "stats"]
    assert {"alert", "flow", "http", "conn", "ssl"} <= set(same)
    for name in same:
        assert records[name].equals(opened[name]), name


def test_rows_iterate_as_dicts(records: weir.Records) -> None:
    alerts = list(records.rows("alert"))
    assert len(alerts) == 12
    assert {alert["alert.signature_id"] for alert in alerts} == set(range(1000001, 1000011))
    assert alerts[0]["timestamp"].tzinfo is not None
    assert list(records.rows("eve.alert")) == alerts


def test_sql_answers_with_tables(written: pathlib.Path, records: weir.Records) -> None:
    sql = "select app_proto, count(*) as flows from flow group by 1 order by 2 desc, 1"
    assert [plain(row) for row in records.sql(sql).to_pylist()] == conftest.query(sql, written)
    joined = records.sql("select count(*) as n from alert a join conn c on a.zeek_uid = c.uid")
    assert joined.column("n").to_pylist() == [12]
    nothing = records.sql("select src_ip, dest_port from alert where false")
    assert nothing.num_rows == 0 and nothing.column_names == ["src_ip", "dest_port"]


def test_wanted_tables_alone_are_there() -> None:
    zeek = weir.read(SAMPLE, rules=RULES, tables=["zeek.conn", "zeek.dns"])
    assert zeek.tables == {"conn": 70, "dns": 27}
    eve = weir.read(SAMPLE, rules=RULES, tables=["eve.alert"])
    assert eve.tables == {"alert": 12}
    either = weir.read(SAMPLE, rules=RULES, tables=["alert", "conn"])
    assert either.tables == {"alert": 12, "conn": 70}


def test_settings_reach_the_program() -> None:
    rule = 'alert ip $HOME_NET any -> any any (msg:"home"; sid:1; threshold: type limit, track by_src, count 1, seconds 60;)'
    with tempfile.NamedTemporaryFile("w", suffix=".rules") as rules:
        rules.write(rule + "\n")
        rules.flush()
        alerts = {
            network: weir.read(
                SAMPLE, rules=rules.name, settings={"vars.address-groups.HOME_NET": network, "stats.enabled": False}
            ).tables
            for network in ("10.20.0.10/32", "192.0.2.0/24")
        }
    assert alerts["10.20.0.10/32"]["alert"] == 1 and "alert" not in alerts["192.0.2.0/24"]
    assert "stats" not in alerts["192.0.2.0/24"]


def test_parquet_is_opened(written: pathlib.Path, tmp_path: pathlib.Path) -> None:
    conftest.run("archive", written, "--to", tmp_path)
    archived, opened = weir.open(tmp_path), weir.open(written)
    assert archived.tables == opened.tables
    sql = "select uid, proto, orig_bytes, ts from conn order by uid"
    assert archived.sql(sql).to_pylist() == opened.sql(sql).to_pylist()
    assert weir.open([written / "eve.json"]).tables["alert"] == 12


def test_columns_are_not_copied(records: weir.Records) -> None:
    batch = next(iter(records._session.rows("zeek.conn")))
    addresses = [
        column.buffers()[-1].address
        for column in (pyarrow.record_batch(batch).column("uid") for _ in range(2))
    ]
    assert addresses[0] == addresses[1]


def test_tables_outlive_what_they_came_from() -> None:
    opened = weir.read(SAMPLE)
    table = opened["conn"]
    rows = opened.rows("conn")
    first = next(rows)
    del opened
    gc.collect()
    assert table.num_rows == 70 and table.column("uid")[0].as_py() == first["uid"]
    assert len(list(rows)) == 69


def test_the_folder_goes_with_the_records(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with weir.read(SAMPLE) as opened:
        assert len(list(tmp_path.iterdir())) == 1 and opened.tables["conn"] == 70
    assert list(tmp_path.iterdir()) == []
    opened = weir.read(SAMPLE)
    del opened
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_done_is_said() -> None:
    opened = weir.read(SAMPLE)
    with pytest.raises(weir.Error, match="There is no table nothing; there are .*conn"):
        opened.sql("select * from nothing")
    with pytest.raises(KeyError) as missing:
        opened["nothing"]
    assert isinstance(missing.value, weir.Error) and str(missing.value).startswith("There is no table nothing; there are")
    assert "nothing" not in opened and opened.get("nothing") is None
    with pytest.raises(weir.Error, match="Only questions can be asked"):
        opened.sql("create table t as select 1")
    with pytest.raises(weir.Error, match="No field named"):
        opened.sql("select no_such_column from conn")
    with pytest.raises(weir.Error, match="/nowhere/weir is no program"):
        weir.read(SAMPLE, engine="/nowhere/weir")


def test_the_program_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    named = os.environ["WEIR"]
    monkeypatch.delenv("WEIR")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    with pytest.raises(weir.Error, match="The program weir is neither beside Python nor in the PATH"):
        weir.read(SAMPLE)
    (tmp_path / "weir").symlink_to(named)
    assert weir.read(SAMPLE).tables["conn"] == 70
    monkeypatch.setenv("PATH", "/nowhere")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "weir").symlink_to(named)
    assert weir.read(SAMPLE).tables["conn"] == 70


def test_damaged_inputs_are_told(tmp_path: pathlib.Path) -> None:
    whole = SAMPLE.read_bytes()
    cut = conftest.write(tmp_path, "cut.pcap", whole[:20000])
    with pytest.warns(weir.IncompleteWarning, match="cut.pcap"):
        opened = weir.read(cut)
    assert 0 < opened.tables["conn"] < 70
    for name, content in (("empty.pcap", b""), ("text.pcap", b"no capture at all")):
        with pytest.raises(weir.Error, match=f"refuses: .*{name}"):
            weir.read(conftest.write(tmp_path, name, content))
    with pytest.raises(weir.Error, match="missing.pcap"):
        weir.read(tmp_path / "missing.pcap")
    bad = conftest.write(tmp_path, "bad.rules", b'alert tcp any any -> any any (no_such_keyword; sid:1;)\n')
    with pytest.raises(weir.Error, match="rules"):
        weir.read(SAMPLE, rules=bad)
    good = b'alert ip any any -> any any (msg:"all"; sid:2;)\n'
    some = conftest.write(tmp_path, "some.rules", bad.read_bytes() + good)
    with pytest.warns(weir.IncompleteWarning, match="no_such_keyword"):
        assert weir.read(SAMPLE, rules=some).tables["alert"] > 0


def test_damaged_records_are_told(tmp_path: pathlib.Path) -> None:
    with pytest.warns(weir.IncompleteWarning, match="nowhere cannot be read"):
        assert weir.open(tmp_path / "nowhere").tables == {}
    record = b'{"timestamp":"2024-01-31T12:00:00.000000+0000","event_type":"dns","dns":{"rrname":"a.example"}}\n'
    damaged = conftest.write(tmp_path, "eve.json", record + b'no record\n' + record[:-9] + b"\n")
    with pytest.warns(weir.IncompleteWarning, match="no records: 1 line at .*eve.json"):
        opened = weir.open(damaged)
    with pytest.warns(weir.IncompleteWarning, match="Cut short"):
        assert opened["dns"].num_rows == 2
    with pytest.raises(weir.Error, match="There are no records"):
        with pytest.warns(weir.IncompleteWarning):
            opened = weir.open(conftest.write(tmp_path, "text", b"nothing\n"))
        opened.sql("select 1 from dns")


def test_ctrl_c_ends_a_question() -> None:
    script = f"""
import sys, threading, weir
records = weir.open({str(SAMPLE.parent)!r})
asker = threading.get_ident()
def watch():
    # That this thread runs while a question is asked says that Python's lock is free.
    while sys._current_frames()[asker].f_code.co_name not in ("sql", "_table"):
        pass
    print("asked", flush=True)
threading.Thread(target=watch, daemon=True).start()
try:
    records.sql("with recursive n as (select 1 as i union all select i + 1 from n where i < 1000000000) select max(i) from n")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    assert interrupted(script) == "interrupted\n"


def test_ctrl_c_ends_the_program(tmp_path: pathlib.Path) -> None:
    program = conftest.write(tmp_path, "weir", b'#!/bin/sh\necho $$ >"$0.pid"\nexec tail -f /dev/null\n')
    program.chmod(0o755)
    pid = tmp_path / "weir.pid"
    script = f"""
import os, threading, weir
def watch():
    while not (os.path.exists({str(pid)!r}) and os.path.getsize({str(pid)!r})):
        pass
    print("asked", flush=True)
threading.Thread(target=watch, daemon=True).start()
try:
    weir.read({str(SAMPLE)!r}, engine={str(program)!r})
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    assert interrupted(script) == "interrupted\n"
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def interrupted(script: str) -> str:
    """Runs a script, sends SIGINT when it says that it asked, and returns what it says afterwards."""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdout is not None
    assert child.stdout.readline() == "asked\n"
    child.send_signal(signal.SIGINT)
    rest, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    return rest
