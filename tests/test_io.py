"""The registry of formats, packed files, and files that cannot be read."""

from __future__ import annotations

import gzip

from filecases import edges_of, refused

from gascl.graph import Graph
from gascl.io import FORMATS, read_file

HEADER = "%%MatrixMarket matrix coordinate {} {}\n% a comment\n"


def test_content_tells_before_the_extension(write):
    matrix = HEADER.format("pattern", "general") + "2 2 1\n1 2\n"
    assert "Matrix Market" in Graph.read(write("a.txt", matrix)).report[0]
    bare = write("b.mtx", "1 2\n")
    assert edges_of(Graph.read(bare, format="edgelist")) == [(1, 2)]
    packed = write("c.txt", gzip.compress(b"5 6\n"))
    assert edges_of(Graph.read(packed)) == [(5, 6)]
    assert edges_of(Graph.read(str(write("D.TSV.gz", "5\t6\n")))) == [(5, 6)]


def test_unknown_formats(write):
    path = write("a.unknown", "1 2\n")
    names = list(FORMATS)
    assert {"edgelist", "matrixmarket"} <= {*names}
    refused([str(path), "'.unknown'", "format=", *names], lambda: Graph.read(path))
    refused(["'edglist'", *names], lambda: Graph.read(path, format="edglist"))


def test_files_that_cannot_be_read(write, tmp_path):
    refused([str(tmp_path), "directory", "name a file"], lambda: Graph.read(tmp_path))
    refused(["no.txt", "no such file"], lambda: Graph.read(tmp_path / "no.txt"))
    refused(["no.mtx", "no such file"], lambda: read_file(tmp_path / "no.mtx", "matrixmarket"))
    rows = "".join(f"{row} {row * 7 % 1000}\n" for row in range(1000)).encode()
    refused(["cut off", "again"], lambda: Graph.read(write("a.txt.gz", gzip.compress(rows)[:-900])))
    matrix = HEADER.format("pattern", "general").encode() + b"1000 1000 999\n" + rows[4:]
    for cut in (9, 900):
        packed = write("a.mtx.gz", gzip.compress(matrix)[:-cut])
        refused(["cut off", "again"], lambda packed=packed: Graph.read(packed))
    broken = bytearray(gzip.compress(rows))
    broken[-6] ^= 0xFF  # in the checksum
    refused(["damaged", "again"], lambda: Graph.read(write("b.txt", bytes(broken))))
