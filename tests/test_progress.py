"""The line of progress: when it appears, and how it goes."""

from __future__ import annotations

import io
import sys
import time

import numpy as np
import pytest

from gascl.cli.terminal import say
from gascl.progress import RunProgress
from gascl.result import Step


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("kind", "between"), [(Terminal, 0.5), (io.StringIO, 10.0)])
def test_progress(monkeypatch, kind, between):
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sys, "stderr", kind())
    progress = RunProgress(say)
    lines = []
    for i in range(4000):
        clock[0] = 100 + i / 100
        before = len(sys.stderr.getvalue())
        progress(Step(i, 1500, 2 * i, {}, 0.0))
        if len(sys.stderr.getvalue()) > before:
            lines.append(i)
    assert lines[0] == 200  # nothing for two seconds
    assert all(np.diff(lines) >= 100 * between)
    assert len(lines) >= 38 / between * 0.9
    progress.clear()
    text = sys.stderr.getvalue()
    assert "gascl: superstep 200: 1,500 active, 400 messages" in text
    if kind is Terminal:
        assert "\n" not in text
        assert text.endswith("\r\033[K")
    else:
        assert text.count("\n") == len(lines)
        assert "\r" not in text
