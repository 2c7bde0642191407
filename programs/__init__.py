"""The bundled vertex programs, one a file, with the stages that it is made of.

Several share multi_source_search.py, a breadth-first search; clusters.py is the part of
ParticleCommunities that runs on the host.
"""

from gascl.programs.betweenness import Betweenness
from gascl.programs.breadth_first import BreadthFirst
from gascl.programs.closeness import Closeness
from gascl.programs.connected_components import ConnectedComponents
from gascl.programs.core_number import CoreNumber
from gascl.programs.eigenvector import Eigenvector, WeightedEigenvector
from gascl.programs.greedy_colouring import GreedyColouring
from gascl.programs.harmonic_closeness import HarmonicCloseness
from gascl.programs.hits import Hits
from gascl.programs.katz import Katz, WeightedKatz
from gascl.programs.label_propagation import LabelPropagation
from gascl.programs.local_clustering import LocalClustering
from gascl.programs.maximal_independent_set import MaximalIndependentSet
from gascl.programs.neighbourhoods import Neighbourhoods
from gascl.programs.page_rank import PageRank
from gascl.programs.particle_communities import ParticleCommunities
from gascl.programs.shortest_paths import ShortestPaths
from gascl.programs.strongly_connected import StronglyConnected
from gascl.programs.triangles import Triangles
from gascl.programs.weighted_page_rank import WeightedPageRank

__all__ = [
    "Betweenness",
    "BreadthFirst",
    "Closeness",
    "ConnectedComponents",
    "CoreNumber",
    "Eigenvector",
    "GreedyColouring",
    "HarmonicCloseness",
    "Hits",
    "Katz",
    "LabelPropagation",
    "LocalClustering",
    "MaximalIndependentSet",
    "Neighbourhoods",
    "PageRank",
    "ParticleCommunities",
    "ShortestPaths",
    "StronglyConnected",
    "Triangles",
    "WeightedEigenvector",
    "WeightedKatz",
    "WeightedPageRank",
]
