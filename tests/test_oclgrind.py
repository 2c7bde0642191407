"""Every kernel, by name, under Oclgrind's race and bounds checks; and that these find errors."""

from __future__ import annotations

import pytest
from oclgrind import MISSING, Report, kernel_names, run

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)

#: Items of a work-group and the work of a block: the GPUs' shape, with blocks of many short rows
#: and of few; the CPUs'; and the GPUs' in full size. Oclgrind's device says that it is a CPU.
SHAPES = [
    pytest.param((8, 1024), id="group8-block1024"),
    pytest.param((8, 16), id="group8-block16"),
    pytest.param((1, 1024), id="group1"),
    pytest.param((256, 1024), id="group256", marks=pytest.mark.slow),
]


@pytest.fixture(scope="module", params=SHAPES)
def workload(request: pytest.FixtureRequest) -> tuple[Report, list[str]]:
    """What Oclgrind says of the workload, and the kernels that must have run."""
    group, block = request.param
    seconds = 600 if group > 8 else 100
    report = run("oclgrind_workload.py", str(group), str(block), seconds=seconds)
    return report, kernel_names()


def test_workload_is_right_and_whole(workload: tuple[Report, list[str]]) -> None:
    report, kernels = workload
    assert report.status == 0, report.output
    assert sorted(report.ran) == kernels
    assert not report.findings, str(report.findings[0])


@pytest.mark.parametrize("kernel", kernel_names())
def test_clean(workload: tuple[Report, list[str]], kernel: str) -> None:
    report, kernels = workload
    assert report.status == 0, report.output
    assert (kernel in report.ran) == (kernel in kernels)
    assert not report.of(kernel), report.of(kernel)[0]


# That errors are found ------------------------------------------------------------------------

PLANTED = """
import numpy as np
import pyopencl as cl

TEXT = '''
__kernel void neighbours(__global int *a, __global const int *b) {
    const int i = get_global_id(0);
    a[i] = b[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] += a[i ^ RACE];
}
__kernel void beyond(__global int *a, __global const int *b) {
    const int i = get_global_id(0);
    a[i] = b[i + BEYOND];
}
'''
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
a, b = (cl.Buffer(context, cl.mem_flags.READ_WRITE, 32) for _ in "ab")
cl.enqueue_copy(queue, b, np.arange(8, dtype=np.int32))
built = cl.Program(context, TEXT).build()
for kernel in built.all_kernels():
    kernel(queue, (8,), (8,), a, b)
queue.finish()
"""


@pytest.mark.parametrize(
    ("race", "beyond", "kernel", "message"),
    [
        (1, 0, "neighbours", "Read-write data race at global memory"),
        (0, 1, "beyond", "Invalid read of size 4 at global memory"),
        (0, 0, "", ""),
    ],
    ids=["race", "out-of-bounds", "neither"],
)
def test_finds_what_is_planted(race: int, beyond: int, kernel: str, message: str) -> None:
    code = PLANTED.replace("RACE", str(race)).replace("BEYOND", str(beyond))
    report = run("-c", code)
    assert report.status == 0, report.output  # whatever it found
    assert report.ran == {"neighbours", "beyond"}
    assert {f.kernel for f in report.findings} == ({kernel} if kernel else set())
    assert all(f.message.startswith(message) for f in report.findings)


INVALID_READ, INVALID_WRITE = "Invalid read", "Invalid write"
READ_WRITE, WRITE_WRITE = "Read-write data race", "Write-write data race"
#: kernel -> the error in it, the file, the text there and what it is replaced by.
SPOILT = {
    "gascl_sizes": (INVALID_WRITE, "superstep.cl", "sizes[3]", "sizes[4]"),
    "gascl_start": (INVALID_WRITE, "superstep.cl", "gascl_init(id,", "gascl_init(id + 1,"),
    "gascl_commit": (
        READ_WRITE,
        "runtime.cl",
        "stride > 0; stride /= 2) {\n        barrier(CLK_LOCAL_MEM_FENCE);",
        "stride > 0; stride /= 2) {",
    ),
    "gascl_finish": (
        READ_WRITE,
        "runtime.cl",
        "shared->tallies[item - GASCL_GROUP / 2] = mine;\n    barrier(CLK_LOCAL_MEM_FENCE);",
        "shared->tallies[item - GASCL_GROUP / 2] = mine;",
    ),
    "gascl_slots_scatter": (
        WRITE_WRITE,
        "slots.cl",
        "messages[GASCL_SLOT(slot[arc], offsets)] =",
        "messages[GASCL_SLOT(slot[arc], offsets) / 2] =",
    ),
    "gascl_slots_gather": (
        WRITE_WRITE,
        "runtime.cl",
        "gascl_shared_.boxes[gascl_item] = gascl_mine;",
        "gascl_shared_.boxes[gascl_item / 2] = gascl_mine;",
    ),
    "gascl_pull_gather": (INVALID_WRITE, "pull.cl", "AT(row)] = in", "AT(row) + 1] = in"),
    "gascl_pull_apply": (INVALID_READ, "pull.cl", "pulled[GASCL_AT(id)]", "pulled[id + 1]"),
    "gascl_outbox_scatter": (INVALID_READ, "outbox.cl", "gascl_mask[id]", "gascl_mask[id + 1]"),
    "gascl_outbox_gather": (
        INVALID_READ,
        "outbox.cl",
        "*x = outbox[at];",
        "*x = outbox[at + 999];",
    ),
    "gascl_serial": (INVALID_WRITE, "serial.cl", "id < n", "id <= n"),
}


@pytest.mark.parametrize("kernel", SPOILT)
def test_finds_what_is_spoilt(kernel: str) -> None:
    message, *patch = SPOILT[kernel]
    report = run("oclgrind_workload.py", "8", "16", *patch)
    found = [f.message for f in report.findings if f.kernel == kernel]
    assert any(m.startswith(message) for m in found), f"{set(found)}\n{report.output}"
