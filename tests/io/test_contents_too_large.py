"""Small files whose contents memory cannot hold: one error that says so."""

import bz2
import gzip
import lzma
import os
import struct
import subprocess
import sys
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest
import scipy.sparse as sp

from gascl import Graph
from gascl.errors import FormatError
from gascl.graphalytics.outputs import read_values
from gascl.io import FORMATS, files
from gascl.io.outofcore.spool import EdgeSpool
from gascl.util.progress import Progress

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
zstandard = pytest.importorskip("zstandard")

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
            "gascl.io.number_rows.read_columns",
            "a.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
        ),
        ("gascl.graph.graph.Graph._from_raw", "a.txt", "1 2\n"),
        ("gascl.graph.validation.checked_num_vertices", "a.gr", "p sp 2 1\na 1 2 3\n"),
    ],
)
def test_wherever_it_is_short(monkeypatch, write, where, name, text):
    path = write(name, text)
    monkeypatch.setattr(where, no_memory)
    with pytest.raises(FormatError, match=f"{name}: its contents take more memory than there is"):
        Graph.read(path)


def test_a_file_of_values(monkeypatch, write):
    monkeypatch.setattr("gascl.io.number_rows.read_columns", no_memory)
    with pytest.raises(FormatError, match="a-PR: its contents take more memory than there is"):
        read_values(write("a-PR", "0 0.5\n"), Graph.from_edges([0], [1]), float)


# What the system says is free


MIB = 1 << 20


@pytest.fixture
def free(monkeypatch):
    def leave(size):
        monkeypatch.setattr("gascl.io.files.free_memory", lambda: files.SPARE + size)
        monkeypatch.setattr("gascl.io.files.CHECKED", MIB)

    return leave


PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
PACKERS[".zst"] = lambda data: zstandard.ZstdCompressor().compress(data)


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("name", ["a.gml", "a.graphml", "a.npz", "a.arrow"])
def test_streams_that_are_read_as_a_whole(free, tmp_path, name, suffix):
    """They end where what has been decompressed takes the memory that is free."""
    head = {
        "a.gml": b"graph [\n",
        "a.graphml": b"<graphml>",
        "a.npz": member(b"gascl.json.npy"),
        "a.arrow": b"ARROW1\0\0",
    }[name]
    path = tmp_path / f"{name}{suffix}"
    path.write_bytes(PACKERS[suffix](head + bytes([head[-1]]) * 8 * MIB))
    free(2 * MIB)
    with pytest.raises(FormatError, match=f"{path.name}: its contents take more memory than ther"):
        Graph.read(path)


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.gr", "a.graph"])
def test_streams_that_are_read_row_by_row(free, tmp_path, name, suffix):
    """They end where no memory is left for what the rows have become."""
    rows = MIB // 2
    head, row = {
        "a.txt": ("", "1 2\n"),
        "a.mtx": (f"%%MatrixMarket matrix coordinate pattern general\n2 2 {rows}\n", "1 2\n"),
        "a.gr": (f"p sp 2 {rows}\n", "a 1 2 3\n"),
        "a.graph": (f"{rows} 0\n", "\n"),
    }[name]
    path = tmp_path / f"{name}{suffix}"
    path.write_bytes(PACKERS[suffix](head.encode() + row.encode() * rows + b" " * MIB))
    free(-1)
    with pytest.raises(FormatError, match=f"{path.name}: its contents take more memory than ther"):
        Graph.read(path)


def test_a_size_that_zstandard_declares(free, monkeypatch, tmp_path):
    """Nothing more is decompressed; a second stream adds to the first."""
    path = tmp_path / "a.zst"
    pack = PACKERS[".zst"]
    path.write_bytes(pack(b"\n") + pack(b"\n" * 80 * MIB))
    free(100 * MIB)  # 80 MiB, twice, less what is there
    monkeypatch.setattr(files, "CHECKED", 1 << 40)
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"a\.zst: its contents"), files.opened(path) as file:
        file.read()
    assert tracemalloc.get_traced_memory()[1] < 70 * MIB
    tracemalloc.stop()


def test_zstandard_that_declares_no_size(free, tmp_path):
    """What expands most is looked at before more than the spare memory is taken."""
    path = tmp_path / "a.zst"
    packer = zstandard.ZstdCompressor(write_content_size=False)
    path.write_bytes(packer.compress(b"\n" * 128 * MIB))
    free(0)
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"a\.zst: its contents"), files.opened(path) as file:
        file.read()
    assert tracemalloc.get_traced_memory()[1] < files.SPARE + 8 * MIB
    tracemalloc.stop()


def test_members_of_a_zip_that_say_how_large_they_are(free, monkeypatch, tmp_path):
    path = tmp_path / "a.npz"
    matrix = sp.coo_array((np.ones(10**6), (np.zeros(10**6, int), np.zeros(10**6, int))))
    sp.save_npz(path, matrix)
    assert Graph.read(path).num_edges == 10**6
    free(40 * MIB)  # 23 MiB, twice
    for name in ("decompress", "decompressobj"):
        monkeypatch.setattr(zlib, name, None)  # nothing is decompressed
    with pytest.raises(FormatError, match=r"a\.npz: its contents take more memory than there is"):
        Graph.read(path)


def test_a_member_that_is_larger_than_it_says(free, tmp_path):
    path = tmp_path / "a.npz"
    sp.save_npz(path, sp.coo_array((np.ones(10**7), (np.zeros(10**7, int),) * 2)))
    with zipfile.ZipFile(path) as archive:
        sizes = [info.file_size for info in archive.infolist()]
    data = path.read_bytes()
    for size in sizes:
        data = data.replace(struct.pack("<I", size), struct.pack("<I", 1000))
    path.write_bytes(data)
    tracemalloc.start()
    with pytest.raises(FormatError, match="damaged"):
        Graph.read(path)
    assert tracemalloc.get_traced_memory()[1] < 10 * MIB
    tracemalloc.stop()


def test_parquet_says_how_large_its_columns_are(free, tmp_path):
    path = tmp_path / "a.parquet"
    zeros = np.zeros(10**6)
    parquet.write_table(
        pa.table({"source": zeros.astype(int), "target": zeros.astype(int), "w": zeros}), path
    )
    assert path.stat().st_size < 20_000
    assert Graph.read(path).num_edges == 10**6
    free(20 * MIB)
    with pytest.raises(FormatError, match=r"a\.parquet: its contents take more memory than there "):
        Graph.read(path)
    assert not Graph.read(path, columns=["source", "target"]).edge_fields


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
@pytest.mark.parametrize("kind", ["file", "stream"])
def test_arrow_says_how_large_its_buffers_are(free, tmp_path, kind, compression):
    path = tmp_path / ("a.arrow" if kind == "file" else "a.arrows")
    zeros = np.zeros(10**6)
    ids = pa.array(["a"] * 10**6).dictionary_encode()
    table = pa.table({"source": ids, "target": ids, "w": zeros, "other": zeros})
    create = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with create(str(path), table.schema, options=options) as writer:
        writer.write_table(table, 1 << 18)
    assert path.stat().st_size < 200_000
    assert Graph.read(path).num_edges == 10**6
    free(20 * MIB)  # 4 + 4 + 8 + 8 MB
    before = pa.total_allocated_bytes()
    with pytest.raises(FormatError, match=f"{path.name}: its contents take more memory than ther"):
        Graph.read(path)
    assert pa.total_allocated_bytes() - before < MIB
    if kind == "file":
        assert Graph.read(path, weight="w", columns=["source", "target"]).num_edges == 10**6


def test_a_batch_of_arrow_that_is_spooled(free, tmp_path):
    pytest.importorskip("duckdb")
    path = tmp_path / "a.arrow"
    zeros = np.zeros(10**6, int)
    table = pa.table({"source": zeros, "target": zeros})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(str(path), table.schema, options=options) as writer:
        writer.write_table(table)
    free(10 * MIB)
    work = tmp_path / "work"
    work.mkdir()
    with pytest.raises(FormatError, match=r"a\.arrow: its contents take more memory than there is"):
        FORMATS["arrow"].spool(path, None, EdgeSpool(work, Progress(), 1 << 30))
