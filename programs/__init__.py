"""The bundled vertex programs, one a file, with the stages that it is made of.

Several share multi_source_search.py, a breadth-first search, search_sums.py, joined_pairs.py,
sources.py, where searches begin, and refused.py, which checks given values; clusters.py is the part
of ParticleCommunities that runs on the host. link_prediction.py has a function instead of a
program: its scores are of pairs of vertices.
"""

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from gascl.programs.harmonic_closeness import (
        WeightedHarmonicCloseness as WeightedHarmonicCloseness,
    )
    from gascl.programs.hits import Hits as Hits
    from gascl.programs.katz import Katz as Katz
    from gascl.programs.katz import WeightedKatz as WeightedKatz
    from gascl.programs.label_propagation import LabelPropagation as LabelPropagation
    from gascl.programs.local_clustering import LocalClustering as LocalClustering
    from gascl.programs.local_community import LocalCommunity as LocalCommunity
    from gascl.programs.louvain import Louvain as Louvain
    from gascl.programs.maximal_independent_set import (
        MaximalIndependentSet as MaximalIndependentSet,
    )
    from gascl.programs.neighborhoods import Neighborhoods as Neighborhoods
    from gascl.programs.page_rank import PageRank as PageRank
    from gascl.programs.particle_communities import ParticleCommunities as ParticleCommunities
    from gascl.programs.shortest_paths import Distances as Distances
    from gascl.programs.shortest_paths import ShortestPaths as ShortestPaths
    from gascl.programs.spanning_forest import SpanningForest as SpanningForest
    from gascl.programs.strongly_connected import StronglyConnected as StronglyConnected
    from gascl.programs.triangles import Triangles as Triangles
    from gascl.programs.truss_number import TrussNumber as TrussNumber
    from gascl.programs.weighted_betweenness import WeightedBetweenness as WeightedBetweenness
    from gascl.programs.weighted_betweenness import (
        WeightedEdgeBetweenness as WeightedEdgeBetweenness,
    )
    from gascl.programs.weighted_clustering import WeightedClustering as WeightedClustering
    from gascl.programs.weighted_page_rank import WeightedPageRank as WeightedPageRank

#: Name -> its module, loaded when first used: some programs need SciPy, which takes long to load.
_HOME = {
    "BellmanFord": "bellman_ford",
    "Betweenness": "betweenness",
    "BipartiteMatching": "bipartite_matching",
    "Bipartition": "bipartition",
    "BreadthFirst": "breadth_first",
    "Closeness": "closeness",
    "ConnectedComponents": "connected_components",
    "CoreNumber": "core_number",
    "Diameter": "diameter",
    "Distances": "shortest_paths",
    "Eccentricity": "eccentricity",
    "EdgeBetweenness": "betweenness",
    "Eigenvector": "eigenvector",
    "ForceLayout": "force_layout",
    "GreedyColoring": "greedy_coloring",
    "HarmonicCloseness": "harmonic_closeness",
    "Hits": "hits",
    "Katz": "katz",
    "LabelPropagation": "label_propagation",
    "LocalClustering": "local_clustering",
    "LocalCommunity": "local_community",
    "Louvain": "louvain",
    "MaximalIndependentSet": "maximal_independent_set",
    "Neighborhoods": "neighborhoods",
    "PageRank": "page_rank",
    "ParticleCommunities": "particle_communities",
    "ShortestPaths": "shortest_paths",
    "SpanningForest": "spanning_forest",
    "StronglyConnected": "strongly_connected",
    "Triangles": "triangles",
    "TrussNumber": "truss_number",
    "WeightedBetweenness": "weighted_betweenness",
    "WeightedCloseness": "closeness",
    "WeightedClustering": "weighted_clustering",
    "WeightedEccentricity": "eccentricity",
    "WeightedEdgeBetweenness": "weighted_betweenness",
    "WeightedEigenvector": "eigenvector",
    "WeightedHarmonicCloseness": "harmonic_closeness",
    "WeightedKatz": "katz",
    "WeightedPageRank": "weighted_page_rank",
}
__all__ = list(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        near = get_close_matches(name, _HOME, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module 'gascl.programs' has no attribute {name!r}{hint}")
    return getattr(import_module(f"gascl.programs.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
