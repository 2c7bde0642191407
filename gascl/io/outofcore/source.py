"""The interface of sources of edges that do not fit in memory: files and generators."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from gascl.io.outofcore.spool import EdgeSpool, Spooled


class EdgeSource(Protocol):
    """Edges that are put into a spool, the same ones each time.

    Attributes:
        name: what errors call it.
        doing: what progress calls the filling of the spool.
        num_edges: how many there will be, if that is known.
        numbered: the ids are the vertices, so that nothing need be sorted to number them.
    """

    @property
    def name(self) -> str: ...
    @property
    def doing(self) -> str: ...
    @property
    def num_edges(self) -> int | None: ...
    @property
    def numbered(self) -> bool: ...

    def check(self, folder: Path, room: int) -> None:
        """Called before any work.

        Args:
            folder: where the work will be done; it may have been begun there.
            room: the bytes of memory that the edges may take while they are made.

        Raises:
            GraphError: the source cannot deliver the edges in this way.
        """

    def identity(self) -> dict[str, Any]:
        """Values, as JSON, that differ for other edges."""

    def spool(self, spool: EdgeSpool) -> Spooled:
        """Fill a spool.

        Raises:
            GraphError: something is wrong with the edges.
        """
