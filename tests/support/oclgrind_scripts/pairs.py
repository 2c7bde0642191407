"""Every pair, for language.py: on few vertices, in tiles and ranges that are small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gascl.delivery.run_layout
import gascl.run.plan
from gascl import Engine, Graph, ProgramError, VertexProgram, param, struct, vertex
from gascl.opencl.device import Device

V = 21
ENDS = ([0, 0, 3, 3, 5, 20], [1, 1, 3, 9, 20, 4])
GRAPH = Graph.from_edges(*ENDS, num_vertices=V)


class Pairing(VertexProgram):
    """Who is in the mask gives, and scatters: a frontier, or a byte a vertex."""

    x = vertex.int32(init="v.id * 7 % 11 + lane")
    supersteps = param.supersteps(2)
    message, combine = "int32", "sum"
    mask = "v.id % 3"
    apply_on = "all"
    scatter = "send(1000);"
    pairs = "if (u.x < v.x) send(u.id + 1);"
    apply = "v.x = msg % 1009; if (v.id % 2) set_mask();"


class PairingTwice(Pairing):
    lanes = 2


class OfStructs(VertexProgram):
    """Structs and vectors in tiles; what is read of v and u differs."""

    Known = struct([("p", "real2"), ("n", "int32")])
    Sum = struct([("p", "real2"), ("q", "real")])
    known = vertex.struct(Known, init="(Known){(real2)(v.id, 2 * v.id), v.id % 4}")
    total = vertex.struct(Sum)
    w = vertex.real3(init="v.id")
    supersteps = param.supersteps(1)
    message, combine = Sum, "sum"
    scatter_on = "all"
    pairs = "if (u.known.n != v.out_degree) send((Sum){u.known.p + v.w.xy, sqrt(u.w.z)});"
    apply = "v.total = msg;"


class Near(VertexProgram):
    """What is near, in lanes and in a mask, where small groups send as one."""

    place = vertex.real2(init="(real2)(v.id % 5, v.id * 7 % 11 + lane)")
    weight = vertex.real(init="v.id")
    total = vertex.real()
    supersteps = param.supersteps(1)
    lanes = 2
    message, combine = "real", "sum"
    mask, apply_on = "v.id % 3", "all"
    pairs_at, pairs_within, pairs_merge = "place", "5", "radius <= 2"
    pairs = "send(u.weight);"
    apply = "v.total = msg;"


class Trapped(Pairing):
    pairs = "send(12 / (v.x - u.x));"


def near() -> np.ndarray:
    ids, lane = np.arange(V)[:, None], np.arange(2)
    x, y = ids % 5 + 0 * lane, ids * 7 % 11 + lane
    gives = (ids[None] % 3 > 0) & (ids[None] != ids[:, None])
    gives = gives & ((x[:, None] - x[None]) ** 2 + (y[:, None] - y[None]) ** 2 <= 25)
    return (gives * ids[None]).sum(1)


def expected(lanes: int) -> np.ndarray:
    x = np.arange(V)[:, None] * 7 % 11 + np.arange(lanes)
    gives, ids = np.arange(V) % 3 > 0, np.arange(V)
    for _ in range(2):
        less = (x[None] < x[:, None]) & gives[None, :, None]  # (receiver, giver, lane)
        heard = (less * (ids + 1)[None, :, None]).sum(1)
        for a, b in zip(*ENDS, strict=True):
            heard[b] += 1000 * gives[a]
        x, gives = heard % 1009, ids % 2 > 0
    return x[:, 0] if lanes == 1 else x


def run_pairs(device: Device, debug: bool) -> None:
    """In one range and in several, which are joined."""
    gascl.run.plan.TILE = 4
    engine, original = Engine(GRAPH, device), gascl.delivery.run_layout.splits
    for ranges in (1, 3):
        gascl.delivery.run_layout.splits = lambda *_, ranges=ranges: ranges
        for cls, delivery in ((Pairing, "push"), (PairingTwice, "slots")):
            program = type(cls.__name__, (cls,), {})()  # what a class needs is worked out once
            result = engine.run(program, delivery=delivery)
            np.testing.assert_array_equal(result.x, expected(program.lanes))
        total = engine.run(type("OfStructs", (OfStructs,), {})()).total
        ids, out = np.arange(V), GRAPH.out_degree
        gives = (ids[None] % 4 != out[:, None]) & (ids[None] != ids[:, None])
        same(total["p"][:, 1], (gives * (2 * ids[None] + ids[:, None])).sum(1))
        same(total["q"], (gives * np.sqrt(ids)[None]).sum(1))
    for each in (device, type(device)(device.cl, 1)):  # which sort in other ways
        total = Engine(GRAPH, each).run(Near(), delivery="slots").total
        np.testing.assert_allclose(total, near(), rtol=1e-6)
    if debug:
        watched = Engine(GRAPH, device, debug=True)
        np.testing.assert_array_equal(watched.run(Pairing(), delivery="slots").x, expected(1))
        with pytest.raises(ProgramError, match="vertex 0 divided by zero"):
            watched.run(Trapped(), delivery="slots")
    gascl.delivery.run_layout.splits = original


def same(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got, want, rtol=1e-6)


def run_patched(device: Device) -> None:
    gascl.delivery.run_layout.splits = lambda *_: 3
    one_item = type(device)(device.cl, 1)  # which sorts in another way
    for cls, of in ((PairingTwice, device), (Near, device), (Near, one_item)):
        Engine(GRAPH, of).run(cls(), delivery="slots")
