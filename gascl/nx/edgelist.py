"""Graphs from files of edge lists."""

from __future__ import annotations

from io import BytesIO, StringIO
from typing import Any

import networkx as nx
import numpy as np

from gascl.io.arrow_csv import Layout
from gascl.io.text_lines import integers as rows_of_integers
from gascl.io.text_numbers import Irregular, read_columns
from gascl.nx import loader as loaders
from gascl.nx.convert import of_ends, of_values
from gascl.nx.edge_list import EdgeList
from gascl.nx.loader import Making, loader

#: In rows of these characters, gascl reads the numbers that Python's `int` and `float` read.
NUMBERS = b"0123456789+-.eE \t\n"


@loader
def read_edgelist(call: Making) -> EdgeList | None:
    """Rows of two nodes, and perhaps a number."""
    if call.data in (True, False):
        return _read(call, None)
    fields = list(call.data) if isinstance(call.data, list | tuple) else []
    if len(fields) != 1 or len(fields[0]) != 2 or fields[0][1] is not float:
        return None
    return _read(call, fields[0][0])


@loader
def read_weighted_edgelist(call: Making) -> EdgeList | None:
    """Rows of two nodes and a weight."""
    return _read(call, "weight")


def _read(call: Making, weight: Any) -> EdgeList | None:
    """Rows between blanks, with nodes that are integers or text, and a comment only at the start.

    Args:
        weight: the attribute in the third column; None: there are two.
    """
    if call.delimiter is not None or call.nodetype not in (int, None, str) or call.comments == "":
        return None  # to NetworkX, "" is a comment that begins each line
    if not hasattr(call.path, "read"):
        return None
    content = call.path.read()
    if not isinstance(content, bytes):
        vars(call)["path"] = StringIO(content)
        return None
    vars(call)["path"] = BytesIO(content)  # for NetworkX
    mark = b"" if call.comments is None else str(call.comments).encode()
    while mark and content.startswith(mark):
        content = content.partition(b"\n")[2]
    if content.count(b"\n") < loaders.LEAST or (mark and mark in content):
        return None
    if not content.endswith(b"\n"):
        content += b"\n"
    directed = call.makes is nx.DiGraph
    edges = _of_numbers(content, weight, directed, text=call.nodetype is not int)
    if edges is None and call.nodetype is not int:
        edges = _of_text(content.decode(call.encoding), weight, directed)
    return edges


def _of_numbers(content: bytes, weight: Any, directed: bool, text: bool) -> EdgeList | None:
    """Edges between nodes that are integers.

    Args:
        text: the nodes are the text in which the integers are written.
    """
    if weight is None:
        read = rows_of_integers(content)
        if read is None or not np.isin(read[1], (0, 2)).all():
            return None
        if text and len(content.translate(None, b" \t\r\n")) != _digits(read[0]):
            return None
        edges = of_values(read[0], {}, directed)
        nodes = list(map(str, edges.nodes)) if text else edges.nodes
        return EdgeList(nodes, edges.tails, edges.heads, {}, directed)
    if text or content.translate(None, NUMBERS):
        return None
    try:
        table = read_columns([content], Layout(3, [0, 1], [2], comments="#", number=np.float64))
    except Irregular:
        return None
    ends = np.stack(table.values[:2], axis=1).ravel().astype(np.int64)
    return of_values(ends, {weight: table.values[2]}, directed)


def _digits(numbers: np.ndarray) -> int:
    """How many characters `str` needs for all of them: those that a file has if it writes none in
    another way."""
    powers = 10 ** np.arange(1, 19)
    digits = 1 + np.searchsorted(powers, np.abs(numbers), "right")
    return int(digits.sum()) + int(np.count_nonzero(numbers < 0))


def _of_text(content: str, weight: Any, directed: bool) -> EdgeList | None:
    rows = [row for line in content.split("\n") if (row := line.split())]
    width = 2 if weight is None else 3
    if set(map(len, rows)) != {width}:
        return None
    columns = {}
    if weight is not None:
        try:
            columns[weight] = np.array([float(row[2]) for row in rows])
        except ValueError:
            return None
    return of_ends([end for row in rows for end in row[:2]], columns, directed)
