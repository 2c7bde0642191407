"""Atomics as Python knows them: by which method a combiner works, and what a device has."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
from support import oclgrind
from support.inbox_cells import UNDER_OCLGRIND, chosen_device

from gascl import devices
from gascl.codegen.atomic_cells import cell_bits, definitions
from gascl.delivery.atomics import COMBINERS, TYPES, Atomics
from gascl.delivery.atomics_probe import probe
from gascl.language.combiners import EXPRESSION, SUM, combiner_of
from gascl.language.types import resolve


def test_cell_bits():
    for name, bits in (
        ("int8", 32),
        ("uint16", 32),
        ("float32", 32),
        ("char4", 32),
        ("short3", 64),
        ("float2", 64),
        ("float64", 64),
        ("float3", None),
        ("long2", None),
    ):
        assert cell_bits(resolve(name, "float32")) == bits, name


def test_definitions():
    def lines(combine, name):
        return [s.split()[-1] for s in definitions(combiner_of(combine), resolve(name, "float32"))]

    assert lines("sum", "int64") == ["64", "GASCL_SIGNED", "GASCL_SUM"]
    assert lines("min", "float32") == ["32", "GASCL_FLOATING", "GASCL_MIN"]
    assert lines("or", "uint8") == ["32", "GASCL_UNSIGNED", "GASCL_OR"]
    expression = ["64", "GASCL_OTHER", "GASCL_EXPRESSION"]
    assert lines("a + b", "real2") == [*expression, "0xfffffffffffffffful"]
    assert lines("a + b", "short3") == [*expression, "0xfffffffffffful"], "the fourth is a gap"
    assert lines("a > b ? a : b", "float64") == ["64", "GASCL_FLOATING", "GASCL_EXPRESSION"]
    assert lines("a + b", "float4") == []


FULL = Atomics(int64=True, int64_extended=True, ptx_float32=True, ptx_float64=True)


@pytest.mark.parametrize(
    ("atomics", "op", "type_", "method"),
    [
        (FULL, "sum", "int32", "native"),
        (FULL, "sum", "uint64", "native"),
        (FULL, "min", "float32", "native"),
        (FULL, "max", "float64", "native"),
        (FULL, "sum", "float32", "ptx"),
        (FULL, "sum", "float64", "ptx"),
        (FULL, "prod", "int64", "cas"),
        (FULL, "or", "float32", ""),
        (FULL, "sum", "struct8", ""),
        (FULL, "expression", "struct8", "cas"),
        (Atomics(), "sum", "int32", "native"),
        (Atomics(), "sum", "int64", ""),
        (Atomics(), "sum", "float64", ""),
        (Atomics(), "sum", "float32", "cas"),
        (Atomics(), "expression", "struct8", ""),
        (Atomics(int64=True), "sum", "int64", "native"),
        (Atomics(int64=True), "min", "int64", "cas"),
        (Atomics(int64=True), "min", "float64", "cas"),
        (Atomics(int64=True), "sum", "float64", "cas"),
        (replace(FULL, native=False), "sum", "int32", "cas"),
        (replace(FULL, native=False), "sum", "float32", "cas"),
    ],
)
def test_method(atomics, op, type_, method):
    assert atomics.method(combiner_of(op), type_) == method


def test_method_of_a_program():
    def method(combine, name):
        return FULL.method_of(combiner_of(combine), resolve(name, "float32"))

    assert method("min", "int8") == method("sum", "int64") == method("max", "real") == "native"
    assert method("sum", "float64") == "ptx"
    assert method("prod", "uint64") == method("a + b", "char4") == "cas"
    assert method("a + b", "float2") == "cas"
    assert method("a + b", "uint8") == method("a * b", "float64") == "cas"
    assert method("a + b", "float4") == method("sum", "float2") == ""
    assert Atomics().method_of(EXPRESSION, resolve("char4", "float32")) == "cas"
    assert Atomics().method_of(EXPRESSION, resolve("float2", "float32")) == ""
    with pytest.raises(KeyError):
        FULL.method(SUM, "int16")


@pytest.mark.parametrize(
    "atomics",
    [
        Atomics(),
        Atomics(int64=True),
        FULL,
        replace(FULL, ptx_float64=False),
        replace(FULL, native=False),
    ],
)
def test_what_is_printed_tells_every_way(atomics):
    said: dict[tuple[str, str], str] = {}
    for part in str(atomics).split("; "):
        way = part.split()[0]
        for types, ops in re.findall(r"([\w ]+) \(([\w ]+)\)", part.removeprefix(way)):
            said |= {(op, t): way for op in ops.split() for t in types.split()}
    no_wide = "none on 64 bits" in str(atomics)
    assert "compare-and-swap for" in str(atomics)
    for combiner in COMBINERS:
        op = combiner.name
        for type_ in TYPES:
            wide = not type_.endswith("32")
            bitwise_float = op in ("or", "and") and type_.startswith("float")
            nothing = bitwise_float or (type_ == "struct8" and op != "expression")
            rest = "" if nothing or (no_wide and wide) else "cas"
            assert atomics.method(combiner, type_) == said.get((op, type_), rest), (op, type_)


def test_atomics_of_this_machine():
    for device in devices():
        assert device.atomics is device.atomics
        assert device.atomics.native
        if "nvidia" not in device.platform.lower():
            assert not device.atomics.ptx_float32 and not device.atomics.ptx_float64
            assert not device.atomics.ptx_match
        elif device.fp64:  # all that can run this library have it
            assert device.atomics.ptx_float32 and device.atomics.ptx_float64


PTX = [Atomics(int64=True, ptx_float32=True, ptx_float64=True), Atomics(int64=True, ptx_match=True)]


@pytest.mark.parametrize("trial", PTX)
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_a_probe_fails_quietly_elsewhere_and_its_sums_are_right(name, trial):
    """The probe's kernel with compare-and-swap gives what the probe expects of PTX."""
    device = chosen_device()
    if "nvidia" not in device.platform.lower():
        assert not device._adds(name, trial)
    if name == "float64" and not device.atomics.int64:
        pytest.skip("the device has no atomics on 64 bits")
    text = probe(name)
    built = cl.Program(device.context, text).build(Atomics(native=False).options())
    sums = np.zeros(4, name)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffer = cl.Buffer(device.context, flags, hostbuf=sums)
    cl.Kernel(built, "gascl_probe")(device.queue, (1024,), None, buffer)
    cl.enqueue_copy(device.queue, sums, buffer)
    assert sums.tolist() == [384.0] * 4


@pytest.mark.skipif(bool(oclgrind.MISSING), reason=oclgrind.MISSING)
@pytest.mark.skipif(UNDER_OCLGRIND, reason="once is enough")
@pytest.mark.parametrize(
    ("what", "which"),
    [
        ("expressions", "not slow"),
        pytest.param("numbers", "slow or not slow", marks=pytest.mark.slow),
    ],
)
def test_clean_under_oclgrind(monkeypatch, what, which):
    monkeypatch.setenv("GASCL_TEST_OCLGRIND", "1")
    options = ["-q", "-s", "-x", "-p", "no:cacheprovider", "-k", "combines", "-m", which]
    options += [str(Path(__file__).parents[1] / "codegen" / f"test_atomic_{what}.py")]
    code = f"import sys, pytest; sys.exit(pytest.main({options}))"
    report = oclgrind.run("-c", code, seconds=300)
    assert report.status == 0, report.output
    assert report.ran >= {"cells"}
    assert not report.findings, str(report.findings[0])
