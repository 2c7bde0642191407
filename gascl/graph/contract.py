"""Quotient graphs: a vertex for each group of vertices, and an edge where edges join two groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gascl.errors import GraphError
from gascl.graph import validation
from gascl.graph.arcs import Order
from gascl.graph.field_stats import Summary
from gascl.graph.field_types import NO_TEXT, NOT_A_TIME, FieldType, Texts, Times
from gascl.graph.labels import label_array, shown
from gascl.graph.lazy import held
from gascl.graph.parallel import blocks, filled
from gascl.user_messages import Option

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

#: What becomes of the edges that are merged into one.
Merging = Literal["sum", "min", "max", "first", "count"]
#: Those whose results are numbers, whatever the field is.
NUMBERS = "sum", "count"
#: The bits of a sum of floats in fixed point, besides its sign.
_BITS = 62
#: The exponent of the least float.
_LEAST = -1074
#: Where a graph keeps its `total_weight`.
_TOTAL = "total", "weight"


def contract(
    graph: Graph,
    labels: Any,
    self_loops: validation.SelfLoops,
    undirected: bool,
    fields: Mapping[str, Any],
) -> Graph:
    """The result of `Graph.contract`."""
    validation.check_policy("self_loops", self_loops, validation.SelfLoops)
    fields = fields or {"weight": "sum"}
    for name, merging in fields.items():
        _check_merging(graph, name, merging)
    names, number = groups(graph, labels)
    directed = graph.directed and not undirected
    src, dst, places, starts = _merged_ends(graph, number, len(names), directed)
    longest = int(np.diff(starts, append=len(places)).max(initial=0))
    found: dict[str, np.ndarray] = {}
    for name, merging in fields.items():
        values = graph.edge_fields.get(name)
        if merging == "count" or values is None:
            found[name] = np.diff(starts, append=len(places))
        elif len(starts):
            kind = graph.edge_types.get(name)
            found[name] = _merged(name, values[places], kind, starts, longest, merging)
        else:
            found[name] = values[:0]
    report = list(graph.report)
    report.append(
        f"contract: {graph.num_vertices:,} vertices in {len(names):,} groups, "
        f"{graph.num_edges:,} edges merged into {len(src):,}"
    )
    kept = validation.Edges(src, dst, found, names, report)
    kept.apply_self_loops(self_loops)
    own = names.dtype.kind in "iu" and np.array_equal(names, np.arange(len(names)))
    return replace(
        graph,
        src=kept.src,
        dst=kept.dst,
        num_vertices=len(names),
        directed=directed,
        labels=None if own else names,
        edge_fields=kept.fields,
        # Counts, and sums of bools, are numbers.
        edge_types={n: t for n, t in graph.edge_types.items() if fields.get(n) not in NUMBERS},
        vertex_fields={},
        report=report,
        change=None,
        _label_index=None,
    )


def groups(graph: Graph, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """The names of the groups, integers and text sorted, other objects as they come; and int32
    (V,), the number of each vertex's group among them.

    Raises:
        GraphError: `labels` are not one integer, text or other object for each vertex.
    """
    if isinstance(labels, str):
        if labels not in graph.vertex_fields:
            there = ", ".join(graph.vertex_fields) or "none"
            raise GraphError(
                f"contract: the graph has no vertex field {labels!r}; it has: {there}; give one of "
                "these, or an array with a group for each vertex"
            )
        kind, values = graph.vertex_types.get(labels), graph.vertex_fields[labels]
        if isinstance(kind, Times) and (values == NOT_A_TIME).any():
            raise _no_group(graph, int((values == NOT_A_TIME).argmax()), None)
        labels = kind.decoded(values) if isinstance(kind, Texts) else values
    given = validation.by_label(labels, graph)
    if isinstance(given, Mapping):
        of_vertex = {graph.index_of(label): group for label, group in given.items()}
        missing = next((v for v in range(graph.num_vertices) if v not in of_vertex), None)
        if missing is not None:
            raise GraphError(
                f"contract: there is no group for {shown(graph.label_of(missing))}; give one for "
                "every vertex"
            )
        given = [of_vertex[v] for v in range(graph.num_vertices)]
    elif not isinstance(given, np.ndarray):
        given = given.to_numpy() if hasattr(given, "to_numpy") else list(given)
    if isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind == "b":
        given = given.astype(np.int8)
    if len(given) != graph.num_vertices:
        raise GraphError(
            f"contract: {len(given):,} groups for {graph.num_vertices:,} vertices; give one for "
            "each"
        )
    if isinstance(given, np.ndarray) and given.dtype.kind == "f":
        vertex = int(np.argmax(np.isnan(given)))
        raise _no_group(graph, vertex, given[vertex])
    array = label_array(given)
    if array.dtype == object:
        return _first_seen(graph, array)
    names, number = np.unique(array, return_inverse=True)
    return names, number.astype(np.int32)


def numbered(group: np.ndarray, num_vertices: int) -> tuple[np.ndarray, int]:
    """The groups, numbered from 0 in ascending order, int32 (V,); and how many there are.

    Raises:
        GraphError: `group` is not one integer for each vertex.
    """
    if group.shape != (num_vertices,) or group.dtype.kind not in "iu":
        raise GraphError(
            f"contract: group must be {num_vertices:,} integers, one for each vertex, not "
            f"{group.dtype} of shape {group.shape}"
        )
    if not num_vertices:
        return np.empty(0, np.int32), 0
    if group.min() < 0 or group.max() >= max(2 * num_vertices, 1024):
        names, number = np.unique(group, return_inverse=True)
        return number.astype(np.int32), len(names)
    there = np.zeros(int(group.max()) + 1, bool)
    there[group] = True
    rank = np.cumsum(there, dtype=np.int32) - np.int32(1)
    number = filled(np.empty(num_vertices, np.int32), lambda block: rank.take(group[block]))
    return number, int(rank[-1]) + 1


def summed(graph: Graph, number: np.ndarray, count: int, undirected: bool) -> Graph:
    """The quotient by groups that are numbered already, with the sums of the weights, in fixed
    point; the device's version is in device_graph/contract.py.

    Args:
        number: int32 (V,), the group of each vertex, of `count`, none of which is empty.

    Raises:
        GraphError: as `weight_unit`.
    """
    unit = weight_unit(graph)
    directed = graph.directed and not undirected
    src, dst, places, starts = _merged_ends(graph, number, count, directed)
    if "weight" in graph.edge_fields and len(starts):
        sums = np.add.reduceat(in_units(graph.edge_fields["weight"], unit)[places], starts)
    else:
        sums = np.diff(starts, append=len(places))
    weight = sums if unit is None else sums * unit
    quotient = graph.from_edges(src, dst, num_vertices=count, directed=directed, weight=weight)
    know_total(quotient, graph)
    return quotient


def weight_unit(graph: Graph) -> float | None:
    """The power of two of which floats are rounded to multiples, whose integers add up to the same
    in any order; None if weights are integers.

    Raises:
        GraphError: a weight is not finite, or the sum of integers may not fit in an int64.
    """
    if "weight" not in graph.edge_fields:
        return None
    total, whole = total_weight(graph), held(graph.edge_fields)["weight"].dtype.kind != "f"
    if not np.isfinite(total):
        raise GraphError(
            f"contract: the weights add up to {total}: they must be finite, and so must their sum; "
            "change them"
        )
    if not whole:
        if not total:
            return 1.0
        return 2.0 ** max(int(np.ceil(np.log2(total))) - _BITS, _LEAST)
    if total >= 2.0**63:
        raise GraphError(
            f"contract: the weights add up to {total:.3g}, more than an int64 holds; give them as "
            "float64"
        )
    return None


def total_weight(graph: Graph) -> float:
    """The sum of the absolute weights, 1 each where there are none."""

    def find() -> float:
        values = graph.edge_fields["weight"]
        return float(sum(np.abs(values[b], dtype=np.float64).sum() for b in blocks(len(values))))

    if "weight" not in graph.edge_fields:
        return float(graph.num_edges)
    total: float = graph._once(_TOTAL, find)
    return total


def know_total(quotient: Graph, graph: Graph) -> None:
    """Let a quotient have the total weight of its graph, whose unit it then shares: so the sums of
    sums are exact."""
    quotient._known[_TOTAL] = total_weight(graph)


def know_sums(quotient: Graph, graph: Graph) -> None:
    """`know_total`, and bounds of the sums, with which those of `edge_summary` need not be read
    from a device."""
    know_total(quotient, graph)
    total = total_weight(graph)
    before = Summary(1, 1, 1, total, 1.0, True, True)
    if "weight" in graph.edge_fields:
        before = graph.edge_summary("weight")
    if not before.count:
        return
    kind = held(quotient.edge_fields)["weight"].dtype.type
    least = before.least if before.least >= 0 else -total
    quotient._known["summary", "weight"] = replace(
        before, count=quotient.num_edges, least=kind(least), greatest=kind(total)
    )


def in_units(weight: np.ndarray, unit: float | None) -> np.ndarray:
    """int64 (E,): weights as multiples of the unit."""
    return (weight if unit is None else np.rint(weight / unit)).astype(np.int64)


def _merged_ends(
    graph: Graph, number: np.ndarray, count: int, directed: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The ends of the merged edges, int32, sorted; the edges of the graph in that order; and where
    those of each merged edge begin there."""
    low, high = number[graph.edge_src], number[graph.edge_dst]
    if not directed:
        low, high = np.minimum(low, high), np.maximum(low, high)
    order = Order(low, high, count)
    places, high, low = order.places, order.ends, order.rows
    first = np.ones(len(places), bool)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    starts = np.flatnonzero(first)
    return low[starts], high[starts], places, starts


def _check_merging(graph: Graph, name: str, merging: Any) -> None:
    validation.check_policy(name, merging, Merging)
    kind = graph.edge_types.get(name)
    if merging == "sum" and isinstance(kind, Texts | Times):
        raise GraphError(
            Option(name, "sum"),
            f": the edge field {name!r} is {kind.name}, which has no sum; ",
            Option(name, "first"),
            " keeps that of the first edge, min and max compare them, and count counts edges",
        )
    if merging == "count" or name in graph.edge_fields or (name, merging) == ("weight", "sum"):
        return
    there = ", ".join(graph.edge_fields) or "none"
    raise GraphError(
        f"contract: the graph has no edge field {name!r} (it has: {there}); ",
        Option(name, "count"),
        " counts the edges that are merged",
    )


def _merged(
    name: str,
    values: np.ndarray,
    kind: FieldType | None,
    starts: np.ndarray,
    longest: int,
    merging: str,
) -> np.ndarray:
    """`validation.merged`, in which a missing text or time is not the least."""
    if merging != "min" or not isinstance(kind, Texts | Times):
        return validation.merged(name, values, starts, longest, merging)
    missing = NO_TEXT if isinstance(kind, Texts) else NOT_A_TIME
    most = np.iinfo(values.dtype).max
    least = validation.merged(
        name, np.where(values == missing, most, values), starts, longest, merging
    )
    return np.where(least == most, missing, least).astype(values.dtype)


def _first_seen(graph: Graph, array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`groups` of any hashable objects."""
    number, seen = np.empty(len(array), np.int32), dict[Any, int]()
    for vertex, group in enumerate(array.tolist()):
        if _is_missing(group):
            raise _no_group(graph, vertex, group)
        try:
            number[vertex] = seen.setdefault(group, len(seen))
        except TypeError:
            raise _no_group(graph, vertex, group) from None
    return label_array(seen), number


def _is_missing(group: Any) -> bool:
    """Whether it is none, or a float, which cannot be a group either."""
    try:
        return group is None or isinstance(group, float | np.floating) or bool(group != group)
    except (TypeError, ValueError):  # by pandas.NA, and by arrays
        return True


def _no_group(graph: Graph, vertex: int, group: Any) -> GraphError:
    return GraphError(
        f"contract: the group of {shown(graph.label_of(vertex))} is {shown(group)}: groups are "
        "integers, text or other hashable objects; convert floats with labels.astype(int), and "
        "give vertices without a group one"
    )
