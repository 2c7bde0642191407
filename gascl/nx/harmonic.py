"""Harmonic centrality."""

from __future__ import annotations

from typing import Any

from gascl.nx import weighted
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import argument, backend_function, callable_weight, few_edges_by_weight
from gascl.programs.harmonic_closeness import HarmonicCloseness, WeightedHarmonicCloseness


@backend_function(
    first=1_000,
    cached=500,
    unsupported=[callable_weight("distance")],
    slower=[
        argument("nbunch", "sources", reason="some of the nodes"),
        few_edges_by_weight("distance"),
    ],
)
def harmonic_centrality(
    G: Converted, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> dict[Any, Any]:
    """Harmonic centrality of all nodes, or of some."""
    chosen = set(G.nbunch_iter(nbunch)) if nbunch is not None else set(G)
    start = set(G.nbunch_iter(sources)) if sources is not None else set(G)
    if not chosen or not start:
        return dict.fromkeys(chosen, 0)
    field = weighted.lengths_of(G, distance)
    program = (HarmonicCloseness if field is None else WeightedHarmonicCloseness)(
        sources=G.places(start), dtype="float64"
    )
    result = G.run(program, weight=field, simple=field is None)
    values = result["centrality"].tolist()
    index = G.topology.index
    return {node: values[index[node]] or 0 for node in chosen}
