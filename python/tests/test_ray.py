"""Hunts on a cluster of two nodes, each with a worker."""

import builtins
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from conftest import RULES, ROOT, Archive, write
from test_hunt import expected, hits_of

import weir

# Holds a capture, and with it the only processor of a node, until the other node reads one, too, for a minute at most.
BOTH_NODES = """
        end=$(($(date +%s) + 60))
        until [ "$(cut -d ' ' -f 2 "$notes/calls" | sort -u | wc -l)" = 2 ] || [ "$(date +%s)" -ge "$end" ]; do :; done
"""

ray = pytest.importorskip("ray", reason="Ray is not installed")


def begin_cluster(tries: int = 4):
    from ray.cluster_utils import Cluster

    nodes = Cluster()
    try:
        for _ in range(2):
            nodes.add_node(num_cpus=1, object_store_memory=100 << 20, include_dashboard=False)
        return nodes
    except Exception:
        # Ray gives a node half a minute to begin, which is little where others are busy.
        nodes.shutdown()
        if tries == 1:
            raise
    return begin_cluster(tries - 1)


@pytest.fixture(scope="module")
def cluster():
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path.endswith("site-packages"))
    nodes = begin_cluster()
    ray.init(address=nodes.address, log_to_driver=False)
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def test_hits_are_those_of_one_process(cluster, archive: Archive, tmp_path: pathlib.Path) -> None:
    out, seen = tmp_path / "out", []
    program = archive.program(BOTH_NODES)
    table = weir.ray.hunt(RULES, archive.captures, out=out, engine=program, progress=seen.append)
    assert table.num_rows == 72 and hits_of(table) == expected(archive)
    assert (out / "hits.json").read_bytes() == (tmp_path / "expected" / "hits.json").read_bytes()
    assert sorted(name for name, _ in archive.calls()) == [f"{number}.pcap" for number in range(6)]
    assert len({node for _, node in archive.calls()}) == 2
    assert [progress.captures for progress in seen] == list(range(7)) and seen[-1].hits == 72
    # Other tools go on with it, and have nothing to read.
    assert weir.hunt(RULES, archive.captures, out=out, engine=program).equals(table)
    assert len(archive.calls()) == 6


def test_a_worker_that_is_killed_is_replaced(cluster, archive: Archive) -> None:
    # The first worker that reads capture 2 dies while its program runs.
    program = archive.program('[ "$capture" != 2.pcap ] || ! mkdir "$notes/killed" 2>/dev/null || { kill -9 $PPID; exit 0; }')
    table = weir.ray.hunt(RULES, archive.captures, engine=program)
    assert (archive.folder / "killed").exists()
    assert hits_of(table) == expected(archive)
    names = [name for name, _ in archive.calls()]
    assert names.count("2.pcap") == 2 and len(names) == 7


def test_a_capture_that_kills_all_workers_is_told(cluster, archive: Archive, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    program = archive.program('[ "$capture" != 2.pcap ] || { kill -9 $PPID; exit 0; }')
    with pytest.raises(weir.Error, match="1 captures were not read, .*2.pcap: WorkerCrashedError"):
        weir.ray.hunt(RULES, archive.captures, engine=program, out=out, retries=1)
    assert len(list(out.glob("parts/*.done"))) == 5
    table = weir.ray.hunt(RULES, archive.captures, engine=archive.program(), out=out)
    assert hits_of(table) == expected(archive)
    names = [name for name, _ in archive.calls()]
    assert names.count("2.pcap") == 3 and len(names) == 8


def test_an_interrupted_hunt_goes_on(cluster, archive: Archive, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"

    def interrupt(progress: weir.Progress) -> None:
        if progress.captures == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weir.ray.hunt(RULES, archive.captures, engine=archive.program(), out=out, jobs=1, progress=interrupt)
    assert len(list(out.glob("parts/*.done"))) == 2 and not (out / "hits.json").exists()
    before = len(archive.calls())
    table = weir.ray.hunt(RULES, archive.captures, engine=archive.program(), out=out)
    assert hits_of(table) == expected(archive)
    assert len(archive.calls()) - before == 4


def test_an_interrupted_hunt_ends_its_programs(cluster, archive: Archive) -> None:
    # Capture 1 is read without end, all others when that has begun.
    program = archive.program('''
        if [ "$capture" = 1.pcap ]; then echo $$ >"$notes/pid"; exec tail -f /dev/null; fi
        end=$(($(date +%s) + 60)); until [ -s "$notes/pid" ] || [ "$(date +%s)" -ge "$end" ]; do :; done
''')

    def interrupt(progress: weir.Progress) -> None:
        if progress.captures == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weir.ray.hunt(RULES, archive.captures, engine=program, progress=interrupt)
    pid = int((archive.folder / "pid").read_text())
    deadline = time.monotonic() + 60
    while pathlib.Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline, "the program runs on"


def test_a_hunt_whose_process_was_killed_goes_on(cluster, archive: Archive, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    script = f"""
import ray, weir
ray.init(address={cluster.address!r}, log_to_driver=False)
said = lambda progress: print(progress.captures, flush=True)
weir.ray.hunt({str(RULES)!r}, {str(archive.captures)!r}, engine={archive.program()!r}, out={str(out)!r}, jobs=1, progress=said)
"""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdout is not None
    for line in child.stdout:
        if line.strip() == "2":
            child.send_signal(signal.SIGKILL)
    assert child.wait(60) == -signal.SIGKILL
    done = len(list(out.glob("parts/*.done")))
    assert 2 <= done < 6
    table = weir.ray.hunt(RULES, archive.captures, engine=archive.program(), out=out)
    assert hits_of(table) == expected(archive)
    # Captures that were on their way are read again, no others.
    assert len(archive.calls()) <= 6 + 2


def test_rules_need_not_be_on_all_machines(cluster, archive: Archive, tmp_path: pathlib.Path) -> None:
    from weir.ray import _rules_here

    here = write(tmp_path, "here.rules", b"same")
    otherwise = str(tmp_path / "sent.rules")
    assert _rules_here(str(here), b"same", otherwise) == str(here)
    for path, text in ((str(here), b"other"), ("/nowhere/a.rules", b"text")):
        assert _rules_here(path, text, otherwise) == otherwise
        assert pathlib.Path(otherwise).read_bytes() == text


def test_what_cannot_be_done_is_said(cluster, archive: Archive, tmp_path: pathlib.Path) -> None:
    with pytest.raises(weir.Error, match="nowhere.rules cannot be read"):
        weir.ray.hunt("nowhere.rules", archive.captures)
    bad = write(tmp_path, "bad.rules", b"alert tcp any any -> any any (no_such_keyword; sid:1;)\n")
    with pytest.raises(weir.Error, match="refuses"):
        weir.ray.hunt(bad, archive.captures)
    from weir.ray import Task, _search, _version

    version = _version(archive.program())
    with pytest.raises(weir.Error, match="one version is needed"):
        _search(Task(archive.program(), "another", [], []), "any.pcap")
    with pytest.raises(weir.Error, match="/nowhere/a.pcap is not on .*under one path on all machines"):
        _search(Task(archive.program(), version, [], []), "/nowhere/a.pcap")


def test_a_sentence_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    # It is loaded by being asked for.
    monkeypatch.delattr(weir, "ray")
    monkeypatch.delitem(sys.modules, "weir.ray")
    load = builtins.__import__

    def without_ray(name: str, *others: object, **named: object):
        if name.split(".")[0] == "ray":
            raise ImportError("No module named 'ray'")
        return load(name, *others, **named)

    monkeypatch.setattr(builtins, "__import__", without_ray)
    with pytest.raises(ImportError, match=r"weir.ray needs Ray, .*pip install 'weir\[ray\]'"):
        weir.ray
