"""`Steps`: a run that waits after each superstep, while the caller looks at its state."""

from __future__ import annotations

import contextvars
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from gascl.errors import deferred_warnings, users_lines, warn
from gascl.opencl import fork_guard
from gascl.results.result import Result
from gascl.results.snapshot import Snapshot

#: A function that runs a program, and calls its argument with each snapshot.
Run: TypeAlias = Callable[[Callable[[Snapshot], None]], Result]

#: Seconds between two attempts to read what the run hands over; on Windows, Ctrl-C takes effect
#: between them only.
_POLL = 0.2
#: The most seconds that the garbage collector waits for a run to end.
_PATIENCE = 1.0


class _Closed(BaseException):
    """The iteration has been closed. A BaseException, so that no `solve` catches it."""


class _Turns:
    """The queues by which the thread of the run and that of the caller take turns."""

    def __init__(self) -> None:
        self.results: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.warnings: list[tuple[str | Warning, type[Warning]]] = []

    def show(self, snapshot: Snapshot) -> None:
        """Hand over a snapshot, and wait until the next one is wanted."""
        self.results.put(snapshot)
        if not self.wanted.get():
            raise _Closed


class Steps(Iterator[Snapshot]):
    """The states of a run, from the initial one on, as an iterator: see `Engine.steps`.

    The program runs in a thread of its own, since the `solve` of a program of several stages calls
    its runs in the middle of the user's code. The thread waits whenever the caller does not.

    Attributes:
        result: the Result, as `Engine.run` returns it, once the iteration has come to its end.
    """

    def __init__(self, run: Run):
        self.result: Result | None = None
        self._run, self._turns = run, _Turns()
        self._thread: threading.Thread | None = None
        self._ended = False

    def __next__(self) -> Snapshot:
        if self._ended:
            raise StopIteration
        try:
            fork_guard.check()
            got = self._next()
            while self._turns.warnings:
                warn(*self._turns.warnings.pop(0))
            if isinstance(got, Snapshot):
                return got
        except BaseException:  # such as Ctrl-C, or a warning that is an error
            self.close()
            raise
        self.close()
        if isinstance(got, BaseException):
            raise got.with_traceback(users_lines(got.__traceback__))
        self.result = got
        raise StopIteration

    def _next(self) -> Any:
        """The next snapshot, or the Result or the error with which the run has ended."""
        if self._thread is None:
            context = contextvars.copy_context()
            arguments = _work, self._run, self._turns
            # A daemon, so that a process may end in the middle of the steps.
            self._thread = threading.Thread(
                name="gascl.steps", target=context.run, args=arguments, daemon=True
            )
            self._thread.start()
        else:
            self._turns.wanted.put(True)
        while True:
            try:
                return self._turns.results.get(timeout=_POLL)
            except queue.Empty:
                continue

    def close(self) -> None:
        """End the run after the current superstep, and free its memory on the device."""
        self._close(None)

    def _close(self, seconds: float | None) -> None:
        self._ended = True
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            self._turns.wanted.put(False)
            thread.join(seconds)

    def __del__(self) -> None:
        if not sys.is_finalizing():
            self._close(_PATIENCE)  # it may be called while a lock is held that the run needs


def _work(run: Run, turns: _Turns) -> None:
    """Run the program; the last thing that is handed over is its Result, or an error."""
    deferred_warnings.set(turns.warnings)
    ended: Result | BaseException | None = None
    try:
        ended = run(turns.show)
    except _Closed:
        pass
    except BaseException as error:
        ended = error
    turns.results.put(ended)
