"""C's layout of structs, as NumPy and the device have it."""

from dataclasses import replace

import numpy as np
import pytest

from gascl.language.types import SCALARS, resolve, struct_dtype

#: (members, offsets, size), by hand from OpenCL C 1.2: a vector is aligned to its size, one of 3
#: counts as one of 4, and a struct's size is a multiple of its greatest alignment.
LAYOUTS = [
    (["int32", "int64"], [0, 8], 16),
    (["int8", "int16", "int8", "int32"], [0, 2, 4, 8], 12),
    (["float64", "uint8"], [0, 8], 16),
    (["int8", "float4"], [0, 16], 32),
    (["float3", "int32"], [0, 16], 32),
    (["int32", "char3", "int8", "short2"], [0, 4, 8, 12], 16),
    (["uint8", "double2", "float32", "double16"], [0, 16, 32, 128], 256),
    (["float8", "int64", "float2"], [0, 32, 40], 64),
    ([], [0], 4),
]


@pytest.mark.parametrize(("types", "offsets", "size"), LAYOUTS, ids=str)
def test_struct_layouts(types, offsets, size):
    dtype = struct_dtype([(f"m{i}", resolve(t, "float32")) for i, t in enumerate(types)])
    assert [dtype.fields[n][1] for n in dtype.names] == offsets
    assert dtype.itemsize == size


def test_struct_layouts_are_the_devices():
    """Each struct's size and the offset of each member, as a kernel on the device sees them."""
    import pyopencl as cl

    from gascl.opencl.device_choice import find

    device = find()
    every = [
        *SCALARS,
        *(f"{c}{n}" for c in ("char", "short", "float", "long") for n in (2, 3, 4, 8)),
    ]
    pairs = [[a, b, "int8"] for a in every[:: 3 if device.fp64 else 4] for b in every]
    pairs = [p for p in pairs if device.fp64 or "float64" not in p]
    text, expected = "", []
    stores = ""
    for i, types in enumerate([*pairs, *(t for t, _, _ in LAYOUTS if t)]):
        members = [(f"m{k}", resolve(t, "float32")) for k, t in enumerate(types)]
        text += f"typedef struct {{ {' '.join(f'{t.c} {n};' for n, t in members)} }} s{i};\n"
        dtype = struct_dtype(members)
        for name in dtype.names:
            stores += f"    out[{len(expected)}] = (int)(size_t)&((s{i} *)0)->{name};\n"
            expected.append(dtype.fields[name][1])
        stores += f"    out[{len(expected)}] = sizeof(s{i});\n"
        expected.append(dtype.itemsize)
    text += f"__kernel void offsets(__global int *out) {{\n{stores}}}\n"
    built = cl.Program(device.context, text).build()
    out = cl.Buffer(device.context, cl.mem_flags.WRITE_ONLY, 4 * len(expected))
    built.offsets(device.queue, (1,), (1,), out)
    found = np.empty(len(expected), np.int32)
    cl.enqueue_copy(device.queue, found, out)
    assert found.tolist() == expected


def test_another_layout_on_the_device_is_an_error(monkeypatch):
    from gascl import DeviceError, Engine, Graph, VertexProgram, vertex
    from gascl.run import plan

    class Own(VertexProgram):
        x = vertex.int32()
        message, combine = "int32", "min"
        scatter = "send(1);"
        apply = "v.x = msg;"

    def other(*args, **options):
        header = generate(*args, **options)
        return replace(
            header, text=header.text.replace("(gascl_control) ==", "(gascl_control) + 1 ==")
        )

    generate = plan.generate
    monkeypatch.setattr(plan, "generate", other)
    with pytest.raises(DeviceError, match=r"disagree on the layout of structs(?s:.)*gascl_control"):
        Engine(Graph.from_edges([0], [1])).run(Own())
