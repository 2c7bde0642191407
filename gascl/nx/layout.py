"""The layout ForceAtlas2."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from networkx.utils import create_random_state

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, argument, backend_function
from gascl.programs.force_atlas import ForceAtlas


def _dimensions(call: Call) -> str:
    return "" if call.pos is not None or call.dim == 2 else "other than two dimensions"


@backend_function(
    first=200,
    cached=200,
    limits="Up to rounding, which may grow; two dimensions, no `store_pos_as`.",
    random=True,
    unsupported=[argument("store_pos_as"), _dimensions],
)
def forceatlas2_layout(
    G: Converted,
    pos: Any = None,
    *,
    max_iter: Any = 100,
    jitter_tolerance: Any = 1.0,
    scaling_ratio: Any = 2.0,
    gravity: Any = 1.0,
    distributed_action: Any = False,
    strong_gravity: Any = False,
    node_mass: Any = None,
    node_size: Any = None,
    weight: Any = None,
    linlog: Any = False,
    seed: Any = None,
    dim: Any = 2,
    store_pos_as: Any = None,
) -> dict[Any, np.ndarray]:
    """Positions (2,) by node, from NetworkX's random ones in the beginning."""
    if len(G) == 0:
        return {}
    start = _start(G, pos, seed)
    if start.shape != (len(G), 2) or start.dtype.kind != "f":
        raise NotImplementedError("positions other than two floats for each node")
    mass, size = (G.degree + 1.0, np.ones(len(G)))
    for given, values in ((node_mass, mass), (node_size, size)):
        for place, node in enumerate(G.nodes if given else ()):
            values[place] = given.get(node, values[place])
    program = ForceAtlas(
        iterations=max_iter,
        scaling=scaling_ratio,
        gravity=gravity,
        strong=bool(strong_gravity),
        logarithmic=bool(linlog),
        divided=bool(distributed_action),
        sized=node_size is not None,
        jitter=jitter_tolerance,
        position=start,
        mass=mass,
        size=size,
        dtype="float64",
    )
    # An edge pulls its first end.
    found = G.run(program, weight=G.weight_field(weight), reverse=True)["position"]
    return dict(zip(G.nodes, found.astype(start.dtype), strict=True))


def _start(G: Converted, pos: Any, seed: Any) -> np.ndarray:
    """Where the nodes are in the beginning, (V, 2), as in NetworkX."""
    draw = create_random_state(seed)
    if pos is None:
        return np.array(list(nx.random_layout(G.nodes, seed=draw).values()))
    if len(pos) == len(G):
        return np.array([pos[node] for node in G])
    given = np.array(list(pos.values()))
    low, high = given.min(axis=0), given.max(axis=0)
    start: np.ndarray = low + draw.rand(len(G), len(low)) * (high - low)
    for place, node in enumerate(G):
        start[place] = pos.get(node, start[place])
    return start
