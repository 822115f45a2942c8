"""The guide's page on this package: what it shows is what comes."""

import doctest
import pathlib
import subprocess

import pytest
from conftest import PROGRAM, ROOT, RULES, SAMPLE


def test_the_guide_shows_what_comes(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    (tmp_path / "sample").symlink_to(ROOT / "sample")
    command = [PROGRAM, "-q", "-r", SAMPLE, "-S", RULES, "--zeek-logs", "-l", tmp_path / "out"]
    subprocess.run(command, check=True)
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "python.md"
    results = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert results.attempted > 10 and results.failed == 0
