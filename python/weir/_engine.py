"""The program ``weir``: where it is, and how it is told what the caller wants."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import typing

from ._native import Error

Path = typing.Union[str, "os.PathLike[str]"]
Paths = typing.Union[Path, typing.Iterable[Path]]
Settings = typing.Mapping[str, object]


def find(engine: typing.Optional[Path]) -> str:
    """Finds the program: the one that is named, by WEIR, beside Python, in PATH."""
    for named in (engine, os.environ.get("WEIR")):
        if named:
            path = shutil.which(named)
            if path is None:
                raise Error(f"{os.fspath(named)} is no program that can be started.")
            return os.path.abspath(path)
    beside = pathlib.Path(sys.executable).parent / "weir"
    path = shutil.which(beside) or shutil.which("weir")
    if path is None:
        raise Error(
            "The program weir is neither beside Python nor in the PATH: install it, or name it with engine= or by the "
            "environment variable WEIR."
        )
    return os.path.abspath(path)


def paths(named: typing.Optional[Paths]) -> list[str]:
    """Makes a list of one path or many."""
    if named is None:
        return []
    if isinstance(named, (str, os.PathLike)):
        return [os.fspath(named)]
    return [os.fspath(path) for path in named]


def settings(given: typing.Optional[Settings]) -> list[str]:
    """Writes settings as ``KEY=VALUE``, in the words of YAML."""
    words = {True: "yes", False: "no"}
    return [f"{key}={words[value] if isinstance(value, bool) else value}" for key, value in (given or {}).items()]
