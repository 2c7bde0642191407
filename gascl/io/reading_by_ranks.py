"""`read_by_ranks`: a graph of whose edges each rank reads a share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gascl.distributed.ranks import ranks_of
from gascl.distributed.shared_edges import shared_graph
from gascl.graph.graph import Graph
from gascl.io.files import SHOWN
from gascl.io.parquet_table import ParquetTable
from gascl.io.registry import is_parquet, parquet_table
from gascl.util.paths import checked_path
from gascl.util.progress import Progress, showing


def read_by_ranks(
    comm: Any,
    read: Callable[[], Graph],
    alone: bool,
    path: str | os.PathLike[str],
    format: str | None,
    directed: bool | None,
    weight: Any,
    progress: bool | Progress,
    **options: Any,
) -> Graph:
    """`Graph.read` with `comm`: all its ranks must call this.

    Args:
        read: reads the whole file, as each rank does unless it can read a share.
        alone: nothing is asked for that concerns more than one edge.
        path, format, directed, weight, progress, options: as in `Graph.read`.

    Raises:
        RankError: another rank has failed.
        Others: as `Graph.read`, in a rank that has failed.
    """
    ranks = ranks_of(comm)
    if ranks is None:
        return read()
    table: ParquetTable | None = None
    with ranks.errors_in_all():
        file: Path = checked_path(path)
        if alone and is_parquet(file, format):
            table = parquet_table(file, directed, weight, options)
    if table is None or not table.in_pieces:
        with ranks.errors_in_all():
            graph = read()
        return graph
    with ranks.errors_in_all(), showing(progress) as shown:
        token = SHOWN.set(shown)
        try:
            pieces = [*table.pieces(ranks.rank, ranks.size)]
        finally:
            SHOWN.reset(token)
    return shared_graph(pieces, ranks, table.directed, table.num_vertices, table.report)
