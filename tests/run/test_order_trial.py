"""Random schedules in debug mode: what the error says of each way to depend on the order."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gascl import Engine, Graph, ProgramError, VertexProgram, edge, param, struct, vertex
from gascl.programs import Distances, ShortestPaths, WeightedBetweenness
from gascl.run.order_trial import OrderTrial

#: Each vertex hears from two others, and 'e' from all.
GRAPH = Graph.from_edges(
    [*zip("abcdabcda", "bcdacdabe", strict=True), ("b", "e"), ("c", "e"), ("d", "e")]
)


class Least(VertexProgram):
    """The least id that leads to each vertex, and as many steps."""

    label = vertex.int32(init="v.id + 1")
    message, combine = "int32", "min"
    order = "any"
    scatter = "send(v.label);"
    apply = "if (msg < v.label) { v.label = msg; set_mask(); }"


class First(Least):
    """Takes what comes first."""

    taken = vertex.int8()
    apply = "if (!v.taken) { v.taken = 1; v.label = msg; set_mask(); }"


class Counts(Least):
    """Counts all that comes."""

    count = vertex.int32()
    apply = "v.count += 1;" + Least.apply


class SeesTheLeast(Least):
    """Keeps a bit of each message, of which others may be combined."""

    seen = vertex.int32()
    apply = "v.seen |= 1 << msg;" + Least.apply


class TellsOnce(Least):
    """Is silent about what is better, once it has told something."""

    told = vertex.int8()
    apply = "if (msg < v.label) { v.label = msg; if (!v.told) set_mask(); v.told = 1; }"


class Looks(Least):
    """Sends to a vertex only while that has a label of its own."""

    scatter = "if (label_of(e.dst) == e.dst + 1) send(v.label);"


class FirstPair(VertexProgram):
    """The same with a struct: who has sent, and what."""

    best = vertex.int32(init="v.id")
    who = vertex.vertex()
    message = struct([("sender", "vertex"), ("value", "int32")])
    combine = "a.value < b.value || (a.value == b.value && a.sender < b.sender) ? a : b"
    identity = "(message){INT_MAX, INT_MAX}"
    order = "any"
    scatter = "send((message){v.id, v.best});"
    apply = "if (v.who < 0) { v.who = msg.sender; v.best = msg.value; set_mask(); }"


class FirstOfLanes(First):
    start = param.int32()
    label = vertex.int32(init="v.id + 1 + p.start")


class FirstPost(First):
    scatter = "send_to(e.dst, v.label);"


class Grows(VertexProgram):
    """The greatest label of the neighbors, which may have grown before or after."""

    label = vertex.int32(init="v.id")
    grown = vertex.int8()
    order, apply_on, edges = "any", "all", "both"
    apply = """
        for (int i = 0; !v.grown && i < num_neighbors; ++i)
            v.label = max(v.label, label_of(neighbor(i)));
        if (!v.grown)
            set_mask();
        v.grown = 1;
    """


class Components(VertexProgram):
    """The smallest vertex of each component, by trees in which each vertex points to its root."""

    root = vertex.int32(init="v.id")
    message, combine, edges = "int32", "min", "both"
    order, apply_on = "any", "all"
    receive_if = "v.root == v.id"
    functions = "#define FIND(id) while (root_of(id) != (id)) id = root_of(id)"
    apply = """
        if (has_msg) {
            v.root = min(v.root, msg);
            set_mask();
            return;
        }
        int mine = v.root;
        FIND(mine);
        for (int i = 0; i < num_neighbors; ++i) {
            int other = neighbor(i);
            FIND(other);
            if (mine != other) {
                send_to(max(mine, other), min(mine, other));
                set_mask();
            }
        }
        v.root = mine;
    """


#: 'c' hears from two others, and 'd' from 'c' alone.
PATH = Graph.from_edges([("a", "c"), ("b", "c"), ("c", "d")])
#: What is said where all vertices apply.
SEEN = "vertices that apply in another order, or more often, see other values of each other"
MESSAGE = r"(?:two messages|a message) to '\w' shows? it, "
TWO = MESSAGE + r"(\d) from '(\w)' and (\d) from '(\w)': "
#: The programs, and what the error must say.
FLAWED: dict[type[VertexProgram], str] = {
    First: TWO + "one after the other, in either order, they lead to different fields",
    Counts: MESSAGE + r"(\d) from '(\w)': if it comes twice, fields change",
    SeesTheLeast: TWO + "combined, they lead to other fields than one after the other",
    TellsOnce: TWO + r"the second one changes what the vertex sends, but apply does not call set_",
    Looks: r"or when scatter reads other vertices; by this schedule, the last message that changed "
    r"'\w' was (\d from '\w'|none)",
    FirstPair: MESSAGE + r"{sender: '(\w)', value: \d} from '\1' and {sender: '(\w)', value: \d}",
    FirstOfLanes: TWO,
    Grows: SEEN,
    FirstPost: MESSAGE + r"\d and \d: one after the other",
}


def told(program: VertexProgram, graph: Graph, expected: str) -> str:
    """The error of the first schedule that has this in it."""
    texts = []
    for seed in range(9):
        try:
            Engine(graph, debug=True, seed=seed).run(program)
        except ProgramError as error:
            texts.append(str(error))
            if re.search(expected, texts[-1]):
                return texts[-1]
    pytest.fail(f"no schedule tells it: {texts}")


@pytest.mark.parametrize("cls", FLAWED, ids=lambda cls: cls.__name__)
def test_each_way_to_depend_on_the_order(cls: type[VertexProgram]) -> None:
    given = {"start": [0, 1]} if cls is FirstOfLanes else {}
    text = told(cls(**given), PATH if cls in (TellsOnce, Grows) else GRAPH, FLAWED[cls])
    assert re.match(
        rf"\S+/test_order_trial.py:\d+: {cls.__name__}: order = 'any' does not hold: field '\w+' "
        r"of vertex '\w' is .+ in supersteps, and .+ by the random schedule of seed=\d; ",
        text,
    ), text
    shown = '    order = "any"' if "order" in vars(cls) else f"    class {cls.__name__}(First):"
    assert cls not in (FirstPair, FirstPost) or text.endswith(shown)


def test_what_keeps_the_promise() -> None:
    for program in (Least(), Components(), Distances(source="a"), Distances(source=["a", "b"])):
        result = Engine(GRAPH, debug=True, seed=3).run(program)
        (note,) = result.trace.notes
        assert note == "by the random schedule of seed=3, the fields are the same"
        assert note in str(result.trace)


def test_stages_that_are_alike_say_it_once() -> None:
    engine = Engine(GRAPH.with_fields(weight=np.ones(GRAPH.num_edges)), debug=True)
    result = engine.run(WeightedBetweenness(sources=["a", "b", "c"]))
    assert len({*result.trace.notes}) == len(result.trace.notes) == 1


class Buckets(Least):
    """Each vertex waits in a bucket of its own."""

    priority, delta = "v.label", 1


def test_a_launch_takes_vertices_of_all_buckets() -> None:
    path = Graph.from_edges(np.arange(400), np.arange(1, 401))
    engine = Engine(path, debug=True)
    assert engine.run(Buckets(), delivery="random").supersteps < 5
    assert engine.run(Buckets()).trace.notes


def test_no_schedule_is_tried_where_the_order_matters() -> None:
    """By the program's own account, or where there is nothing to compare."""
    engine = Engine(GRAPH.with_fields(weight=np.zeros(GRAPH.num_edges)), debug=True)
    assert engine.run(ShortestPaths(source="a")).trace.notes == []
    assert engine.run(Least(), max_supersteps=1, not_converged="ignore").trace.notes == []
    kept = engine.run(Least(), keep_state=True)
    assert engine.run(Least(), state=kept.state).trace.notes == []
    assert Engine(GRAPH).run(Least()).trace.notes == []


class Rests(Least):
    weight = edge.int32(default=1)


def test_a_schedule_that_does_not_end() -> None:
    result = Engine(GRAPH).run(Rests())
    nothing = np.zeros((5, 1))
    trial = OrderTrial(4, {}, nothing, 3 * [nothing], 3 * [nothing - 2], False)
    with pytest.raises(ProgramError, match=r"by the random schedule of seed=4 it does not end"):
        trial.check(Rests(), result)


@pytest.mark.filterwarnings("ignore:field .x. is NaN")
def test_nan_is_nan_and_a_difference_is_told() -> None:
    class Real(Least):
        x = vertex.real2(init="(real2)(NAN, 1)")

    result = Engine(GRAPH).run(Real())
    nothing = np.zeros((5, 1), np.int64)
    fields = {name: values.copy() for name, values in result.fields.items()}
    OrderTrial(0, fields, nothing, 3 * [nothing], 3 * [nothing - 2], True).check(Real(), result)
    fields["x"][2, 1] = np.nan
    trial = OrderTrial(0, fields, nothing, 3 * [nothing], 3 * [nothing - 2], True)
    with pytest.raises(ProgramError, match=r"'x' of vertex 'c' is \[nan, 1.0\] .* \[nan, nan\] by"):
        trial.check(Real(), result)
