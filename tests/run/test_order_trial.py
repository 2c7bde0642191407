"""Random schedules in debug mode: what the error says of each way to depend on the order."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gascl import Engine, Graph, ProgramError, VertexProgram, edge, param, struct, vertex
from gascl.programs import (
    BreadthFirst,
    ConnectedComponents,
    Distances,
    ShortestPaths,
    WeightedBetweenness,
)
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
ONE = r"a message to '\w' shows it, (\d) from '(\w)': "
TWO = MESSAGE + r"(\d) from '(\w)' and (\d) from '(\w)': "
#: The end of what is said about what to do.
OR_REMOVE = ", or remove order = 'any'"
#: The programs, and what the error must say.
FLAWED: dict[type[VertexProgram], str] = {
    First: TWO + "one after the other, in either order, they lead to different fields",
    Counts: ONE + "if it comes twice, fields change",
    SeesTheLeast: TWO + "combined, they lead to other fields than one after the other",
    TellsOnce: ONE + "it changes what the vertex sends, but apply does not call set_mask()",
    Looks: r"or when scatter reads other vertices; by this schedule, the last message that changed "
    r"'\w' was (\d from '\w'|none)",
    FirstPair: MESSAGE + r"{sender: '(\w)', value: \d} from '\1' and {sender: '(\w)', value: \d}",
    FirstOfLanes: TWO,
    Grows: SEEN,
    FirstPost: MESSAGE + r"\d and \d: one after the other",
}


#: How the remedy of some of them begins.
REMEDIES: dict[type[VertexProgram], str] = {
    First: "let apply take a message only if it is better than the present value, and of equally",
    Counts: "let apply keep a minimum, a maximum or a set of bits instead of adding, or remove",
    SeesTheLeast: "let apply compute its fields from the best message alone, or remove",
    TellsOnce: "call set_mask() wherever a field changes that scatter reads, or remove",
    Looks: "let fields change in one direction only, and let scatter send nothing that becomes",
    Grows: "let fields change in one direction only, toward a fixed point, and call set_mask()",
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
    assert f"; {REMEDIES.get(cls, 'let ')}" in text and OR_REMOVE in text
    shown = '    order = "any"' if "order" in vars(cls) else f"    class {cls.__name__}(First):"
    assert cls not in (FirstPair, FirstPost) or text.endswith(shown)


def test_what_keeps_the_promise() -> None:
    for program in (Least(), Components(), Distances(source="a"), Distances(source=["a", "b"])):
        result = Engine(GRAPH, debug=True, seed=3).run(program)
        (note,) = result.trace.notes
        assert note == "by the random schedule of seed=3, the fields are the same"
        assert note in str(result.trace)


def test_stages_that_are_alike_say_it_once() -> None:
    engine = Engine(GRAPH.with_edge_fields(weight=np.ones(GRAPH.num_edges)), debug=True)
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
    engine = Engine(GRAPH.with_edge_fields(weight=np.zeros(GRAPH.num_edges)), debug=True)
    assert engine.run(ShortestPaths(source="a")).trace.notes == []
    assert engine.run(Least(), max_supersteps=1, not_converged="ignore").trace.notes == []
    kept = engine.run(Least(), keep_state=True)
    assert engine.run(Least(), state=kept.state).trace.notes == []
    assert Engine(GRAPH).run(Least()).trace.notes == []


class Answers(VertexProgram):
    """Two vertices answer each other: a message comes only once the one before has been applied, so
    that no other order of messages exists, but by older values it is refused."""

    count = vertex.int32(init="v.id ? 0 : 1")
    message, combine, order = "int32", "max", "any"
    mask = "v.id == 0"
    receive_if = "msg == v.count + 2 && msg < 100"
    scatter = "send(v.count + 1);"
    apply = "v.count = msg; set_mask();"


def test_receive_if_reads_older_values() -> None:
    graph = Graph.from_edges(["a"], ["b"], directed=False)
    result = Engine(graph).run(Answers(), delivery="push")
    assert result["count"].tolist() == [99, 98]
    text = told(Answers(), graph, "one after the other, in either order")
    assert "Answers: order = 'any' does not hold: field 'count' of vertex" in text


class Hops(VertexProgram):
    """The number of arcs from vertex 0, in supersteps; `form` is what it is in any order."""

    label = vertex.int32(init="v.id ? -1 : 0")
    form: type[VertexProgram] | None = None
    mask, message, combine = "v.id == 0", "vertex", "min"
    receive_if = "v.label < 0"
    scatter = "send(v.id);"
    apply = "v.label = superstep + 1; set_mask();"

    def in_any_order(self) -> VertexProgram | None:
        return None if Hops.form is None else Hops.form()


class HopsAnyhow(VertexProgram):
    label = vertex.int32(init="v.id ? -1 : 0")
    mask, message, combine, order = "v.id == 0", "int32", "min", "any"
    receive_if = "(uint)msg < (uint)v.label"
    scatter = "send(v.label + 1);"
    apply = "v.label = msg; set_mask();"


class HopsOfTheFirst(HopsAnyhow):
    receive_if = "v.label < 0"


class HopsTwice(HopsAnyhow):
    scatter = "send(v.label + 2);"


def long_way_round() -> Graph:
    """A path, which any order may follow before the short cuts."""
    n = np.arange(60)
    ends = np.concatenate([n, n[:-2:2]]), np.concatenate([n + 1, n[2::2]])
    return Graph.from_edges(*ends)


def test_forms_in_any_order_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Engine(long_way_round(), debug=True).run(Hops()).trace.notes == []
    monkeypatch.setattr(Hops, "form", HopsAnyhow)
    (note,) = Engine(long_way_round(), debug=True).run(Hops()).trace.notes
    assert note == "by the random schedule of seed=0, the fields are the same"
    assert Engine(long_way_round()).run(Hops()).trace.notes == []
    monkeypatch.setattr(Hops, "form", HopsOfTheFirst)
    text = told(Hops(), long_way_round(), "one after the other, in either order")
    assert "Hops (HopsOfTheFirst): order = 'any' does not hold: field 'label' of vertex" in text


def test_a_form_that_computes_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hops, "form", HopsTwice)
    with pytest.raises(ProgramError) as caught:
        Engine(long_way_round(), debug=True).run(Hops())
    assert (
        "Hops.in_any_order returned a program with other final fields: field 'label' of vertex 1 "
        "is 1 by Hops, and 2 by HopsTwice, both in supersteps: let both compute the same, or return"
    ) in str(caught.value)


@pytest.mark.parametrize("seed", range(4))
def test_forms_of_bundled_programs_are_tried(seed: int) -> None:
    engine = Engine(GRAPH, debug=True, seed=seed)
    for program in (BreadthFirst(source="a"), ConnectedComponents()):
        assert engine.run(program).trace.notes == [
            f"by the random schedule of seed={seed}, the fields are the same"
        ]
    assert engine.run(BreadthFirst(source="a", hops=1)).trace.notes == []


class Rests(Least):
    weight = edge.int32(default=1)


def test_a_schedule_that_does_not_end() -> None:
    result = Engine(GRAPH).run(Rests())
    nothing = np.zeros((5, 1))
    trial = OrderTrial(4, {}, nothing, 3 * [nothing], 3 * [nothing - 2], False)
    with pytest.raises(ProgramError, match=r"by the random schedule of seed=4 it does not end"):
        trial.check(Rests(), result, False)


@pytest.mark.filterwarnings("ignore:field .x. is NaN")
def test_nan_is_nan_and_a_difference_is_told() -> None:
    class Real(Least):
        x = vertex.real2(init="(real2)(NAN, 1)")

    result = Engine(GRAPH).run(Real())
    nothing = np.zeros((5, 1), np.int64)
    fields = {name: values.copy() for name, values in result.fields.items()}
    OrderTrial(0, fields, nothing, 3 * [nothing], 3 * [nothing - 2], True).check(
        Real(), result, False
    )
    fields["x"][2, 1] = np.nan
    trial = OrderTrial(0, fields, nothing, 3 * [nothing], 3 * [nothing - 2], True)
    with pytest.raises(ProgramError, match=r"'x' of vertex 'c' is \[nan, 1.0\] .* \[nan, nan\] by"):
        trial.check(Real(), result, False)
