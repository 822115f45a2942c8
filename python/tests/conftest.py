"""What tests have in common: the project's sample, programs, and an archive of captures."""

import json
import os
import pathlib
import shutil
import stat
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "sample" / "sample.pcap"
RULES = ROOT / "sample" / "sample.rules"
PROGRAM = os.environ["WEIR"]

# Notes which captures it reads, and on which node of a cluster, does what the test says, then becomes the program.
STAND_IN = """#!/bin/sh
notes={notes}
case "$*" in
    *--version*) ;;
    *)
        for word; do case $word in *.pcap) capture=${{word##*/}} ;; esac; done
        echo "$capture ${{RAY_RAYLET_PID:-none}}" >>"$notes/calls"
        {script}
        ;;
esac
exec {program} "$@"
"""


class Archive:
    """Captures in a folder, rules, and a program that notes what it reads."""

    def __init__(self, folder: pathlib.Path, captures: int) -> None:
        self.folder = folder
        self.captures = folder / "archive"
        self.captures.mkdir()
        for number in range(captures):
            shutil.copy(SAMPLE, self.captures / f"{number}.pcap")

    def program(self, script: str = ":") -> str:
        """Makes a program that does something before each capture that it reads."""
        path = self.folder / "weir"
        path.write_text(STAND_IN.format(notes=self.folder, script=script, program=PROGRAM))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def calls(self) -> list:
        """The captures that were read, each with the node that did."""
        notes = self.folder / "calls"
        return [line.split() for line in notes.read_text().splitlines()] if notes.exists() else []

    def expected(self) -> list:
        """The hits that `weir hunt` writes, of which each capture has the same."""
        folder = self.folder / "expected"
        if not folder.exists():
            hunt(RULES, self.captures, "-l", folder)
        return [json.loads(line) for line in (folder / "hits.json").read_text().splitlines()]


@pytest.fixture
def archive(tmp_path: pathlib.Path) -> Archive:
    return Archive(tmp_path, 6)


def query(sql: str, folder: object) -> list:
    """Asks `weir query`, and returns the rows as objects."""
    return [json.loads(line) for line in run("query", "-o", "json", sql, folder).splitlines()]


def hunt(*words: object) -> None:
    run("hunt", "--engine", PROGRAM, *words)


def run(*words: object) -> str:
    """Runs the program behind `weir query` and `weir hunt`."""
    command = [os.environ["WEIR_ANALYST"], *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def write(folder: pathlib.Path, name: str, content: bytes) -> pathlib.Path:
    path = folder / name
    path.write_bytes(content)
    return path
