"""Small files whose contents memory can't hold: one error that says so, in every format."""

from __future__ import annotations

import gzip
import os
import struct
import subprocess
import sys

import pytest

SIZE, FREE = 64 << 20, 24 << 20  # bytes that the files unpack to, and that may be taken
SCRIPT = """
import resource, sys
from pathlib import Path
import networkx, pyarrow, scipy.sparse
from gascl import GasclError, Graph
from gascl.io import gml, graphml
from gascl.io.graphalytics import read_properties
from gascl.io.vertexvalues import read_values

path, free = sys.argv[1], int(sys.argv[2])
two = Graph.from_edges([0], [1])
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + free, -1))
try:
    if path.endswith("-PR.gz"):
        read_values(Path(path), two, float)
    elif path.endswith("only.properties.gz"):
        read_properties(path)
    else:
        Graph.read(path)
except GasclError as error:
    print(error)
"""


def member(name):
    """How an .npz begins whose first member has this name."""
    return b"PK\x03\x04" + bytes(22) + struct.pack("<HH", len(name), 0) + name


FILES = {
    "own.npz": (member(b"gascl.json.npy"), b"\0"),
    "scipy.npz": (member(b"indices.npy"), b"\0"),
    "line.txt": (b"1 2\n", b"1"),
    "rows.txt": (b"", b"1 2\n"),
    "text.csv": (b"a,b\n", b"x,y\n"),
    "a.mtx": (b"%%MatrixMarket matrix coordinate pattern general\n2 2 16777216\n", b"1 2\n"),
    "a.gr": (b"p sp 2 8388608\n", b"a 1 2 3\n"),
    "a.gml": (b"graph [\n", b"node [ id 1 ]\n"),
    "a.graphml": (b"<graphml>", b"<node/>"),
    "a.properties": (b"graph.x.vertex-file = a\n", b"k=v\n"),
    "only.properties": (b"graph.x.vertex-file = a\n", b"k=v\n"),
    "a.sg": (struct.pack("<?qq", 1, 1 << 40, 1 << 30), b"\0"),
    "a-PR": (b"", b"1 0.5\n"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited, and known, as Linux has it")
@pytest.mark.parametrize("name", FILES)
def test_more_than_memory_holds(tmp_path, name):
    head, repeated = FILES[name]
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(head + repeated * (SIZE // len(repeated)), 1))
    assert path.stat().st_size < 1 << 20
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, path, str(FREE)],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert f"{path}: its contents take more memory than there is; " in ran.stdout, ran.stderr
