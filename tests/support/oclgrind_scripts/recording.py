"""Runs a script, `-c CODE` or a file and its arguments, and prints `ran NAME` for each kernel.

Oclgrind's own account, --inst-counts, corrupts its memory (21.10) where work-groups of one kernel
call different functions.
"""

from __future__ import annotations

import runpy
import sys
from typing import Any

import pyopencl as cl

enqueue, call = cl.enqueue_nd_range_kernel, cl.Kernel.__call__


def tell(kernel: Any) -> None:
    print(f"\nran {kernel.function_name}", flush=True)


def told_enqueue(queue: Any, kernel: Any, *arguments: Any, **others: Any) -> Any:
    tell(kernel)
    return enqueue(queue, kernel, *arguments, **others)


def told_call(kernel: Any, *arguments: Any, **others: Any) -> Any:
    tell(kernel)
    return call(kernel, *arguments, **others)


cl.enqueue_nd_range_kernel = told_enqueue
cl.Kernel.__call__ = told_call
del sys.argv[0]
if sys.argv[0] == "-c":
    code = sys.argv.pop(1)
    exec(compile(code, "-c", "exec"), {"__name__": "__main__"})
else:
    runpy.run_path(sys.argv[0], run_name="__main__")
