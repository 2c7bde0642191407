"""Keeps NVIDIA's compiler from writing "1 error generated." to stderr.

Driver 580 (2025) does so besides writing the build log, for warnings as well as errors. None of its
options prevents it: `-w` takes warnings out of the log and leaves the line about errors. This
module can be removed once test_builds_with_warnings_and_errors_print_nothing in tests/opencl passes
without it on the drivers that are in use.
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_STDERR = 2
_COUNT = re.compile(rb"^(\d+ (warning|error)s?( and )?)+ generated\.\n", re.MULTILINE)


@contextmanager
def without_counts(device: Any) -> Iterator[None]:
    """Drop the lines that count warnings and errors from what is written to stderr in a `with`
    block that builds a program for a pyopencl device; the rest is written at its end.

    The file descriptor belongs to the whole process. If other threads run, which might start a
    process that keeps it, nothing is dropped.
    """
    if "NVIDIA" not in device.platform.name or threading.active_count() > 1:
        yield
        return
    try:
        stderr = os.dup(_STDERR)
    except OSError:  # closed
        yield
        return
    with tempfile.TemporaryFile() as written:
        os.dup2(written.fileno(), _STDERR)
        try:
            yield
        finally:
            os.dup2(stderr, _STDERR)
            os.close(stderr)
            written.seek(0)
            if rest := _COUNT.sub(b"", written.read()):
                os.write(_STDERR, rest)
