"""Graphs whose arcs are made by a rule, against the same graphs in memory."""

import pickle

import numpy as np
import pandas
import pytest

from gascl import Engine, GraphError, generators
from gascl.errors import GasclError
from gascl.graph.implicit_arcs import is_implicit
from gascl.graph.partition import Division, Part, shares
from gascl.programs import PageRank

GRIDS = [
    *((rows, columns, layers) for rows in (1, 2, 4) for columns in (1, 2, 5) for layers in (1, 3)),
    (3, 2, 2),
]


def pairs():
    """The same graph in memory, and by a rule."""
    for rows, columns, layers in GRIDS:
        for periodic in (False, True):
            given = {"rows": rows, "columns": columns, "layers": layers, "periodic": periodic}
            yield generators.grid(**given), generators.grid(**given, stored=False)
    for count in (1, 2, 3, 9):
        for directed in (False, True):
            given = {"num_vertices": count, "directed": directed}
            yield generators.path(**given), generators.path(**given, stored=False)


def test_the_rules_of_generators():
    for stored, implicit in pairs():
        count = stored.num_vertices
        assert is_implicit(implicit) and not is_implicit(stored)
        assert (implicit.num_vertices, implicit.directed) == (count, stored.directed)
        assert (implicit.num_edges, implicit.num_arcs) == (stored.num_edges, stored.num_arcs)
        for direction in ("out", "in"):
            arcs, made = stored.arcs(direction), implicit.arcs(direction)
            for order, by_rule in ((arcs.into, made.into), (arcs.out, made.out)):
                degrees, rule = np.diff(order.offsets), by_rule.rule
                assert rule.begins(np.arange(count + 1)).tolist() == order.offsets.tolist()
                assert (rule.least, rule.most) == (degrees.min(), degrees.max())
                for cut in range(count + 1):
                    for what, expected in ((rule.counts, degrees), (rule.ends, order.ends)):
                        halves = [what(0, cut), what(cut, count)]
                        assert np.concatenate(halves).tolist() == expected.tolist()


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_the_arcs_of_each_rank(ranks):
    for stored, implicit in pairs():
        arcs, made = stored.arcs(), implicit.arcs()
        share = Division(0, ranks)
        parts = shares(arcs.in_offsets, share)
        assert shares(made.in_offsets, share) == parts
        for part in parts:
            expected, local = arcs.local(part), made.local(part)
            assert local.rows == expected.rows and len(local.vertices) == len(expected.vertices)
            assert local.vertices[:].tolist() == expected.vertices.tolist()
            assert local.halo.tolist() == expected.halo.tolist()
            for order, by_rule in ((expected.into, local.into), (expected.out, local.out)):
                assert by_rule.offsets.tolist() == order.offsets.tolist()
                assert by_rule.ends.tolist() == order.ends.tolist()
            assert local.offset == np.int32
            degrees = np.diff(arcs.out_offsets)[expected.vertices]
            assert made.out_offsets.counts(local.vertices).tolist() == degrees.tolist()
            local.forget()
            assert local.into.ends.tolist() == expected.into.ends.tolist()


def test_numbers_of_more_than_32_bits():
    """A grid of 10^14 vertices: where arcs begin and end far from the first one."""
    side = 10**7
    graph = generators.grid(side, side, stored=False)
    assert graph.num_edges == 2 * side * (side - 1)
    first = side * (side // 2)  # a row in the middle
    begin = int(graph.arcs().in_offsets[first])
    assert begin == 4 * first - side - 2 * (side // 2)
    part = Part(first, first + 3, begin, begin + 11)
    local = graph.arcs().local(part)
    assert local.halo.tolist() == [
        *range(first - side, first - side + 3),
        first + 3,
        *range(first + side, first + side + 3),
    ]
    assert local.vertices[2:8].tolist() == [
        *(first - side + 2, first, first + 1, first + 2, first + 3, first + side)
    ]
    assert np.diff(local.into.offsets).tolist() == [0, 0, 0, 3, 4, 4, 0, 0, 0, 0]
    assert local.into.ends.tolist() == [0, 4, 7, 1, 3, 5, 8, 2, 4, 6, 9]


@pytest.mark.parametrize(
    "use",
    [
        *(pickle.dumps, lambda g: pandas.DataFrame({"a": g.src}), lambda g: g.src + g.dst),
        *(lambda g: g.edge_src.sum(), lambda g: g.edge_dst[0], lambda g: g.out_degree),
        *(lambda g: g.neighbors(0), lambda g: g.to_scipy(), lambda g: g.write("g.npz")),
        *(lambda g: g.reversed().edge_src[:3], lambda g: g.simple(), lambda g: g.edges.to_pandas()),
    ],
)
def test_operations_on_all_edges_are_refused(use, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GraphError, match="are not stored, and this operation needs all of them"):
        use(generators.path(9, directed=True, stored=False))
    assert not [*tmp_path.iterdir()]


def test_what_generators_refuse():
    many = 2**31
    for make in (
        lambda **given: generators.path(many, **given),
        lambda **given: generators.grid(2**16, 2**15, **given),
    ):
        with pytest.raises(
            GraphError, match=r"2,147,483,648 vertices.*can have 2,147,483,647: .*stored=False"
        ):
            make()
        assert make(stored=False).num_vertices == many
    with pytest.raises(GraphError, match="leave out weights"):
        generators.path(9, weights=(1, 2), stored=False)
    with pytest.raises(GraphError, match=r"edges of star are always stored.* of grid and path"):
        generators.star(9, stored=False)
    with pytest.raises(GraphError, match="must be True or False"):
        generators.grid(3, 3, stored="no")


def test_labels_of_more_than_32_bits():
    graph = generators.grid(200_000, 200_000, stored=False)
    ids = [1, 3 * 10**9 + 5]
    assert graph.indices_of(ids).tolist() == [graph.index_of(v) for v in ids] == ids
    assert graph.indices_of([str(v) for v in ids]).tolist() == ids


def test_a_notebook_shows_it():
    graph = generators.path(9, stored=False)
    assert "9 vertices, 8 edges, undirected" in graph._repr_html_()
    assert "not stored" in graph._repr_html_()


def test_one_process_is_refused():
    graph = generators.grid(60_000, 60_000, stored=False)
    with pytest.raises(GasclError, match=r"3,600,000,000 vertices, .* comm=MPI.COMM_WORLD"):
        Engine(graph).run(PageRank(), collect=False)
