"""Small files whose contents memory cannot hold: one error that says so."""

from __future__ import annotations

import gzip
import os
import struct
import subprocess
import sys

import pytest

from gascl import Graph
from gascl.errors import FormatError
from gascl.graphalytics.outputs import read_values

SIZE, FREE = 64 << 20, 24 << 20  # bytes that the files unpack to, and that may be taken
SCRIPT = """
import os, resource, sys
import networkx, pyarrow, scipy.sparse
from gascl import GasclError, Graph
from gascl.io.formats import gml, graphml
from gascl.io.formats.graphalytics import read_properties

def read(path, free):
    taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + free, -1))
    try:
        if path.endswith("only.properties.gz"):
            read_properties(path)
        else:
            Graph.read(path)
    except GasclError as error:
        print(error, flush=True)

free, *paths = sys.argv[1:]
for path in paths:
    if process := os.fork():
        os.waitpid(process, 0)
    else:
        read(path, int(free))
        os._exit(0)
"""


def member(name):
    """How an .npz begins whose first member has this name."""
    return b"PK\x03\x04" + bytes(22) + struct.pack("<HH", len(name), 0) + name


#: Those that are read without threads: one that starts where memory is short may never return.
FILES = {
    "own.npz": (member(b"gascl.json.npy"), b"\0"),
    "scipy.npz": (member(b"indices.npy"), b"\0"),
    "a.gml": (b"graph [\n", b"node [ id 1 ]\n"),
    "a.graphml": (b"<graphml>", b"<node/>"),
    "a.properties": (b"graph.x.vertex-file = a\n", b"k=v\n"),
    "only.properties": (b"graph.x.vertex-file = a\n", b"k=v\n"),
    "a.sg": (struct.pack("<?qq", 1, 1 << 40, 1 << 30), b"\0"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited, and known, as Linux has it")
def test_more_than_memory_holds(tmp_path):
    """Each is read by a fork of a process that has imported everything."""
    paths = [tmp_path / f"{name}.gz" for name in FILES]
    for path, (head, repeated) in zip(paths, FILES.values(), strict=True):
        path.write_bytes(gzip.compress(head + repeated * (SIZE // len(repeated)), 1))
        assert path.stat().st_size < 1 << 20
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(FREE), *paths],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    for path in paths:
        assert f"{path}: its contents take more memory than there is; " in ran.stdout, ran.stderr


def no_memory(*_, **__):
    raise MemoryError


@pytest.mark.parametrize(
    ("where", "name", "text"),
    [
        ("gascl.io.formats.edge_list.read_columns", "a.txt", "1 2\n"),
        (
            "gascl.io.formats.matrix_market.read_columns",
            "a.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
        ),
        ("gascl.graph.graph.Graph._from_parsed", "a.txt", "1 2\n"),
        ("gascl.graph.validation.checked_num_vertices", "a.gr", "p sp 2 1\na 1 2 3\n"),
    ],
)
def test_wherever_it_is_short(monkeypatch, write, where, name, text):
    path = write(name, text)
    monkeypatch.setattr(where, no_memory)
    with pytest.raises(FormatError, match=f"{name}: its contents take more memory than there is"):
        Graph.read(path)


def test_a_file_of_values(monkeypatch, write):
    monkeypatch.setattr("gascl.graphalytics.outputs.read_columns", no_memory)
    with pytest.raises(FormatError, match="a-PR: its contents take more memory than there is"):
        read_values(write("a-PR", "0 0.5\n"), Graph.from_edges([0], [1]), float)
