"""Records and hunts, over the crates that ``weir query`` and ``weir hunt`` are made of."""

import os
import typing

_Path = typing.Union[str, "os.PathLike[str]"]

__version__: str

class Error(Exception):
    """What could not be done; a sentence."""

class Session:
    """The tables of files and folders."""

    def __new__(
        cls, paths: typing.Sequence[_Path], threads: typing.Optional[int], memory: typing.Optional[int]
    ) -> Session: ...
    def tables(self) -> list[tuple[str, str, int]]: ...
    def query(self, sql: str) -> Answer: ...
    def rows(self, table: str) -> Answer: ...
    def remarks(self) -> list[str]: ...
    def unreadable(self) -> list[str]: ...

class Answer:
    """The answer to a question: its schema, and its batches one after the other."""

    def __arrow_c_schema__(self) -> object: ...
    def __iter__(self) -> Answer: ...
    def __next__(self) -> Batch: ...

class Batch:
    """Some rows of an answer."""

    def __arrow_c_array__(self, requested_schema: typing.Optional[object] = None) -> tuple[object, object]: ...

class Hunt:
    """A hunt: rules, and the captures that are searched."""

    def __new__(
        cls,
        rules: typing.Sequence[_Path],
        archive: typing.Sequence[_Path],
        *,
        records: typing.Sequence[_Path],
        folder: _Path,
        engine: _Path,
        jobs: typing.Optional[int],
        words: typing.Sequence[str],
        again: bool,
    ) -> Hunt: ...
    @property
    def captures(self) -> list[tuple[os.PathLike[str], int]]: ...
    def run(self, told: typing.Optional[typing.Callable[[int, int, int], object]]) -> list[str]: ...
    def parts(self) -> Parts: ...
    def gather(self, parts: Parts) -> list[str]: ...

class Parts:
    """What was found in captures so far."""

    def found(self) -> list[typing.Optional[int]]: ...
    def keep(self, place: int, lines: bytes, remark: typing.Optional[str]) -> int: ...

def version(engine: _Path) -> str: ...
def search(
    engine: _Path, rules: typing.Sequence[_Path], words: typing.Sequence[str], capture: _Path, folder: _Path
) -> tuple[bytes, typing.Optional[str]]: ...
def read(
    engine: _Path,
    captures: typing.Sequence[_Path],
    *,
    rules: typing.Sequence[_Path],
    settings: typing.Sequence[str],
    folder: _Path,
    eve: bool,
    zeek: bool,
) -> list[str]: ...
