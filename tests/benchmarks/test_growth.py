"""The memory of a GPU is asked for while a program runs."""

import time

import growth


def test_device_memory(tmp_path, monkeypatch):
    told = tmp_path / "told"
    told.write_text("100\n")
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\ncat {told}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with growth.device_memory(is_cpu=False) as used:
        told.write_text("250\n")
        deadline = time.monotonic() + 30
        while 250 not in used and time.monotonic() < deadline:
            time.sleep(0.01)
    assert used[0] == 100 and max(used) == 250
    with growth.device_memory(is_cpu=True) as used:
        assert used == []
