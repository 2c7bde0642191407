"""What every vertex gives to every other one, against NumPy and by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from support.agreement import find_device, in_turn
from support.case_subsets import one_in, thinned
from support.samples import random_graph

from gascl import (
    Engine,
    GasclError,
    Graph,
    ProgramError,
    VertexProgram,
    aggregate,
    param,
    struct,
    vertex,
)
from gascl.codegen.generate import generate
from gascl.codegen.pairs import splits
from gascl.run.plan import tile_size

ONE, EIGHT = 1, 8  # items of a work-group: the two shapes of the kernel


class Repel(VertexProgram):
    """What pushes a particle: all others, along the line between, less the farther."""

    supersteps = param.supersteps(1)
    gamma = param.real(1.0)
    place = vertex.real3()
    push = vertex.real3()

    message, combine = "real3", "sum"
    scatter_on = apply_on = "all"
    pairs = """
        const real x = v.place.x - u.place.x, y = v.place.y - u.place.y;
        const real z = v.place.z - u.place.z, far = sqrt(x * x + y * y + z * z);
        const real f = exp(-p.gamma * far) / far;
        send((real3)(x * f, y * f, z * f));
    """
    apply = "v.push = msg;"


class ByVectors(Repel):
    """The same by the library's functions of vectors."""

    pairs = """
        const real3 d = v.place - u.place;
        send(d * exp(-p.gamma * length(d)) / length(d));
    """


class ByStructs(Repel):
    """The same by a struct."""

    Force = struct([("x", "real"), ("yz", "real2")])
    message = Force
    pairs = """
        const real3 d = v.place - u.place;
        const real f = exp(-p.gamma * length(d)) / length(d);
        send((Force){d.x * f, d.yz * f});
    """
    apply = "v.push = (real3)(msg.x, msg.yz);"


class Below(VertexProgram):
    """How many have less, in lanes; of them, how many stand before; and the least that is more."""

    x = vertex.int32()
    below = vertex.int32()
    heard = vertex.uint8()
    supersteps = param.supersteps(1)
    message, combine = "int32", "sum"
    scatter_on = "all"
    pairs = "if (u.x < v.x) send(u.id < v.id ? 1001 : 1);"
    apply = "v.below = msg; v.heard = has_msg;"


def below(x: np.ndarray) -> np.ndarray:
    ids = np.arange(len(x))
    return ((x[None] < x[:, None]) * (1 + 1000 * (ids[None] < ids[:, None]))).sum(1)


def repulsion(place: np.ndarray, gamma: float) -> np.ndarray:
    d = place[:, None].astype(np.float64) - place[None]
    far = np.linalg.norm(d, axis=2)
    np.fill_diagonal(far, 1)
    return (d * (np.exp(-gamma * far) / far)[:, :, None]).sum(1)


def without_edges(vertices: int) -> Graph:
    none = np.zeros(0, int)
    return Graph.from_edges(none, none, num_vertices=vertices)


class Exponential(VertexProgram):
    """What the first vertex sends: exp of the receiver's number."""

    supersteps = param.supersteps(1)
    x, y = vertex.real(), vertex.real()
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    pairs = "if (u.id == 0) send(exp(v.x));"
    apply = "v.y = msg;"


@pytest.mark.filterwarnings("ignore:field .* is (NaN|inf)")
@pytest.mark.parametrize("group", [ONE, EIGHT])
def test_exp_is_as_accurate_as_opencl_requires(group):
    """Also where one power of two would be out of range, and where the result is."""
    edges = [0, -0.0, 88.7, -87.4, 1e-30, np.nan, np.inf, -np.inf, 1e30, -1e30]
    x = np.concatenate([[0], edges, np.linspace(-87.3, 88.7, 4001)]).astype("f4")
    found = Engine(without_edges(len(x)), find_device(group)).run(Exponential(x=x)).y[1:]
    with np.errstate(over="ignore"):
        expected = np.exp(x[1:].astype("f8")).astype("f4")
    finite = np.isfinite(expected)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    assert np.array_equal(np.isinf(found), np.isinf(expected))
    some = finite & (expected > np.finfo("f4").tiny)
    assert (np.abs(found[some] - expected[some]) <= 3 * np.spacing(expected[some])).all()
    assert (found[finite & ~some] <= np.finfo("f4").tiny).all()


@pytest.mark.parametrize(
    ("form", "dtype"),
    thinned(
        [(Repel, ONE), (Repel, EIGHT), (ByVectors, EIGHT), (ByStructs, ONE)],
        ["float32", "float64"],
        by=8,
    ),
    ids=lambda x: x if isinstance(x, str) else f"{x[0].__name__}-group{x[1]}",
)
def test_repulsion(form, dtype):
    """Of several tiles, and a last block of receivers that is not full."""
    cls, group = form
    place = np.random.default_rng(0).random((601, 3))
    runner = Engine(without_edges(601), find_device(group))
    result = runner.run(cls(place=place.astype(dtype), gamma=0.7, dtype=dtype))
    expected = repulsion(place.astype(dtype), 0.7)
    # 256 in a row in float, and what the snippet itself rounds.
    error = {"float32": 2e-5, "float64": 1e-13}[dtype]
    assert np.abs(result.push - expected).max() < error * np.abs(expected).max()
    assert result.trace[0].messages == 601 * 600
    assert np.array_equal(result.push, runner.run(cls(place=place.astype(dtype), gamma=0.7,
                                                      dtype=dtype)).push)  # fmt: skip


@pytest.mark.parametrize(("group", "vertices"), thinned([ONE, EIGHT], [0, 1, 2, 15, 16, 17, 300]))
def test_few_vertices(group, vertices):
    x = np.random.default_rng(vertices).integers(0, 40, vertices).astype(np.int32)
    result = Engine(without_edges(vertices), find_device(group)).run(Below(x=x))
    expected = below(x)
    assert result.below.tolist() == expected.tolist()
    assert result.heard.tolist() == (expected > 0).tolist()
    if vertices:  # of the empty graph, no superstep
        assert result.trace[0].messages == (x[None] < x[:, None]).sum()


@pytest.mark.parametrize("group", one_in(2, [ONE, EIGHT]))
def test_lanes(group):
    x = np.random.default_rng(3).integers(0, 99, (70, 3)).astype(np.int32)
    cls = type("Threefold", (Below,), {"lanes": 3})
    result = Engine(without_edges(70), find_device(group)).run(cls(x=x))
    for lane in range(3):
        assert result.below[:, lane].tolist() == below(x[:, lane]).tolist()


class Masked(VertexProgram):
    """Who is in the mask gives, and scatters: first the multiples of 3, then those of 6."""

    total = vertex.int32()
    supersteps = param.supersteps(2)
    message, combine = "int32", "sum"
    mask = "v.id % 3 == 0"
    apply_on = "all"
    scatter = "send(1000000);"
    pairs = "send(u.id + 1000 * (u.out_degree + v.in_degree));"
    apply = """
        v.total += msg;
        if (v.id % 6 == 0)
            set_mask();
    """


@pytest.mark.parametrize("directed", one_in(2, [True, False]))
@pytest.mark.parametrize(
    ("delivery", "group"),
    [
        ("push", EIGHT),
        ("slots", ONE),
        pytest.param("push", ONE, marks=pytest.mark.slow),
        pytest.param("slots", EIGHT, marks=pytest.mark.slow),
    ],
)
def test_vertices_in_the_mask_send_to_all_pairs(group, delivery, directed):
    """With a frontier (push) and without; loops, parallel edges and isolated vertices."""
    ends = ([0, 0, 3, 5, 5, 6, 7, 12], [1, 1, 3, 2, 2, 9, 8, 6])
    graph = Graph.from_edges(*ends, num_vertices=40, directed=directed)
    # What pairs give counts as a message where only those that got one apply.
    cls = Masked if directed else type("Told", (Masked,), {"apply_on": "message"})
    result = Engine(graph, find_device(group)).run(cls(), delivery=delivery)
    ids, total = np.arange(40), np.zeros(40, int)
    for every, step in zip((3, 6), result.trace, strict=True):
        gives = (ids % every == 0)[None] & (ids[:, None] != ids[None])
        total += (gives * (ids[None] + 1000 * (graph.out_degree[None]
                                               + graph.in_degree[:, None]))).sum(1)  # fmt: skip
        src, dst, *_ = graph.coo()
        sending = src % every == 0
        np.add.at(total, dst[sending], 1000000)
        assert step.messages == gives.sum() + sending.sum()
        assert step.active == (ids % every == 0).sum()
    assert result.total.tolist() == total.tolist()


def test_fields_are_those_before_the_superstep():
    class Averages(VertexProgram):
        x = vertex.real(init="v.id")
        supersteps = param.supersteps(3)
        message, combine = "real", "sum"
        scatter_on = "all"
        scatter = "send(v.x);"
        pairs = "send(u.x);"
        apply = "v.x = msg / 16;"

    graph = random_graph(1, directed=True, vertices=40, edges=60)
    x = np.arange(40.0)
    for _ in range(3):
        heard = x.sum() - x
        np.add.at(heard, graph.edge_dst, x[graph.edge_src])
        x = heard / 16
    for delivery in ("auto", "slots"):  # outbox: the next scatter runs behind apply
        runner = Engine(graph)
        result = runner.run(Averages(dtype="float64"), delivery=delivery)
        np.testing.assert_allclose(result.x, x, rtol=1e-13)
        part = runner.run(
            Averages(dtype="float64"), delivery=delivery, keep_state=True, max_supersteps=1,
            not_converged="ignore",
        )  # fmt: skip
        rest = runner.run(Averages(dtype="float64", supersteps=2), state=part.state)
        assert np.array_equal(rest.x, result.x)


def test_sums_of_floats_are_exact_enough():
    """In float within 256, in double beyond: the bound that the documentation gives. All in float
    would be off by four times that."""

    class Tenths(VertexProgram):
        x = vertex.real()
        supersteps = param.supersteps(1)
        message, combine = "real", "sum"
        scatter_on = "all"
        pairs = "send(0.1f);"
        apply = "v.x = msg;"

    exact = np.float64(np.float32(0.1)) * 7999
    found = Engine(without_edges(8000)).run(Tenths()).x
    assert np.abs(found - exact).max() < 256 * 2.0**-24 * exact
    assert np.unique(found).size <= 2  # those that meet themselves in the last tile


EDGE = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 88.72, 88.73, -87.34, -103.97, -104.0]
EDGE += [709.78, 709.79, -745.13, -745.14, 1e-300, 1e300, -1e300, 4.0, 2.0]


@pytest.mark.parametrize("dtype", one_in(2, ["float32", "float64"]))
@pytest.mark.filterwarnings("ignore:field .* is NaN")
def test_exp_and_roots_are_as_exact_as_opencl_requires(dtype):
    """They are written out for CPUs."""

    class Functions(VertexProgram):
        x = vertex.real()
        power = vertex.real()
        root = vertex.real()
        one_by_root = vertex.real()
        supersteps = param.supersteps(1)
        message, combine, identity = "real3", "a + b", "(real3)(0)"
        scatter_on = "all"
        pairs = "if (u.id == (v.id == 0)) send((real3)(exp(v.x), sqrt(v.x), rsqrt(v.x)));"
        apply = "v.power = msg.x; v.root = msg.y; v.one_by_root = msg.z;"

    rng = np.random.default_rng(0)
    widest = {"float32": 104, "float64": 746}[dtype]
    with np.errstate(all="ignore"):
        drawn = rng.uniform(-widest, widest, 4000), rng.uniform(-1, 1, 2000)
        x = np.concatenate([EDGE, *drawn]).astype(dtype)
        result = Engine(without_edges(len(x))).run(Functions(x=x, dtype=dtype))
        wide = np.exp(x.astype(np.longdouble))
        power, root = wide.astype(dtype), np.sqrt(x)
        unit = np.spacing(np.where(np.isfinite(power), power, 1))
        off = np.abs(result.power.astype(np.longdouble) - wide) / unit
        reciprocal = (1 / np.sqrt(x.astype(np.longdouble))).astype(dtype)
    np.testing.assert_allclose(result.one_by_root, reciprocal, rtol=2 * np.finfo(dtype).eps)
    assert np.array_equal(result.root, root, equal_nan=True)
    known = np.isfinite(power) & np.isfinite(result.power)
    assert off[known].max() < 2
    assert np.array_equal(result.power[~known], power[~known], equal_nan=True)


@pytest.mark.parametrize(
    ("delivery", "device"),
    in_turn(["slots", "pull", "outbox", "edges", "push"], by=2),
    indirect=["device"],
)
def test_fewer_vertices_than_a_group(device, delivery):
    """Items without a vertex of their own apply none (GASCL_DO_NOT_VECTORIZE in gather.cl)."""

    class Largest(VertexProgram):
        supersteps = param.supersteps(1)
        x = vertex.int32()
        applied = aggregate.int64("count")
        best = aggregate.int32("a < b ? a : b", identity="127")
        message, combine, edges = "uint16", "max", "both"
        scatter_on = "all"
        scatter = "send(0);"
        pairs = "send(u.id);"
        apply = "aggregate_applied(1); aggregate_best(msg);"

    graph = Graph.from_edges([0], [1], num_vertices=4, directed=False)
    (step,) = Engine(graph, device).run(Largest(), delivery=delivery).trace
    assert (step.messages, step.aggregates) == (14, {"applied": 4, "best": 2})


# What goes wrong ---------------------------------------------------------------------------------


EACH = {"int32": 2**30, "uint64": 2**63, "int8": 100}


@pytest.mark.parametrize(("type_", "device"), in_turn(EACH, by=3), indirect=["device"])
def test_overflow(device, type_):
    each = EACH[type_]
    cls = type("Large", (Below,), {
        "message": type_,
        "pairs": f"if (v.id == 2 && u.id > 38) send({each}{'ul' * (each > 2**31)});",
        "apply": "v.below = 1;",
    })  # fmt: skip
    runner = Engine(without_edges(42), device)
    with pytest.raises(GasclError, match=rf"message at vertex 2 overflowed {type_} in superstep 0"):
        runner.run(cls())
    fits = type("Fits", (cls,), {"pairs": f"if (v.id == 2 && u.id == 39) send({each - 1}ul);"})
    assert runner.run(fits()).below.tolist() == [0, 0, 1, *[0] * 39]


def test_products_and_what_is_zero():
    """Of 64 bits: one that leaves them and meets a zero fits, whichever comes first."""

    class Product(VertexProgram):
        x = vertex.int64()
        supersteps = param.supersteps(1)
        message, combine = "int64", "prod"
        scatter_on = "all"
        pairs = "send(u.id == (v.id < 35 ? 39 : 0) ? 0 : 1000000);"
        apply = "v.x = msg;"

    for group in (ONE, EIGHT):
        result = Engine(without_edges(40), find_device(group)).run(Product())
        assert result.x.tolist() == [0] * 40


def test_debug_mode_names_vertex_and_line():
    class Wrong(VertexProgram):
        x = vertex.real()
        y = vertex.int32()
        supersteps = param.supersteps(2)
        message, combine = "real", "sum"
        scatter_on = "all"
        pairs = """
            if (superstep == 1 && v.id == 5)
                send(sqrt(v.x - u.x));
            send(1);
        """
        apply = "v.x = v.id;"

    graph = without_edges(20)
    with pytest.raises(ProgramError, match=r"vertex 5 computed NaN, in superstep 1\n.*send\(sqrt"):
        Engine(graph, debug=True).run(Wrong())
    divides = type("Divides", (Wrong,), {"pairs": "send(7 / (u.y - v.y));"})
    y = np.arange(20, dtype=np.int32)
    assert Engine(graph, debug=True).run(divides(y=y)).converged  # never by itself
    y[7] = y[4]
    with pytest.raises(ProgramError, match="vertex 4 divided by zero, in superstep 0"):
        Engine(graph, debug=True).run(divides(y=y))


def test_a_vertex_never_meets_itself():
    """Nor is the snippet run for it and dropped: an integer's division by zero would be the end."""

    class Divides(VertexProgram):
        x = vertex.int32()
        supersteps = param.supersteps(1)
        message, combine = "int32", "sum"
        scatter_on = "all"
        pairs = "send(1000 / (u.id - v.id));"
        apply = "v.x = msg;"

    ids = np.arange(50)
    expected = [sum(int(1000 / (u - v)) for u in ids if u != v) for v in ids]
    for group in (ONE, EIGHT):
        assert Engine(without_edges(50), find_device(group)).run(Divides()).x.tolist() == expected


def test_a_compilers_complaint_names_the_line():
    cls = type("Wrong", (Below,), {"pairs": "send(u.x);\nsend(nothing);"})
    with pytest.raises(ProgramError, match=r"Wrong.pairs:2: error: use of undeclared .*'nothing'"):
        Engine(without_edges(3)).run(cls())


# How it is shared out ----------------------------------------------------------------------------


def test_splits():
    """Enough groups for the device, each with vertices enough; a range at least."""
    assert splits(20_000, 256, 1056) == 54  # four times as many groups as are busy
    assert splits(4000, 256, 1056) == 66  # as many groups as are busy: joining more takes longer
    assert splits(2000, 256, 1056) == 62  # 32 vertices a range
    assert splits(1_000_000, 256, 1056) == 2
    assert splits(4000, 16, 16) == 1
    assert splits(1, 256, 1056) == splits(0, 16, 16) == 1
    for vertices in (10, 1000, 30_000, 10_000_000):  # boxes, which memory has to hold
        for receivers, groups in ((16, 16), (16, 1024), (256, 1056)):
            boxes = splits(vertices, receivers, groups) * vertices
            assert boxes <= vertices + 4 * groups * receivers


def test_a_tile_fits_local_memory():
    """Half of it, with a mark a vertex, however much is read of each."""
    texts = {"send(u.id);": 256, "send(u.x);": 256, "send(u.a.x + u.b.x + u.c.x);": 64}
    for text, tile in texts.items():
        body = {"pairs": text, **{n: vertex.real8() for n in "abc"}}
        header = generate(type("Wide", (Below,), body).spec, real="float64")
        found = tile_size(header, SimpleNamespace(local_memory=48 << 10))
        assert (found, 2 * found * (header.other.itemsize + 1) <= 48 << 10) == (tile, True)


@pytest.mark.parametrize("group", [ONE, EIGHT])
def test_the_number_of_ranges_changes_nothing(group, monkeypatch):
    """Of integers; and no range is left out where they don't divide the vertices."""
    device = find_device(group)
    x = np.random.default_rng(5).integers(0, 99, 301).astype(np.int32)
    for ranges in (1, 2, 7, 300, 500):
        monkeypatch.setattr("gascl.delivery.run_layout.splits", lambda *_, ranges=ranges: ranges)
        anew = type("Below", (Below,), {})  # what a class needs is worked out once
        result = Engine(without_edges(301), device).run(anew(x=x))
        assert result.below.tolist() == below(x).tolist()


@pytest.mark.slow
def test_more_pairs_than_32_bits_count():
    result = Engine(without_edges(70_000)).run(Below(x=np.arange(70_000)))
    assert result.trace[0].messages == 70_000 * 69_999 // 2
    cls = type("All", (Below,), {"pairs": "send(1);"})
    result = Engine(without_edges(70_000)).run(cls())
    assert result.trace[0].messages == 70_000 * 69_999
    assert result.below.tolist() == [69_999] * 70_000
