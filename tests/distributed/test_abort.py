"""What is said before a launcher ends all processes: that it has been read."""

import os
import sys
import threading

import pytest

from gascl.distributed import abort


@pytest.fixture
def pipe(monkeypatch):
    """The end that is read, of a pipe that takes the place of stderr."""
    read, write = os.pipe()
    with os.fdopen(read) as lines, os.fdopen(write, "w") as stream:
        monkeypatch.setattr(sys, "__stderr__", stream)
        yield lines


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, a pipe may not tell what is unread")
def test_it_waits_until_it_is_read(monkeypatch, pipe):
    """By the order of what happens, whatever the machine does meanwhile."""
    happened, looked = [], threading.Event()

    def sleep(seconds):
        looked.set()
        read.wait(60)

    def say():
        abort.say_last("gascl: the end")
        happened.append("gone on")

    read = threading.Event()
    monkeypatch.setattr(abort.time, "sleep", sleep)
    saying = threading.Thread(target=say)
    saying.start()
    assert looked.wait(60)
    happened.append(pipe.readline())
    read.set()
    saying.join(60)
    assert happened == ["gascl: the end\n", "gone on"]


def test_nobody_reads_it(monkeypatch, pipe):
    monkeypatch.setattr(abort, "MOST", 0.05)
    abort.say_last("gascl: the end")
    assert pipe.readline() == "gascl: the end\n"


def test_a_file_and_none(monkeypatch, tmp_path):
    with open(tmp_path / "log", "w") as log:
        monkeypatch.setattr(sys, "__stderr__", log)
        abort.say_last("gascl: the end")
    assert (tmp_path / "log").read_text() == "gascl: the end\n"
    monkeypatch.setattr(sys, "__stderr__", None)
    abort.say_last("gascl: the end")
