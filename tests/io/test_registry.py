"""Formats are listed once, and a file's format is imported alone."""

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import pytest

from gascl.io import FORMATS, Format, formats


def test_the_list_agrees_with_the_formats():
    assert {name: format.name for name, format in FORMATS.items()} == {n: n for n in FORMATS}
    extensions = {name: format.extensions for name, format in FORMATS.items()}
    assert extensions == {name: ends for name, (_, ends) in formats.LISTED.items()}


def test_every_format_of_the_package_is_listed():
    modules = [
        import_module(f"{formats.__name__}.{m.name}") for m in iter_modules(formats.__path__)
    ]
    there = [f for m in modules for f in vars(m).values() if isinstance(f, Format)]
    assert sorted(f.name for f in there) == sorted(FORMATS), "add a line to gascl.io.formats.LISTED"


LOADED = """
import sys
%s
names = {name for name in sys.modules if name.startswith("gascl.io.formats.")}
print(*sorted(name.rpartition(".")[2] for name in names))
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from gascl import Graph; Graph.dataset('karate')", "matrix_market"),
        ("import gascl.io; list(gascl.io.FORMATS)", ""),
        ("from gascl.cli import convert_command, info_command, shell_messages", ""),
    ],
)
def test_no_other_format_is_imported(code, expected):
    command = [sys.executable, "-c", LOADED % code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout.split() == expected.split()
