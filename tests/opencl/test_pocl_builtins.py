"""The built-in functions that are declared to the PoCL from pip are those of its own header."""

from __future__ import annotations

import re

import numpy as np
import pyopencl as cl
import pytest

from gascl.opencl.device import built, devices
from gascl.opencl.workarounds import pocl, pocl_builtins

DEVICE = next((d for d in devices() if pocl.VERSION in d.cl.platform.version), None)

pytestmark = [
    pytest.mark.optimized,
    pytest.mark.skipif(DEVICE is None, reason="needs the PoCL from pip"),
]

#: Functions of all kinds: renamed by PoCL or not, with pointers, vectors and constants.
USES = """
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define ATOMIC(operation) atom_##operation
kernel void uses(global const float *x, global float *out, global double *wide,
                 global int *whole, global long *counts, local int *shared) {
    const int i = get_global_id(0);
    float whole_part, cosine;
    int exponent;
    shared[get_local_id(0)] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 four = vload4(0, x);
    out[8 * i] = sqrt(fabs(x[i])) + exp(x[i]) * pow(fabs(x[i]), 0.3f) + fract(x[i], &whole_part);
    out[8 * i + 1] = frexp(x[i], &exponent) + whole_part + exponent + M_PI_F;
    out[8 * i + 2] = dot(four, four) + length(four) + any(four > 0) + all(isnan(four));
    out[8 * i + 3] = clamp(x[i], -1.0f, 1.0f) + mix(x[i], 2.0f, 0.5f) + native_sin(x[i]);
    out[8 * i + 4] = fmax(x[i], as_float(0x7fc00000)) + select(1.0f, 2.0f, x[i] > 0) + FLT_MAX;
    vstore2((float2)(sincos(x[i], &cosine), cosine + lgamma(fabs(x[i]) + 1)), 0, out + 8 * i + 6);
    wide[i] = log((double)i + 2) + atan2((double)x[i], 3.0) + convert_double(x[i]) + DBL_EPSILON;
    whole[i] = popcount(i) + clz(i + 1) + mul_hi(i << 20, 1 << 20) + max(i, 3) + abs_diff(i, 9)
             + convert_int_sat_rtn(x[i] * 1e12f) + ilogb(0.0f) + ilogb(NAN) + FP_ILOGBNAN
             + add_sat(INT_MAX, i) + rotate(i, 3) + shared[get_local_id(0)] + (int)get_num_groups(0)
             + as_int(x[i]) + convert_uchar4_sat(four * 100).y + FP_ILOGB0;
    atomic_add(whole + 16, i);
    atom_add(counts, (long)i);
    ATOMIC(max)(counts + 1, 5L * i);
    atomic_max((volatile global uint *)whole + 17, i);  // of an int, where uint is declared
    atomic_or((volatile global int *)whole + 18, 1u << i);
    prefetch(x, 4);
}
"""


def results(program: cl.Program) -> list[bytes]:
    """What the kernel in USES computes."""
    queue, count = cl.CommandQueue(DEVICE.context), 16
    x = np.linspace(-3, 4, count, dtype=np.float32)
    arrays = [np.zeros(8 * count, np.float32), np.zeros(count), np.zeros(19, np.int32)]
    arrays.append(np.zeros(2, np.int64))
    copied = cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(DEVICE.context, copied, hostbuf=each) for each in [x, *arrays]]
    program.uses(queue, (count,), (4,), *buffers, cl.LocalMemory(16))
    for array, buffer in zip(arrays, buffers[1:], strict=True):
        cl.enqueue_copy(queue, array, buffer)
    return [array.tobytes() for array in arrays]


def test_functions_compute_what_those_of_the_header_do():
    text, options = pocl_builtins.declared(DEVICE.cl, USES)
    assert text.endswith(USES)
    assert options
    assert results(built(DEVICE, USES, [])) == results(cl.Program(DEVICE.context, USES).build([]))


def test_every_function_that_pocl_renames_can_be_declared():
    headers = pocl_builtins._folder()
    assert headers is not None
    renames = (headers / "_builtin_renames.h").read_text(encoding="utf-8")
    names = set(re.findall(r"#define\s+(\w+)\s+_cl_", renames))
    header = (headers / "opencl-c.h").read_text(encoding="utf-8")
    there = names & set(re.findall(r"^\w.* (\w+)\(.*\);$", header, re.MULTILINE))
    there -= {"vload", "vstore"}  # which are of half precision alone
    text = f"kernel void none(global int *x) {{ x[0] = 1; }}\n// {' '.join(sorted(there))}\n"
    declared, _ = pocl_builtins.declared(DEVICE.cl, text)
    assert len(there) > 800
    assert [name for name in sorted(there) if f" {name}(" not in declared] == []
    built(DEVICE, text, [])


def test_of_names_that_a_macro_completes_those_that_it_can_make_are_declared():
    text = """
#define ATOMIC(operation) atomic_##operation
#define LOADED(n, from) vload##n(0, from)
#define CONVERTED(type, mode) convert_##type##_sat##mode
kernel void completed(global int *x, global const float *from) {
    ATOMIC(max)(x, CONVERTED(int, _rtn)(LOADED(4, from).x));
}
"""
    declared, _ = pocl_builtins.declared(DEVICE.cl, text)
    for name in ("atomic_max", "vload4", "convert_int_sat_rtn"):
        assert f" {name}(" in declared, name
    for name in ("atomic_min", "atomic_fetch_add", "vload8"):
        assert f" {name}(" not in declared, name
    built(DEVICE, text, [])


def test_lines_keep_their_numbers():
    with pytest.raises(cl.RuntimeError, match=r"\.cl:3:\d+: .*'y'"):
        built(DEVICE, "// sqrt\nkernel void wrong(global float *x) {\n    x[0] = sqrt(y);\n}\n", [])


def test_without_the_headers_pocl_takes_its_own(monkeypatch):
    monkeypatch.setattr(pocl_builtins, "_folder", lambda: None)
    assert pocl_builtins.declared(DEVICE.cl, "text") == ("text", [])
