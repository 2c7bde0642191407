"""Scatter sends along some arcs: CPUs calculate the messages of several arcs before they know which
are sent, and combine the identity for the others. Expected values are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.case_subsets import one_in

from gascl import Engine, Graph, VertexProgram, edge, param, vertex
from gascl.language.traits import Traits

VERTICES, STEPS = 120, 3
#: Of each kind: type, combiner, which arcs carry a message, what they carry, what combines these,
#: and what combines to nothing.
KINDS: dict[str, tuple[Any, ...]] = {
    "int32 sum": ("int32", "sum", "hash(e.src * 7 + e.dst) % 4 == 0", "v.x", np.add, 0),
    "int32 max": ("int32", "max", "e.weight < 5", "v.x - e.weight", np.maximum, -(2**31)),
    "uint8 or": ("uint8", "or", "hash(e.weight) % 2 == 0", "v.x & 255", np.bitwise_or, 0),
    "float32 sum": ("float32", "sum", "e.weight % 3 == 0", "v.x / 4.0f", np.add, 0),
    "float64 min": ("float64", "min", "v.x > x_of(e.dst)", "v.x + 0.5", np.minimum, np.inf),
    "int64 sum": ("int64", "sum", "v.x % 2 == 0", "(long)v.x << 20", np.add, 0),
}


def graph() -> Graph:
    """A hub, parallel arcs, self-loops, rows of any length from 0 to 40."""
    rng = np.random.default_rng(2)
    src = rng.integers(0, VERTICES, 1500)
    dst = np.minimum(rng.integers(0, VERTICES, 1500), rng.integers(0, VERTICES, 1500))
    src, dst = np.append(src, np.arange(90)), np.append(dst, np.full(90, 100))
    return Graph.from_edges(
        src, dst, num_vertices=VERTICES, weight=rng.integers(0, 10, len(src)).astype(np.int32)
    )


def made(name: str) -> VertexProgram:
    type_, combine, sends, message, _, _ = KINDS[name]
    body = {
        "__module__": __name__,
        "supersteps": param.supersteps(STEPS),
        "x": vertex.int32(init="v.id * 31 % 97"),
        "heard": getattr(vertex, type_)(),
        "weight": edge.int32(),
        "message": type_,
        "combine": combine,
        "scatter_on": "all",
        "apply_on": "all",
        "scatter": f"if ({sends}) send({message});",
        "apply": "v.heard = has_msg ? msg : 0; v.x = (v.x * 5 + has_msg + v.id) % 97;",
    }
    return type("Chosen", (VertexProgram,), body)()


def hashed(x: np.ndarray) -> np.ndarray:
    x = x.astype(np.uint32)
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return x ^ (x >> np.uint32(16))


def expected(name: str) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """x and what was heard after the last superstep, and the number of messages in each."""
    _, _, _, _, combined, nothing = KINDS[name]
    edges = graph()
    src, dst, weight = edges.edge_src, edges.edge_dst, edges.edge_fields["weight"]
    x, counts = np.arange(VERTICES) * 31 % 97, []
    for _ in range(STEPS):
        of = x[src]
        sends, message = {
            "int32 sum": (hashed(src * 7 + dst) % 4 == 0, of),
            "int32 max": (weight < 5, of - weight),
            "uint8 or": (hashed(weight) % 2 == 0, of & 255),
            "float32 sum": (weight % 3 == 0, of / 4),
            "float64 min": (of > x[dst], of + 0.5),
            "int64 sum": (of % 2 == 0, of << 20),
        }[name]
        heard = np.full(VERTICES, nothing, message.dtype if np.isfinite(nothing) else float)
        combined.at(heard, dst[sends], message[sends])
        has = np.bincount(dst[sends], minlength=VERTICES) > 0
        counts.append(int(sends.sum()))
        heard = np.where(has, heard, 0)
        x = (x * 5 + has + np.arange(VERTICES)) % 97
    return x, heard, counts


@pytest.mark.parametrize("name", one_in(2, KINDS))
def test_chosen_arcs(device, name):
    x, heard, counts = expected(name)
    program = made(name)
    assert Traits.of(program.spec).scatter_chooses
    for delivery in some_admitted(program, device):
        found = Engine(graph(), device).run(program, delivery=delivery)
        assert found.x.tolist() == x.tolist(), delivery
        assert found.heard.tolist() == heard.tolist(), delivery  # quarters are exact
        assert [step.messages for step in found.trace] == counts, delivery


@pytest.mark.parametrize(
    "scatter",
    [
        "send(v.x);",
        "if (v.x % 2) send(exp((float)v.x));",
        "for (int k = 0; k < 3; ++k) if (k == v.x) send(k);",
        "if (v.x % 2) send(1); else send_to(0, 1);",
        "if (v.x % 2) { send(1); set_mask_of(e.dst); }",
    ],
)
def test_what_is_not_only_chosen(scatter):
    program = type(made("int32 sum"))
    other = type("Other", (program,), {"scatter": scatter, "ends": "stop"})()
    assert not Traits.of(other.spec).scatter_chooses
