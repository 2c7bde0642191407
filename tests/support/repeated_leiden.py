"""Runs of Leiden whose answers must be the same each time, on every device, by each delivery.

    PYTHONPATH=tests python -m support.repeated_leiden 200

prints a hash of the communities of each graph; GASCL_DEVICE names the device.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable

import numpy as np
from support.admitting_deliveries import admitted
from support.samples import grid, random_graph, skewed, weighted

from gascl import Engine, Graph
from gascl.generators import lfr
from gascl.opencl.device_choice import find
from gascl.programs import Leiden
from gascl.programs.local_moving import Move

#: Run from 16, some or one start; with hubs, loops, parallel edges and weights.
GRAPHS: dict[str, Callable[[], Graph]] = {
    "LFR": lambda: lfr(4000, average_degree=20, max_degree=50, mixing=0.5, seed=1),
    "hubs, weights": lambda: weighted(skewed(1, 1500, 12_000)),
    "grid": lambda: grid(30, 30),
    "loops, parallel edges, components": lambda: weighted(random_graph(3, directed=True)),
    "one start": lambda: skewed(2, 8000, 270_000, directed=False),
}


def answers(graph: Graph, runs: int) -> set[str]:
    """The hashes of the communities that so many runs find, by `auto` and each other delivery.

    On a GPU, one work-item would take minutes for a run, so that `serial` is left out.
    """
    deliveries, engine, found = ["auto", *admitted(Move(seed=0, price=1, few=0))], None, set()
    if find().kind == "GPU":
        deliveries.remove("serial")
    for run in range(runs):
        if run % 20 == 0:  # with buffers that have been allocated anew
            engine = Engine(graph)
        assert engine
        delivery = deliveries[run % len(deliveries)]
        community = engine.run(Leiden(), delivery=delivery).community
        assert community.dtype == np.int32
        found.add(hashlib.sha256(community.tobytes()).hexdigest()[:16])
    return found


if __name__ == "__main__":
    print(find())
    for name, make in GRAPHS.items():
        print(f"{name}: {' '.join(answers(make(), int(sys.argv[1])))}", flush=True)
