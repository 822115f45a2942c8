"""Hunts: rules over the captures of an archive."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import typing

import pyarrow

from . import _engine, _native
from ._engine import Path, Paths, Settings
from ._native import Error
from ._records import open, warn


class Progress(typing.NamedTuple):
    """How far a hunt is."""

    captures: int
    """Captures that are done."""
    of: int
    """Captures of the archive."""
    bytes: int
    """Bytes of those that are done."""
    hits: int
    """Hits so far."""


Told = typing.Callable[[Progress], object]


class Begun(typing.NamedTuple):
    """A hunt that is about to begin."""

    hunt: _native.Hunt
    folder: str
    words: list[str]
    """Words for the program that searches."""


@contextlib.contextmanager
def begin(
    rules: Paths,
    archive: Paths,
    records: typing.Optional[Paths],
    out: typing.Optional[Path],
    settings: typing.Optional[Settings],
    engine: str,
    jobs: typing.Optional[int],
    again: bool,
) -> typing.Iterator[Begun]:
    """Finds captures, and has a folder for what is found: a temporary one where none is named."""
    captures = _engine.paths(archive)
    words = [word for value in _engine.settings(settings) for word in ("--set", value)]
    folder = str(out) if out is not None else tempfile.mkdtemp(prefix="weir-hunt-")
    try:
        hunt = _native.Hunt(
            _engine.paths(rules),
            captures,
            records=captures if records is None else _engine.paths(records),
            folder=folder,
            engine=engine,
            jobs=jobs,
            words=words,
            again=again,
        )
        if not hunt.captures:
            raise Error("There are no captures in the archive: pcap and pcapng are read.")
        yield Begun(hunt, folder, words)
    finally:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)


def hits(folder: str) -> pyarrow.Table:
    """Gives what a hunt found, as a table."""
    records = open(f"{folder}/hits.json")
    return records["alert"] if "alert" in records else pyarrow.table({})


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
) -> pyarrow.Table:
    """Runs files of rules over the captures in files and folders, as ``weir hunt`` does, and gives the hits.

    As many captures are read at a time as ``jobs`` says (one for each core). In the folder ``out`` a hunt that was
    interrupted goes on where it was; ``again`` begins anew where it holds a hunt with other rules. Hits are joined to the
    ``records`` of the same traffic (those beside the captures). ``progress`` is called whenever a capture is done.
    """
    with begin(rules, archive, records, out, settings, _engine.find(engine), jobs, again) as begun:
        of = len(begun.hunt.captures)
        told = None if progress is None else (lambda done, size, found: progress(Progress(done, of, size, found)))
        warn(begun.hunt.run(told))
        return hits(begun.folder)
