"""gascl's own .npz: NumPy and zipfile read what gascl writes, and NumPy writes what gascl reads."""

from __future__ import annotations

import bz2
import dataclasses
import gzip
import io
import json
import lzma
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gascl import Graph
from gascl.errors import FormatError
from gascl.graph import reordering
from gascl.graph.arcs import ARRAYS
from gascl.io import FORMATS
from gascl.io.formats.native import VERSION
from gascl.io.mapped_npz import checksum, read_members


def refused(words, call):
    with pytest.raises(FormatError) as caught:
        call()
    for word in words:
        assert word in str(caught.value), str(caught.value)


def build(directed=True, labels=None, **more):
    """Parallel edges, a self-loop and a vertex without edges."""
    src, dst = [3, 0, 0, 2, 2, 0], [1, 1, 3, 2, 0, 1]
    weight = np.array([0.5, np.nan, np.inf, -1, 0, 2], dtype=np.float32)
    fields = {"weight": weight, "since": np.arange(6, dtype=np.uint8)}
    graph = Graph.from_edges(
        src, dst, num_vertices=5, directed=directed, labels=labels, **fields, **more
    )
    points = np.arange(10, dtype=np.float64).reshape(2, 5).T  # by column
    return dataclasses.replace(graph, vertex_fields={"at": points, "on": np.arange(5) % 2 == 0})


def arrays_of(graph):
    arrays = {"src": graph.edge_src, "dst": graph.edge_dst}
    arrays |= {f"edge {name}": values for name, values in graph.edge_fields.items()}
    arrays |= {f"vertex {name}": values for name, values in graph.vertex_fields.items()}
    arrays |= {name: getattr(graph.arcs(), name) for name in ARRAYS}
    if graph.labels is not None:
        arrays["labels"] = graph.labels
    return arrays


def with_arcs(graph, path):
    """Write the graph with all of its arcs' arrays."""
    for name in ARRAYS:
        getattr(graph.arcs(), name)
    graph.write(path, arcs=True)


def check_same(graph, other):
    assert (graph.num_vertices, graph.directed) == (other.num_vertices, other.directed)
    mine, its = arrays_of(graph), arrays_of(other)
    assert list(mine) == list(its)
    for name, values in mine.items():
        assert values.dtype == its[name].dtype, name
        np.testing.assert_array_equal(values, its[name], err_msg=name)


LABELS = [
    None,
    [10, -3, 2**40, 7, 0],
    ["ann", "böb", "", "名前", "d"],
    ["a" * 300, "b", "c", "d", "\ud800"],  # UTF-8 and offsets; a lone surrogate
]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("mmap", [True, False])
def test_comes_back_whole(tmp_path, labels, directed, mmap):
    graph = build(directed, labels)
    path = tmp_path / "g.npz"
    graph.write(path)
    again = Graph.read(path, mmap=mmap)
    assert not again._arcs
    check_same(graph, again)
    with_arcs(graph, path)
    again = Graph.read(path, mmap=mmap)
    made = again.arcs().made()
    assert set(made) >= {n for n in ARRAYS if "reversed" not in n or not directed}
    check_same(graph, again)
    assert all(getattr(again.arcs(), name) is array for name, array in made.items())
    assert again.fingerprint == graph.fingerprint
    assert again.report == ["gascl's .npz", "checksums and ranges verified"]
    for name, values in arrays_of(again).items():
        assert not values.flags.writeable, name
    check_same(graph, Graph.read(path, verify=False))
    again.write(path)  # over the file that is mapped
    check_same(graph, Graph.read(path))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("arcs", [False, True])
def test_offsets_in_place_of_an_end(tmp_path, turned, arcs):
    rng = np.random.default_rng(3)
    offsets = np.append(0, np.cumsum(rng.integers(0, 9, 50)))
    targets = rng.integers(0, 50, offsets[-1])
    graph = Graph.from_csr(offsets, targets, weight=np.arange(offsets[-1]))
    graph = graph.reversed() if turned else graph
    name = "edge_dst" if turned else "edge_src"
    path = tmp_path / "g.npz"
    graph.write(path, arcs=arcs)
    with np.load(path) as loaded:
        assert name not in loaded and len(loaded[name + ".offsets"]) == 51
    for options in ({}, {"mmap": False}, {"verify": False}):
        again = Graph.read(path, **options)
        assert "whole" not in (again.dst if turned else again.src).kept
        check_same(graph, again)
        assert again.fingerprint == graph.fingerprint
    plain = Graph.from_edges(graph.edge_src, graph.edge_dst, num_vertices=50, directed=False)
    assert Graph.read(path, directed=False).fingerprint == plain.fingerprint
    for number, words in ((-1, "contains -1"), (offsets[-1], "should increase from 0")):
        wrong = offsets.astype(np.int32)
        wrong[7] = number
        saved(path, graph, arcs=arcs, **{name + ".offsets": wrong})
        words = "arcs=False" if arcs else words
        refused([str(path), name + ".offsets", words], lambda: Graph.read(path))


@pytest.mark.parametrize("count", [0, 3])
@pytest.mark.parametrize("directed", [True, False])
def test_nothing_at_all(tmp_path, count, directed):
    graph = Graph.from_edges([], [], num_vertices=count, directed=directed, weight=[0.0] * 0)
    graph.write(tmp_path / "g.npz")
    check_same(graph, Graph.read(tmp_path / "g.npz"))


@pytest.mark.parametrize("directed", [True, False])
def test_others_read_it(tmp_path, directed):
    """NumPy loads every member and maps it where it lies; zipfile finds the checksums right."""
    graph = build(directed, labels=[5, 4, 3, 2, 1])
    path = tmp_path / "g.npz"
    with_arcs(graph, path)
    with np.load(path, allow_pickle=False) as loaded:
        about = json.loads(loaded["gascl.json"].tobytes())
        assert loaded.files[0] == "gascl.json" and loaded.files[1:] == about["members"]
        assert about["version"] == VERSION and about["num_vertices"] == 5
        assert (loaded["edge_src"] == graph.edge_src).all()
        assert (loaded["vertex.at"] == graph.vertex_fields["at"]).all()
        assert loaded["labels"].tolist() == [5, 4, 3, 2, 1]
        for name, place in about["arcs"]["out" if directed else "both"].items():
            assert (loaded[place] == getattr(graph.arcs(), name)).all(), name
        everything = {name: loaded[name] for name in loaded.files}
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for info in archive.infolist():
            with archive.open(info) as member:
                np.lib.format.read_magic(member)
                shape, _, dtype = np.lib.format.read_array_header_1_0(member)
                npy = member.tell()
            with path.open("rb") as file:
                file.seek(info.header_offset + 26)
                lengths = np.frombuffer(file.read(4), "<u2")
            begin = info.header_offset + 30 + int(lengths.sum()) + npy
            assert begin % 64 == 0, info.filename
            mapped = np.memmap(path, dtype, "r", begin, shape)
            np.testing.assert_array_equal(mapped, everything[info.filename.removesuffix(".npy")])


def saved(path, graph, arcs=False, **changed):
    """What NumPy writes of a graph's members, some of them changed; None leaves one out."""
    own = io.BytesIO()
    with_arcs(graph, path) if arcs else graph.write(path)
    with np.load(path) as loaded:
        arrays = {name: changed.get(name, loaded[name]) for name in loaded.files}
    np.savez(own, **{name: values for name, values in arrays.items() if values is not None})
    path.write_bytes(own.getvalue())
    return path


def saved_tied(path, graph, **changed):
    """The same with all arcs, as if they had been written with what is changed."""
    saved(path, graph, arcs=True, **changed)
    with np.load(path) as loaded:
        arrays = {name: loaded[name] for name in loaded.files}
    if "gascl.json" in changed:
        return path
    about = json.loads(arrays["gascl.json"].tobytes())
    about["tied"] = {name: checksum(arrays[name]) for name in about["tied"] if name in arrays}
    arrays["gascl.json"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez(file, **arrays)
    return path


def test_numpy_writes_it(tmp_path):
    """Neither padding nor byte order matters."""
    graph = build()
    swapped = graph.edge_src.astype(">i4")
    path = saved(tmp_path / "g.npz", graph, edge_src=swapped)
    check_same(graph, Graph.read(path))
    for values in arrays_of(Graph.read(path)).values():
        assert values.flags.aligned and values.dtype.isnative


def test_the_same_graph_gives_the_same_bytes(tmp_path):
    build().write(tmp_path / "a.npz")
    build().write(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_equal_arrays_are_stored_once(tmp_path):
    """Both orders of an undirected graph, the flags of a directed one, and ends that are in
    order."""
    with_arcs(build(directed=False), tmp_path / "g.npz")
    arcs = Graph.read(tmp_path / "g.npz").arcs()
    assert arcs.in_sources is arcs.out_targets and arcs.in_edges is arcs.out_edges
    with_arcs(build(), tmp_path / "g.npz")
    with np.load(tmp_path / "g.npz") as loaded:
        assert not [name for name in loaded.files if "reversed" in name]
    graph = Graph.from_edges([0, 0, 2], [1, 2, 1])
    graph.write(tmp_path / "g.npz", arcs=True)
    with np.load(tmp_path / "g.npz") as loaded:
        assert "arcs.out.out_offsets" in loaded.files
        assert "arcs.out.out_targets" not in loaded.files
    check_same(graph, Graph.read(tmp_path / "g.npz"))


def test_arcs_that_have_been_made(tmp_path):
    """Both orders always; edge ids, flags and slots, and the arcs both ways, once a run used
    them."""
    path, graph = tmp_path / "g.npz", build()
    graph.write(path, arcs=True)
    made = Graph.read(path).arcs().made()
    assert {"out_offsets", "out_targets", "in_offsets", "in_sources"} <= set(made)
    assert "slot" not in made
    check_same(graph, Graph.read(path))
    graph = build()
    slot, both = graph.arcs().slot, graph.arcs("both").out_targets
    graph.write(path, arcs=True)
    again = Graph.read(path)
    assert set(again._arcs) == {"out", "both"}
    assert again.arcs().made()["slot"].tolist() == slot.tolist()
    assert again.arcs("both").made()["out_targets"].tolist() == both.tolist()
    for name in ARRAYS:
        assert (
            getattr(again.arcs("both"), name).tolist() == getattr(graph.arcs("both"), name).tolist()
        )
        assert getattr(again.arcs("in"), name).tolist() == getattr(graph.arcs("in"), name).tolist()
    again.write(path, arcs=True)
    assert Graph.read(path).arcs().made().keys() == again.arcs().made().keys()


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("edges", ["out", "in", "both"])
def test_arcs_by_other_numbers(tmp_path, monkeypatch, directed, edges):
    """A run that numbers the vertices hubs first need not do so again."""
    monkeypatch.setattr("gascl.graph.reordering.LEAST", 1)
    monkeypatch.setattr("gascl.graph.reordering.SHARE", 0.0)
    path, graph = tmp_path / "g.npz", build(directed)
    expected_order, arcs = graph.numbered(edges)
    expected = {name: getattr(arcs, name).tolist() for name in ARRAYS}
    graph.write(path, arcs=True)
    again = Graph.read(path)
    direction = edges if directed else "both"
    assert list(again.arcs_made()[1]) == [direction]

    def never(*_):
        raise AssertionError("nothing needs to be made")

    monkeypatch.setattr("gascl.graph.graph.numbering", never)
    found, its = again.numbered(edges)
    assert found.order.tolist() == expected_order.order.tolist()
    assert found.number.tolist() == expected_order.number.tolist()
    assert (found.share, its.direction) == (expected_order.share, direction)
    assert {"out_offsets", "out_targets", "in_sources", "slot"} <= set(its.made())
    assert {name: getattr(its, name).tolist() for name in ARRAYS} == expected
    check_same(graph, again)
    order = f"arcs.{direction}.numbered.order"
    twice = np.int32([0, 1, 2, 3, 3])
    for values in (twice, expected_order.order[::-1].copy()):
        saved(path, graph, arcs=True, **{order: values})
        refused([order, "arcs=False"], lambda: Graph.read(path))
    with np.load(saved(path, graph, arcs=True)) as loaded:
        about = json.loads(loaded["gascl.json"].tobytes())
    about["tied"][order] = checksum(twice)
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    saved(path, graph, arcs=True, **{order: twice, "gascl.json": text})
    refused([order, "every vertex once"], lambda: Graph.read(path))
    assert not Graph.read(path, arcs=False).arcs_made()[1]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("directed", [True, False])
def test_the_fingerprint_is_in_files_with_arcs(tmp_path, labels, directed):
    """So that a graph is compared without a look at its edges; it is of these edges and labels."""
    path, graph = tmp_path / "g.npz", build(directed, labels)
    graph.write(path)
    assert ("fingerprint",) not in Graph.read(path)._known
    graph.write(path, arcs=True)
    found = Graph.read(path)
    assert found._known["fingerprint",] == build(directed, labels).fingerprint
    assert found.with_edge_fields(since="since")._known["fingerprint",] == graph.fingerprint
    for options in ({"arcs": False}, {"directed": not directed}, {"self_loops": "drop"}):
        assert ("fingerprint",) not in Graph.read(path, **options)._known


def test_a_fingerprint_of_other_labels_is_not_used(tmp_path):
    path, graph = tmp_path / "g.npz", build(labels=[5, 4, 3, 2, 1])
    other = np.arange(5)
    found = Graph.read(saved(path, graph, arcs=True, labels=other))
    assert found.fingerprint == build(labels=other).fingerprint != graph.fingerprint
    with np.load(saved(path, graph, arcs=True)) as loaded:
        about = json.loads(loaded["gascl.json"].tobytes())
    for wrong in (None, 7, [about["fingerprint"]]):
        text = np.frombuffer(json.dumps(about | {"fingerprint": wrong}).encode(), np.uint8)
        found = Graph.read(saved(path, graph, arcs=True, **{"gascl.json": text}))
        assert found.fingerprint == graph.fingerprint


def test_loops_are_known_from_the_arcs(tmp_path, monkeypatch):
    path, graph = tmp_path / "g.npz", build(directed=False)
    graph.write(path, arcs=True)

    def never(*_):
        raise AssertionError("the edges need not be read")

    found = Graph.read(path, verify=False)
    monkeypatch.setattr("gascl.graph.validation.count_loops", never)
    assert (found.num_loops, found.num_arcs) == (1, 11)


def test_only_this_format_holds_arcs(tmp_path, gascl_):
    graph = Graph.from_edges([0, 1], [1, 0])
    refused(["g.mtx", "no arcs", "--arcs"], lambda: graph.write(tmp_path / "g.mtx", arcs=True))
    assert not list(tmp_path.iterdir())
    graph.write(tmp_path / "g.mtx")
    code, _, err = gascl_("convert", tmp_path / "g.mtx", tmp_path / "g.sg", "--arcs")
    assert code == 1 and "hold no arcs" in err
    assert gascl_("convert", tmp_path / "g.mtx", tmp_path / "g.npz", "--arcs")[0] == 0
    assert Graph.read(tmp_path / "g.npz")._arcs


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_packed(tmp_path, suffix, pack):
    graph = build()
    graph.write(tmp_path / "g.npz")
    path = tmp_path / f"g.npz{suffix}"
    path.write_bytes(pack((tmp_path / "g.npz").read_bytes()))
    check_same(graph, Graph.read(path))
    refused(["files are not compressed as a whole", "g.npz"], lambda: graph.write(path))


def test_a_requested_direction_that_differs_from_the_file(tmp_path):
    """The other direction than the file's builds other arcs, from edges as they are defined."""
    build(directed=False).write(tmp_path / "g.npz")
    both = Graph.read(tmp_path / "g.npz", directed=True)
    pairs = [(3, 1), (0, 1), (0, 3), (2, 2), (2, 0), (0, 1)]
    expected = pairs + [(b, a) for a, b in pairs if a != b]
    assert list(zip(both.edge_src, both.edge_dst, strict=True)) == expected
    assert both.edge_fields["since"].tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 2, 4, 5]
    assert both.directed and both.num_arcs == 11 and "each edge became two" in both.report[2]
    build().write(tmp_path / "g.npz")
    one = Graph.read(tmp_path / "g.npz", directed=False)
    assert not one.directed and one.num_edges == 6 and one.num_arcs == 11
    check_same(build(), Graph.read(tmp_path / "g.npz", directed=True))


def test_policies_apply(tmp_path):
    build().write(tmp_path / "g.npz")
    graph = Graph.read(tmp_path / "g.npz", duplicates="first", self_loops="drop")
    assert list(zip(graph.edge_src, graph.edge_dst, strict=True)) == [
        *[(3, 1), (0, 1), (0, 3), (2, 0)]
    ]


# What is refused


def test_writing_objects_is_refused(tmp_path):
    path = tmp_path / "g.npz"
    path.write_bytes(b"as it was")
    pairs = [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1)]
    refused(["('a', 1)", "labels=[str(label)"], lambda: build(labels=pairs).write(path))
    graph = dataclasses.replace(build(), vertex_fields={"x": np.array([{}] * 5)})
    refused(["vertex field 'x'", "object"], lambda: graph.write(path))
    assert path.read_bytes() == b"as it was" and len(list(tmp_path.iterdir())) == 1


def test_other_files(tmp_path):
    path = tmp_path / "g.npz"
    np.savez(path, indices=[1], indptr=[0, 1])
    refused(
        ["not written by gascl", "indices, indptr", "from_scipy"],
        lambda: Graph.read(path, format="gascl"),
    )
    np.savez_compressed(path, indices=[1])
    refused(["compressed", "indices.npy"], lambda: FORMATS["gascl"].read(path, None))
    path.write_bytes(b"")
    refused(["is empty"], lambda: Graph.read(path))
    path.write_bytes(b"1 2\n2 3\n")
    refused(["is not an .npz"], lambda: Graph.read(path, format="gascl"))
    path.unlink()
    path.mkdir()
    refused(["is a folder without Parquet files"], lambda: Graph.read(path))


def test_objects_are_never_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return Path(tmp_path / "sprung").touch, ()

    graph, trap = build(), np.array([Trap()] * 6, dtype=object)
    path = saved(tmp_path / "g.npz", graph, **{"edge.weight": trap})
    refused(["edge.weight", "object"], lambda: Graph.read(path))
    assert not (tmp_path / "sprung").exists()


def about_with(graph, path, **changes):
    graph.write(path)
    with np.load(path) as loaded:
        about = json.loads(loaded["gascl.json"].tobytes()) | changes
    return np.frombuffer(json.dumps(about).encode(), np.uint8)


@pytest.mark.parametrize(
    ("version", "remedy"), [(VERSION + 1, "--upgrade gascl"), (1, "write the graph again")]
)
def test_another_version(tmp_path, version, remedy):
    path, graph = tmp_path / "g.npz", build()
    other = about_with(graph, path, version=version, arcs="otherwise")
    saved(path, graph, **{"gascl.json": other, "edge_src": None})
    refused([f"version {version}", f"reads version {VERSION}", remedy], lambda: Graph.read(path))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"edge_src": np.int32([3, 0, 0, 2, 2, 5])}, ["edge_src", "contains 5", "0 to 4"]),
        ({"edge_dst": np.int32([1, 1, 3, -2, 0, 1])}, ["edge_dst", "contains -2"]),
        ({"edge_dst": np.int32([1, 1])}, ["edge_dst", "(2,)", "(6,)"]),
        ({"edge_dst": np.zeros(6, np.int64)}, ["edge_dst", "int64", "int32"]),
        ({"edge.weight": np.zeros((6, 1))}, ["edge.weight", "(6, 1)"]),
        ({"edge.weight": np.zeros(6, complex)}, ["edge.weight", "complex128"]),
        ({"vertex.at": np.zeros((4, 2))}, ["vertex.at", "(4, 2)"]),
        ({"labels": np.arange(4)}, ["labels", "(4,)"]),
        (
            {"arcs.out.slot": np.int32([0, 1, 2, 3, 4, 6])},
            ["arcs.out.slot", "contains 6", "0 to 5"],
        ),
        ({"arcs.out.out_targets": np.int32([1, 1, 3, 0, 2])}, ["arcs", "are 5"]),
        (
            {"arcs.out.out_offsets": np.int32([0, 3, 2, 5, 6, 6])},
            ["arcs.out.out_offsets", "increase from 0"],
        ),
        (
            {"arcs.out.in_offsets": np.int32([0, 3, 3, 5, 6, 5])},
            ["arcs.out.in_offsets", "increase from 0"],
        ),
        ({"arcs.out.in_edges": None}, ["arcs.out.in_edges", "missing"]),
        ({"edge.since": None}, ["edge.since", "missing"]),
        ({"gascl.json": np.frombuffer(b"{}", np.uint8)}, ["gascl.json", "version"]),
        ({"gascl.json": np.frombuffer(b"\xff[", np.uint8)}, ["gascl.json"]),
        ({"gascl.json": np.frombuffer(b"[" * 10**5, np.uint8)}, ["gascl.json"]),
    ],
)
def test_members_that_are_wrong(tmp_path, changed, words):
    path = saved_tied(tmp_path / "g.npz", build(labels=[5, 4, 3, 2, 1]), **changed)
    refused([str(path), *words], lambda: Graph.read(path))


@pytest.mark.parametrize("directed", [True, False])
def test_no_index_reaches_beyond_its_array(tmp_path, directed):
    """A kernel reads where they point: each member of indices, just outside at either end."""
    graph = build(directed)
    arcs, vertices, edges = graph.arcs(), graph.num_vertices, graph.num_edges
    way = "arcs.out" if directed else "arcs.both"
    limits = {
        "edge_src": vertices,
        "edge_dst": vertices,
        f"{way}.out_targets": vertices,
        f"{way}.in_sources": vertices,
        f"{way}.out_edges": edges,
        f"{way}.in_edges": edges,
        f"{way}.slot": graph.num_arcs,
    }
    for side in ("out", "in"):
        limits[f"{way}.{side}_offsets"] = graph.num_arcs + 1
    if not directed:
        limits |= {f"{way}.out_reversed": 2, f"{way}.in_reversed": 2}
    path = tmp_path / "g.npz"
    saved_tied(path, graph)
    with np.load(path) as loaded:
        members = {name: loaded[name] for name in loaded.files}
    assert {n for n in members if n.startswith("arcs.")} <= set(limits)  # none is forgotten
    for name in sorted(set(limits) & set(members)):
        for place in (0, len(members[name]) // 2, -1):
            for wrong in (-1, limits[name], np.iinfo(members[name].dtype).max):
                changed = members[name].copy()
                changed[place] = wrong % 256 if changed.dtype == np.uint8 else wrong
                saved_tied(path, graph, **{name: changed})
                refused([str(path), name], lambda: Graph.read(path))
    assert len(arcs.slot) == graph.num_arcs


@pytest.mark.parametrize("directed", [True, False])
def test_arcs_are_read_from_the_file_or_built(tmp_path, directed):
    """Arcs that contradict the edges, and say that they do not, are taken on trust, unless they are
    to be built."""
    graph = build(directed)
    slot = graph.arcs().slot[::-1].copy()
    name = f"arcs.{'out' if directed else 'both'}.slot"
    path = saved_tied(tmp_path / "g.npz", graph, **{name: slot})
    assert Graph.read(path).arcs().slot.tolist() == slot.tolist()
    check_same(graph, Graph.read(path, arcs=False))
    assert "arcs=False: the file's arcs are not used" in Graph.read(path, arcs=False).report


def test_arcs_of_other_edges(tmp_path):
    """A device's memory is measured by the edges, so that there must be no more arcs."""
    path = saved_tied(
        tmp_path / "g.npz", build(directed=False), edge_dst=np.int32([1, 1, 3, 2, 2, 1])
    )
    refused(["are 11", "make 10"], lambda: Graph.read(path))


@pytest.mark.parametrize("directed", [True, False])
def test_arcs_are_tied_to_the_edges(tmp_path, directed):
    """Members of another graph, or of this one before it was changed, are an error even where all
    checksums are right and every id is in range."""
    graph, path = build(directed), tmp_path / "g.npz"
    direction = "out" if directed else "both"
    changes = {
        "edge_src": graph.edge_src[::-1].copy(),
        f"arcs.{direction}.out_targets": graph.arcs().out_targets[::-1].copy(),
        f"arcs.{direction}.slot": graph.arcs().slot[::-1].copy(),
    }
    for name, values in changes.items():
        saved(path, graph, arcs=True, **{name: values})
        for verify in (True, False):
            refused([str(path), name, "arcs=False"], lambda v=verify: Graph.read(path, verify=v))
        again = Graph.read(path, arcs=False)
        if name != "edge_src":
            check_same(graph, again)
    about = about_with(graph, path, tied={}, arcs={direction: {}})
    saved(path, graph, arcs=True, **{"gascl.json": about})
    refused(["edge_dst", "arcs=False"], lambda: Graph.read(path))


def test_cut_off(tmp_path):
    path = tmp_path / "g.npz"
    build().write(path)
    whole = path.read_bytes()
    for length in [*range(1, 300), *range(300, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:length])
        refused([str(path)], lambda: Graph.read(path, format="gascl"))


def test_damage_names_the_member(tmp_path):
    path = tmp_path / "g.npz"
    graph = Graph.from_edges([0, 1], [1, 0], weight=[2.5, 3.5])
    graph.write(path)
    whole = bytearray(path.read_bytes())
    place = bytes(whole).index(np.array([2.5, 3.5]).tobytes())
    whole[place] ^= 1
    path.write_bytes(whole)
    refused([str(path), "edge.weight is damaged", "checksum"], lambda: Graph.read(path))
    Graph.read(path, verify=False)  # as was asked for


WHOLE: list[bytes] = []


@given(st.data())
def test_any_damage_is_seen(tmp_path_factory, data):
    """Whatever bytes are changed: one error, or the graph as it was."""
    folder = tmp_path_factory.getbasetemp()
    graph = build(False, ["a" * 300, "b", "c", "d", "e"])
    if not WHOLE:
        with_arcs(graph, folder / "whole.npz")
        WHOLE.append((folder / "whole.npz").read_bytes())
    damaged = bytearray(WHOLE[0])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    path = folder / "damaged.npz"
    path.write_bytes(damaged)
    try:
        again = Graph.read(path, format="gascl")
    except FormatError:
        again = graph
    check_same(graph, again)


def test_members_past_2_gib(tmp_path, monkeypatch):
    """They keep room for a second extra field: NumPy reads them, and they are aligned."""
    monkeypatch.setattr("gascl.io.mapped_npz._ZIP64", 100)
    monkeypatch.setattr("gascl.io.mapped_npz.MAPPED", 1)
    path, graph = tmp_path / "g.npz", build(labels=["a" * 300, *"bcde"])
    graph.write(path)
    with np.load(path) as loaded:
        assert (loaded["edge_src"] == graph.edge_src).all() and loaded["vertex.at"].shape == (5, 2)
    for name, member in read_members(path, True).items():
        assert member.array.ctypes.data % 64 == 0, name
    check_same(graph, Graph.read(path))


def test_nothing_is_left_of_a_failed_write(tmp_path):
    """A full disk, played by a limit on the size of files."""
    script = """
import resource, sys
from gascl import Graph
from gascl.errors import FormatError
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    Graph.from_edges(range(500), range(500)).write(sys.argv[1])
except FormatError as error:
    print(error)
"""
    pytest.importorskip("resource", reason="limits on the size of files are POSIX")
    path = tmp_path / "g.npz"
    path.write_bytes(b"as it was")
    ran = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, timeout=60
    )
    assert f"{path} cannot be written: File too large" in ran.stdout, ran.stderr
    assert path.read_bytes() == b"as it was" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["verify", "mmap", "arcs"])
@pytest.mark.parametrize("value", ["no", 0, None, "false"])
def test_switches_are_true_or_false(tmp_path, name, value):
    build(directed=True).write(tmp_path / "g.npz")
    with pytest.raises(FormatError, match=f"g.npz: {name}={value!r} must be True or False"):
        Graph.read(tmp_path / "g.npz", **{name: value})
    assert Graph.read(tmp_path / "g.npz", **{name: np.False_}).num_edges == 6


def test_switches_of_the_command(tmp_path, gascl_):
    build(directed=True).write(tmp_path / "g.npz")
    code, _, err = gascl_("info", tmp_path / "g.npz", "--option", "verify=no")
    assert code == 1 and "--option verify=no must be True or False" in err
    assert gascl_("info", tmp_path / "g.npz", "--option", "verify=false")[0] == 0


@pytest.mark.parametrize("arcs", [1, "yes", None])
def test_arcs_is_a_bool(tmp_path, arcs):
    with pytest.raises(FormatError, match=r"arcs=.* must be True or False"):
        build().write(tmp_path / "g.npz", arcs=arcs)
    assert not list(tmp_path.iterdir())


def test_another_directed_has_no_arcs_of_the_file(tmp_path, monkeypatch):
    """Neither in the order of vertices nor by other numbers."""
    monkeypatch.setattr(reordering, "LEAST", 1)
    monkeypatch.setattr(reordering, "SHARE", 0)
    graph = build(directed=False)
    assert graph.numbered("both")[1].out_targets.size
    graph.write(tmp_path / "g.npz", arcs=True)
    both = Graph.read(tmp_path / "g.npz", directed=True)
    again = Graph.from_edges(both.edge_src, both.edge_dst, num_vertices=both.num_vertices)
    for direction in ("out", "in", "both"):
        found, expected = both.numbered(direction), again.numbered(direction)
        assert np.array_equal(found[0].order, expected[0].order)
        assert np.array_equal(found[1].out_targets, expected[1].out_targets)


@pytest.mark.parametrize(
    ("types", "words"),
    [
        ({"edge": {"kind": {"type": "text"}}, "vertex": 3}, "has types that gascl does not write"),
        ({"edge": {"kind": {"type": "paint"}}}, "has the type 'paint' of edge.kind"),
        ({"edge": {"at": {"type": "time", "unit": "weeks"}}}, "times of the unit 'weeks'"),
        ({"edge": {"at": {"type": "bool"}}}, "edge.at is int64"),
    ],
)
def test_types_that_cannot_be(tmp_path, types, words):
    at = np.array(["2024-05-01"], "M8[s]")
    graph = Graph.from_edges([0], [1], kind=["x"], at=at)
    graph.write(tmp_path / "a.npz")
    members = dict(np.load(tmp_path / "a.npz"))
    about = json.loads(members["gascl.json"].tobytes())
    members["gascl.json"] = np.frombuffer(json.dumps({**about, "types": types}).encode(), np.uint8)
    np.savez(tmp_path / "b.npz", **members)
    with pytest.raises(FormatError, match=words):
        Graph.read(tmp_path / "b.npz", format="gascl")
    members["gascl.json"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    members["edge.kind"] = np.array([7], np.int32)
    np.savez(tmp_path / "c.npz", **members)
    with pytest.raises(FormatError, match=r"edge\.kind should have values from -1 to 0"):
        Graph.read(tmp_path / "c.npz", format="gascl")
