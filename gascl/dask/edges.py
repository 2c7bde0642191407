"""`EdgePart`: the edges in a partition of a Dask DataFrame, as a task on a worker reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gascl.errors import GraphError
from gascl.graph.edge_pieces import checked_piece
from gascl.graph.provided import provided
from gascl.graph.raw_graph import RawGraph
from gascl.util.host import give_back


class EdgePart:
    """The edges in a partition, whose vertices are those that occur there; or an error, which is
    no exception of the task, since Dask logs those.

    Attributes:
        rows: their number; an error has none.
        error: why they are no edges; None: they are.
    """

    def __init__(self, edges: RawGraph | None, error: GraphError | None = None):
        self._edges, self.error = edges, error
        self.rows = 0 if edges is None else len(edges.src)

    def take(self) -> RawGraph:
        """The edges, which are then no longer here: Dask keeps what a running task was given.

        Raises:
            GraphError: there are none.
        """
        if self.error is not None:
            raise self.error
        edges, self._edges = self._edges, None
        assert edges is not None
        return edges


def part_of(
    frame: Any,
    number: int,
    source: Any,
    target: Any,
    fields: Iterable[Any] | Mapping[str, Any] | None,
    weight: Any,
) -> EdgePart:
    """The edges of a partition, a DataFrame of pandas; the other arguments are those of
    `Graph.from_pandas`.

    Args:
        number: the partition's, for errors.
    """
    give_back()
    try:
        read = provided("from_pandas")(frame, source, target, fields, True, weight)
        return EdgePart(checked_piece(read))
    except GraphError as error:
        return EdgePart(None, GraphError(f"partition {number} (the first is 0): ", error.message))
