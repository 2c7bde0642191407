"""Ctrl-C in a kernel that never returns, as a run ends, and where it is ignored."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time

import pyopencl as cl
import pytest
from support.command_line import start, table

from gascl import DeviceError, Engine, Graph, Interrupted, VertexProgram, param, vertex
from gascl.opencl.device_choice import find
from gascl.opencl.event_wait import busy, wait
from gascl.opencl.interrupts import Interrupts

GRAPH = Graph.from_edges([0, 1], [1, 0])


class Counting(VertexProgram):
    """Every vertex counts supersteps."""

    supersteps = param.supersteps(3)
    n = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(1);"
    apply = "v.n += 1;"


def press(step):
    """Ctrl-C in the third superstep, the last one."""
    if step.superstep == 2:
        signal.raise_signal(signal.SIGINT)


@pytest.fixture
def handler():
    """Sets a handler of SIGINT for a test."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda handle: signal.signal(signal.SIGINT, handle)
    signal.signal(signal.SIGINT, before)


# As a run ends -----------------------------------------------------------------------------------


def test_a_run_that_has_converged_is_not_interrupted(handler):
    handler(signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt) as caught:
        Engine(GRAPH).run(Counting(), callback=press)
    assert not isinstance(caught.value, Interrupted)
    result = caught.value.result
    assert result.converged and result.n.tolist() == [3, 3]
    assert result.stopped == "ran the requested 3 supersteps"


def test_a_handler_of_the_users_is_called_after_the_run(handler):
    called = []

    def mine(number, frame):
        called.append((number, signal.getsignal(signal.SIGINT) is mine, frame is not None))

    handler(mine)
    result = Engine(GRAPH).run(Counting(), callback=press)
    assert result.converged and result.n.tolist() == [3, 3]
    assert called == [(signal.SIGINT, True, True)]


def test_ctrl_c_where_it_is_ignored(handler):
    handler(signal.SIG_IGN)
    result = Engine(GRAPH).run(Counting(supersteps=9), callback=press)
    assert result.n.tolist() == [9, 9]


class Turning(VertexProgram):
    """Runs another program twice."""

    n = vertex.int32()
    late = vertex.int32()

    def solve(self, stages):
        stages.run(Counting())
        return {"late": stages.run(Counting()).n}


def test_ctrl_c_as_one_of_several_programs_ends(handler):
    """The whole has not ended; what that program has found is kept."""
    handler(signal.default_int_handler)
    with pytest.raises(Interrupted) as caught:
        Engine(GRAPH).run(Turning(), callback=press)
    result = caught.value.result
    assert not result.converged and result.supersteps == 3
    assert result.n.tolist() == [3, 3] and result.missing == ("late",)


COUNTING = """
from gascl import VertexProgram, param, vertex

class Counting(VertexProgram):
    supersteps = param.supersteps(3)
    n = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(1);"
    apply = "v.n += 1;"
"""


def test_the_command_writes_a_result_that_is_whole(gascl_, write, tmp_path, handler, monkeypatch):
    handler(signal.default_int_handler)
    monkeypatch.setattr(
        "gascl.util.progress.Progress.advance", lambda *_: signal.raise_signal(signal.SIGINT)
    )
    program, out = f"{write('counting.py', COUNTING)}:Counting", tmp_path / "out.csv"
    code, said, err = gascl_("run", program, write("g.txt", "1 2\n2 1\n"), "--output", out)
    assert code == 130
    assert "warning: Ctrl-C came when the run had just ended; the result is complete\n" in err
    assert "partial" not in err
    assert table(said) == (("vertex", "n"), [("1", "3"), ("2", "3")])
    assert out.read_text().split() == ["vertex,n", "1,3", "2,3"]


# A kernel that does not return -------------------------------------------------------------------


def press_twice():
    """Ctrl-C for the main thread, twice, the second time after the hint about it."""
    main = threading.main_thread().ident
    for _ in range(2):
        signal.pthread_kill(main, signal.SIGINT)
        time.sleep(0.2)


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to a thread")
def test_a_device_is_busy_until_the_kernel_returns(handler):
    """A command that waits for the test stands for a kernel."""
    handler(signal.default_int_handler)
    device = find()
    engine = Engine(GRAPH, device)
    kept = engine.run(Counting(), keep_state=True)
    ends = cl.UserEvent(device.context)
    with cl.CommandQueue(device.context) as queue, Interrupts() as interrupts:
        command = cl.enqueue_marker(queue, wait_for=[ends])
        queue.flush()
        presses = threading.Thread(target=press_twice)
        presses.start()
        with pytest.raises(KeyboardInterrupt, match="a second Ctrl-C ended the run without a res"):
            wait(command, device, interrupts, keep=None)
        presses.join()
        for use in (lambda: engine.run(Counting()), lambda: kept.n):
            with pytest.raises(DeviceError, match="still runs the kernel of a run that a second"):
                use()
        ends.set_status(cl.command_execution_status.COMPLETE)
        command.wait()
    assert not busy(device)
    assert kept.n.tolist() == engine.run(Counting()).n.tolist() == [3, 3]


STUCK = """
from gascl import Engine, Graph, VertexProgram, vertex

class Stuck(VertexProgram):
    x = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    init = "for (;;) v.x += 1;"
    scatter = "send(1);"
    apply = "v.x += msg;"
    stop = "superstep == 9"

    def prepare(self, graph, initial):
        print("begins", flush=True)  # from here on Ctrl-C is held back

class Turning(VertexProgram):
    x = vertex.int32()
    def solve(self, stages):
        stages.run(Stuck())
"""
SCRIPT = f"""
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
{STUCK}
engine = Engine(Graph.from_edges([0, 1], [1, 0]))
try:
    engine.run(PROGRAM())
except KeyboardInterrupt as pressed:
    print(type(pressed).__name__, pressed)
try:
    engine.run(PROGRAM())
except Exception as error:
    print(type(error).__name__, error)
sys.exit(7)
"""


def interrupted(process) -> tuple[str, str]:
    """Press Ctrl-C, and again after the hint; the process's last output, if it ends."""
    try:
        while process.stdout.readline() != "begins\n":
            pass
        process.send_signal(signal.SIGINT)
        err = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, rest = process.communicate(timeout=60)
        return out, err + rest
    finally:
        process.kill()


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize("name", ["Stuck", "Turning"])
def test_a_script_ends(name):
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.replace("PROGRAM", name)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    out, err = interrupted(process)
    assert "waiting for the current superstep; press Ctrl-C again to end the run at once" in err
    first, second = out.splitlines()
    assert re.match(
        "KeyboardInterrupt a second Ctrl-C .* Its kernel still runs on .* correct it", first
    )
    assert re.match("DeviceError .* still runs the kernel of a run .* a new process", second)
    assert process.returncode == 130, "not 7, as drivers would wait for their kernels"


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
def test_the_command_ends(write):
    process = start("run", f"{write('stuck.py', STUCK)}:Stuck", write("g.txt", "1 2\n2 1\n"))
    out, err = interrupted(process)
    assert process.returncode == 130
    told, ended = err.splitlines()
    assert told.startswith("gascl: warning: waiting for the current superstep; press Ctrl-C again")
    assert ended.startswith("gascl: a second Ctrl-C ended the run without a result. Its kernel")
    assert "Traceback" not in out + err
