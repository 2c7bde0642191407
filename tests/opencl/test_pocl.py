"""PoCL on processors that its compiler does not know, and with the machine's memory."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
from support import long_scatter

from gascl import Engine, Graph, VertexProgram, vertex
from gascl.opencl.device import devices
from gascl.opencl.workarounds import pocl

pytestmark = pytest.mark.optimized

ZEN5 = set(
    "cx16 sse4_1 ssse3 avx avx2 popcnt abm f16c fma bmi1 bmi2 "
    "avx512f avx512cd avx512bw avx512dq avx512vl".split()
)
ZEN3 = {f for f in ZEN5 if not f.startswith("avx512")}


@pytest.mark.parametrize(
    ("name", "flags", "expected"),
    [
        ("generic", ZEN5, "skylake-avx512"),
        ("generic", ZEN3, "haswell"),
        ("generic", ZEN3 - {"avx2"}, "ivybridge"),
        ("generic", ZEN3 - {"avx2", "f16c"}, "sandybridge"),
        ("generic", ZEN3 - {"avx2"} | {"xop", "fma4"}, "bdver1"),
        ("generic", {"cx16", "ssse3", "sse4_1"}, "penryn"),
        ("generic", {"cx16", "ssse3"}, "core2"),
        ("generic", set(), "x86-64"),
        ("znver3", ZEN3, "znver3"),
        ("znver3", ZEN5, "skylake-avx512"),  # a Zen 4
        ("icelake-server", ZEN5, "icelake-server"),
        ("skylake", ZEN3, "skylake"),
    ],
)
def test_better_name(name, flags, expected):
    assert pocl.better_name(name, flags) == expected


class Other:
    """A device whose struct must not be looked at."""

    class platform:
        version = "OpenCL 3.0 PoCL 3.0  Linux, Release, RELOC, LLVM 14.0.6, SLEEF, DISTRO"

    @property
    def int_ptr(self):
        raise AssertionError("looked at")


@pytest.mark.parametrize(
    "version", ["OpenCL 3.0 PoCL 5.0", "OpenCL 3.0 CUDA 12.4", Other.platform.version]
)
def test_other_versions_are_left_alone(version, monkeypatch):
    monkeypatch.setattr(Other.platform, "version", version)
    assert pocl.mend(Other()) == ""


class Unrecognized:
    """One of the right version at an address where there is nothing."""

    class platform:
        version = f"OpenCL 3.0 {pocl.VERSION}, POCL_DEBUG"

    int_ptr = 4096
    global_mem_size = max_mem_alloc_size = 1


def test_what_is_not_recognized_is_left_alone():
    assert pocl.mend(Unrecognized()) == ""
    block = np.zeros(1024, np.uint64)
    found = Unrecognized()
    found.int_ptr = block.ctypes.data
    assert pocl.mend(found) == ""
    assert not block.any()


def _pip_pocl():
    """The device of pip's PoCL, or None."""
    return next((d for d in devices() if pocl.VERSION in d.cl.platform.version), None)


needs_pip_pocl = pytest.mark.skipif(
    sys.platform != "linux" or _pip_pocl() is None, reason="PoCL of pip is not here"
)


_BEGIN = "kernel-x86_64-unknown-linux-gnu-"
#: PoCL's library of built-in functions for each class of processor.
LIBRARIES = {
    "skylake-avx512": "avx512",
    "haswell": "avx2",
    "ivybridge": "avx_f16c",
    "sandybridge": "avx",
    "penryn": "sse41",
    "core2": "ssse3",
    "x86-64": "sse2",
}


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of pip's PoCL: its folder, where the libraries of built-in functions are exchanged."""
    folder = tmp_path_factory.mktemp("pocl")
    installed = Path(cl.__file__).parent / ".libs"
    library = folder / "pyopencl" / ".libs" / next(installed.glob("libpocl*.so")).name
    library.parent.mkdir(parents=True)
    shutil.copy(installed / library.name, library)
    share = folder / "pocl_binary_distribution" / ".libs" / "share" / "pocl"
    share.mkdir(parents=True)
    own = installed.parents[1] / "pocl_binary_distribution" / ".libs"
    for path in own.glob("*.so*"):
        (share.parents[1] / path.name).symlink_to(path)
    (share / "include").symlink_to(own / "share" / "pocl" / "include")
    (folder / "vendors").mkdir()
    (folder / "vendors" / "pocl.icd").write_text(f"{library}\n", encoding="utf-8")
    return folder


def _run(folder, name, class_, program):
    """Run the script on the copy with the library for a class of processor in place of the one that
    this processor's flags ask for."""
    if not set(pocl.PROCESSORS[class_].split()) <= pocl.flags():
        pytest.skip(f"this processor can't run code for {class_}")
    share = folder / "pocl_binary_distribution" / ".libs" / "share" / "pocl"
    own = Path(cl.__file__).parents[1] / share.relative_to(folder)
    for path in own.glob("*.bc"):
        (share / path.name).unlink(missing_ok=True)
        (share / path.name).symlink_to(path.with_name(f"{_BEGIN}{LIBRARIES[class_]}.bc"))
    script = Path(__file__).parents[1] / "support" / "pocl_of_another.py"
    return subprocess.run(
        [sys.executable, str(script), name, class_, program],
        env={
            **os.environ,
            "OCL_ICD_VENDORS": str(folder / "vendors"),
            "POCL_CACHE_DIR": str(folder / "cache" / f"{name}-{class_}"),
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )


#: Vectors of 64, 32 and 16 bytes, and what differs by them.
QUICK = [(class_, "wide") for class_ in ("skylake-avx512", "penryn")]


@needs_pip_pocl
@pytest.mark.parametrize(
    ("class_", "program"),
    [
        (class_, program)
        if (class_, program) in QUICK
        else pytest.param(class_, program, marks=pytest.mark.slow)
        for class_ in LIBRARIES
        for program in ("ranks", "wide")
    ],
)
def test_processors_that_the_compiler_does_not_know(copied, class_, program):
    ran = _run(copied, "generic", class_, program)
    assert ran.returncode == 0, ran.stderr[-2000:]
    processor, numbers = ran.stdout.splitlines()
    assert processor == class_
    total, most = map(float, numbers.split())
    if program == "ranks":
        assert total == pytest.approx(1, abs=1e-4)
    else:  # 1 to 40 add up to 820, halved three times; 16 components; of float and of double
        assert total == pytest.approx(2 * 16 * 820 / 8)
    assert most > 0


@needs_pip_pocl
def test_a_processor_taken_for_one_without_avx512(copied):
    """LLVM 14 takes a Zen 4 for a Zen 3, and PoCL links the functions for AVX-512 nevertheless."""
    ran = _run(copied, "znver3", "skylake-avx512", "wide")
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.splitlines()[0] == "skylake-avx512"


@needs_pip_pocl
@pytest.mark.parametrize("limit", ["", "1"])
def test_memory(limit):
    """What the process may use, less what PoCL leaves to the system; or what the user says. Where
    the struct of the device cannot be changed, what PoCL itself says."""
    code = (
        "import pyopencl as cl\n"
        "found = [d for p in cl.get_platforms() for d in p.get_devices()]\n"
        "its = next(d for d in found if 'PoCL' in d.platform.version)\n"
        "own, ours = its.global_mem_size, 0\n"
        "from gascl.util.host import machine_memory\n"
        "from gascl.opencl.workarounds import pocl\n"
        "try:\n"
        "    if pocl.VERSION in its.platform.version:\n"
        "        with pocl.Memory() as memory:\n"
        "            ours = len(pocl.known(memory, its))\n"
        "except OSError:\n"
        "    pass\n"
        "from gascl.opencl.device import devices\n"
        "d = next(d for d in devices() if 'PoCL' in d.cl.platform.version)\n"
        "print(d.memory, d.largest_buffer, machine_memory(), own, ours)"
    )
    path = os.pathsep.join(p for p in sys.path if p)
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "POCL_MEMORY_LIMIT": limit, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    memory, largest, total, own, ours = map(int, ran.stdout.split())
    if limit:
        assert (memory, largest) == (2**30, 2**28)
    elif ours:
        assert memory == max(own, total - min(2 << 30, total // 4))
        assert largest == memory
    else:
        assert memory == own


class Last(VertexProgram):
    """What lies at the end of a field of 4 GiB."""

    x = vertex.real16(init="(real16)((real)v.id)")
    message, combine = "uint8", "max"
    scatter = ""
    apply_on = "all"
    apply = "v.x.sf += 1;"
    mask = "false"
    scatter_on = "mask"


@needs_pip_pocl
@pytest.mark.slow
def test_a_buffer_of_4_gib():
    with open("/proc/meminfo", encoding="utf-8") as file:
        total = int(file.readline().split()[1]) * 1024
    if total < 20 << 30:
        pytest.skip("this machine has less than 20 GiB of memory")
    vertices = 2**32 // 128
    graph = Graph.from_edges([0], [1], num_vertices=vertices)
    found = Engine(graph, _pip_pocl()).run(Last(dtype="float64"), max_supersteps=1)
    assert found.x.nbytes == 2**32
    assert found.x[-1, 0] == vertices - 1


@needs_pip_pocl
def test_a_function_that_clang_does_not_inline_is_given_local_memory():
    """PoCL's compiler crashed there; so this is another process, and its builds are optimized."""
    expected = []
    for lane in range(2):
        x = [v + 20 * lane for v in range(21)]
        sent = [(x[0] + v % 7, x[v] + v % 7) for v in range(1, 21)]
        for _ in range(long_scatter.STEPS):
            sent = [tuple((y * y + 7) % 10007 for y in both) for both in sent]
        expected.append([max(to_hub for _, to_hub in sent), *(to_leaf for to_leaf, _ in sent)])
    ran = subprocess.run(
        [sys.executable, long_scatter.__file__],
        env={
            **os.environ,
            "GASCL_DEVICE": "Portable",
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.splitlines() == 2 * [repr(expected)]


BUILDS = """
import uuid
from gascl import Engine, Graph, ProgramError, VertexProgram, vertex

class Warned(VertexProgram):
    x = vertex.int32()
    apply_on = "all"
    functions = f"// {uuid.uuid4()}, so that no cache has it"
    apply = "v.x == 7; v.x = 3;"

class Wrong(Warned):
    apply = "v.x = y;"

engine = Engine(Graph.from_edges([0], [1]))
print(engine.run(Warned()).x)
try:
    engine.run(Wrong())
except ProgramError as error:
    print(error)
"""


def test_builds_with_warnings_and_errors_print_nothing():
    """Clang once wrote "1 warning generated." and "1 error generated." to stderr."""
    command = [sys.executable, "-c", BUILDS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("[3 3]\n") and "undeclared identifier 'y'" in done.stdout
    assert "generated" not in done.stderr
