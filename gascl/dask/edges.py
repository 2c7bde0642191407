"""The edges in the partitions of a Dask DataFrame, numbered alike, as one Graph on each worker.

Each step is a task of Dask. The graph is that of `Graph.from_pandas` with all rows in order. A task
returns an error in the edges instead of raising it, since Dask logs what a task raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.field_types import Coded, FieldType, Texts
from gascl.graph.graph import Graph
from gascl.graph.validation import Duplicates, SelfLoops


def part_of(
    frame: Any,
    number: int,
    source: Any,
    target: Any,
    fields: Iterable[Any] | Mapping[str, Any] | None,
    weight: Any,
) -> Graph | GraphError:
    """The edges of a partition, a DataFrame of pandas, whose vertices are those that occur there;
    or the error of `Graph.from_pandas`, with the partition's number."""
    try:
        return Graph.from_pandas(frame, source, target, fields=fields, weight=weight)
    except GraphError as error:
        return GraphError(f"partition {number} (the first is 0): ", error.message)


def error_of(outcome: Any) -> GraphError | None:
    """The result of a task, if that is an error."""
    return outcome if isinstance(outcome, GraphError) else None


def labels_of(part: Graph | GraphError) -> np.ndarray | GraphError | None:
    """The labels in a partition; None: it has no rows; or its error."""
    if isinstance(part, GraphError):
        return part
    return part.labels if part.num_edges else None


def merged(labels: Sequence[np.ndarray | GraphError | None]) -> np.ndarray | GraphError | None:
    """All labels, sorted; None: there are none. An error: they are text in some partitions, and
    integers in others."""
    wrong = next(filter(None, map(error_of, labels)), None)
    if wrong is not None:
        return wrong
    arrays = [one for one in labels if isinstance(one, np.ndarray)]
    if not arrays:
        return None
    if len({one.dtype.kind == "U" for one in arrays}) > 1:
        return GraphError(
            "ids are integers in some partitions, and text in others; convert the columns with "
            ".astype(str)"
        )
    together = np.unique(np.concatenate(arrays))
    if together.dtype.kind == "f":
        return GraphError(
            "ids are below 0 in some partitions, and above 2^63 - 1 in others; convert the columns "
            "with .astype(str)"
        )
    return together


def whole_graph(
    labels: np.ndarray | None,
    parts: Sequence[Graph],
    directed: bool,
    duplicates: Duplicates,
    self_loops: SelfLoops,
) -> Graph | GraphError:
    """The graph of all partitions, whose labels are these; or an error: a policy refuses an
    edge."""
    if labels is None:
        return Graph.from_edges([], [], directed=directed)
    parts = [part for part in parts if part.num_edges]
    # The numbers in the whole graph of each part's vertices.
    numbers = [np.searchsorted(labels, np.asarray(part.labels)).astype(np.int32) for part in parts]
    src, dst = (
        np.concatenate([number[end] for number, end in zip(numbers, ends, strict=True)])
        for ends in ([p.edge_src for p in parts], [p.edge_dst for p in parts])
    )
    fields: dict[str, Any] = {name: _together(parts, name) for name in parts[0].edge_fields}
    try:
        return Graph.from_edges(
            *(src, dst),
            labels=labels,
            directed=directed,
            duplicates=duplicates,
            self_loops=self_loops,
            **fields,
        )
    except GraphError as error:
        return error.with_traceback(None)


def _together(parts: Sequence[Graph], name: str) -> Any:
    """A field of all parts: codes where all have the same dictionary, or unit of times."""
    kinds = [part.edge_types.get(name) for part in parts]
    if all(_same(kinds[0], kind) for kind in kinds):
        values = np.concatenate([part.edge_fields[name] for part in parts])
        return Coded(values, kinds[0]) if kinds[0] else values
    return np.concatenate([part.edges[name] for part in parts])


def _same(one: FieldType | None, other: FieldType | None) -> bool:
    if isinstance(one, Texts) and isinstance(other, Texts):
        return one.ordered == other.ordered and np.array_equal(one.values, other.values)
    return one == other
