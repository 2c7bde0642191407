"""The registry of formats, packed files, and files that cannot be read."""

import bz2
import gzip
import io
import lzma
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import zstandard
from support.filecases import edges_of, refused

from gascl.errors import FormatError
from gascl.graph.graph import Graph
from gascl.io import FORMATS, graphalytics, read_file

HEADER = "%%MatrixMarket matrix coordinate {} {}\n% a comment\n"


def test_content_tells_before_the_extension(write):
    matrix = HEADER.format("pattern", "general") + "2 2 1\n1 2\n"
    assert "Matrix Market" in Graph.read(write("a.txt", matrix)).report[0]
    bare = write("b.mtx", "1 2\n")
    assert edges_of(Graph.read(bare, format="edgelist")) == [(1, 2)]
    packed = write("c.txt", gzip.compress(b"5 6\n"))
    assert edges_of(Graph.read(packed)) == [(5, 6)]
    packed = write("D.TSV.gz", gzip.compress(b"5\t6\n"))
    assert edges_of(Graph.read(str(packed))) == [(5, 6)]


def test_unknown_formats(write):
    path = write("a.unknown", "1 2\n")
    names = list(FORMATS)
    assert {"edgelist", "matrixmarket"} <= {*names}
    refused([str(path), "'.unknown'", "format=", *names], lambda: Graph.read(path))
    refused(["'edglist'", *names], lambda: Graph.read(path, format="edglist"))


def test_files_that_cannot_be_read(write, tmp_path):
    refused([str(tmp_path), "folder", "name a file"], lambda: Graph.read(tmp_path))
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


PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
PACKERS |= {".zst": lambda data: zstandard.ZstdCompressor().compress(data)}


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_name_that_says_packed_of_a_file_that_is_not(write, suffix):
    refused(
        ["is empty, which a", suffix, "fetch it again"],
        lambda: Graph.read(write(f"a.txt{suffix}", "")),
    )
    plain = write(f"b.txt{suffix}", "1 2\n")
    refused(
        [f"named {suffix}", "starts with '1 2\\n'", "name it b.txt"],
        lambda: Graph.read(plain),
    )
    binary = write(f"c.mtx{suffix}", b"\x80\x81\x82")
    refused(["starts with 80 81 82"], lambda: Graph.read(binary))
    other = ".xz" if suffix == ".gz" else ".gz"
    wrong = write(f"d.txt{suffix}", PACKERS[other](b"1 2\n"))
    refused([f"contains {other} data", f"name it d.txt{other}"], lambda: Graph.read(wrong))
    assert Graph.read(write(f"e.txt{suffix}", PACKERS[suffix](b"1 2\n"))).num_edges == 1


def test_zstandard_may_begin_with_a_frame_to_skip(write):
    """As pzstd writes it (RFC 8878, section 3.1.2)."""
    data = b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + PACKERS[".zst"](b"1 2\n")
    assert edges_of(Graph.read(write("a.txt.zst", data))) == [(1, 2)]


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.mtx", "a.gr", "a.graph", "a.e", "a.gml"])
@pytest.mark.parametrize("coding", ["utf-16", "utf-16-be"])
def test_utf_16_is_named(write, name, coding):
    text = ("\ufeff" if coding.endswith("be") else "") + "1 2\n"
    write("a.v", "1\n2\n")
    path = write(name, text.encode(coding))
    refused(["is text in UTF-16", "iconv -f UTF-16 -t UTF-8"], lambda: Graph.read(path))


def test_graphml_may_be_in_utf_16(write):
    text = '<?xml version="1.0" encoding="UTF-16"?><graphml xmlns="http://graphml.graphdrawing.org/'
    text += 'xmlns"><graph edgedefault="directed"><node id="1"/></graph></graphml>'
    assert Graph.read(write("a.graphml", text.encode("utf-16"))).num_vertices == 1


URL = "https://snap.stanford.edu/data/wiki-Vote.txt.gz"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (None, ["the file is given as None", "give its path"]),
        (7, ["given as 7", "give its path"]),
        (b"a.txt", ["given as b'a.txt'", "as text, 'a.txt'"]),
        (io.StringIO("1 2"), ["StringIO", "write the contents to a file"]),
        ("", ["''", "not a path"]),
        ("a\0b", ["not a path"]),
        (URL, [f"{URL} is a URL", "download the file first", "gascl datasets"]),
        (Path(URL), ["is a URL"]),
        ("file:///tmp/a.txt", ["without file://"]),
    ],
)
def test_what_is_no_path(path, words):
    refused(words, lambda: Graph.read(path))
    refused(words, lambda: Graph.read(path, format="edgelist"))
    refused(words, lambda: Graph.from_edges([0], [1]).write(path, format="edgelist"))


def test_an_open_file(write):
    path = write("a.txt", "1 2\n")
    with open(path) as file:
        refused(["TextIOWrapper", f"give its path, {str(path)!r}"], lambda: Graph.read(file))


def test_read_properties_takes_text(write):
    path = write("a.properties", "graph.a.vertex-file = a.v\n")
    assert graphalytics.read_properties(str(path)) == graphalytics.read_properties(path)
    refused(["None"], lambda: graphalytics.read_properties(None))


def test_options_that_are_nearly_right(write):
    path = write("a.txt", "1 2\n")
    refused(["did you mean columns=? It takes"], lambda: Graph.read(path, colums=(0, 1)))
    refused(["did you mean self_loops=?"], lambda: Graph.read(path, selfloops="drop"))


def test_folders_that_cannot_be_written(monkeypatch, tmp_path):
    graph = Graph.from_edges([0], [1])
    refused(
        ["/proc/a.txt cannot be written: ", "another folder"], lambda: graph.write("/proc/a.txt")
    )

    def denied(*_):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", denied)
        words = ["cannot be written: Permission denied", "permissions", "another folder"]
        refused(words, lambda: graph.write(tmp_path / "a.txt"))
    monkeypatch.setattr(Path, "open", denied)
    words = ["cannot be read: Permission denied; change its permissions"]
    refused(words, lambda: Graph.read(tmp_path / "a.txt"))


def test_edge_lists_that_are_of_another_format(write):
    matrix = write("a.txt", HEADER.format("pattern", "general") + "2 2 1\n1 2\n")
    refused(
        ["like a file of the format matrixmarket", "format='matrixmarket'"],
        lambda: Graph.read(matrix, format="edgelist"),
    )
    roads = write("b.txt", "c a comment\np sp 2 1\na 1 2 3\n")
    refused(["format='dimacs'"], lambda: Graph.read(roads, format="edgelist"))


@pytest.mark.parametrize("format", ["scipynpz", "gascl"])
def test_npz_formats_of_other_files(write, tmp_path, format):
    for name, content in (("a.npz", "1 2\n"), ("b.npz", pickle.dumps([1])), ("c.txt", "x")):
        path = write(name, content)
        with pytest.raises(
            FormatError,
            match=r"is not an \.npz file, which starts with "
            "PK",
        ) as caught:
            Graph.read(path, format=format)
        assert "pickle" not in str(caught.value)
    np.savez(tmp_path / "d.npz", row=[0], col=[1], format=b"coo", shape=(2, 2), data=[object()])
    with pytest.raises(FormatError, match="an array of Python objects") as caught:
        Graph.read(tmp_path / "d.npz", format=format)
    assert "damaged" not in str(caught.value) and "allow_pickle" not in str(caught.value)


def test_gap_of_text_advises_no_other_name(write):
    for name in ("a.txt", "a.sg"):
        path = write(name, "1 2\n2 3\n" * 9)
        with pytest.raises(
            FormatError, match="is not a serialized graph of the GAP suite"
        ) as caught:
            Graph.read(path, format="gap")
        assert ".wsg" not in str(caught.value) and "name it ." not in str(caught.value)


def test_bytes_are_shown_once(write):
    refused(["contains a NUL byte: '1 2\\x00'"], lambda: Graph.read(write("a.txt", "1 2\0\n")))


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux's /proc")
def test_files_of_the_system():
    words = ["/proc/self/mem cannot be read: ", "check that it is a file"]
    refused(words, lambda: Graph.read("/proc/self/mem", format="edgelist"))
