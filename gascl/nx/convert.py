"""Graphs from lists of edges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx import loader as loaders
from gascl.nx.edge_list import EdgeList, distinct, numbered
from gascl.nx.loader import Making, loader


@loader
def from_edgelist(call: Making) -> EdgeList | None:
    """Edges without attributes: tuples or lists of two nodes, or the rows of an array."""
    if isinstance(call.edgelist, Iterator):
        vars(call)["edgelist"] = list(call.edgelist)
    edges = call.edgelist
    if type(edges) is np.ndarray:
        return _from_array(edges, call.makes is nx.DiGraph)
    if type(edges) not in (list, tuple) or len(edges) < loaders.LEAST:
        return None
    if not set(map(type, edges)) <= {tuple, list} or set(map(len, edges)) != {2}:
        return None
    return of_ends(list(chain.from_iterable(edges)), {}, call.makes is nx.DiGraph)


def of_ends(ends: list[Any], columns: dict[Any, np.ndarray], directed: bool) -> EdgeList | None:
    """The edges of which these are the ends, one after the other; None: they are left to
    NetworkX."""
    kinds = set(map(type, ends))
    dtype: type = np.int64 if kinds == {int} else object
    if not _alike(kinds, ends):
        return None
    try:
        values: np.ndarray = np.fromiter(ends, dtype, len(ends))
    except OverflowError:
        values = np.fromiter(ends, object, len(ends))
    return of_values(values, columns, directed)


def _alike(kinds: set[type], ends: list[Any]) -> bool:
    """Whether equal ends are also written alike: NetworkX keeps 1 and 1.0, each where it stands."""
    if kinds == {tuple}:
        kinds = set(map(type, chain.from_iterable(ends)))
        return kinds <= {int, str}
    return kinds <= {int, float, bool, str, bytes} and len(kinds & {int, float, bool}) < 2


def of_values(values: np.ndarray, columns: dict[Any, np.ndarray], directed: bool) -> EdgeList:
    """The same, of an array (2N,) as `numbered` takes it."""
    nodes, codes = numbered(values)
    return distinct(nodes, codes[::2], codes[1::2], columns, directed)


def _from_array(edges: np.ndarray, directed: bool) -> EdgeList | None:
    small = edges.ndim != 2 or edges.shape[1] != 2 or len(edges) < loaders.LEAST
    if small or (values := integers(edges)) is None:
        return None
    made = of_values(values.ravel(), {}, directed)
    nodes = list(np.array(made.nodes, edges.dtype))  # NetworkX's nodes are NumPy's numbers, too
    return EdgeList(nodes, made.tails, made.heads, {}, directed)


def integers(values: np.ndarray) -> np.ndarray | None:
    """int64: integers of any type; None: they are no integers, or larger ones."""
    if values.dtype.kind not in "iu" or (values.dtype.kind == "u" and values.itemsize == 8):
        return None
    return values.astype(np.int64, copy=False)
