"""Refuses given values of vertices and edges, with the name of the field, the first wrong value and
what to do; and the largest weight."""

import numpy as np

from gascl import ProgramError


def refuse_vertices(title, graph, name, values):
    """Raise ProgramError unless all values of a vertex field are finite and 0 or more.

    Args:
        title: the program's, with ": "; "" within `solve`, which puts the name in front.
        name: the field's.
        values: (V,) or (V, lanes).
    """
    wrong = np.argwhere(~((values >= 0) & (values < np.inf)))
    if len(wrong):
        vertex, value = graph.label_of(int(wrong[0, 0])), values[tuple(wrong[0])]
        raise ProgramError(
            title,
            f"{name} must be finite and 0 or more, but vertex {vertex!r} has {value} "
            f"({len(wrong):,} such values): change these values",
        )


def shares(title, graph, name, values):
    """What each vertex has of the sum of a vertex field's values; they are refused as by
    `refuse_vertices`, and also if their sum is 0 or infinite."""
    refuse_vertices(title, graph, name, values)
    with np.errstate(over="ignore"):
        total = values.sum(axis=0, dtype=np.float64)
    if not np.all(total > 0):
        why = f"{name} is 0 at every vertex: give at least one vertex more than 0"
        raise ProgramError(title, why)
    if not np.all(total < np.inf):
        why = f"the sum of {name} is more than float64 holds: scale all values down"
        raise ProgramError(title, why)
    return values / total


def refuse_edges(graph, name, right, rule):
    """Raise ProgramError unless an edge field is right everywhere, as `refuse_vertices`; within
    `solve`, which puts the program's name in front."""
    wrong = np.flatnonzero(~right)
    if len(wrong):
        first = int(wrong[0])
        src, dst = (graph.label_of(int(ends[first])) for ends in (graph.edge_src, graph.edge_dst))
        error = ProgramError(
            f"{name} must be {rule}, but edge {first} ({src!r} to {dst!r}) has "
            f"{graph.edge_fields[name][first]} ({len(wrong):,} such edges): change or remove these "
            "edges"
        )
        error.edge = first
        raise error


def largest_weight(graph):
    """The largest value of the edge field `weight`, all 0 or more; 1 if there is none above 0."""
    if "weight" not in graph.edge_fields:
        return 1.0
    return float(graph.edge_summary("weight").greatest or 1)
