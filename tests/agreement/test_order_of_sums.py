"""Floats are added up in one order for slots, pull and outbox: bit for bit the same results.

Messages and aggregators alike, of random programs whose sums are rounded, so that an addition in
another order, or a product fused into one, shows.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support.agreement import by_launches, in_turn
from support.samples import skewed

from gascl import Engine, Graph, VertexProgram, aggregate, edge, param, vertex
from gascl.delivery.admission import demand_of
from gascl.delivery.registry import admitted
from gascl.programs import Eigenvector, Hits, Katz, PageRank, WeightedEigenvector, WeightedPageRank

DELIVERIES = ("slots", "pull", "outbox")


def expression(rng: np.random.Generator, leaves: list[str], depth: int) -> str:
    """Random C over floats, of about the leaves' size: products and sums beside each other."""
    if depth == 0 or rng.random() < 0.15:
        return str(rng.choice(leaves))
    a, b, c = (expression(rng, leaves, depth - 1) for _ in range(3))
    forms = (
        f"({a} * {b} + {c})",
        f"({c} - {a} * {b})",
        f"({a} + {b})",
        f"({a} / (1 + fabs({b})))",
        f"fabs({a} - {b})",
        f"sqrt(fabs({a}) + {b} * {b})",
        f"(superstep % 2 ? {a} : {b} * {c})",
    )
    return forms[rng.integers(len(forms))]


def random_program(seed: int) -> type[VertexProgram]:
    """It sends, applies and aggregates random expressions; every third reads the arc."""
    rng = np.random.default_rng(seed)
    sender = ["v.x", "v.y", "p.k", "v.out_degree"]
    arc = ["e.w", "e.w"] * (seed % 3 == 0)
    earlier = ["(real)prev.total / g.num_vertices", "(superstep ? (real)prev.mean : p.k)"]
    applies = ["v.x", "v.y", "p.k", "msg", "msg", *earlier]
    send = expression(rng, sender + arc + earlier * (seed % 2), 2)
    if arc and "e.w" not in send:
        send = f"e.w * {send}"
    x, y, total, mean = (expression(rng, applies, 2) for _ in range(4))
    near = "{0} / (1 + fabs({0}))".format  # so that nothing grows without end
    body = {
        "x": vertex.real(),
        "y": vertex.real(),
        "w": edge.real(default=1),
        "k": param.real(0.7),
        "supersteps": param.supersteps(6),
        "total": aggregate.real("sum"),
        "mean": aggregate.real("mean"),
        "message": "real",
        "combine": "sum",
        "scatter_on": "all" if rng.random() < 0.6 else "mask",
        "apply_on": "all",
        "scatter": f"send({send});" if seed % 4 else f"if (v.x > 0) send({send});",
        "apply": f"""
            const real x = {x}, y = {y};
            aggregate_total({total});
            aggregate_mean({mean});
            v.x = {near("x")};
            v.y = {near("y")};
        """,
    }
    if body["scatter_on"] == "mask":
        body["apply"] += "if (v.x > v.y || superstep < 2) set_mask();"
    return type("Random", (VertexProgram,), body)


def graphs() -> list[Graph]:
    """Small, skewed, and with a hub of more arcs than a work-group's block holds."""
    rng = np.random.default_rng(1)
    hub = np.concatenate([np.zeros(5000, int), rng.integers(0, 900, 3000)])
    other = np.concatenate([rng.integers(1, 900, 5000), rng.integers(0, 900, 3000)])
    made = [skewed(2, 50, 200), skewed(3, 700, 6000, directed=False), Graph.from_edges(other, hub)]
    return [
        g.with_edge_fields(w=rng.normal(size=g.num_edges), weight=rng.random(g.num_edges))
        for g in made
    ]


GRAPHS = graphs()


def agree(device, graph, program, **options):
    """Assert that the deliveries that take it give the same bits, by one launch and launch by
    launch; returns how many there are."""
    results = {}
    able = admitted(demand_of(program, device.atomics, device.fp64, True, group=device.group))
    able = set(DELIVERIES) & {*able} if program.solve is None else DELIVERIES[:2]
    forms = {"": device, " launch by launch": by_launches(device)}
    if not device.can_join:
        forms.popitem()
    for delivery, form in itertools.product(able, forms):
        result = Engine(graph, forms[form]).run(
            program, delivery=delivery, not_converged="ignore", **options
        )
        fields = {name: values.tobytes() for name, values in result.fields.items()}
        results[delivery + form] = (fields, [repr(step.aggregates) for step in result.trace])
    for delivery, result in results.items():
        assert result == results["slots"], f"{delivery}, {program!r}, {graph}"
    return len(able)


def check(device, seed, dtype):
    check_in_lanes(device, seed, dtype)
    cls, rng = random_program(seed), np.random.default_rng(seed)
    for graph in GRAPHS:
        n = graph.num_vertices
        plain = {"x": rng.normal(size=n), "y": rng.normal(size=n)}
        plain = {name: values.astype(dtype) for name, values in plain.items()}
        assert agree(device, graph, cls(dtype=dtype, **plain)) >= 2


def check_in_lanes(device, seed, dtype):
    cls = random_program(seed)
    for graph in GRAPHS[::2]:
        assert agree(device, graph, cls(dtype=dtype, k=[0.3, 0.7, 1.1])) >= 2


@pytest.mark.parametrize(
    ("case", "device"),
    in_turn([(0, "float64"), (2, "float32")], by=2),
    indirect=["device"],
)
def test_random_programs(device, case):
    """In lanes; slow tests run them in one lane, too, as `test_bundled_programs` runs others."""
    check_in_lanes(device, *case)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", range(100))
def test_more_random_programs(device, seed, dtype):
    check(device, seed, dtype)


QUICK = [PageRank(dtype="float64"), WeightedEigenvector(dtype="float64")]
OTHERS = [
    WeightedPageRank(dtype="float64"),
    Eigenvector(dtype="float64"),
    Hits(dtype="float64"),
    Katz(alpha=1e-3, dtype="float64"),
    PageRank(),
    Hits(),
    WeightedEigenvector(),
]


@pytest.mark.parametrize(("program", "device"), in_turn(QUICK, by=2), indirect=["device"])
def test_bundled_programs(device, program):
    for graph in GRAPHS:
        assert agree(device, graph, program, max_supersteps=20) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("program", OTHERS, ids=repr)
def test_other_bundled_programs(device, program):
    for graph in GRAPHS:
        assert agree(device, graph, program, max_supersteps=20) >= 2
