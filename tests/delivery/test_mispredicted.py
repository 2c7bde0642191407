"""Where a CPU goes without branches on which vertices send, and on which messages are wanted."""

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, param, uniform, vertex
from gascl.delivery.cost import Costs

#: A hub with more arcs than are sorted out at once, and rows of all lengths around that at which
#: senders are sorted out.
VERTICES, HUB = 300, 299


def linked() -> tuple[Graph, np.ndarray]:
    """A directed graph, and its adjacency: how many arcs lead from the row to the column."""
    src, dst = [*range(HUB), 5, HUB], [HUB] * HUB + [5, 0]
    for row in range(24):
        src += [(7 * row + 11 * i) % VERTICES for i in range(row)]
        dst += [row] * row
    adjacency = np.zeros((VERTICES, VERTICES), np.int64)
    np.add.at(adjacency, (src, dst), 1)
    return Graph.from_edges(src, dst, num_vertices=VERTICES), adjacency


class SomeSum(VertexProgram):
    """About half of the vertices send in each superstep, others each time."""

    supersteps = param.supersteps(4)
    x = vertex.int32(init="v.id % 8")
    told = vertex.int32()

    message, combine = "int32", "sum"
    apply_on = "all"
    ends = "stop"
    mask = "uniform(3, v.id, 0) < 0.5f"
    scatter = "send(v.x);"
    apply = """
        v.x = (v.x + msg) % 1009;
        v.told += has_msg;
        if (uniform(3, v.id, superstep + 1) < 0.5f)
            set_mask();
    """


class SomeWanted(SomeSum):
    """Only even numbers are wanted."""

    receive_if = "msg % 2 == 0"


class SomeEnough(SomeSum):
    """A vertex needs to hear of one large number."""

    message, combine = "int32", "max"
    enough = "msg >= 5"
    apply = """
        v.x = (v.x + (has_msg ? min(msg, 5) : 0)) % 8;
        v.told += has_msg;
        if (uniform(3, v.id, superstep + 1) < 0.5f)
            set_mask();
    """


def some(superstep: int) -> np.ndarray:
    return uniform(3, np.arange(VERTICES), superstep) < 0.5


@pytest.mark.parametrize("program", [SomeSum, SomeWanted, SomeEnough])
@pytest.mark.parametrize("share", [0.0, 2.0])
def test_a_frontier_of_random_vertices(program, share, monkeypatch):
    monkeypatch.setattr(Costs, "share_to_pull", lambda *_: share)
    graph, adjacency = linked()
    result = Engine(graph).run(program(), delivery="frontier")
    x, told = np.arange(VERTICES) % 8, np.zeros(VERTICES, int)
    for superstep in range(4):
        sent = some(superstep) & ((program is not SomeWanted) | (x % 2 == 0))
        heard = (adjacency * sent[:, None]).sum(axis=0) > 0
        if program is SomeEnough:
            most = np.where((adjacency > 0) & sent[:, None], x[:, None], -1).max(axis=0)
            x = np.where(heard, x + np.minimum(most, 5), x) % 8
        else:
            x = (x + (x * sent) @ adjacency) % 1009
        told = told + heard
    assert result.x.tolist() == x.tolist()
    assert result.told.tolist() == told.tolist()
    assert result.delivery == ("push" if share else "pull")


class Wanted(VertexProgram):
    """Least values above a limit."""

    supersteps = param.supersteps(3)
    x = vertex.float64(init="v.id % 16 - 4.0")
    told = vertex.int32()

    message, combine = "float64", "min"
    scatter_on = apply_on = "all"
    receive_if = "msg > 0 && msg < v.x"
    scatter = "send(v.x);"
    apply = """
        v.told += has_msg;
        v.x = has_msg ? msg : v.x + 0.25;
    """


class Added(Wanted):
    """Sums of what is wanted."""

    x = vertex.int32(init="v.id % 16 - 4")

    message, combine = "int32", "sum"
    apply = """
        v.told += has_msg;
        v.x = (has_msg ? v.x + msg : v.x + 1) % 101;
    """


@pytest.mark.parametrize("program", [Wanted, Added])
@pytest.mark.parametrize("delivery", ["pull", "outbox"])
def test_messages_that_are_not_wanted(program, delivery):
    graph, adjacency = linked()
    result = Engine(graph).run(program(), delivery=delivery)
    x, told = np.arange(VERTICES) % 16 - 4.0, np.zeros(VERTICES, int)
    for _ in range(3):
        wanted = (adjacency > 0) & (x[:, None] > 0) & (x[:, None] < x)
        heard = wanted.any(axis=0)
        if program is Wanted:
            least = np.where(wanted, x[:, None], np.inf).min(axis=0)
            x = np.where(heard, least, x + 0.25)
        else:
            total = np.where(wanted, adjacency * x[:, None], 0).sum(axis=0)
            x = np.fmod(np.where(heard, x + total, x + 1), 101)
        told = told + heard
    assert result.x.tolist() == x.tolist()
    assert result.told.tolist() == told.tolist()


class Neighbors(VertexProgram):
    """How many neighbors are in the mask."""

    supersteps = param.supersteps(3)
    count = vertex.int32()

    apply_on = "all"
    ends = "stop"
    mask = "uniform(3, v.id, 0) < 0.5f"
    apply = """
        for (int i = 0; i < num_neighbors; ++i)
            v.count += get_mask_of(neighbor(i));
        if (uniform(3, v.id, superstep + 1) < 0.5f)
            set_mask();
    """


@pytest.mark.parametrize("delivery", ["push", "pull"])
def test_masks_of_neighbors(delivery):
    graph, adjacency = linked()
    result = Engine(graph).run(Neighbors(), delivery=delivery)
    expected = sum(adjacency @ some(superstep) for superstep in range(3))
    assert result.count.tolist() == expected.tolist()


class Weighed(VertexProgram):
    """A gather snippet that sums squares, in lanes; some vertices want no messages."""

    supersteps = param.supersteps(2)
    start = param.int32(0)
    x = vertex.int32(init="(v.id + p.start) % 8")

    message, gathered = "int32", "int64"
    scatter_on = apply_on = "all"
    receive_if = "v.id % 3 != 1"
    scatter = "send(v.x);"
    gather = """
        msg = 0;
        for (int i = 0; i < num_messages; ++i)
            msg += messages[i] * messages[i] + 1;
    """
    apply = "v.x = (has_msg ? msg + v.id : v.id) % 1009;"


class WeighedByAll(Weighed):
    receive_if = None


@pytest.mark.parametrize("program", [Weighed, WeighedByAll])
def test_messages_of_several_rows_are_copied_at_once(program):
    graph, adjacency = linked()
    result = Engine(graph).run(program(start=[0, 3]), delivery="outbox")
    ids = np.arange(VERTICES)
    wants = (ids % 3 != 1) | (program is WeighedByAll)
    hears = (adjacency.sum(axis=0) > 0) & wants
    for lane, start in enumerate([0, 3]):
        x = (ids + start) % 8
        for _ in range(2):
            x = np.where(hears, (x * x + 1) @ adjacency + ids, ids) % 1009
        assert result.x[:, lane].tolist() == x.tolist()


@pytest.mark.parametrize("delivery", ["outbox", "pull", "push"])
def test_each_delivery_of_random_vertices(delivery):
    graph, adjacency = linked()
    result = Engine(graph).run(SomeSum(), delivery=delivery)
    x, told = np.arange(VERTICES) % 8, np.zeros(VERTICES, int)
    for superstep in range(4):
        sent = some(superstep)
        told += (adjacency * sent[:, None]).sum(axis=0) > 0
        x = (x + (adjacency * (x * sent)[:, None]).sum(axis=0)) % 1009
    assert np.array_equal(result["x"], x)
    assert np.array_equal(result["told"], told)


class ComesAndGoes(VertexProgram):
    """All vertices are in the mask, then few, then half of them; some put in others."""

    supersteps = param.supersteps(6)
    active = vertex.int32()
    near = vertex.int32()

    apply_on = "all"
    ends = "stop"
    functions = """
        #define COMES(id, when) ((when) % 3 == 0 || (id) % ((when) % 3 == 1 ? 97 : 2) == 0)
    """
    mask = "COMES(v.id, 0)"
    apply = """
        for (int i = 0; i < num_neighbors; ++i)
            v.near += get_mask_of(neighbor(i));
        v.active += get_mask();
        if (COMES(v.id, superstep + 1))
            set_mask();
        if (v.id % 50 == superstep)
            set_mask_of((v.id + 1) % g.num_vertices);
    """


@pytest.mark.parametrize("delivery", ["push", "pull"])
def test_a_mask_that_others_read(delivery):
    """Few vertices are listed one by one; many are looked for among all."""
    ids = np.arange(VERTICES)
    src, dst = [*ids[:-1], *ids[:-2]], [*ids[1:], *([HUB] * (VERTICES - 2))]
    graph = Graph.from_edges(src, dst, num_vertices=VERTICES, directed=False)
    adjacency = np.zeros((VERTICES, VERTICES), np.int64)
    adjacency[src, dst] = adjacency[dst, src] = 1
    result = Engine(graph).run(ComesAndGoes(), delivery=delivery)
    mask = np.ones(VERTICES, bool)
    active, near = np.zeros(VERTICES, int), np.zeros(VERTICES, int)
    for superstep in range(6):
        near, active = near + adjacency @ mask, active + mask
        by_others = np.roll(ids % 50 == superstep, 1)
        turn = (superstep + 1) % 3
        mask = by_others | (turn == 0) | (ids % (97 if turn == 1 else 2) == 0)
    assert np.array_equal(result["near"], near)
    assert np.array_equal(result["active"], active)
