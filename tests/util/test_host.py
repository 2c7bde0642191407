"""How much memory the machine has."""

from __future__ import annotations

import os

import pytest

from gascl.util import host
from gascl.util.host import free_memory, machine_memory


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


def test_memory_that_is_free(tmp_path, monkeypatch):
    about, group = tmp_path / "meminfo", tmp_path / "group"
    monkeypatch.setattr(host, "MEMINFO", str(about))
    monkeypatch.setattr(host, "LIMITS", (str(group / "memory.max"), str(tmp_path / "none")))
    assert free_memory() is None
    about.write_text("MemTotal:  4096 kB\nMemAvailable:    2048 kB\nHugePages_Total:   0\n")
    assert free_memory() == 2048 * 1024
    group.mkdir()
    for name, text in (
        ("memory.current", "700000"),
        ("memory.stat", "anon 400000\nactive_file 200000\ninactive_file 100000\n"),
    ):
        (group / name).write_text(text)
    for limit, free in (("max", 2048 * 1024), ("1000000", 600_000), ("300000", 0)):
        (group / "memory.max").write_text(f"{limit}\n")
        assert free_memory() == free
