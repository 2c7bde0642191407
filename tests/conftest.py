"""Fixtures of the tests of the command."""

from __future__ import annotations

import pytest

from gascl.cli import main


@pytest.fixture
def gascl_(capsys):
    """Runs the command in this process: gascl_(...) -> (exit code, stdout, stderr)."""

    def call(*arguments):
        code = main([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def write(tmp_path):
    def write_file(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write_file


@pytest.fixture
def small(write):
    """a -> b -> c, of 2 and 3, and d -> e, apart, of 4."""
    return write("small.txt", "a b 2\nb c 3\nd e 4\n")
