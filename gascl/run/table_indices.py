"""Checks the fields by whose values array parameters are read, as `p.price[v.kind]`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.field_types import NO_TEXT, Texts
from gascl.graph.graph import Graph
from gascl.language.arrays import FieldIndex
from gascl.language.fields import REQUIRED
from gascl.language.program import VertexProgram
from gascl.user_messages import Message


def check_indices(
    program: VertexProgram,
    graph: Graph,
    initial: Mapping[str, np.ndarray],
    kept: Collection[str] = (),
) -> list[str]:
    """Look whether fields are outside of the arrays that are read at their values.

    Args:
        initial: the vertex fields that the run is given.
        kept: those that come from a State, where the run before has checked them.

    Returns:
        Warnings of values that the program may never read at.

    Raises:
        GraphError: the program surely reads outside of an array.
    """
    notes: list[str] = []
    for index in program.spec.field_indices:
        if index.field in kept and not index.of_edges:
            continue
        if index.of_edges and index.field in graph.edge_fields:
            ends = graph.edge_summary(index.field)
            if ends.count == 0 or (ends.least >= 0 and ends.greatest < index.length):
                continue
            values = np.asarray(graph.edge_fields[index.field])
        elif index.of_edges:
            default = program.spec.edge_fields[index.field].default
            if default is REQUIRED:  # which is reported where fields are read
                continue
            values = np.broadcast_to(np.asarray(default), graph.num_edges)
        elif index.field in initial:
            values = initial[index.field]
        else:
            begins = program.spec.vertex_fields[index.field].init
            values = np.broadcast_to(0 if isinstance(begins, str) else begins, graph.num_vertices)
        # A value that the device computes is masked.
        wrong = np.ma.filled((values < 0) | (values >= index.length), False)
        rows = np.flatnonzero(wrong if wrong.ndim == 1 else wrong.any(axis=1))
        if not len(rows):
            continue
        read = _surely_read(program, graph, index, rows)
        if len(read):
            raise GraphError(*_outside(program, graph, index, values, wrong, read))
        parts = _outside(program, graph, index, values, wrong, rows)
        notes.append(Message(*parts, "; if the program reads it there, the value is undefined"))
    return notes


def _surely_read(
    program: VertexProgram, graph: Graph, index: FieldIndex, rows: np.ndarray
) -> np.ndarray:
    """Those of some vertices or edges at whose values the program is certain to read."""
    if index.snippet is None:
        return rows[:0]
    if index.snippet != "scatter" or index.of_edges:
        return rows
    degrees = {"out": "out_degree", "in": "in_degree"}  # those without arcs do not scatter
    degree: np.ndarray = getattr(graph, degrees.get(program.spec.edges, "degree"))
    return rows[degree[rows] > 0]


def _outside(
    program: VertexProgram,
    graph: Graph,
    index: FieldIndex,
    values: np.ndarray,
    wrong: np.ndarray,
    rows: np.ndarray,
) -> tuple[Any, ...]:
    """What is said of values that are no places of the array."""
    row, name = int(rows[0]), index.field
    value = int(values[row] if values.ndim == 1 else values[row][wrong[row]][0])
    where = f"vertex {graph.label_of(row)!r}"
    kind = graph.vertex_types.get(name)
    if index.of_edges:
        kind = graph.edge_types.get(name)
        ends = (graph.label_of(int(of[row])) for of in (graph.edge_src, graph.edge_dst))
        where = "edge {} ({!r} to {!r})".format(row, *ends)
    missing = ", a missing text" if value == NO_TEXT and isinstance(kind, Texts) else ""
    nouns = ("edge", "edges") if index.of_edges else ("vertex", "vertices")
    count = f"{len(rows):,} such {nouns[len(rows) > 1]}"
    return (
        program.title(),
        f": {index.text} needs an index from 0 to {index.length - 1}, but {where} has "
        f"{name} = {value}{missing} ({count}): change the values of {name} or the length of "
        f"{index.array}, or check {name} before using it as an index",
    )
