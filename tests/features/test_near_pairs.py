"""Pairs by the distance of their vertices, and groups that send as one, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support.agreement import find_device, in_turn

from gascl import DeviceError, Engine, Graph, ProgramError, VertexProgram, param, vertex
from gascl.codegen.constants import FAN_OUT, LEAF, levels
from gascl.device_graph.buffers import check_vertices

ONE, EIGHT = 1, 8  # items of a work-group: the two shapes of the kernels
V = 700  # three levels above the leaves, and several tiles of keys
#: Beyond so much times the sum of magnitudes, a sum of float32 is wrong.
ROUNDING = 1e-5


def without_edges(vertices: int) -> Graph:
    none = np.zeros(0, int)
    return Graph.from_edges(none, none, num_vertices=vertices)


def places(dimensions: int, seed: int = 0) -> np.ndarray:
    """(V, dimensions): a part is spread out, others crowd in a few spots, a hundred at one."""
    rng = np.random.default_rng(seed)
    at = rng.uniform(0, 1, (V, dimensions))
    spots = rng.uniform(0, 1, (5, dimensions))
    at[200:600] = spots[rng.integers(0, 5, 400)] + rng.normal(0, 1e-3, (400, dimensions))
    at[600:] = at[0]
    return at.astype(np.float32)[:, 0] if dimensions == 1 else at.astype(np.float32)


def squares(at: np.ndarray) -> np.ndarray:
    """(V, V): squared distances, in the type of the places, as the device computes them."""
    d = at.reshape(len(at), -1)[:, None] - at.reshape(len(at), -1)[None]
    found = d[..., 0] ** 2
    for i in range(1, d.shape[2]):
        found += d[..., i] ** 2
    return found


class Near(VertexProgram):
    """What is near: how many, and the sum of their weights."""

    supersteps = param.supersteps(1)
    reach = param.real(0.2)
    at = vertex.real2()
    weight = vertex.real()
    total = vertex.real()
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    pairs_at, pairs_within = "at", "p.reach"
    pairs = "send(u.weight);"
    apply = "v.total = msg;"


def near(dimensions: int, **body: object) -> type[VertexProgram]:
    type_ = {1: vertex.real, 2: vertex.real2, 3: vertex.real3}[dimensions]
    return type("Near", (Near,), {"at": type_(), **body})


@pytest.mark.parametrize(("dimensions", "group"), [(1, ONE), (2, EIGHT), (3, ONE), (3, EIGHT)])
def test_pairs_within_a_distance(dimensions, group):
    """Each pair that is near enough counts once, and no other."""
    at, weight = places(dimensions), np.random.default_rng(1).uniform(0, 1, V).astype("f4")
    engine = Engine(without_edges(V), find_device(group))
    for reach in (0.0, 0.05, 0.3, 9.0):
        result = engine.run(near(dimensions)(at=at, weight=weight, reach=reach))
        pairs = squares(at) <= np.float32(reach) ** 2
        np.fill_diagonal(pairs, False)
        expected = pairs @ weight.astype("f8")
        assert result.trace[0].messages == pairs.sum()
        np.testing.assert_allclose(result.total, expected, rtol=ROUNDING)
    assert engine.run(near(dimensions)(at=at, weight=weight, reach=-1)).trace[0].messages == 0


MERGING = {
    "by an angle": (2, "radius <= 0.7f * distance", None, False),
    "small ones, in the mask": (3, "radius < 0.1f", "0.4f", True),
    "all that are near": (1, "true || radius > 0", "0.4f", False),
}


@pytest.mark.parametrize("group", [ONE, EIGHT])
@pytest.mark.parametrize("name", MERGING)
def test_groups_send_what_their_members_would(name, group):
    """What depends linearly on the fields of senders is the same, whichever groups send as one: a
    vertex in the middle of a group, too, gets what the others send."""
    dimensions, rule, within, masked = MERGING[name]
    at, weight = places(dimensions), np.random.default_rng(1).uniform(0, 1, V).astype("f4")
    graph = Graph.from_edges(np.arange(V - 1), np.arange(1, V), num_vertices=V)
    sends = np.arange(V) % 3 > 0 if masked else np.ones(V, bool)
    body = {"scatter_on": "mask", "mask": "v.id % 3", "scatter": "send(1000);"} if masked else {}
    body |= {"pairs_merge": rule, "pairs_within": within}
    cls = near(dimensions, pairs="send(u.weight * v.weight);", **body)
    result = Engine(graph, find_device(group)).run(cls(at=at, weight=weight))
    pairs = np.repeat(sends[None], V, axis=0)
    if within:
        pairs &= squares(at) <= np.float32(0.4) ** 2
    np.fill_diagonal(pairs, False)
    expected = (pairs @ weight.astype("f8")) * weight
    expected[1:] += 1000 * sends[:-1] * masked
    assert result.trace[0].messages == pairs.sum() + sends[:-1].sum() * masked
    np.testing.assert_allclose(result.total, expected, rtol=3 * ROUNDING, atol=1e-3)


class Force(VertexProgram):
    """Repulsion that decays with the distance, of which a group may send its multiple."""

    supersteps = param.supersteps(1)
    beta, gamma = param.real(0.5), param.real(1.0)
    error = param.real(1e-3)
    place = vertex.real3()
    force = vertex.real3()
    message, combine = "real3", "sum"
    scatter_on = apply_on = "all"
    pairs = """
        const real x = v.place.x - u.place.x, y = v.place.y - u.place.y;
        const real z = v.place.z - u.place.z, far = sqrt(x * x + y * y + z * z + 1);
        const real f = p.beta * exp(-p.gamma * far) / far;
        send((real3)(x * f, y * f, z * f));
    """
    apply = "v.force = msg;"


class Cut(Force):
    pairs_at = "place"
    pairs_within = "-log(p.error) / p.gamma"


class Merged(Force):
    pairs_at = "place"
    # The second derivative of x exp(-far) / far along any two directions is at most 3 exp(-far).
    pairs_merge = "1.5f * radius * radius * exp(fmin(radius - distance, (real)-1)) < p.error"


class Both(Merged):
    pairs_within = Cut.pairs_within


def forces(place: np.ndarray, beta: float, gamma: float) -> np.ndarray:
    """Of all pairs, in double precision."""
    d = place[:, None].astype(np.float64) - place[None]
    far = np.sqrt((d**2).sum(2) + 1)
    return (d * (beta * np.exp(-gamma * far) / far)[:, :, None]).sum(1)


@pytest.mark.parametrize(("cls", "device"), in_turn([Cut, Merged, Both]), indirect=["device"])
@pytest.mark.parametrize("error", [1e-1, 1e-3])
def test_the_error_is_within_its_bound(cls, device, error):
    """The force that is left out is at most V beta exp(-gamma R), and that of groups that send as
    one is wrong by at most beta times the error for each member."""
    engine = Engine(without_edges(V), device)
    for seed, width in ((1, 1), (2, 12), (3, 40)):
        place = width * places(3, seed)
        result = engine.run(cls(place=place, error=error))
        off = np.linalg.norm(result.force - forces(place, 0.5, 1), axis=1).max()
        assert off <= V * 0.5 * error + 1e-4
        if width > 1 and error > 0.01:  # else all pairs would do
            assert off > 1e-4


def test_each_lane_has_its_places():
    at = np.stack([places(2, seed) for seed in (4, 5, 6)], axis=2)  # (V, 2, lanes)
    at = np.moveaxis(at, 2, 1)
    weight = np.random.default_rng(1).uniform(0, 1, V).astype("f4")
    for group in (ONE, EIGHT):
        engine = Engine(without_edges(V), find_device(group))
        reach = [0.1, 0.2, 0.5]
        result = engine.run(Near(at=at, weight=weight, reach=reach))
        for lane, r in enumerate(reach):
            pairs = squares(at[:, lane]) <= np.float32(r) ** 2
            np.fill_diagonal(pairs, False)
            expected = pairs @ weight.astype("f8")
            np.testing.assert_allclose(result.total[:, lane], expected, rtol=ROUNDING)


@pytest.mark.parametrize("group", [ONE, EIGHT])
@pytest.mark.filterwarnings("ignore:field .* is NaN")
def test_places_that_are_no_numbers(group):
    """A vertex that is nowhere is near to none; one at infinity only within an infinite reach."""
    at = places(2)
    at[3], at[5:9] = np.nan, np.inf
    engine = Engine(without_edges(V), find_device(group))
    result = engine.run(Near(at=at, weight=1, reach=0.3))
    with np.errstate(invalid="ignore"):
        pairs = squares(at) <= np.float32(0.3) ** 2
    np.fill_diagonal(pairs, False)
    assert result.total.tolist() == pairs.sum(1).tolist()


@pytest.mark.parametrize("group", [ONE, EIGHT])
@pytest.mark.parametrize("nowhere", [np.nan, np.inf])
@pytest.mark.filterwarnings("ignore:field .* is (NaN|inf)")
def test_places_that_are_no_numbers_are_in_no_group(group, nowhere):
    """They would have made all vertices one sender, whose place is NaN."""

    class Counts(VertexProgram):
        at = vertex.real2()
        total = vertex.real()
        supersteps = param.supersteps(1)
        message, combine, scatter_on, apply_on = "real", "sum", "all", "all"
        pairs_at, pairs_merge = "at", "radius <= 0.1f * distance"
        pairs = "if (isfinite(u.at.x)) send(1);"
        apply = "v.total = msg;"

    at = places(2)
    at[3] = nowhere
    result = Engine(without_edges(V), find_device(group)).run(Counts(at=at))
    assert result.total.tolist() == [V - 1 if i == 3 else V - 2 for i in range(V)]


def test_few_vertices():
    for group in (ONE, EIGHT):
        for count in (0, 1, 2, LEAF, LEAF + 1):
            engine = Engine(without_edges(count), find_device(group))
            result = engine.run(Near(at=np.zeros((count, 2)), weight=1, reach=0))
            assert result.total.tolist() == [count - 1] * count


def test_any_combiner():
    """The least id of all that are near."""
    cls = near(2, message="int32", combine="min", pairs="send(u.id);", apply="v.total = msg;")
    at = places(2)
    for group in (ONE, EIGHT):
        result = Engine(without_edges(V), find_device(group)).run(cls(at=at))
        pairs = squares(at) <= np.float32(0.2) ** 2
        np.fill_diagonal(pairs, False)
        some = pairs.any(1)
        assert result.total[some].tolist() == pairs.argmax(1)[some].tolist()


class Moving(Both):
    """Repelled vertices move."""

    supersteps = param.supersteps(6)
    error = param.real(0.05)
    apply = "v.place += msg;"


def test_continued_runs_and_deliveries():
    """A run that is continued gives the same bits."""
    graph = Graph.from_edges(np.arange(V) // 2, np.arange(V), num_vertices=V)
    place = 5 * places(3)
    cls = type("Moving", (Moving,), {"scatter": "send(0.01f * v.place);"})
    engine = Engine(graph)
    whole = engine.run(cls(place=place)).place
    part = engine.run(cls(place=place, supersteps=2), keep_state=True)
    assert engine.run(cls(supersteps=4), state=part.state).place.tobytes() == whole.tobytes()
    for delivery in ("slots", "serial"):
        found = engine.run(cls(place=place), delivery=delivery).place
        np.testing.assert_allclose(found, whole, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("group", [ONE, EIGHT])
def test_supersteps_after_the_end_do_nothing(group, monkeypatch):
    """They have been enqueued before the end is known; here, each level is a launch."""
    monkeypatch.setattr("gascl.run.supersteps._ONE_GROUP", 1)
    rule = {"stop": "superstep == 5", "supersteps": None, "ends": "stop"}
    at, weight = places(2), np.random.default_rng(1).uniform(0, 1, V).astype("f4")
    cls = near(2, apply="v.total += msg;", **rule)
    result = Engine(without_edges(V), find_device(group)).run(cls(at=at, weight=weight))
    pairs = squares(at) <= np.float32(0.2) ** 2
    np.fill_diagonal(pairs, False)
    assert result.supersteps == 6
    np.testing.assert_allclose(result.total, 6 * (pairs @ weight.astype("f8")), rtol=ROUNDING)


def test_debug_mode_names_vertex_and_line():
    text = "if (v.id == 5)\n    send(sqrt(v.weight - 2));\nsend(u.weight);"
    cls = near(2, pairs=text, apply="v.total = v.id;")
    with pytest.raises(ProgramError, match=r"pairs:2: Near: vertex 5 computed NaN, in"):
        Engine(without_edges(V), debug=True).run(cls(at=places(2), weight=1, reach=9))
    merging = near(2, pairs_merge="radius < 0.1f", pairs_within=None)
    result = Engine(without_edges(V), debug=True).run(merging(at=places(2), weight=1))
    assert result.total.tolist() == [V - 1] * V


def test_explain_says_which_pairs():
    (run,) = Engine(without_edges(V)).explain(Both(place=places(3))).runs
    count = sum(levels(V))
    assert run.pairs.startswith("at most -log(p.error) / p.gamma apart and as one with groups")
    assert run.pairs.endswith(f"found by place in a tree of {count} groups")
    assert "pairs: at most" in str(run)
    (run,) = Engine(without_edges(V)).explain(Force(place=places(3))).runs
    assert run.pairs == f"all {V * (V - 1):,}"


def test_levels():
    assert levels(0) == [0]
    assert levels(1) == [1]
    assert levels(LEAF) == [1]
    assert levels(LEAF + 1) == [2, 1]
    assert levels(LEAF * FAN_OUT + 1) == [FAN_OUT + 1, 2, 1]


def test_more_places_than_can_be_counted_are_refused():
    engine, lanes = Engine(without_edges(2**20)), 2**11
    with pytest.raises(DeviceError, match=r"1,048,576 vertices in 2,048 lanes: run fewer lanes"):
        check_vertices(engine.device, engine.graph, Near.spec, "float32", lanes, None)
    few = Engine(without_edges(2**10))
    check_vertices(few.device, few.graph, Near.spec, "float32", lanes, None)
