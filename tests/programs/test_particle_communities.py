"""Communities that move: positions against the N x N model, communities against NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.case_subsets import one_in, thinned
from support.samples import grid, random_graph, shared
from support.verifiers.particle_communities import bits, move, verify

from gascl import Engine, Graph, GraphError, NotConverged, ProgramError, generators
from gascl.communities import adjusted_rand
from gascl.communities.tracking import track
from gascl.programs import BreadthFirst, ParticleCommunities
from gascl.programs.particle_clusters import ends_of_changes, push
from gascl.programs.particle_communities import Averages


def run(graph: Graph, program: ParticleCommunities | None = None, **options):
    program = ParticleCommunities() if program is None else program
    result = Engine(graph).run(program, **options)
    verify(graph, result, program)
    assert result.converged and result.community.dtype == np.int32
    assert result.position.shape == (graph.num_vertices, 3)
    return result


def moves(result) -> int:
    """The supersteps in which particles moved; the others find communities."""
    return sum(step.program == "Particles" for step in result.trace)


def rings(count: int = 4, size: int = 6) -> Graph:
    """Complete groups, each joined to the next by an edge."""
    made = nx.ring_of_cliques(count, size)
    return Graph.from_edges(*np.transpose(list(made.edges)), directed=False)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("directed", one_in(2, [True, False]))
def test_trajectories(directed, weights):
    """Direction and self-loops make no difference, nor do parallel edges without weights; some
    vertices have no edge."""
    graph = random_graph(5, directed=directed, edges=150)
    if weights:
        graph = graph.with_edge_fields(
            weight=np.random.default_rng(2).exponential(9, graph.num_edges)
        )
    start = np.random.default_rng(1).normal(0, 1, (graph.num_vertices, 3))
    values = {"alpha": 1.5, "beta": 0.25, "gamma": 0.75, "softening": 0.375, "step": 0.25}
    for supersteps in (1, 2, 7, 40):
        expected = move(graph, start, ParticleCommunities(**values), supersteps)
        for dtype, far in (("float64", 1e-9), ("float32", 1e-3)):
            program = ParticleCommunities(
                **values, supersteps=supersteps, dtype=dtype, position=start
            )
            result = run(graph, program)
            assert np.abs(result.position - expected).max() < far
            assert (moves(result), result.position.dtype.name) == (supersteps, dtype)
    alone = np.bincount([*graph.edge_src, *graph.edge_dst], minlength=64) == 0
    assert alone.any() and np.allclose(result.position[alone], start[alone], atol=1e-6)


def test_weights_decide_which_groups_hold_together():
    """Pairs of complete groups that are joined completely, by weights far below those within; where
    all weigh the same, a pair is one group."""
    src, dst = np.triu_indices(12, 1)
    heavy = src // 6 == dst // 6
    ends = np.concatenate([src, src + 12, [0]]), np.concatenate([dst, dst + 12, [12]])
    graph = Graph.from_edges(*ends, directed=False)
    assert run(graph).community.tolist() == np.repeat([0, 1], 12).tolist()
    weight = np.concatenate([np.where(heavy, 1, 0.01)] * 2 + [[0.01]])
    halves = np.repeat(range(4), 6).tolist()
    for times in (1, 1000):  # only their ratios count
        apart = graph.with_edge_fields(weight=times * weight)
        assert run(apart).community.tolist() == halves
    alike = Engine(apart).run(ParticleCommunities(weight=None))
    assert alike.community.tolist() == run(graph).community.tolist()
    with pytest.raises(GraphError, match="weight must be 0 or more"):
        Engine(graph.with_edge_fields(weight=-weight)).run(ParticleCommunities())


def test_levels_are_communities_at_several_scales():
    """Of each, the modularity at its resolution is NetworkX's Louvain's, and the best is chosen."""
    graph = generators.stochastic_block_model([10] * 12, (0.8, 0.03), seed=1)
    result = run(graph)
    simple = nx.Graph(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True))
    simple.add_nodes_from(range(120))
    levels = result.levels
    assert levels.shape == (120, 5) and levels.dtype == np.int32
    groups = [
        [set(np.flatnonzero(level == c).tolist()) for c in range(level.max() + 1)]
        for level in levels.T
    ]
    best = min(range(5), key=lambda i: bits(simple, groups[i]))
    assert (levels[:, best] == result.community).all()
    length = np.linalg.norm(
        result.position[graph.edge_src] - result.position[graph.edge_dst], axis=1
    )
    for i, (u, v) in enumerate(zip(graph.edge_src, graph.edge_dst, strict=True)):
        simple.add_edge(int(u), int(v), weight=np.exp(-length[i] / 4))
    for resolution, level in zip((0.5, 1, 2, 4, 8), groups, strict=True):
        options = {"weight": "weight", "resolution": resolution}
        best = nx.community.louvain_communities(simple, seed=1, **options)
        expected = nx.community.modularity(simple, best, **options)
        assert nx.community.modularity(simple, level, **options) > expected - 0.005
    listed = result.communities(levels=True)
    assert [len(each) for each in listed] == [len(level) for level in groups]
    assert [c.size for c in listed[0]] == sorted(map(len, groups[0]), reverse=True)


@pytest.mark.parametrize("error", one_in(2, [0.01, 0.3]))
def test_far_groups_repel_as_one_within_the_bound(error):
    """The repulsion of a vertex is wrong by at most V beta error, before it is divided by its
    degree: of spread out particles, of crowds, and of those that lie in one place."""
    n, beta, step = 1500, 0.5, 1e-3
    ids = np.arange(n)
    graph = Graph.from_edges(ids, (ids + 1) % n, directed=False)  # all have two neighbors
    rng, values = np.random.default_rng(3), {"beta": beta, "step": step, "dtype": "float64"}
    spots = rng.uniform(-4, 4, (20, 3))[rng.integers(0, 20, n)]
    for start in (
        rng.uniform(-4, 4, (n, 3)),
        spots + rng.normal(0, 0.02, (n, 3)),
        np.where(ids[:, None] < n // 2, spots, rng.uniform(-9, 9, (n, 3))),
    ):
        program = ParticleCommunities(supersteps=1, error=error, position=start, **values)
        found = Engine(graph).run(program).position
        exact = move(graph, start, ParticleCommunities(**values), 1)
        off = 2 * np.linalg.norm(found - exact, axis=1).max() / step
        assert off <= n * beta * error
        assert off > 1e-6 or error < 0.1  # else no group has repelled as one


def test_far_groups_change_no_communities():
    graph = rings(12, 8)
    exact = run(graph).community
    assert Engine(graph).run(ParticleCommunities(error=0.1)).community.tolist() == exact.tolist()


def test_the_papers_formula_is_that_without_softening():
    """Two that are not adjacent, and their neighbor between them, by hand."""
    start = np.array([[0, 0, 0], [1, 0, 0], [3, 0, 0]])
    graph = Graph.from_edges([0, 1], [1, 2], directed=False)
    values = {"beta": 0.5, "softening": 1e-6, "step": 0.125, "supersteps": 1, "dtype": "float64"}
    found = run(graph, ParticleCommunities(**values, position=start)).position
    apart = 0.5 * np.exp(-3)
    expected = start[:, 0] + 0.125 * np.array([1 - apart, 0, apart - 1])
    assert np.allclose(found[:, 0], expected, atol=1e-9) and not found[:, 1:].any()


def test_no_farther_than_repulsion_reaches():
    """500 that all repel a leaf would throw it 100 away."""
    graph = Graph.from_edges(np.zeros(500, int), np.arange(500) + 1, directed=False)
    start = np.random.default_rng(0).normal(0, 0.1, (501, 3))
    program = ParticleCommunities(beta=1, gamma=0.5, supersteps=1, position=start)
    moved = np.linalg.norm(run(graph, program).position - start, axis=1)
    assert 1.9 < moved[1:].min() <= moved.max() < 2.001


def test_groups_are_found_and_deliveries_and_debug_mode_agree():
    graph = rings()
    first = run(graph)
    assert first.community.tolist() == np.repeat(range(4), 6).tolist()
    assert run(graph).position.tobytes() == first.position.tobytes(), "a run repeats"
    other = run(graph, ParticleCommunities(seed=1))
    assert other.community.tolist() == first.community.tolist()
    assert not np.allclose(other.position, first.position)
    for delivery in ("slots", "serial"):
        again = Engine(graph).run(ParticleCommunities(), delivery=delivery)
        assert moves(again) == moves(first)
        assert np.allclose(again.position, first.position, atol=1e-3)
    checked = Engine(graph, debug=True).run(ParticleCommunities(supersteps=3))
    assert np.allclose(checked.position, run(graph, ParticleCommunities(supersteps=3)).position)


def test_the_beginning_is_the_same_on_every_machine():
    """Numbers that NumPy draws for good, averaged over neighbors, and the cube by their ranks."""
    graph = rings()
    number = np.random.RandomState(7).uniform(-1, 1, (24, 3))
    assert number[0] == pytest.approx([-0.84738342, 0.55983758, -0.12318154], abs=1e-6)
    near = nx.to_numpy_array(nx.ring_of_cliques(4, 6), nodelist=range(24))
    near /= near.sum(axis=1, keepdims=True)
    for _ in range(20):
        number = (number + near @ number) / 2
    rank = np.argsort(np.argsort(number, axis=0), axis=0)
    expected = ((rank + 0.5) / 24 - 0.5) * 24**0.25
    program = ParticleCommunities(supersteps=0, dtype="float64", seed=7)
    assert run(graph, program).position == pytest.approx(expected)


@pytest.mark.parametrize(("seed", "directed"), thinned([0, 1], [True, False], by=4))
def test_random_graphs(seed, directed):
    graph = random_graph(seed, directed=directed)
    community = run(graph).community
    alone = np.bincount([*graph.edge_src, *graph.edge_dst], minlength=64) == 0
    assert len(set(community[alone].tolist())) == np.count_nonzero(alone) >= 5
    assert not set(community[alone]) & set(community[~alone])
    found = nx.Graph(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True))
    for part in nx.connected_components(found):  # no community is in two of them
        inside = set(community[list(part)].tolist())
        assert inside.isdisjoint(np.delete(community, list(part)).tolist())


def test_small_ones():
    for vertices in (0, 1, 2):
        graph = Graph.from_edges([], [], num_vertices=vertices)
        assert run(graph).community.tolist() == list(range(vertices))
    assert run(Graph.from_edges([0, 0], [0, 0])).community.tolist() == [0]
    assert run(Graph.from_edges([0], [1])).community.tolist() == [0, 0]
    assert run(Graph.from_edges([0, 1, 3], [1, 2, 4])).community.tolist() == [0, 0, 0, 1, 1]
    src, dst = np.triu_indices(30, 1)
    assert not run(Graph.from_edges(src, dst, directed=False)).community.any()
    assert len(set(run(grid(9, 9)).community.tolist())) > 3


def test_labels():
    names = np.array(["a", "b", "c", "d"])
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], labels=names, directed=False)
    start = {"a": [1.0, 0, 0], "d": [0, 0, 2.0]}
    found = run(graph, ParticleCommunities(position=start, supersteps=0)).position
    assert found.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2]]


def test_going_on_from_kept_positions():
    """In a graph that changed little, particles move little; at rest, none does."""
    graph = rings(5, 8)
    first = Engine(graph).run(ParticleCommunities(), keep_state=True)
    position, community = first.position, first.community
    assert moves(first) > 20
    changed = graph.with_edges(add=[(2, 10)], remove=[(3, 4)])
    program = ParticleCommunities(seed=9)  # the positions are kept: the seed says nothing
    second = Engine(changed).run(program, state=first.state, keep_state=True)
    verify(changed, second, program)
    assert np.abs(second.position - position).max() < 1
    assert second.community.tolist() == community.tolist()
    third = Engine(changed).run(BreadthFirst(source=0), state=second.state, keep_state=True)
    fourth = Engine(changed).run(program, state=third.state)
    assert moves(fourth) <= 2, "it was at rest, and another program ran in between"


def spread(position: np.ndarray) -> float:
    return float(np.linalg.norm(position - position.mean(axis=0), axis=1).max())


def joined(graph: Graph, group: np.ndarray) -> list[tuple[int, int]]:
    """The edges that the graph lacks for all in the group to be adjacent."""
    ends = np.sort([graph.edge_src, graph.edge_dst], axis=0)
    there = set(zip(*ends.tolist(), strict=True))
    one, other = np.triu_indices(len(group), 1)
    every = zip(group[one].tolist(), group[other].tolist(), strict=True)
    return [pair for pair in every if pair not in there]


def two() -> Graph:
    """Two complete groups and a bridge."""
    src, dst = np.triu_indices(10, 1)
    return Graph.from_edges([*src, *(src + 10), 0], [*dst, *(dst + 10), 10], directed=False)


def blocks() -> Graph:
    return generators.stochastic_block_model([30] * 3, (0.5, 0.05), seed=1)


@pytest.mark.parametrize("made", [two, blocks])
def test_what_merged_comes_apart_again(made):
    """At rest in one point, forces cancel: nobody would ever move."""
    graph = made()
    whole = graph.with_edges(add=joined(graph, np.arange(graph.num_vertices)))
    back = whole.with_edges(remove=joined(graph, np.arange(graph.num_vertices)))
    first, merged, last = track([graph, whole, back])
    expected = first.result.community
    assert spread(merged.result.position) < 0.01 and not merged.result.community.any()
    assert spread(last.result.position) > 0.3
    assert adjusted_rand(last.result.community, expected) > 0.95
    assert [event.kind for event in last.events] == ["split"]
    verify(back, last.result, ParticleCommunities())


def test_what_others_do_moves_nobody_far():
    """Two of six groups merge and come apart, bit by bit; four stay where they are."""
    graph = generators.stochastic_block_model([30] * 6, (0.5, 0.02), seed=3)
    group = graph.vertex_fields["community"]
    two, others = group < 2, group >= 2
    more = joined(graph, np.flatnonzero(two))
    graphs = [graph, graph.with_edges(add=more)]
    for part in np.array_split(np.random.default_rng(0).permutation(more), 3):
        graphs.append(graphs[-1].with_edges(remove=part.tolist()))
    moments = list(track(graphs))
    moved = [m.result.position[others] - moments[0].result.position[others] for m in moments]
    assert np.abs(moved).max() < 0.6  # 0.42 without pushes: forces from the two are others
    assert all((m.identity[others] == moments[0].identity[others]).all() for m in moments)
    assert [str(e) for m in moments[1:] for e in m.events] == [
        "1: merge 0 + 1 -> 0",
        "4: split 0 -> 0 + 6",
    ]
    assert spread(moments[-1].result.position[two]) > 0.3


def pushed(ends, graph):
    def averages(number, strength):
        return Engine(graph).run(Averages(number=number, strength=strength)).number

    return push(ends, graph, 0, averages)


def test_a_push_goes_where_edges_changed():
    graph = rings(4, 6)
    changed = graph.with_edges(remove=[(1, 2)])
    ends = ends_of_changes(graph, changed)
    assert np.flatnonzero(ends).tolist() == [1, 2]
    directions = pushed(ends, changed)
    moved = np.linalg.norm(directions, axis=1)
    assert moved.max() == pytest.approx(1) and not moved[12:18].any() and moved[:6].all()
    assert not pushed(ends_of_changes(graph, graph), graph).any()
    renamed = Graph.from_edges(graph.edge_dst[::-1], graph.edge_src[::-1], directed=False)
    assert not ends_of_changes(graph, renamed).any()
    alone = graph.with_edges(remove=list(zip(graph.edge_src, graph.edge_dst, strict=True)))
    assert np.isfinite(pushed(ends_of_changes(graph, alone), alone)).all()


def test_an_edge_of_weight_zero_holds_nothing_together():
    """Two cliques are set apart by themselves: neither moves as a whole."""
    pairs = [(a + i, a + k) for a in (0, 4) for i in range(4) for k in range(i)]
    weight = [1.0] * len(pairs) + [0.0]
    ends = np.transpose([*pairs, (0, 4)])
    graph = Graph.from_edges(*ends, directed=False, weight=weight)
    directions = pushed(np.isin(np.arange(8), [0, 4]), graph)
    assert np.abs(directions).max() > 0.1
    assert np.abs(directions.reshape(2, 4, 3).mean(axis=1)).max() < 1e-5


def looks(result) -> int:
    """The edges along which vertices have looked for better communities."""
    return sum(step.messages for step in result.trace if step.program == "Scales")


def test_communities_go_on_from_those_before():
    """Groups of 20 exchange a member each: vertices look around near the changes alone."""
    graph = generators.stochastic_block_model([20] * 8, (0.7, 0.02), seed=2).simple()
    group = graph.vertex_fields["community"]
    other = group.copy()
    other[[0, 20]] = 1, 0
    ends = np.stack([graph.edge_src, graph.edge_dst], axis=1)
    gone = ends[np.isin(ends, [0, 20]).any(axis=1) & (group[ends] < 2).all(axis=1)]
    come = [(v, w) for v in (0, 20) for w in np.flatnonzero(other == other[v])[:16] if v != w]
    changed = graph.with_edges(add=come, remove=gone.tolist())
    first = Engine(graph).run(ParticleCommunities(), keep_state=True)
    assert adjusted_rand(first.community, group) == 1
    cold = looks(first)
    second = Engine(changed).run(ParticleCommunities(), state=first.state, keep_state=True)
    verify(changed, second, ParticleCommunities())
    assert adjusted_rand(second.community, other) == 1
    assert looks(second) < cold / 2
    again = Engine(changed).run(ParticleCommunities(), state=second.state)
    assert (again.levels == second.levels).all() and looks(again) < looks(second)


def test_communities_follow_weights():
    """The edges stay, and what holds a vertex is another group from now on."""
    src, dst = np.triu_indices(16, 1)
    group = np.arange(16) // 8
    graph = Graph.from_edges(src, dst, directed=False)
    other = group.copy()
    other[0] = 1
    first, second = (
        graph.with_edge_fields(weight=np.where(each[src] == each[dst], 1.0, 0.01))
        for each in (group, other)
    )
    before = Engine(first).run(ParticleCommunities(), keep_state=True)
    assert adjusted_rand(before.community, group) == 1
    after = Engine(second).run(ParticleCommunities(), state=before.state)
    assert adjusted_rand(after.community, other) == 1


def test_a_run_cut_short_says_so():
    with pytest.warns(NotConverged, match="ParticleCommunities did not converge"):
        result = Engine(rings()).run(ParticleCommunities(), max_supersteps=25)
    assert list(result.fields) == ["position"]


REFUSED = [
    ({"beta": -1}, "beta=-1"),
    ({"gamma": 0}, "gamma=0"),
    ({"softening": 0}, "softening=0"),
    ({"tolerance": 0}, "tolerance=0"),
    ({"alpha": float("nan")}, "alpha=nan"),
    ({"step": 0.5}, r"step=0.5 is more than softening / alpha, 0.25: .* give a smaller step"),
    ({"alpha": 2}, r"step=0.2 is more than softening / alpha, 0.125"),
    ({"position": np.full((24, 3), np.nan)}, "position: coordinates are numbers between -1e6"),
    ({"position": np.full((24, 3), 1e30)}, "position: coordinates"),
    ({"position": [1, 2]}, "position"),
]


@pytest.mark.parametrize(("values", "said"), REFUSED, ids=lambda x: str(x)[:24])
def test_refused(values, said):
    with pytest.raises(ProgramError, match=said):
        Engine(rings()).run(ParticleCommunities(**values))


def test_what_the_verifier_sees():
    graph, program = rings(), ParticleCommunities()
    result = run(graph)
    result.position[7] += 1
    with pytest.raises(AssertionError, match=r"a force of .* moves vertex 7"):
        verify(graph, result, program)
    result = run(graph)
    result.community[:] = 0
    with pytest.raises(AssertionError, match="modularity is below"):
        verify(graph, result, program)


@pytest.mark.parametrize(("name", "least"), [("karate", 0.5), ("football", 0.7), ("polbooks", 0.4)])
def test_known_groups(name, least):
    graph = Graph.read(shared(f"communities/{name}.gml"))
    result = run(graph)
    assert adjusted_rand(graph.vertex_fields["gt"], result.community) > least
