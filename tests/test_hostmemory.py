"""How much memory the host has."""

from __future__ import annotations

import os

import pytest

from gascl import hostmemory
from gascl.hostmemory import host_memory


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="the system does not tell")
def test_memory_of_a_container(tmp_path, monkeypatch):
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    files = tmp_path / "memory.max", tmp_path / "memory.limit_in_bytes"
    monkeypatch.setattr(hostmemory, "LIMITS", tuple(map(str, files)))
    assert host_memory() == machine
    for text, allowed in (("max\n", machine), ("1048576\n", 2**20), (f"{2**63}\n", machine)):
        for file, other in (files, files[::-1]):
            other.unlink(missing_ok=True)
            file.write_text(text, encoding="ascii")
            assert host_memory() == allowed


def test_where_the_system_does_not_tell(monkeypatch):
    monkeypatch.delattr(os, "sysconf", raising=False)
    assert host_memory() is None
