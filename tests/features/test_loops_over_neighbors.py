"""Loops over neighbors in apply that only reduce, which work-groups share where rows are long:
against loops in Python that run one turn after the other."""

from __future__ import annotations

import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.agreement import find_device

from gascl import Engine, Graph, VertexProgram, aggregate, by_key, edge, param, vertex
from gascl.delivery.cost import Costs
from gascl.run import prepare

SHARED = "gascl_apply_shared_rows"


@pytest.fixture(autouse=True)
def shares_rather_than_persists(monkeypatch):
    """Loops over long rows are shared, also where a persistent kernel would be faster."""
    monkeypatch.setattr(prepare, "LONG_FOR_LAUNCHES", 1)


class Everything(VertexProgram):
    """Each kind of reduction: in order or not, in a condition, of several values, with an early
    end; and an apply that may be left before a loop."""

    supersteps = param.supersteps(3)
    number = vertex.int32(init="v.id * 7 % 11")
    level = vertex.float32(init="v.id * 0.37f")
    weight = edge.float32(default=1)
    total = vertex.int64()
    many = vertex.int32()
    low = vertex.int32()
    high = vertex.float32()
    bits = vertex.uint32()
    every = vertex.int32()
    found = vertex.int32()
    scatter_on = apply_on = "all"
    apply = """
        const int degree = num_neighbors;
        v.total = 3;
        for (int i = 0; i < num_neighbors; ++i)
            v.total += (long)number_of(neighbor(i)) * i;
        if (v.number == 5)
            return;
        float level = 0.1f;
        v.high = -INFINITY;
        if (v.id % 3) {
            for (int i = 0; i < degree; i++) {  // in order: its terms are floats
                const float theirs = level_of(neighbor(i));
                level += theirs * weight_to(i);
                if (theirs > v.high)
                    v.high = theirs;
            }
        }
        v.many = 0;
        v.low = 1000;
        for (int i = 0; i < num_neighbors; ++i) {
            if (neighbor(i) % 2)
                continue;
            ++v.many;
            v.low = min(v.low, number_of(neighbor(i)));
        }
        v.bits = 0; v.every = 4;
        for (int i = 0; i < num_neighbors; ++i) {
            v.bits |= 1u << number_of(neighbor(i));
            v.every = v.every && number_of(neighbor(i)) < 10;
        }
        bool found = false;
        for (int i = 0; i < num_neighbors; ++i)
            if (number_of(neighbor(i)) == 7 && neighbor(i) > v.id) {
                found = true;
                break;
            }
        v.found = found;
        v.level = level / 7;
        v.number = (int)(v.total % 11);
    """


def rows_of(graph: Graph, edges: str = "out") -> tuple[list[list[int]], list[list[float]]]:
    """The neighbors of each vertex with parallel arcs, in order, and the weights of the arcs."""
    arcs, count = graph.arcs(edges), graph.num_vertices
    offsets = arcs.out.offsets
    weight = np.float32(graph.edge_fields.get("weight", np.ones(graph.num_edges)))
    weights = weight[arcs.out_edges]
    parts = [slice(offsets[v], offsets[v + 1]) for v in range(count)]
    return [arcs.out_targets[p].tolist() for p in parts], [weights[p] for p in parts]


def simulated(graph: Graph, supersteps: int = 3) -> dict[str, list]:
    """`Everything`, one turn after the other; floats are added in float32."""
    count, real = graph.num_vertices, np.float32
    rows, weights = rows_of(graph)
    number = [v * 7 % 11 for v in range(count)]
    level = [real(v) * real(0.37) for v in range(count)]
    now = {name: [0] * count for name in ("total", "many", "low", "bits", "every", "found")}
    now |= {"high": [real(0)] * count}
    for _ in range(supersteps):
        old_number, old_level = number[:], level[:]
        for v, row in enumerate(rows):
            now["total"][v] = 3 + sum(old_number[u] * i for i, u in enumerate(row))
            if old_number[v] == 5:
                continue
            total, high = real(0.1), real(-np.inf)
            if v % 3:
                for u, weight in zip(row, weights[v], strict=True):
                    total = real(total + real(old_level[u] * weight))
                    high = max(high, old_level[u])
            even = [u for u in row if u % 2 == 0]
            now["high"][v] = high
            now["many"][v] = len(even)
            now["low"][v] = min([1000, *(old_number[u] for u in even)])
            now["bits"][v] = sum({1 << old_number[u] for u in row})
            now["every"][v] = int(all(old_number[u] < 10 for u in row)) if row else 4
            now["found"][v] = int(any(old_number[u] == 7 and u > v for u in row))
            level[v] = real(total / real(7))
            number[v] = now["total"][v] % 11
    return {**now, "number": number, "level": level}


def hubs(directed: bool) -> Graph:
    """Two hubs, self-loops, parallel edges, and vertices without arcs."""
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 150, (2, 500))
    hub = np.array([[7] * 140 + [60] * 90 + [3, 3], [*range(140), *range(90), 3, 3]])
    ends = np.concatenate([ends, hub, ends[:, :60]], axis=1)
    weight = rng.random(ends.shape[1])
    return Graph.from_edges(*ends, num_vertices=170, directed=directed, weight=weight)


GRAPHS = {
    "hubs": lambda: hubs(False),
    "directed": lambda: hubs(True),
    "star": lambda: Graph.from_edges([0] * 400, range(1, 401), directed=False),
    "in-star": lambda: Graph.from_edges(range(1, 40), [0] * 39),
    "path": lambda: Graph.from_edges(range(50), range(1, 51), directed=False),
    "edgeless": lambda: Graph.from_edges([], [], num_vertices=9),
    "empty": lambda: Graph.from_edges([], [], num_vertices=0),
}


def kernels(result) -> set[str]:
    return {kernel.name for step in result.trace for kernel in step.kernels}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_every_kind(device, name):
    graph = GRAPHS[name]()
    expected = simulated(graph)
    for delivery in some_admitted(Everything(), device):
        result = Engine(graph, device).run(Everything(), delivery=delivery)
        for field, values in expected.items():
            assert result[field].tolist() == [float(x) if field in ("level", "high") else x
                                              for x in values], (field, delivery)  # fmt: skip
        long = name in ("hubs", "directed", "star") and device.group > 1
        assert (SHARED in kernels(result)) == (long and delivery != "serial"), delivery


@pytest.mark.parametrize("name", ["hubs", "star"])
def test_groups_as_large_as_those_of_gpus(name):
    graph, device = GRAPHS[name](), find_device(64)
    result = Engine(graph, device).run(Everything())
    assert SHARED in kernels(result)
    for field, values in simulated(graph).items():
        assert np.array_equal(result[field], np.array(values, result[field].dtype)), field


class Extremes(VertexProgram):
    """Where the extremes are, among many equal values: the first one counts. The second loop also
    has a sum of floats, whose order matters. The last loop finds nothing where the row has only
    values up to those from before."""

    supersteps = param.supersteps(3)
    number = vertex.int32(init="v.id * 7 % 11")
    largest = vertex.int32()
    place = vertex.int32()
    share = vertex.float32()
    weight = edge.float32(default=1)
    nearest = vertex.int32()
    sum = vertex.float32()
    beyond = vertex.int32()
    scatter_on = apply_on = "all"
    apply = """
        v.largest = v.place = -1;
        for (int i = 0; i < num_neighbors; ++i) {
            const int other = neighbor(i);
            if (number_of(other) > v.largest) {
                v.largest = number_of(other);
                v.place = i;
                v.share = number_of(other) * 0.5f + i;
            }
        }
        float least = INFINITY, sum = 0;
        v.nearest = -1;
        for (int i = 0; i < num_neighbors; ++i) {
            sum += weight_to(i);
            if (weight_to(i) < least) {
                v.nearest = neighbor(i);
                least = weight_to(i);
            }
        }
        v.sum = sum;
        int bound = 8;
        v.beyond = -2;
        for (int i = 0; i < num_neighbors; ++i)
            if (bound < number_of(neighbor(i))) {
                bound = number_of(neighbor(i));
                v.beyond = i;
            }
        v.number = (v.number + v.largest + v.place + v.beyond + 13) % 11;
    """


def extremes(graph: Graph) -> dict[str, list]:
    """`Extremes`, one turn after the other; floats are added in float32."""
    count = graph.num_vertices
    rows, weights = rows_of(graph)
    number = [v * 7 % 11 for v in range(count)]
    now = {name: [0] * count for name in ("largest", "place", "share", "nearest", "sum", "beyond")}
    for _ in range(3):
        old = number[:]
        for v, row in enumerate(rows):
            seen = [old[u] for u in row]
            now["largest"][v] = max(seen, default=-1)
            now["place"][v] = seen.index(max(seen)) if seen else -1
            if seen:
                now["share"][v] = max(seen) / 2 + seen.index(max(seen))
            total = np.float32(0)
            for weight in weights[v]:
                total = np.float32(total + weight)
            now["nearest"][v] = row[int(np.argmin(weights[v]))] if row else -1
            now["sum"][v] = float(total)
            now["beyond"][v] = seen.index(max(seen)) if max(seen, default=0) > 8 else -2
            number[v] = (old[v] + now["largest"][v] + now["place"][v] + now["beyond"][v] + 13) % 11
    return {**now, "number": number}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_places_of_extremes(device, name):
    graph = GRAPHS[name]()
    if "weight" in graph.edge_fields:  # few different ones, so that many are equal
        weight = np.round(graph.edge_fields["weight"] * 4 + 1) / 8
        graph = graph.with_edge_fields(weight=weight)
    expected = extremes(graph)
    result = Engine(graph, device).run(Extremes())
    for field, values in expected.items():
        assert result[field].tolist() == values, field
    long = name in ("hubs", "directed", "star") and device.group > 1
    assert (SHARED in kernels(result)) == long


class Nested(VertexProgram):
    """Loops over neighbors of neighbors: counts by merging rows, and a sum of sums."""

    supersteps = param.supersteps(1)
    closed = vertex.int64()
    far = vertex.float32()
    weight = edge.float32(default=1)
    scatter_on = apply_on = "all"
    apply = """
        float far = 0;
        for (int i = 0; i < num_neighbors; ++i) {
            const int other = neighbor(i), most = num_neighbors_of(other);
            float sum = 0;
            for (int j = 0, k = 0; j < num_neighbors && k < most;) {
                const int a = neighbor(j), b = neighbor_of(other, k);
                v.closed += a == b;
                j += a <= b;
                k += b <= a;
            }
            int left = most;
            while (left > 0) {
                --left;
                if (neighbor_of(other, left) == v.id)
                    break;
                sum += weight_to(i) / (1 + left);
            }
            far += sum;
        }
        v.far = far;
    """


def nested(graph: Graph) -> tuple[list[int], list[np.float32]]:
    """`Nested`, one turn after the other; floats are added in float32."""
    rows, weights = rows_of(graph)
    closed, far = [], []
    for v, row in enumerate(rows):
        common, total = 0, np.float32(0)
        for u, weight in zip(row, weights[v], strict=True):
            j = k = 0
            while j < len(row) and k < len(rows[u]):
                a, b = row[j], rows[u][k]
                common, j, k = common + (a == b), j + (a <= b), k + (b <= a)
            part = np.float32(0)
            for left in range(len(rows[u]) - 1, -1, -1):
                if rows[u][left] == v:
                    break
                part = np.float32(part + np.float32(weight / np.float32(1 + left)))
            total = np.float32(total + part)
        closed.append(common)
        far.append(total)
    return closed, far


@pytest.mark.parametrize("name", ["hubs", "directed", "star", "path"])
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_loops_over_neighbors_of_neighbors(device, name):
    graph = GRAPHS[name]()
    closed, far = nested(graph)
    result = Engine(graph, device).run(Nested())
    assert result["closed"].tolist() == closed
    assert np.array_equal(result["far"], np.array(far, np.float32))
    assert (SHARED in kernels(result)) == (name != "path" and device.group > 1)


class Woken(VertexProgram):
    """Vertices tell their successors, which then look at all their neighbors, and tell others:
    what is outside of the loops has its effect once, whether or not a vertex reaches them."""

    value = vertex.int32(init="v.id % 13")
    heard = vertex.int32()
    visits = vertex.int32()
    calls = aggregate.int64("sum")
    message, combine = "int32", "sum"
    apply_on = "mask"
    ends = "stop"
    stop = "superstep == 4"
    mask = "v.id % 4 == 1"
    scatter = "send(v.value);"
    apply = """
        aggregate_calls(1);
        send_to((v.id + 5) % g.num_vertices, 1);
        ++v.visits;
        v.heard = has_msg ? msg : -1;
        int most = 0;
        if (v.heard % 3) {
            for (int i = 0; i < num_neighbors; ++i)
                most = max(most, value_of(neighbor(i)));
        }
        set_mask_of((v.id * 3 + most) % g.num_vertices);
        long sum = get_mask();
        if (v.id % 5)
            for (int i = 0; i < num_neighbors; ++i)
                sum += value_of(neighbor(i)) + get_mask_of(neighbor(i));
        aggregate_calls(sum);
        v.value = (int)((sum + most) % 13);
        if (v.value % 2)
            set_mask();
        else
            unset_mask();
    """


def woken(graph: Graph) -> tuple[dict[str, list[int]], list[int], list[int]]:
    """The fields, and of each superstep the aggregator and the number of messages."""
    count = graph.num_vertices
    rows, _ = rows_of(graph)
    value, heard, visits = [v % 13 for v in range(count)], [0] * count, [0] * count
    mask, pending = [v % 4 == 1 for v in range(count)], [[] for _ in range(count)]
    sums, messages = [], []
    for _ in range(5):
        inbox, pending = pending, [[] for _ in range(count)]
        for v in range(count):
            for u in rows[v] if mask[v] else ():
                inbox[u].append(value[v])
        messages.append(sum(map(len, inbox)))
        old, calls = value[:], 0
        own, others = [False] * count, [False] * count
        for v in range(count):
            if not inbox[v] and not mask[v]:
                continue
            calls += 1
            pending[(v + 5) % count].append(1)
            visits[v] += 1
            heard[v] = sum(inbox[v]) if inbox[v] else -1
            row = rows[v]
            # In C, -1 % 3 is not 0.
            most = max([0, *(old[u] for u in row)]) if abs(heard[v]) % 3 else 0
            others[(v * 3 + most) % count] = True
            total = int(mask[v])
            if v % 5:
                total += sum(old[u] + mask[u] for u in row)
            calls += total
            value[v] = (total + most) % 13
            own[v] = value[v] % 2 == 1
        mask = [a or b for a, b in zip(own, others, strict=True)]
        sums.append(calls)
    return {"value": value, "heard": heard, "visits": visits}, sums, messages


@pytest.mark.parametrize("directed", [True, False])
def test_with_messages_masks_and_effects(device, directed):
    graph = hubs(directed)
    fields, sums, messages = woken(graph)
    for delivery in some_admitted(Woken(), device):
        result = Engine(graph, device).run(Woken(), delivery=delivery)
        for name, values in fields.items():
            assert result[name].tolist() == values, (name, delivery)
        assert [step.aggregates["calls"] for step in result.trace] == sums, delivery
        assert [step.messages for step in result.trace] == messages, delivery


class Climbing(VertexProgram):
    """A vertex that hears of a neighbor takes the largest value around it, and tells others if it
    is larger: apply alone lists it in the next frontier."""

    value = vertex.int32(init="v.id * 37 % 101")
    ties = vertex.int32()
    message, combine = "int32", "sum"
    mask = "v.id % 60 == 13"
    scatter = "send(1);"
    apply = """
        int most = v.value;
        for (int i = 0; i < num_neighbors; ++i) {
            most = max(most, value_of(neighbor(i)));
            if (value_of(neighbor(i)) % 5 == msg % 5)
                ++v.ties;
        }
        if (most > v.value)
            set_mask();
        v.value = most;
    """


def climbed(graph: Graph) -> tuple[dict[str, list[int]], list[tuple[int, int]]]:
    """The fields, and of each superstep the numbers of active vertices and of messages."""
    rows, _ = rows_of(graph)
    value, ties = [v * 37 % 101 for v in range(len(rows))], [0] * len(rows)
    active, steps = [v for v in range(len(rows)) if v % 60 == 13], []
    while active:
        heard = [0] * len(rows)
        for v in active:
            for u in rows[v]:
                heard[u] += 1
        steps.append((len(active), sum(heard)))
        old, active = value[:], []
        for v, row in enumerate(rows):
            if heard[v]:
                value[v] = max([old[v], *(old[u] for u in row)])
                ties[v] += sum(old[u] % 5 == heard[v] % 5 for u in row)
                active += [v] if value[v] > old[v] else []
    return {"value": value, "ties": ties}, steps


@pytest.mark.parametrize("directed", [True, False])
def test_with_a_frontier(device, directed, monkeypatch):
    monkeypatch.setattr(Costs, "share_to_pull", lambda *_: 0.1)
    graph = hubs(directed)
    fields, steps = climbed(graph)
    assert len(steps) > 3
    for delivery in some_admitted(Climbing(), device):
        result = Engine(graph, device).run(Climbing(), delivery=delivery)
        assert [(s.active, s.messages) for s in result.trace] == steps, delivery
        for name, values in fields.items():
            assert result[name].tolist() == values, (name, delivery)
        if delivery == "frontier":
            assert {"push", "pull"} == {step.delivery for step in result.trace}
        if device.group > 1 and delivery != "serial":
            assert SHARED in kernels(result)


class OfMessages(VertexProgram):
    """A gather snippet, and a loop that reads what it has found."""

    supersteps = param.supersteps(2)
    x = vertex.int32(init="v.id % 10")
    message, gathered = "int32", "int64"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    gather = """
        msg = 0;
        for (int i = 0; i < num_messages; ++i)
            msg += messages[i];
    """
    apply = """
        int above = 0;
        for (int i = 0; i < num_neighbors; ++i)
            if (x_of(neighbor(i)) * num_neighbors > msg)
                ++above;
        v.x = above % 10;
    """


def of_messages(graph: Graph) -> list[int]:
    rows, _ = rows_of(graph)
    x = [v % 10 for v in range(graph.num_vertices)]
    for _ in range(2):
        heard = [0] * len(x)
        for v, row in enumerate(rows):
            for u in row:
                heard[u] += x[v]
        x = [sum(x[u] * len(r) > heard[v] for u in r) % 10 for v, r in enumerate(rows)]
    return x


def test_with_a_gather_snippet_and_lanes(device):
    graph = hubs(True)
    expected = of_messages(graph)
    for delivery in some_admitted(OfMessages(), device):
        assert Engine(graph, device).run(OfMessages(), delivery=delivery).x.tolist() == expected
    laned = Engine(graph, device).run(type("Laned", (OfMessages,), {"lanes": 3})())
    assert laned.x.T.tolist() == [expected] * 3


@pytest.mark.parametrize("edges", ["in", "both", "alternate"])
def test_along_other_arcs(device, edges):
    class Counted(VertexProgram):
        supersteps = param.supersteps(2)
        seen = vertex.int64()
        scatter_on = apply_on = "all"
        apply = """
            for (int i = 0; i < num_neighbors; ++i)
                v.seen += neighbor(i) + 1;
        """

    Counted = type("Counted", (Counted,), {"edges": edges})
    graph = hubs(True)
    found = [0] * graph.num_vertices
    for superstep in range(2):
        along = ("out", "in")[superstep] if edges == "alternate" else edges
        for v, row in enumerate(rows_of(graph, along)[0]):
            found[v] += sum(row) + len(row)
    assert Engine(graph, device).run(Counted()).seen.tolist() == found


def test_debug_mode_runs_loops_as_they_are():
    graph = hubs(False)
    result = Engine(graph, find_device(8), debug=True).run(Everything())
    assert SHARED not in kernels(result)
    assert result.total.tolist() == simulated(graph)["total"]


def test_a_run_that_continues(device):
    graph = hubs(False)
    engine = Engine(graph, device)
    first = engine.run(Everything(supersteps=2), keep_state=True)
    second = engine.run(Everything(supersteps=1), state=first.state)
    assert second.total.tolist() == simulated(graph)["total"]


def test_a_fault_in_a_shared_loop(device):
    class Faulty(VertexProgram):
        supersteps = param.supersteps(1)
        x = vertex.int32()
        scatter_on = apply_on = "all"
        apply = """
            for (int i = 0; i < num_neighbors; ++i)
                v.x += x_of(neighbor(i) + 20);
        """

    from gascl import ProgramError

    with pytest.raises(ProgramError, match="vertex 0 used an id that is not in 0"):
        Engine(GRAPHS["star"](), device).run(Faulty())


class Told(VertexProgram):
    """Vertices put those neighbors into the mask that have a higher value, and count the others;
    which are heard of is a matter of groups of messages."""

    supersteps = param.supersteps(5)
    value = vertex.int32(init="v.id * 5 % 17")
    lower = vertex.int32()
    told = vertex.int32()
    message, combine = "int32", by_key()
    prefer = "a.count"
    scatter_on, edges, apply_on = "all", "both", "mask"
    mask = "v.id % 3 == 0"
    receive_if = "get_mask()"
    scatter = "send(v.value);"
    apply = """
        v.lower = 0;
        for (int i = 0; i < num_neighbors; ++i) {
            if (value_of(neighbor(i)) > v.value)
                set_mask_of(neighbor(i));
            else
                ++v.lower;
        }
        if (v.lower % 2)
            for (int i = 0; i < num_neighbors; ++i)
                set_mask_of((neighbor(i) + v.id) % g.num_vertices);
        ++v.told;
        v.value = (v.value + msg.key + 1) % 17;
    """


def told(graph: Graph) -> tuple[list[int], list[int], list[int]]:
    count = graph.num_vertices
    arcs = graph.arcs("both")
    rows = np.split(arcs.out_targets, arcs.out_offsets[1:-1]) if count else []
    value, lower, times = [v * 5 % 17 for v in range(count)], [0] * count, [0] * count
    mask = {v for v in range(count) if v % 3 == 0}
    for _ in range(5):
        before, coming = [*value], set()
        for v in mask:
            row = rows[v].tolist()
            higher = [u for u in row if before[u] > before[v]]
            lower[v] = len(row) - len(higher)
            coming |= {*higher}
            if lower[v] % 2:
                coming |= {(u + v) % count for u in row}
            times[v] += 1
            heard = [before[u] for u in row]
            key = min(set(heard), key=lambda x, h=heard: (-h.count(x), x)) if heard else 0
            value[v] = (before[v] + key + 1) % 17
        mask = coming
    return value, lower, times


@pytest.mark.parametrize("name", GRAPHS)
def test_marks(device, name):
    """Each vertex is put into the mask where the loop says so, and nowhere else."""
    graph = GRAPHS[name]()
    for delivery in ("slots", "outbox", "serial"):
        result = Engine(graph, device).run(Told(), delivery=delivery)
        found = result.value.tolist(), result.lower.tolist(), result.told.tolist()
        assert found == told(graph), delivery
        longest = int(np.diff(graph.arcs("both").out_offsets).max(initial=0))
        long = longest > device.group // 2 and device.group > 1
        assert (SHARED in kernels(result)) == (long and delivery != "serial"), delivery


def test_marks_by_groups_as_large_as_those_of_gpus():
    graph = hubs(False)
    result = Engine(graph, find_device(64)).run(Told())
    assert SHARED in kernels(result)
    assert (result.value.tolist(), result.lower.tolist(), result.told.tolist()) == told(graph)
