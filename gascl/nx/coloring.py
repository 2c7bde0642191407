"""Greedy coloring."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.coloring.greedy_coloring import STRATEGIES

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, backend_function, directed
from gascl.programs.greedy_coloring import GreedyColoring


def _strategy(call: Call) -> str:
    strategy = call.strategy
    if strategy != "largest_first" and (callable(strategy) or strategy in STRATEGIES):
        return "another strategy than largest_first"
    return "`interchange`" if call.interchange else ""


@backend_function(
    first=None,
    cached=100_000,
    limits="The strategy largest_first, without `interchange`; no directed graphs.",
    unsupported=[_strategy, directed],
)
def greedy_color(
    G: Converted, strategy: Any = "largest_first", interchange: bool = False
) -> dict[Any, int]:
    """NetworkX's own colors and order: nodes of high degree choose first."""
    if len(G) == 0:
        return {}
    if strategy != "largest_first":
        message = f"strategy must be callable or a valid string. {strategy} not valid."
        raise nx.NetworkXError(message)
    colors = G.run(GreedyColoring(precedence=G.degree, ahead=0))["color"]
    order = np.argsort(-G.degree, kind="stable")
    return dict(zip(G.node_array[order].tolist(), colors[order].tolist(), strict=True))
