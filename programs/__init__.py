"""The bundled vertex programs, one a file."""

from gascl.programs.breadth_first import BreadthFirst
from gascl.programs.closeness import Closeness
from gascl.programs.connected_components import ConnectedComponents
from gascl.programs.core_number import CoreNumber
from gascl.programs.harmonic_closeness import HarmonicCloseness
from gascl.programs.label_propagation import LabelPropagation
from gascl.programs.local_clustering import LocalClustering
from gascl.programs.neighbourhoods import Neighbourhoods
from gascl.programs.page_rank import PageRank
from gascl.programs.shortest_paths import ShortestPaths
from gascl.programs.triangles import Triangles

__all__ = [
    "BreadthFirst",
    "Closeness",
    "ConnectedComponents",
    "CoreNumber",
    "HarmonicCloseness",
    "LabelPropagation",
    "LocalClustering",
    "Neighbourhoods",
    "PageRank",
    "ShortestPaths",
    "Triangles",
]
