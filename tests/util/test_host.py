"""How much memory the machine has."""

import os

import pytest

from gascl.errors import GraphError
from gascl.util import host
from gascl.util.host import check_host_memory, free_memory, machine_memory


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


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="the system does not tell")
def test_memory_that_ulimit_leaves(tmp_path, monkeypatch):
    about, pages = tmp_path / "meminfo", tmp_path / "statm"
    monkeypatch.setattr(host, "MEMINFO", str(about))
    monkeypatch.setattr(host, "LIMITS", ())
    monkeypatch.setattr(host, "USES", ())
    monkeypatch.setattr(host, "STATM", str(pages))
    monkeypatch.setattr(host.resource, "getrlimit", lambda _: (2**29, -1))
    about.write_text(f"MemAvailable: {2**30} kB\n")
    pages.write_text("1000 900 800 1 0 700 0\n")
    assert machine_memory() == 2**29
    assert free_memory() == 2**29 - 1000 * os.sysconf("SC_PAGE_SIZE")


def test_too_little_memory(monkeypatch):
    monkeypatch.setattr(host, "free_memory", lambda: 2**30)
    check_host_memory(2**30, "these")
    with pytest.raises(GraphError) as raised:
        check_host_memory(2**31, "these", "ask for fewer")
    assert str(raised.value) == (
        "these need at least 2.0 GiB of memory, and 1.0 GiB are free; ask for fewer"
    )
