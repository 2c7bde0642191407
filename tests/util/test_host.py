"""How much memory the machine has."""

from __future__ import annotations

import os

import pytest

from gascl.util import host
from gascl.util.host import machine_memory


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="the system does not tell")
def test_memory_of_a_container(tmp_path, monkeypatch):
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    files = tmp_path / "memory.max", tmp_path / "memory.limit_in_bytes"
    monkeypatch.setattr(host, "LIMITS", tuple(map(str, files)))
    assert machine_memory() == total
    for text, allowed in (("max\n", total), ("1048576\n", 2**20), (f"{2**63}\n", total)):
        for file, other in (files, files[::-1]):
            other.unlink(missing_ok=True)
            file.write_text(text, encoding="ascii")
            assert machine_memory() == allowed


def test_where_the_system_does_not_tell(monkeypatch):
    monkeypatch.delattr(os, "sysconf", raising=False)
    assert machine_memory() is None
