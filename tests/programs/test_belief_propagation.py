"""Loopy belief propagation, whose messages stay on the arcs, against sums written out in NumPy.

A vertex tells each neighbor what it believes without what that neighbor told it: the belief
divided by the message that came against the arc. The arc from u to w keeps the message sent along
it and, from the belief of w, works out the one that came: both ends do the same sum.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support.case_subsets import one_in
from support.samples import arcs_of, grid

from gascl import Engine, GasclError, Graph, VertexProgram, arc, param, struct, vertex


class TwoLabels(VertexProgram):
    """Labels + and -, which neighbors like to share; halves of logarithms of odds."""

    coupling = param.real(0.4)
    supersteps = param.supersteps(6)
    prior = vertex.real()
    belief = vertex.real(init="v.prior")
    sent = arc.real()
    came = arc.real()

    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    functions = "real through(const real c, const real x) { return atanh(tanh(c) * tanh(x)); }"
    scatter = """
        const real theirs = belief_of(e.dst) - e.sent;
        e.sent = through(p.coupling, v.belief - e.came);
        e.came = through(p.coupling, theirs);
        send(e.sent);
    """
    apply = "v.belief = v.prior + msg;"


class ThreeLabels(VertexProgram):
    """Three labels; a shared one is `same` times as likely (Potts)."""

    same = param.real(2.5)
    supersteps = param.supersteps(5)
    Kept = struct([("sent", "real3"), ("came", "real3")])
    prior = vertex.real3()
    belief = vertex.real3(init="v.prior")
    kept = arc.struct(Kept, init="(Kept){(real3)(1), (real3)(1)}")

    message, combine, identity = "real3", "a * b", "(real3)(1)"
    scatter_on = apply_on = "all"
    functions = """
        real3 through(const real same, const real3 x) {
            const real3 y = (x.x + x.y + x.z) + (same - 1) * x;
            return y / (y.x + y.y + y.z);
        }
    """
    scatter = """
        const real3 theirs = belief_of(e.dst) / e.kept.sent;
        e.kept.sent = through(p.same, v.belief / e.kept.came);
        e.kept.came = through(p.same, theirs);
        send(e.kept.sent);
    """
    apply = """
        const real3 x = v.prior * msg;
        v.belief = x / (x.x + x.y + x.z);
    """


def beliefs(graph: Graph, prior: np.ndarray, same: float, supersteps: int) -> np.ndarray:
    """(V, labels): each message is the product of all that came, but one, written out."""
    arcs = arcs_of(graph)
    into: dict[int, list[int]] = {v: [] for v in range(graph.num_vertices)}
    for u, w in arcs:
        into[w].append(u)
    labels = prior.shape[1]
    table = np.where(np.eye(labels, dtype=bool), same, 1.0)
    message = {arc: np.full(labels, 1 / labels) for arc in arcs}
    for _ in range(supersteps):
        new = {}
        for u, w in arcs:
            but_one = prior[u].copy()
            for k in into[u]:
                if k != w:
                    but_one *= message[k, u]
            new[u, w] = table @ but_one
            new[u, w] /= new[u, w].sum()
        message = new
    belief = prior.copy()
    for u, w in arcs:
        belief[w] *= message[u, w]
    return belief / belief.sum(axis=1, keepdims=True)


def priors(graph: Graph, labels: int) -> np.ndarray:
    x = np.random.default_rng(labels).random((graph.num_vertices, labels)) + 0.2
    return x / x.sum(axis=1, keepdims=True)


def two_labels(prior: np.ndarray, **options) -> TwoLabels:
    return TwoLabels(prior=np.log(prior[:, 0] / prior[:, 1]) / 2, dtype="float64", **options)


def three_labels(prior: np.ndarray, **options) -> ThreeLabels:
    return ThreeLabels(prior=prior, dtype="float64", **options)


@pytest.mark.parametrize("delivery", one_in(3, ["auto", "slots", "serial"]))
def test_two_labels_on_a_grid(delivery):
    graph = grid(9, 12)
    prior = priors(graph, 2)
    result = Engine(graph).run(two_labels(prior), delivery=delivery)
    expected = beliefs(graph, prior, np.exp(2 * 0.4), 6)
    assert 1 / (1 + np.exp(-2 * result.belief)) == pytest.approx(expected[:, 0], rel=1e-12)
    assert expected[:, 0].min() < 0.3 < 0.7 < expected[:, 0].max()


@pytest.mark.parametrize("delivery", one_in(2, ["auto", "slots", "serial"]))
def test_three_labels_on_a_grid(delivery):
    graph = grid(9, 12)
    prior = priors(graph, 3)
    result = Engine(graph).run(three_labels(prior), delivery=delivery)
    assert result.belief.shape == (108, 3)
    assert result.belief == pytest.approx(beliefs(graph, prior, 2.5, 5), rel=1e-12)
    single = Engine(graph).run(ThreeLabels(prior=prior), delivery=delivery)
    assert single.belief == pytest.approx(result.belief, rel=1e-5)


def test_both_ends_of_an_arc_keep_the_same_messages():
    """Bit for bit; in the order of (scattering vertex, other end, edge)."""
    graph = grid(5, 7)
    arcs = sorted(arcs_of(graph))
    against = [arcs.index((w, u)) for u, w in arcs]
    result = Engine(graph).run(two_labels(priors(graph, 2)))
    sent, came = result.arc_fields["sent"], result.arc_fields["came"]
    assert sent.shape == came.shape == (len(arcs),)
    assert sent.dtype == np.float64
    assert np.array_equal(came, sent[against]) and len(set(sent.tolist())) > 50
    kept = Engine(graph).run(three_labels(priors(graph, 3))).arc_fields["kept"]
    assert np.array_equal(kept["came"][:, :3], kept["sent"][against][:, :3])
    assert kept["sent"][:, :3].sum(axis=1) == pytest.approx(1)


def test_exact_on_a_tree():
    """Without loops, as many supersteps as the tree is wide give each label's true chance."""
    src, dst = [0, 0, 1, 1, 4, 5], [1, 2, 3, 4, 5, 6]
    graph = Graph.from_edges(src, dst, directed=False)
    prior = priors(graph, 3)
    chance = np.zeros((7, 3))
    for labels in itertools.product(range(3), repeat=7):
        weight = np.prod(prior[range(7), labels])
        weight *= 2.5 ** sum(labels[u] == labels[w] for u, w in zip(src, dst, strict=True))
        chance[range(7), labels] += weight
    chance /= chance.sum(axis=1, keepdims=True)
    result = Engine(graph).run(three_labels(prior, supersteps=6))
    assert result.belief == pytest.approx(chance, rel=1e-12)
    early = Engine(graph).run(three_labels(prior, supersteps=3))
    assert early.belief != pytest.approx(chance, rel=1e-3)


def test_deliveries_that_keep_nothing_on_arcs_refuse():
    graph = grid(3, 3)
    for delivery in ("pull", "outbox"):
        with pytest.raises(GasclError, match=f"{delivery}.*reads `e`|{delivery}.*arc"):
            Engine(graph).run(two_labels(priors(graph, 2)), delivery=delivery)


@pytest.mark.parametrize("delivery", ["push", "edges"])
def test_float_sums_in_any_order_on_request(delivery):
    graph = grid(9, 12)
    prior = priors(graph, 2)
    with pytest.raises(GasclError, match="deterministic"):
        Engine(graph).run(two_labels(prior), delivery=delivery)
    result = Engine(graph, deterministic=False).run(two_labels(prior), delivery=delivery)
    expected = beliefs(graph, prior, np.exp(2 * 0.4), 6)
    assert 1 / (1 + np.exp(-2 * result.belief)) == pytest.approx(expected[:, 0], rel=1e-12)
