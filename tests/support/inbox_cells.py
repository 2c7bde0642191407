"""Cells in which many work-items combine messages, as atomics.cl has them."""

from __future__ import annotations

import functools
import os
import re
from dataclasses import replace

import numpy as np
import pyopencl as cl
import pytest

from gascl.codegen.atomic_cells import cell_bits, definitions
from gascl.codegen.kernel_files import kernel_text
from gascl.language.combiners import NAMED, combiner_of
from gascl.language.types import Type, resolve
from gascl.opencl.device import Device
from gascl.opencl.device import built as build
from gascl.opencl.device_choice import find

#: Under Oclgrind, which interprets, a few items do.
UNDER_OCLGRIND = "GASCL_TEST_OCLGRIND" in os.environ
ITEMS, CELLS = (128, 3) if UNDER_OCLGRIND else (20_000, 7)

#: The steps of a test: cells are emptied, values combined in them, and the results taken out. All
#: are in one kernel, since PoCL compiles and links each kernel by itself.
EMPTY, COMBINE, TAKE = range(3)
KERNEL = """
__kernel void cells(__global gascl_cell *cells, __global const gascl_accumulator *x,
                    __global const int *target, __global int *wraps, __global int *firsts,
                    __global gascl_accumulator *out, __global int *overflows, const int step,
                    const int n) {
    const int i = get_global_id(0);
    if (i >= n)
        return;
    if (step == 0) {
        cells[i] = gascl_cell_empty();
    } else if (step == 1) {
        bool fresh;
        const int wrap = gascl_cell_combine(&cells[target[i]], x[i], &fresh);
        if (fresh)
            atomic_inc(&firsts[target[i]]);
        if (wrap)
            atomic_add(&wraps[target[i]], wrap);
    } else {
        int overflow = 7;
        out[i] = gascl_cell_take(cells[i], &overflow);
        overflows[i] = overflow;
    }
}
"""

#: By the device's operations; by compare-and-swap; by exchanges alone, which failed tries lead to.
WAYS = ["native", "cas", "exchange"]
GROUPS = [1, 8] if UNDER_OCLGRIND else [1, 64]

all_ways = pytest.mark.parametrize("way", WAYS)
all_groups = pytest.mark.parametrize(
    "group", [GROUPS[1], pytest.param(GROUPS[0], marks=pytest.mark.slow)]
)


@functools.cache
def chosen_device() -> Device:
    return find()


@functools.cache
def built(text: str, options: tuple[str, ...]) -> cl.Program:
    """Tests with other values of the same type share a program."""
    return build(chosen_device(), text, options)


def header(combine: str, c: str, identity: str, before: str = "") -> str:
    """What gascl_cell_combine needs of a generated header, other than the cells' definitions."""
    named = combine in NAMED
    # Integer sums and products have more arguments there; no cell may call them.
    body = "" if named and combine in ("sum", "prod") and c not in ("float", "double") else None
    text = {"sum": "a + b", "prod": "a * b", "or": "a | b", "and": "a & b"}.get(combine, combine)
    if combine in ("min", "max"):
        nan = " || b != b" if c in ("float", "double") else ""
        text = f"b {'<' if combine == 'min' else '>'} a{nan} ? b : a"
    function = (
        "static gascl_accumulator gascl_combine(const gascl_accumulator a,"
        f" const gascl_accumulator b) {{ return ({text}); }}"
    )
    return "\n".join(
        [
            before,
            f"typedef {c} gascl_accumulator;",
            f"static gascl_accumulator gascl_identity(void) {{ return {identity}; }}",
            function if body is None else "",
        ]
    )


def atomics_text(way: str) -> str:
    """The kernels' file, in which the way `exchange` never tries to swap."""
    text = kernel_text("atomics.cl").replace('#include "warp.cl"', kernel_text("warp.cl"))
    none, count = re.subn("(?<=#define GASCL_SWAP_TRIES )[1-9]", "0", text)
    assert count == 1
    return none if way == "exchange" else text


def run(way, group, combine, type_, values, target, identity, before=""):
    """What CELLS cells hold after all values: the results, counts of wraps and overflows."""
    *found, firsts = run_counting(way, group, combine, type_, values, target, identity, before)
    assert (firsts[target[: len(values)]] > 0).all()
    return found


def run_counting(way, group, combine, type_, values, target, identity, before=""):
    """As `run`, and how many values found each cell without a message."""
    device = chosen_device()
    atomics = device.atomics if way == "native" else replace(device.atomics, native=False)
    if cell_bits(type_) == 64 and not atomics.int64:
        pytest.skip("the device has no atomics on 64 bits")
    text = "\n".join(
        [
            header(combine, type_.c, identity, before),
            *definitions(combiner_of(combine), type_),
            atomics_text(way),
            KERNEL,
        ]
    )
    reads = ["-DGASCL_OCLGRIND"] if UNDER_OCLGRIND else []
    program = built(text, (*atomics.options(), *reads))
    flags = cl.mem_flags.READ_WRITE
    copied = flags | cl.mem_flags.COPY_HOST_PTR
    count = int(target.max()) + 1
    cells = cl.Buffer(device.context, flags, count * cell_bits(type_) // 8)
    x, where = (cl.Buffer(device.context, copied, hostbuf=a) for a in (values, target))
    wraps, overflows, firsts = (np.zeros(count, np.int32) for _ in range(3))
    wrapped, overflown, first = (
        cl.Buffer(device.context, copied, hostbuf=a) for a in (wraps, overflows, firsts)
    )
    results = np.zeros(count, values.dtype)
    out = cl.Buffer(device.context, flags, results.nbytes)
    kernel = cl.Kernel(program, "cells")
    for step, n in ((EMPTY, count), (COMBINE, len(values)), (TAKE, count)):
        items = -(-n // group) * group
        numbers = np.int32(step), np.int32(n)
        arguments = (cells, x, where, wrapped, first, out, overflown, *numbers)
        kernel(device.queue, (items,), (group,), *arguments)
    arrays = ((results, out), (wraps, wrapped), (overflows, overflown), (firsts, first))
    for array, buffer in arrays:
        cl.enqueue_copy(device.queue, array, buffer)
    return results, wraps, overflows, firsts


def targets(rng, n=ITEMS):
    """A cell for each value; every cell has one, and the last one has nothing else."""
    target = rng.integers(0, CELLS - 1, n).astype(np.int32)
    target[:CELLS] = np.arange(CELLS)
    return target


def folded(values, target, function):
    return [function(values[target == cell]) for cell in range(CELLS)]


def check(way, group, combine, name, values, want, seed=1, **more):
    """Results are `want` of each cell's values; nothing wraps or overflows."""
    type_ = resolve(name, "float32")
    target = targets(np.random.default_rng(seed), len(values))
    identity = more.pop("identity", None) or IDENTITY[combine](type_)
    got, wraps, overflows = run(way, group, combine, type_, values, target, identity, **more)
    np.testing.assert_array_equal(got, np.array(folded(values, target, want), values.dtype))
    assert not wraps.any() and not overflows.any()


IDENTITY = {
    "sum": lambda t: "0",
    "prod": lambda t: "1",
    "min": Type.highest,
    "max": Type.lowest,
    "or": lambda t: "0",
    "and": lambda t: "~(gascl_accumulator)0",
}
