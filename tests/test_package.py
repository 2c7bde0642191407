"""What `import gascl` alone gives, and when it loads it."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODULES = ("datasets", "generators", "io", "memory", "programs")


def alone(code):
    """What a process prints that imports nothing but gascl."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, gascl; {code}"],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_modules_are_there_by_name():
    assert alone("print(gascl.generators.rmat(5).num_vertices)") == "32"
    assert alone("print(gascl.memory.estimate(3, 4).host['ends of the edges'])") == "32"
    names = "gascl.io.graphalytics.read_properties, gascl.programs.PageRank, gascl.datasets.fetch"
    assert alone(f"print(*(x.__name__ for x in ({names})))") == "read_properties PageRank fetch"
    assert alone(f"print({set(MODULES)} <= {{*dir(gascl)}})") == "True"


def test_nothing_is_loaded_before_it_is_used():
    """So that `gascl --help` need not wait for it."""
    loaded = alone("print(*(m for m in sys.modules if m.startswith(('gascl.', 'numpy'))))")
    assert loaded == "gascl.graph gascl.graph.outside"  # the table of what Graph needs from others


def test_no_such_name():
    import gascl

    with pytest.raises(AttributeError, match="module 'gascl' has no attribute 'generator'"):
        _ = gascl.generator
