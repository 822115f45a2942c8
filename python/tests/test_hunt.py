"""Hunts in this process."""

import json
import pathlib
import warnings

import conftest
import pytest
from conftest import RULES, SAMPLE, Archive

import weir


def hits_of(table) -> list:
    """The hits of a table as capture, signature and port, in their order."""
    names = ("capture", "alert.signature_id", "src_port", "archive.uid")
    columns = [table.column(name).to_pylist() if name in table.column_names else [None] * table.num_rows for name in names]
    return list(zip(*columns))


def expected(archive: Archive) -> list:
    """The same of what `weir hunt` wrote."""
    return [
        (hit["capture"], hit["alert"]["signature_id"], hit["src_port"], hit.get("archive", {}).get("uid"))
        for hit in archive.expected()
    ]


def test_hits_are_those_of_weir_hunt(archive: Archive, tmp_path: pathlib.Path) -> None:
    conftest.subprocess.run([conftest.PROGRAM, "-r", SAMPLE, "--zeek-logs", "-l", archive.captures], check=True)
    seen = []
    table = weir.hunt(RULES, archive.captures, jobs=2, out=tmp_path / "out", progress=seen.append)
    assert table.num_rows == 72 and hits_of(table) == expected(archive)
    assert all(uid for *_, uid in hits_of(table))
    assert (tmp_path / "out" / "hits.json").read_bytes() == (tmp_path / "expected" / "hits.json").read_bytes()
    assert [progress.captures for progress in seen] == list(range(7))
    size = SAMPLE.stat().st_size
    assert seen[-1] == weir.Progress(captures=6, of=6, bytes=6 * size, hits=72)


def test_a_hunt_goes_on_where_it_was(archive: Archive, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"

    def interrupt(progress: weir.Progress) -> None:
        if progress.captures == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weir.hunt(RULES, archive.captures, jobs=1, out=out, engine=archive.program(), progress=interrupt)
    before = len(archive.calls())
    done = {json.loads(path.read_text())["hits"] for path in out.glob("parts/*.done")}
    assert 2 <= before < 6 and done == {12} and not (out / "hits.json").exists()
    table = weir.hunt(RULES, archive.captures, jobs=1, out=out, engine=archive.program())
    assert hits_of(table) == expected(archive)
    # Nothing that was done is read again: at most the capture that was being read.
    assert len(archive.calls()) <= 7 and len({name for name, _ in archive.calls()}) == 6
    assert weir.hunt(RULES, archive.captures, out=out, engine=archive.program()).equals(table)
    assert len(archive.calls()) <= 7


def test_ctrl_c_ends_a_hunt(archive: Archive, tmp_path: pathlib.Path) -> None:
    from test_records import interrupted

    script = f"""
import weir
said = lambda progress: print("asked", flush=True)
try:
    weir.hunt({str(RULES)!r}, {str(archive.captures)!r}, engine={archive.program("exec tail -f /dev/null")!r}, progress=said)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    assert interrupted(script) == "interrupted\n"


def test_what_cannot_be_done_is_said(archive: Archive, tmp_path: pathlib.Path) -> None:
    with pytest.raises(weir.Error, match="There are no captures in the archive"):
        weir.hunt(RULES, RULES)
    with pytest.raises(weir.Error, match="nowhere.rules cannot be read"):
        weir.hunt("nowhere.rules", archive.captures)
    out = tmp_path / "out"
    weir.hunt(RULES, archive.captures, out=out)
    other = conftest.write(tmp_path, "other.rules", b'alert tcp any any -> any any (msg:"none"; content:"no such text"; sid:1;)\n')
    with pytest.raises(weir.Error, match="holds a hunt with other rules"):
        weir.hunt(other, archive.captures, out=out)
    assert weir.hunt(other, archive.captures, out=out, again=True).num_rows == 0
    bad = conftest.write(tmp_path, "bad.rules", b"alert tcp any any -> any any (no_such_keyword; sid:1;)\n")
    with pytest.raises(weir.Error, match="refuses"):
        weir.hunt(bad, archive.captures)


def test_damaged_captures_are_told(archive: Archive) -> None:
    whole = SAMPLE.read_bytes()
    conftest.write(archive.captures, "0.pcap", whole[: len(whole) - 100])
    with pytest.warns(weir.IncompleteWarning) as told:
        table = weir.hunt(RULES, [archive.captures, archive.folder / "nowhere"])
    sentences = [str(warning.message) for warning in told]
    for told_of in ("0.pcap is damaged", "nowhere cannot be read"):
        assert any(told_of in sentence for sentence in sentences), sentences
    assert {capture for capture, *_ in hits_of(table)} == {str(path) for path in archive.captures.iterdir()}


def test_an_empty_archive_of_hits_has_no_rows(tmp_path: pathlib.Path) -> None:
    none = conftest.write(tmp_path, "none.rules", b'alert tcp any any -> any any (msg:"none"; content:"no such text"; sid:1;)\n')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert weir.hunt(none, SAMPLE, settings={"stats.enabled": False}).num_rows == 0
