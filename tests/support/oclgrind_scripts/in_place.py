"""Components in place, in the form for GPUs, by one group: `in_place.py GROUP BLOCK`."""

from __future__ import annotations

import numpy as np
from device import GROUP, oclgrind_device
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gascl import Engine, Graph, VertexProgram, vertex
from gascl.codegen import constants
from gascl.opencl.device import Device
from gascl.programs import ConnectedComponents
from gascl.run.plan import Plan


class Joining(Device):
    can_join = True


class Trees(VertexProgram):
    """The smallest vertex of each component; each vertex looks at all of its neighbors."""

    component = vertex.int32(init="num_neighbors ? min(v.id, neighbor(0)) : v.id")
    message, combine, edges = "int32", "min", "both"
    order, apply_on = "any", "all"
    receive_if = "v.component == v.id"
    functions = "#define FIND(id) while (component_of(id) != (id)) id = component_of(id)"
    apply = """
        if (has_msg) {
            v.component = min(v.component, msg);
            set_mask();
            return;
        }
        int mine = v.component;
        FIND(mine);
        for (int i = 0; get_mask() && i < num_neighbors; ++i) {
            int other = neighbor(i);
            FIND(other);
            if (mine == other)
                continue;
            send_to(max(mine, other), min(mine, other));
            FIND(mine);
            FIND(other);
            if (mine != other)
                set_mask();
        }
        v.component = mine;
    """


class Halves(Trees):
    """The same for stars, by half of the neighbors: the turns after them may be tried, but that
    they ask for no vertex is no fault of the program."""

    apply = """
        if (has_msg) {
            v.component = min(v.component, msg);
            set_mask();
            return;
        }
        int mine = v.component;
        const int most = num_neighbors / 2;
        FIND(mine);
        for (int i = 0; get_mask() && i < num_neighbors; i++) {
            if (i > most)
                component_of(-1);
            int other = neighbor(i);
            FIND(other);
            if (mine != other) {
                send_to(max(mine, other), min(mine, other));
                set_mask();
            }
            FIND(mine);
            if (i == most)
                break;
        }
        v.component = mine;
    """


class Smallest(VertexProgram):
    """The same by a loop that only reduces."""

    component = vertex.int32(init="v.id")
    message, combine, edges = "int32", "min", "both"
    order, apply_on = "any", "all"
    apply = """
        if (has_msg) {
            if (msg < v.component) {
                v.component = msg;
                set_mask();
            }
            return;
        }
        int best = v.component;
        for (int i = 0; i < num_neighbors; ++i)
            best = min(best, component_of(neighbor(i)));
        if (best < v.component) {
            v.component = best;
            set_mask();
        }
        if (best < 0)  // never, but a program that sends to some vertex may run in place
            send_to(v.id, best);
    """


class Tells(VertexProgram):
    """A vertex notes that it has told a neighbor something, in any turn of the loop."""

    x = vertex.int32(init="v.id > 3 ? 5 : 10")
    told = vertex.int32()
    message, combine, edges = "int32", "min", "both"
    order, apply_on = "any", "all"
    apply = """
        if (has_msg) {
            v.x = min(v.x, msg);
            return;
        }
        const int mine = v.x;
        for (int i = 0; i < num_neighbors; ++i) {
            const int other = neighbor(i);
            if (x_of(other) > mine) {
                send_to(other, mine);
                v.told = 1;
            }
        }
    """


def graphs() -> dict[str, tuple[np.ndarray, np.ndarray, int]]:
    """The ends of edges, and the number of vertices."""
    rng = np.random.default_rng(3)
    order, grid = rng.permutation(200), np.arange(225).reshape(15, 15)
    return {
        "path": (np.arange(199), np.arange(1, 200), 200),
        "shuffled path": (order[:-1], order[1:], 200),
        "random": (*rng.integers(0, 150, (2, 110)), 150),
        "two stars": (np.repeat([0, 40], 39), np.delete(np.arange(80), [0, 40]), 81),
        "hub in the middle": (np.full(60, 30), np.delete(np.arange(61), 30), 62),
        "grid": (
            np.concatenate([grid[:, :-1].ravel(), grid[:-1].ravel()]),
            np.concatenate([grid[:, 1:].ravel(), grid[1:].ravel()]),
            225,
        ),
        "no edges": (np.zeros(0, int), np.zeros(0, int), 9 * GROUP),
    }


def main() -> None:
    Plan.persistent_groups = lambda *_: 1  # type: ignore[method-assign]
    constants.MOST_LOOKED = 4  # so that the work-group shares rows of these graphs
    device = oclgrind_device(Joining)
    for name, (src, dst, count) in graphs().items():
        matrix = coo_array((np.ones(len(src)), (src, dst)), (count, count))
        labels = connected_components(matrix, directed=False)[1]
        least = np.full(count, count)
        np.minimum.at(least, labels, np.arange(count))
        graph = Graph.from_edges(src, dst, num_vertices=count, directed=False)
        engine = Engine(graph, device)
        programs = [ConnectedComponents()]
        if name in ("two stars", "hub in the middle"):
            programs += [Trees(), Halves(), Smallest()]
        for program in programs:
            result = engine.run(program)
            assert result.delivery == "in_place", (name, program)
            found = result.component
            np.testing.assert_array_equal(found, least[labels], f"{name} {program}")
        if name == "hub in the middle":  # it tells its first four neighbors
            told = engine.run(Tells())
            assert told.delivery == "in_place" and (told.x == 5)[:61].all()
            assert told.told.tolist() == [0] * 30 + [1] + [0] * 31


if __name__ == "__main__":
    main()
