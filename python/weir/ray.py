"""Hunts on a Ray cluster: each capture is a task on any machine of it.

Tasks, not Ray Data: a capture is one piece of work that takes seconds to hours, is done by a program of its own, and gives
few rows. What a task found is kept at once, so that a hunt goes on where it was, and Ray itself repeats a task whose worker
died. Ray Data would read all captures anew after an interruption, and brings more to install.
"""

from __future__ import annotations

import collections
import functools
import os
import platform
import tempfile
import typing

import pyarrow

try:
    import ray
    import ray.exceptions
except ImportError as missing:
    raise ImportError("weir.ray needs Ray, which is not installed here: pip install 'weir[ray]' installs it.") from missing

from . import _engine, _native
from ._engine import Path, Paths, Settings
from ._hunt import Begun, Progress, Told, begin, hits
from ._native import Error
from ._records import warn

# Tasks that wait or run for each core of the cluster: some wait, so that no core does, and that clusters grow.
AHEAD = 2


class Task(typing.NamedTuple):
    """What all tasks of a hunt have in common."""

    engine: typing.Optional[str]
    version: str
    rules: list[tuple[str, bytes]]
    words: list[str]


Found = typing.Tuple[bytes, typing.Optional[str]]


def hunt(
    rules: Paths,
    archive: Paths,
    *,
    jobs: typing.Optional[int] = None,
    out: typing.Optional[Path] = None,
    records: typing.Optional[Paths] = None,
    settings: typing.Optional[Settings] = None,
    engine: typing.Optional[Path] = None,
    again: bool = False,
    progress: typing.Optional[Told] = None,
    retries: int = 3,
    options: typing.Optional[typing.Mapping[str, typing.Any]] = None,
) -> pyarrow.Table:
    """Does what ``weir.hunt`` does, on the cluster that Ray is connected to (``ray.init``), with the same hits in the same order.

    All machines need this package, the program ``weir`` in one version, and the captures under the same paths: storage that
    all share. Rules are sent. At most ``jobs`` captures are read at a time (without it as many as the cluster has cores for);
    a capture whose worker died is read anew, ``retries`` times. ``options`` are those of Ray's tasks (``num_cpus``,
    ``resources``, ``scheduling_strategy``). ``out`` is a folder of this machine, the same as that of ``weir hunt``: either
    goes on with a hunt of the other.
    """
    found_here = _engine.find(engine)
    with begin(rules, archive, records, out, settings, found_here, jobs, again) as begun:
        task = Task(
            engine=None if engine is None else found_here,
            version=_native.version(found_here),
            rules=[(path, _content(path)) for path in map(os.path.abspath, _engine.paths(rules))],
            words=begun.words,
        )
        parts = begun.hunt.parts()
        _search_all(begun, parts, task, jobs, {"num_cpus": 1, "max_retries": retries, **(options or {})}, progress)
        warn(begun.hunt.gather(parts))
        return hits(begun.folder)


def _search_all(
    begun: Begun,
    parts: _native.Parts,
    task: Task,
    jobs: typing.Optional[int],
    options: typing.Mapping[str, typing.Any],
    progress: typing.Optional[Told],
) -> None:
    """Has workers search all captures that are not done, and keeps what they find as it comes."""
    captures = begun.hunt.captures
    known = parts.found()
    left = collections.deque(place for place, found in enumerate(known) if found is None)
    done = [place for place, found in enumerate(known) if found is not None]
    counts = Progress(len(done), len(captures), sum(captures[place][1] for place in done), sum(filter(None, known)))
    if progress is not None:
        progress(counts)
    search = ray.remote(_search).options(**options)
    common = ray.put(task)
    running: dict[typing.Any, int] = {}
    lost: list[str] = []
    try:
        while left or running:
            most = jobs or AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
            while left and len(running) < most:
                place = left.popleft()
                running[search.remote(common, os.fspath(captures[place][0]))] = place
            for ready in ray.wait(list(running))[0]:
                place = running.pop(ready)
                path, size = captures[place]
                try:
                    lines, remark = ray.get(ready)
                except ray.exceptions.RayTaskError as error:
                    # What a task complains of holds for all.
                    raise Error(str(error.cause)) from error
                except ray.exceptions.RayError as error:
                    lost.append(f"{path}: {type(error).__name__}")
                    continue
                found = parts.keep(place, lines, remark)
                counts = Progress(counts.captures + 1, counts.of, counts.bytes + size, counts.hits + found)
                if progress is not None:
                    progress(counts)
    finally:
        for task_left in running:
            ray.cancel(task_left)
    if lost:
        raise Error(
            f"{len(lost)} captures were not read, as their workers died again and again; the first is {lost[0]}. "
            "The same hunt in the same folder goes on with them."
        )


def _search(task: Task, capture: str) -> Found:
    """Searches a capture, on a worker."""
    engine = _engine.find(task.engine)
    here = _version(engine)
    if here != task.version:
        raise Error(f"{engine} of {platform.node()} is {here}, that of the hunt is {task.version}: one version is needed.")
    if not os.path.exists(capture):
        raise Error(f"{capture} is not on {platform.node()}: captures have to be under one path on all machines.")
    with tempfile.TemporaryDirectory(prefix="weir-hunt-") as folder:
        rules = [_rules_here(path, text, f"{folder}/{place}.rules") for place, (path, text) in enumerate(task.rules)]
        return _native.search(engine, rules, task.words, capture, f"{folder}/search")


@functools.lru_cache(maxsize=None)
def _version(engine: str) -> str:
    return _native.version(engine)


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Error(f"{path} cannot be read: {error.strerror}.") from error


def _rules_here(path: str, text: bytes, otherwise: str) -> str:
    """Gives a file of the rules: the one that is here, too, as it may have others beside it, else one that is written."""
    try:
        with open(path, "rb") as file:
            if file.read() == text:
                return path
    except OSError:
        pass
    with open(otherwise, "wb") as file:
        file.write(text)
    return otherwise
