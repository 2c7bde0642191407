"""Graphs from NetworkX, which need not be installed: its graphs are used, not imported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gascl.errors import GraphError
from gascl.io.parsed import Parsed
from gascl.labels import label_array


def read_networkx(G: Any, fields: Iterable[str] | None) -> Parsed:
    """Nodes as labels, edges in `G.edges` order, and edge attributes as fields.

    Raises:
        GraphError: `G` is no NetworkX graph, or an edge has no number for one of `fields`.
    """
    if not all(hasattr(G, name) for name in ("nodes", "edges", "is_directed", "is_multigraph")):
        raise GraphError(f"from_networkx needs a NetworkX graph, not {type(G).__name__}")
    place = {node: number for number, node in enumerate(G.nodes)}
    edges = list(G.edges(data=True))
    report: list[str] = []
    return Parsed(
        src=np.array([place[tail] for tail, _, _ in edges], dtype=np.int64),
        dst=np.array([place[head] for _, head, _ in edges], dtype=np.int64),
        num_vertices=len(place),
        directed=G.is_directed(),
        labels=label_array(place),
        fields=_all_fields(edges, report) if fields is None else _named_fields(edges, fields),
        report=report,
    )


def _all_fields(edges: list[tuple], report: list[str]) -> dict[str, np.ndarray]:
    """The numeric attributes that all edges have; reports the others."""
    taken = {}
    for name in dict.fromkeys(name for *_, attributes in edges for name in attributes):
        values = [attributes[name] for *_, attributes in edges if name in attributes]
        numbers = _numbers(values)
        missing = len(edges) - len(values)
        if missing:
            report.append(
                f"edge attribute {name!r} left out: {missing:,} of {len(edges):,} lack it"
            )
        elif numbers is None:
            report.append(f"edge attribute {name!r} left out: not all its values are numbers")
        elif not (isinstance(name, str) and name.isidentifier()):
            report.append(f"edge attribute {name!r} left out: its name is not an identifier")
        else:
            taken[name] = numbers
    return taken


def _named_fields(edges: list[tuple], names: Iterable[str]) -> dict[str, np.ndarray]:
    if isinstance(names, str):
        raise GraphError(f"fields={names!r} must be a list of names: fields=[{names!r}]")
    taken = {}
    for name in names:
        for tail, head, attributes in edges:
            if name not in attributes:
                raise GraphError(
                    f"edge ({tail!r}, {head!r}) has no attribute {name!r}; set it on all edges or "
                    "leave it out of fields"
                )
            if _numbers([attributes[name]]) is None:
                raise GraphError(
                    f"edge ({tail!r}, {head!r}) has {name}={attributes[name]!r}, which is not a "
                    "number; convert it or leave it out of fields"
                )
        numbers = _numbers([attributes[name] for *_, attributes in edges])
        assert numbers is not None
        taken[name] = numbers
    return taken


def _numbers(values: list[Any]) -> np.ndarray | None:
    """`values` as an array of real numbers, or None where one is something else."""
    for kind in set(map(type, values)):
        if not issubclass(kind, (int, float, np.integer, np.floating)) or kind is bool:
            return None
    numbers = np.array(values)
    return numbers if numbers.dtype.kind in "iuf" else None
