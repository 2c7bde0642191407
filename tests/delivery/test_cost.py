"""The cost model: what it must say of plain cases, and that `explain` and the trace show it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from support.admitting_deliveries import demand_of

from gascl import Engine, VertexProgram, arc, generators, vertex
from gascl.delivery.cost import CPU, SHARES, TYPICAL, Costs, Size, costs_of
from gascl.delivery.registry import DELIVERIES, choose
from gascl.programs import BreadthFirst, PageRank
from gascl.run.push_pull import NEVER, largest_degree, pull_bounds

SPARSE, DENSE = Size(2**16, 2**17, 2), Size(2**16, 2**21, 100)
STAR = Size(2**20 + 1, 2**21, 2**20)
CLIQUE = Size(512, 512 * 511, 511)


class Sums(VertexProgram):
    """Each vertex that changes sends its number."""

    x = vertex.int32(init=1)
    message, combine = "int32", "sum"
    scatter = "send(v.x);"
    apply = "v.x = msg / 2; if (msg) set_mask();"


def costs(changes: dict[str, Any], size: Size, on_gpu: bool = False, cores: int = 1) -> Costs:
    program = type("Changed", (Sums,), changes)()
    return costs_of(program, demand_of(program), size, on_gpu, cores)


ON_ALL = {"scatter_on": "all", "apply": "v.x = msg / 2;", "stop": "superstep > 2"}
FEW = {"mask": "v.id == 0"}
SILENT = ON_ALL | {"message": None, "combine": None, "scatter": None, "apply_on": "all"}
SILENT |= {"apply": "v.x = x_of(0) + 1;"}
#: Arrays, for which there is no vector.
ARRAYS = ON_ALL | {"message": "int8(13)", "x": vertex.int8(13), "scatter": "send(v.x);"}
ARRAYS |= {"combine": "max", "apply": "v.x[0] = msg[0];"}
EFFECTS = {"kept": arc.int32(), "scatter": "send(e.kept++);"}
SOME_ARCS = ON_ALL | {"apply_on": "all", "scatter": "if (e.src % 3 == 0) send(v.x);"}
#: Sums of reals, whose order push does not keep; all vertices apply.
REALS = FEW | {"message": "real", "x": vertex.real(init=1), "apply_on": "all", "ends": "stop"}
REALS |= {"apply": "v.x = msg / 2; if (v.x > superstep) set_mask();", "stop": "superstep > 2"}
OWN_SUM = {"combine": "a + b", "identity": "0"}
FEW_ARRAYS = ARRAYS | {"scatter_on": "mask", "apply_on": "all", "ends": "stop"} | FEW
#: A search, and one for smaller values.
SEARCH = FEW | {"receive_if": "v.x == 0", "apply": "v.x = msg; set_mask();"}
SMALLER = FEW | {"combine": "min", "receive_if": "msg < v.x", "apply": "v.x = msg; set_mask();"}


@pytest.mark.parametrize("on_gpu", [False, True])
@pytest.mark.parametrize("changes", [{}, ON_ALL, FEW, EFFECTS, {"combine": "min"}])
def test_times_are_finite_and_grow_with_the_graph(changes, on_gpu):
    small, large = (costs(changes, size, on_gpu) for size in (SPARSE, DENSE))
    for name in CPU.vertex:
        for share in (0.0, *SHARES, 1.0):
            terms = small.estimate(name, share)
            assert all(np.isfinite(list(terms.values())))
            assert 0 <= small.seconds(name, share) <= large.seconds(name, share)
            assert small.seconds(name, share) == pytest.approx(sum(terms.values()))


def test_every_delivery_of_auto_is_known():
    """`auto` takes no other: see docs/architecture.md."""
    for rates in (costs({}, DENSE).rates, costs({}, DENSE, True).rates):
        assert rates.vertex.keys() == rates.arc.keys() <= DELIVERIES.keys()
        assert {"slots", "pull", "outbox", "push", "frontier", "edges"} <= rates.vertex.keys()
    assert costs({}, DENSE).estimate("a delivery of a user") == {}


def test_a_frontier_that_reaches_few_rows_takes_little():
    reals = FEW | {"message": "real", "x": vertex.real(init=1)}
    for on_gpu in (False, True):
        found = costs(reals, SPARSE, on_gpu)
        few, all_ = (found.seconds("reached", share) for share in (1e-6, 1.0))
        assert few < all_ / 5
        assert 0 < found.share_to_pull("reached") < 1
        assert found.seconds("reached", 1e-3) < found.seconds("pull", 1e-3)


def test_cores_share_the_work():
    one, two = costs({}, DENSE), costs({}, DENSE, cores=2)
    for name in ("pull", "outbox", "push", "frontier"):  # the others have launches besides
        assert two.seconds(name) == pytest.approx(one.seconds(name) / 2)


def test_pushing_costs_what_the_frontier_has():
    found = costs(FEW, DENSE)
    assert found.seconds("push", 1e-6) < 1e-3 * found.seconds("push", 1.0)
    assert found.seconds("pull", 1e-6) > 1e-2 * found.seconds("pull", 1.0)
    for share in (1e-6, 1 / 16, 1 / 2, 1.0):
        ways = (sum(found.pushing(share).values()), sum(found.pulling(share).values()))
        assert found.seconds("frontier", share) == min(ways)


@pytest.mark.parametrize("changes", [FEW, FEW | {"combine": "min", "receive_if": "msg < v.x"}])
@pytest.mark.parametrize("on_gpu", [False, True])
def test_pushing_costs_of_many_shares_at_once(changes, on_gpu):
    found, shares = costs(changes, DENSE, on_gpu), np.array([0, 1e-6, 1 / 16, 1 / 2, 1.0])
    each = [sum(found.pushing(share).values()) for share in shares.tolist()]
    assert sum(found.pushing(shares).values()).tolist() == each


def test_steps_that_push_and_pull_have_their_estimates():
    engine, program = Engine(generators.rmat(9, seed=4)), BreadthFirst(source=0)
    result = engine.run(program, delivery="frontier")
    known = costs_of(
        program,
        demand_of(program),
        Size(engine.graph.num_vertices, engine.graph.num_arcs, largest_degree(engine.graph, "out")),
        engine.device.kind == "GPU",
        engine.device.units,
    )
    degree = np.bincount(engine.graph.edge_src, minlength=engine.graph.num_vertices)
    depth = np.asarray(result.depth)
    for step in result.trace:
        share = degree[depth == step.superstep].sum() / engine.graph.num_arcs
        terms = (known.pulling if step.delivery == "pull" else known.pushing)(share)
        assert step.estimate == pytest.approx(sum(terms.values()), rel=1e-6)


def test_frontier_never_pulls_where_all_always_send():
    found = costs(ON_ALL | {"combine": "max"}, DENSE)
    assert found.seconds("frontier") == sum(found.pushing(1.0).values())


def test_where_frontier_turns():
    """A sum that is checked for overflow posts more slowly than a minimum."""
    sums, least = costs({}, DENSE), costs({"combine": "min"}, DENSE)
    share = sums.share_to_pull()
    assert 0 < share < least.share_to_pull()
    traits = demand_of(Sums()).traits
    goes_on, begins = pull_bounds(DELIVERIES["frontier"], traits, sums, True)
    assert 0 < goes_on < begins == int(share * DENSE.arcs)
    assert pull_bounds(DELIVERIES["push"], traits, sums, True) == (NEVER, NEVER)


def test_what_a_cpu_predicts():
    """An outbox adds the identity for who does not send; rows of a dense graph are alike."""
    sums, expression = costs(REALS, DENSE), costs(REALS | OWN_SUM, DENSE)
    assert sums.seconds("outbox", 1 / 2) == sums.seconds("outbox", 1 / 16)
    assert expression.seconds("outbox", 1 / 2) > 2 * expression.seconds("outbox", 1 / 16)
    assert sums.seconds("pull", 1 / 2) > 2 * sums.seconds("pull", 1.0)
    alike = costs(REALS, CLIQUE)
    assert alike.seconds("pull", 1 / 2) < alike.seconds("pull", 1.0)
    assert 0 < costs(SMALLER, DENSE).share_to_pull() < 1 < costs(SMALLER, CLIQUE).share_to_pull()


def test_messages_to_a_hub_wait_on_a_gpu():
    even = Size(STAR.vertices, STAR.arcs, 2)
    for changes, name in (({}, "push"), (ON_ALL, "edges")):
        one, other = (costs(changes, size, True) for size in (STAR, even))
        assert one.estimate(name)["hub"] > 1e5 * other.estimate(name)["hub"]


def test_a_long_row_takes_its_core_as_long_as_it_is():
    """However many cores there are."""
    found = [costs(ON_ALL, STAR, cores=cores).seconds("pull") for cores in (1, 1000, 2000)]
    assert found[0] > found[1] > found[0] / 10
    assert found[1] == pytest.approx(found[2])


def chosen(changes: dict[str, Any], size: Size, on_gpu: bool = False) -> str:
    program = type("Changed", (Sums,), changes)()
    costs = costs_of(program, demand_of(program), size, on_gpu)
    return choose(program, demand_of(program), "auto", costs=costs).name


@pytest.mark.parametrize(
    ("changes", "size", "on_gpu", "name"),
    [
        # As measured by benchmarks/kinds.py.
        (ON_ALL, DENSE, False, "outbox"),
        (ON_ALL, DENSE, True, "outbox"),
        ({}, DENSE, False, "frontier"),
        ({}, SPARSE, False, "frontier"),
        ({}, DENSE, True, "frontier"),
        (ON_ALL | EFFECTS, DENSE, False, "push"),
        (ON_ALL | EFFECTS, SPARSE, False, "slots"),
        (ON_ALL | EFFECTS, CLIQUE, False, "slots"),
        (ON_ALL | EFFECTS, TYPICAL, True, "edges"),
        (ON_ALL | {"combine": "max"}, STAR, True, "outbox"),
        (SILENT, Size(STAR.vertices, STAR.arcs, 0), True, "pull"),
        (SILENT, Size(2**20, 2**22, 0), True, "pull"),
        (SILENT, SPARSE, False, "pull"),
        (SILENT, DENSE, False, "pull"),
        (ARRAYS, STAR, True, "pull"),
        (ARRAYS, Size(2**20, 2**25, 2**16), True, "outbox"),
        (ON_ALL | {"combine": None, "gather": "msg = messages[0];"}, DENSE, False, "outbox"),
        (ON_ALL | {"combine": None, "gather": "msg = messages[0];"}, SPARSE, False, "outbox"),
        (FEW | {"message": "real", "x": vertex.real(init=1)}, DENSE, False, "reached"),
        (REALS, DENSE, False, "reached"),
        (REALS, SPARSE, False, "reached"),
        (REALS, CLIQUE, False, "reached"),
        (REALS, STAR, True, "outbox"),
        (SOME_ARCS, SPARSE, False, "outbox"),
        (ON_ALL | {"message": "int8", "combine": "max"}, SPARSE, False, "outbox"),
        (FEW_ARRAYS, DENSE, False, "pull"),
        (SEARCH, DENSE, False, "frontier"),
        (SEARCH, SPARSE, False, "frontier"),
        (SEARCH, STAR, False, "pull"),
        (SEARCH, Size(2**20 + 1000, 2**21 + 2000, 2**20), False, "frontier"),  # with a tail
        (SMALLER, DENSE, False, "frontier"),
        (SMALLER, STAR, False, "frontier"),
    ],
)
def test_what_is_chosen(changes, size, on_gpu, name):
    assert chosen(changes, size, on_gpu) == name


def test_largest_degree():
    graph = generators.rmat(7, seed=3)
    counts = np.bincount(graph.edge_dst), np.bincount(graph.edge_src)
    assert largest_degree(graph, "out") == counts[0].max()
    assert largest_degree(graph, "in") == counts[1].max()


def test_explain_and_the_trace_show_estimates():
    graph = generators.rmat(9, seed=4)
    engine = Engine(graph)
    (run,) = engine.explain(PageRank()).runs
    assert re.search(r"every superstep: about \S+ ms a superstep \(vertices ", run.why)
    assert re.search(r"^it takes longer: about \S+ ms", run.not_chosen["slots"])
    (run,) = engine.explain(BreadthFirst(source=0)).runs
    assert re.search(r"the mask scatter: about \S+ ms .* if all do .* if one in 1,000 ", run.why)
    for program in (PageRank(supersteps=3), BreadthFirst(source=0)):
        trace = engine.run(program).trace
        assert all(0 < step.estimate < 1 for step in trace)
        assert trace.to_pandas().estimate.tolist() == [step.estimate for step in trace]
