"""The bundled vertex programs, one a file."""

from gascl.programs.page_rank import PageRank
from gascl.programs.shortest_paths import ShortestPaths

__all__ = ["PageRank", "ShortestPaths"]
