"""Components in place, in the form for GPUs, by one group: `in_place.py GROUP BLOCK`."""

from __future__ import annotations

import numpy as np
from device import GROUP, oclgrind_device
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gascl import Engine, Graph
from gascl.opencl.device import Device
from gascl.programs import ConnectedComponents
from gascl.run.plan import Plan


class Joining(Device):
    can_join = True


def graphs() -> dict[str, tuple[np.ndarray, np.ndarray, int]]:
    """The ends of edges, and the number of vertices."""
    rng = np.random.default_rng(3)
    order, grid = rng.permutation(200), np.arange(225).reshape(15, 15)
    return {
        "path": (np.arange(199), np.arange(1, 200), 200),
        "shuffled path": (order[:-1], order[1:], 200),
        "random": (*rng.integers(0, 150, (2, 110)), 150),
        "two stars": (np.repeat([0, 40], 39), np.delete(np.arange(80), [0, 40]), 81),
        "grid": (
            np.concatenate([grid[:, :-1].ravel(), grid[:-1].ravel()]),
            np.concatenate([grid[:, 1:].ravel(), grid[1:].ravel()]),
            225,
        ),
        "no edges": (np.zeros(0, int), np.zeros(0, int), 9 * GROUP),
    }


def main() -> None:
    Plan.persistent_groups = lambda *_: 1  # type: ignore[method-assign]
    device = oclgrind_device(Joining)
    for name, (src, dst, count) in graphs().items():
        matrix = coo_array((np.ones(len(src)), (src, dst)), (count, count))
        labels = connected_components(matrix, directed=False)[1]
        least = np.full(count, count)
        np.minimum.at(least, labels, np.arange(count))
        graph = Graph.from_edges(src, dst, num_vertices=count, directed=False)
        result = Engine(graph, device).run(ConnectedComponents())
        assert result.delivery == "in_place", name
        np.testing.assert_array_equal(result.component, least[labels], name)


if __name__ == "__main__":
    main()
