"""Work in threads: results in order, errors and Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from gascl.graph import parallel
from gascl.graph.parallel import ahead, blocks, copied, filled, in_order, in_threads


@pytest.fixture(params=[1, 4], autouse=True)
def cores(monkeypatch, request):
    monkeypatch.setattr(parallel, "cores", lambda: request.param)
    return request.param


def test_results_are_in_order():
    assert in_threads(lambda x: x * x, range(1000)) == [x * x for x in range(1000)]
    assert in_threads(str, []) == []


def test_an_error_ends_the_work():
    done = []

    def work(number: int) -> None:
        done.append(number)
        if number == 3:
            raise IndexError("three")
        time.sleep(0.001)

    with pytest.raises(IndexError, match="three"):
        in_threads(work, range(10_000))
    assert len(done) < 100


def test_ctrl_c_ends_the_work():
    in_threads(str, range(100))  # its threads stay
    before = threading.active_count()
    started, done = threading.Event(), []

    def work(number: int) -> None:
        started.set()
        done.append(number)
        time.sleep(0.001)

    def press() -> None:
        started.wait()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        in_threads(work, range(100_000))
    presser.join()
    assert len(done) < 50_000
    deadline = time.monotonic() + 30  # of a thread that the pool was just starting
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_work_may_begin_other_work_and_processes():
    """A thread of the pool does not wait for the others, and a child has a pool of its own."""

    def inner(number: int) -> int:
        return sum(in_threads(lambda x: x + number, range(10)))

    assert in_threads(inner, range(50)) == [45 + 10 * n for n in range(50)]
    script = """
import os, sys
from gascl.graph import parallel
parallel.cores = lambda: 4
assert parallel.in_threads(abs, range(9)) == [*range(9)]
child = os.fork()
if not child:
    os._exit(0 if parallel.in_threads(abs, range(9)) == [*range(9)] else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=60)


def test_results_come_in_order_and_little_ahead():
    begun = []

    def work(item):
        begun.append(item)
        return item * item

    results = in_order(work, range(1000))
    assert [next(results) for _ in range(5)] == [0, 1, 4, 9, 16]
    results.close()
    assert len(begun) < 5 + 3 * parallel.cores()
    assert list(in_order(work, range(100))) == [n * n for n in range(100)]
    assert list(in_order(work, [])) == []
    with pytest.raises(ZeroDivisionError):
        list(in_order(lambda n: 1 // (n - 50), range(100)))


@pytest.mark.parametrize("cores", [1, 2])
def test_one_item_is_made_ahead(cores, monkeypatch):
    monkeypatch.setattr(parallel, "cores", lambda: cores)
    made = []

    def items():
        for number in range(10):
            if number == 7:
                raise ZeroDivisionError
            made.append(number)
            yield number

    coming = ahead(items())
    assert [next(coming) for _ in range(3)] == [0, 1, 2]
    coming.close()
    assert made == [0, 1, 2, 3][: 2 + cores]
    found = []
    with pytest.raises(ZeroDivisionError):
        found.extend(ahead(items()))
    assert found == [*range(7)]
    assert list(ahead([])) == []


def test_blocks():
    assert blocks(0) == []
    assert blocks(7, 3) == [slice(0, 3), slice(3, 6), slice(6, 7)]


def test_passes(monkeypatch):
    monkeypatch.setattr(parallel, "BLOCK", 3)
    values = np.array([4, 1, 3, 9, 2, 7, 5, 8])
    copy = copied(values[::2], np.int32)
    assert copy.tolist() == [4, 3, 2, 5] and copy.dtype == np.int32 and copy.flags.c_contiguous
    assert filled(np.empty(8, int), lambda b: -values[b]).tolist() == (-values).tolist()


def test_after_the_main_thread_has_ended():
    """Python then begins no thread of a pool."""
    code = """if True:
        import threading, time
        from gascl.graph import parallel
        parallel.cores = lambda: 2

        def work():
            threading.main_thread().join()
            print(parallel.in_threads(lambda x: x * x, range(5)))

        threading.Thread(target=work).start()
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[0, 1, 4, 9, 16]\n" and not done.stderr


def test_a_busy_pool_does_not_stop_a_call():
    """Its threads may wait for a lock that the caller holds."""
    lock, begun = threading.Lock(), threading.Event()

    def waits(number: int) -> None:
        begun.set()
        with lock:
            pass

    with lock:
        other = threading.Thread(target=parallel.in_threads, args=(waits, range(64)))
        other.start()
        assert begun.wait(60)
        assert parallel.in_threads(abs, range(-9, 0)) == [*range(9, 0, -1)]
    other.join(60)
    assert not other.is_alive()
