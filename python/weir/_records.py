"""Records as tables."""

from __future__ import annotations

import shutil
import tempfile
import typing
import warnings
import weakref

import pyarrow

from . import _engine, _native
from ._engine import Path, Paths, Settings
from ._native import Error

Row = typing.Dict[str, typing.Any]


class IncompleteWarning(UserWarning):
    """Some of the input could not be read; a sentence says what. All else is there."""


class UnknownTable(Error, KeyError):
    """There is no table of this name; a sentence says which there are."""

    __str__ = Exception.__str__


def warn(sentences: typing.Iterable[str]) -> None:
    """Warns of what could not be read, at the line that called this package."""
    for sentence in sentences:
        # Beyond this function and the one of the package that the caller called.
        warnings.warn(IncompleteWarning(sentence), stacklevel=3)


class Records(typing.Mapping[str, pyarrow.Table]):
    """Records of traffic: a mapping of the names of tables to tables.

    Names are those of ``weir query``: ``alert``, ``dns``, ``http`` of EVE, ``conn``, ``ssl`` of Zeek; where both have
    one, ``dns`` is that of EVE, and ``zeek.dns`` that of Zeek. Columns have the names of the logs, with dots.
    """

    def __init__(
        self,
        session: _native.Session,
        only: typing.Optional[typing.Collection[str]] = None,
        folder: typing.Optional[str] = None,
    ) -> None:
        self._session = session
        self._tables = _named(session.tables(), only)
        # The folder goes with the object, and at the end of the program at the latest.
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True) if folder else None

    @property
    def tables(self) -> dict[str, int]:
        """The names of the tables, and the number of rows of each."""
        return {name: rows for name, (_, rows) in self._tables.items()}

    def sql(self, question: str) -> pyarrow.Table:
        """Answers a question in SQL, as ``weir query`` does."""
        table = _table(self._session.query(question))
        warn(self._session.remarks())
        return table

    def rows(self, name: str) -> typing.Iterator[Row]:
        """Gives the rows of a table one after the other, as dicts of columns, without holding all of them."""
        answer = self._answer(name)

        def each() -> typing.Iterator[Row]:
            for batch in answer:
                yield from pyarrow.record_batch(batch).to_pylist()
            warn(self._session.remarks())

        return each()

    def close(self) -> None:
        """Removes the folder that ``read`` made. It goes with the object, too."""
        if self._remove is not None:
            self._remove()

    def _answer(self, name: str) -> _native.Answer:
        for short, (full, _) in self._tables.items():
            if name in (short, full):
                return self._session.rows(full)
        raise UnknownTable(f"There is no table {name}; there are {', '.join(self._tables) or 'none'}.")

    def __getitem__(self, name: str) -> pyarrow.Table:
        table = _table(self._answer(name))
        warn(self._session.remarks())
        return table

    def __contains__(self, name: object) -> bool:
        return any(name in (short, full) for short, (full, _) in self._tables.items())

    def __iter__(self) -> typing.Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __enter__(self) -> Records:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        tables = ", ".join(f"{name}: {rows}" for name, rows in self.tables.items())
        return f"<weir.Records {tables or 'without tables'}>"


def _named(
    tables: typing.Iterable[tuple[str, str, int]], only: typing.Optional[typing.Collection[str]]
) -> dict[str, tuple[str, int]]:
    """Gives tables the names that ``weir query`` knows them by: short ones, where another one does not come first."""
    named: dict[str, tuple[str, int]] = {}
    for schema, table, rows in sorted(tables, key=lambda listed: ("eve", "zeek", "files").index(listed[0])):
        full = f"{schema}.{table}"
        name = full if table in named else table
        if only is None or name in only or full in only:
            named[name] = (full, rows)
    return named


def _table(answer: _native.Answer) -> pyarrow.Table:
    batches = [pyarrow.record_batch(batch) for batch in answer]
    return pyarrow.Table.from_batches(batches) if batches else pyarrow.schema(answer).empty_table()


def open(
    paths: Paths,
    *,
    tables: typing.Optional[typing.Collection[str]] = None,
    threads: typing.Optional[int] = None,
    memory: typing.Optional[int] = None,
) -> Records:
    """Opens records that are there already: EVE, Zeek's logs and Parquet, in files and folders.

    Nothing is loaded before it is asked for. ``tables`` are the only ones to show; ``threads`` read and compute (one for
    each core), with at most ``memory`` bytes for computing (2 GiB); more goes to the disk.
    """
    session = _native.Session(_engine.paths(paths), threads, memory)
    warn(session.unreadable() + session.remarks())
    return Records(session, tables)


def read(
    captures: Paths,
    *,
    rules: typing.Optional[Paths] = None,
    settings: typing.Optional[Settings] = None,
    tables: typing.Optional[typing.Collection[str]] = None,
    engine: typing.Optional[Path] = None,
) -> Records:
    """Reads captures with the program ``weir``, and gives all their records.

    Several captures are read as one. ``rules`` are files of rules, ``settings`` values of the configuration by their keys
    (``{"vars.address-groups.HOME_NET": "10.0.0.0/8"}``). ``tables`` are the only ones that are wanted: where all of them are
    of EVE (``eve.dns``), or all of Zeek (``zeek.conn``), the others are not even written. ``engine`` is the program; without
    it the one that the environment variable WEIR names, one beside Python, or the first one in the PATH.
    """
    wanted = {"eve", "zeek"} if tables is None else {name.partition(".")[0] for name in tables}
    # A name without its kind may be of either.
    both = not wanted <= {"eve", "zeek"}
    folder = tempfile.mkdtemp(prefix="weir-")
    try:
        said = _native.read(
            _engine.find(engine),
            _engine.paths(captures),
            rules=_engine.paths(rules),
            settings=_engine.settings(settings),
            folder=folder,
            eve=both or "eve" in wanted,
            zeek=both or "zeek" in wanted,
        )
        session = _native.Session([folder], None, None)
        warn(said + session.unreadable() + session.remarks())
        return Records(session, tables, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
