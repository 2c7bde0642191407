"""The bundled programs, a line each. `__init__.py` reads this file, and so do type checkers."""

from gascl.programs.alternating_label_propagation import (
    AlternatingLabelPropagation as AlternatingLabelPropagation,
)
from gascl.programs.bellman_ford import BellmanFord as BellmanFord
from gascl.programs.betweenness import Betweenness as Betweenness
from gascl.programs.betweenness import EdgeBetweenness as EdgeBetweenness
from gascl.programs.bipartite_matching import BipartiteMatching as BipartiteMatching
from gascl.programs.bipartition import Bipartition as Bipartition
from gascl.programs.breadth_first import BreadthFirst as BreadthFirst
from gascl.programs.closeness import Closeness as Closeness
from gascl.programs.closeness import WeightedCloseness as WeightedCloseness
from gascl.programs.connected_components import ConnectedComponents as ConnectedComponents
from gascl.programs.core_number import CoreNumber as CoreNumber
from gascl.programs.diameter import Diameter as Diameter
from gascl.programs.eccentricity import Eccentricity as Eccentricity
from gascl.programs.eccentricity import WeightedEccentricity as WeightedEccentricity
from gascl.programs.eigenvector import Eigenvector as Eigenvector
from gascl.programs.eigenvector import WeightedEigenvector as WeightedEigenvector
from gascl.programs.force_layout import ForceLayout as ForceLayout
from gascl.programs.greedy_coloring import GreedyColoring as GreedyColoring
from gascl.programs.harmonic_closeness import HarmonicCloseness as HarmonicCloseness
from gascl.programs.harmonic_closeness import WeightedHarmonicCloseness as WeightedHarmonicCloseness
from gascl.programs.hits import Hits as Hits
from gascl.programs.katz import Katz as Katz
from gascl.programs.katz import WeightedKatz as WeightedKatz
from gascl.programs.label_propagation import LabelPropagation as LabelPropagation
from gascl.programs.leiden import Leiden as Leiden
from gascl.programs.local_clustering import LocalClustering as LocalClustering
from gascl.programs.local_community import LocalCommunity as LocalCommunity
from gascl.programs.louvain import Louvain as Louvain
from gascl.programs.maximal_independent_set import MaximalIndependentSet as MaximalIndependentSet
from gascl.programs.neighborhoods import Neighborhoods as Neighborhoods
from gascl.programs.page_rank import PageRank as PageRank
from gascl.programs.particle_communities import ParticleCommunities as ParticleCommunities
from gascl.programs.shortest_paths import Distances as Distances
from gascl.programs.shortest_paths import ShortestPaths as ShortestPaths
from gascl.programs.spanning_forest import SpanningForest as SpanningForest
from gascl.programs.strongly_connected import StronglyConnected as StronglyConnected
from gascl.programs.temporal_paths import EarliestArrival as EarliestArrival
from gascl.programs.temporal_paths import TemporalReachability as TemporalReachability
from gascl.programs.triangles import Triangles as Triangles
from gascl.programs.truss_number import TrussNumber as TrussNumber
from gascl.programs.weighted_betweenness import WeightedBetweenness as WeightedBetweenness
from gascl.programs.weighted_betweenness import WeightedEdgeBetweenness as WeightedEdgeBetweenness
from gascl.programs.weighted_clustering import WeightedClustering as WeightedClustering
from gascl.programs.weighted_page_rank import WeightedPageRank as WeightedPageRank

__all__: list[str]
