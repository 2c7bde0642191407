"""Programs of several stages: what `solve` runs, keeps, returns, and how it ends early."""

from __future__ import annotations

import pickle
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from gascl import (
    Engine,
    FieldError,
    GasclError,
    Graph,
    Interrupted,
    NotConverged,
    ProgramError,
    VertexProgram,
    aggregate,
    arc,
    edge,
    generators,
    param,
    vertex,
)
from gascl.programs import BreadthFirst, PageRank
from gascl.user_messages import Option, ProgramName


class Hops(VertexProgram):
    source = param.vertex()
    hops = vertex.int32(init="v.id == p.source ? 0 : -1")
    mask = "v.id == p.source"
    message, combine = "int32", "min"
    scatter = "send(v.hops + 1);"
    apply = "if (v.hops < 0) { v.hops = msg; set_mask(); }"


class Add(VertexProgram):
    supersteps = param.supersteps(1)
    hops = vertex.int32()
    total = vertex.int64()
    scatter_on = apply_on = "all"
    apply = "v.total += v.hops;"


class Distances(VertexProgram):
    """The sum of the hops from the sources."""

    sources = param.vertices()
    seed = param.int32(0, low=0)
    total = vertex.int64()

    def solve(self, stages):
        for source in stages.vertices(self.sources, self.seed):
            stages.run(Hops(source=source), fresh=["hops"])
            stages.run(Add())
        return {}


@pytest.fixture(scope="module")
def karate():
    made = nx.karate_club_graph()
    return Engine(Graph.from_networkx(made)), made


def hops(made: nx.Graph, sources) -> list[int]:
    ways = [nx.single_source_shortest_path_length(made, s) for s in sources]
    return [sum(way[v] for way in ways) for v in made]


def test_fields_continue_except_new_ones(karate):
    engine, made = karate
    result = engine.run(Distances(sources=[0, 33, 7]))
    assert result.total.tolist() == hops(made, [0, 33, 7])
    assert list(result.fields) == ["total"] and result.converged
    assert [s.superstep for s in result.trace] == list(range(result.supersteps))
    assert [s.program for s in result.trace if s.program == "Add"] == ["Add"] * 3
    assert set(result.seconds) == {"build", "upload", "supersteps", "solve"}
    assert result.stopped == "solved by 3 runs of Hops and 3 runs of Add"
    assert engine.run(Distances()).total.tolist() == hops(made, made)


def test_drawn_sources_are_the_seeds(karate):
    engine, made = karate
    drawn = np.random.RandomState(3).permutation(34)[:4].tolist()
    result = engine.run(Distances(sources=4, seed=3))
    assert result.total.tolist() == hops(made, drawn)
    assert engine.run(Distances(sources="4", seed=3)).total.tolist() == result.total.tolist()
    assert engine.run(Distances(sources="0,33")).total.tolist() == hops(made, [0, 33])
    assert engine.run(Distances(sources="5,")).total.tolist() == hops(made, [5])
    names = Graph.from_edges([0, 1], [1, 2], labels=["5", "a", "7"])
    assert Engine(names).run(Distances(sources="5,")).total.tolist() == [0, 1, 2]


def test_callback_and_the_state_kept(karate):
    engine, _ = karate
    steps = []
    result = engine.run(Distances(sources=2), callback=steps.append, keep_state=True)
    assert steps == result.trace
    assert "hops" in result.state.names()


@pytest.mark.parametrize("most", [0, 1, 5])
def test_max_supersteps_counts_all_turns(karate, most):
    engine, _ = karate
    with pytest.warns(NotConverged, match=f"reached max_supersteps={most}|reached max_supersteps"):
        result = engine.run(Distances(sources=[0, 1]), max_supersteps=most)
    assert result.supersteps == most and not result.converged


def test_ctrl_c_keeps_the_result_so_far(karate):
    engine, _ = karate

    def press(step):
        if step.superstep == 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        engine.run(Distances(sources=[0, 1]), callback=press)
    assert caught.value.result.supersteps == 3
    assert not caught.value.result.converged


@pytest.mark.parametrize("by", ["max_supersteps", "callback", "solve"])
def test_what_an_early_end_leaves(karate, by):
    """Fields that are on the device are there, others are said to be missing."""

    def press(step):
        if step.program == "Add":
            raise KeyboardInterrupt

    class Late(VertexProgram):
        total = vertex.int64()
        hops = vertex.int32()
        late = vertex.int32()

        def solve(self, stages):
            stages.run(Hops(source=0))
            if by == "solve":
                raise KeyboardInterrupt
            stages.run(Add())
            return {"late": stages.state.field("hops")}

    engine, _ = karate
    if by == "max_supersteps":
        result = engine.run(Late(), max_supersteps=2, not_converged="ignore")
        assert result.stopped == "reached max_supersteps=2 in Hops, before it converged"
    else:
        with pytest.raises(Interrupted) as caught:
            engine.run(Late(), callback=press if by == "callback" else None)
        result = caught.value.result
    # A callback that ends a run leaves no State.
    assert list(result.fields) == ([] if by == "callback" else ["hops"])
    assert "late" in result.missing and "total" in result.missing
    for ask in (lambda: result["late"], lambda: result.late, lambda: result.top("late")):
        with pytest.raises(
            GasclError, match="field 'late' is not computed yet: the run ended too early"
        ):
            ask()
    assert not hasattr(result, "late")


class Once(VertexProgram):
    """One program twice: the second starts at superstep 0, with the fields of the first."""

    total = vertex.int64()
    hops = vertex.int32()

    def solve(self, stages):
        stages.run(Add(hops=np.arange(stages.graph.num_vertices)))
        stages.run(Add())
        return {"hops": np.ones(stages.graph.num_vertices)}


def test_the_same_program_restarts_and_returned_values_win(karate):
    result = karate[0].run(Once())
    assert result.total.tolist() == [2 * i for i in range(34)]
    assert result.hops.dtype == np.int32 and result.hops.tolist() == [1] * 34


def test_another_graph_of_the_same_vertices():
    class Both(VertexProgram):
        total = vertex.int64()

        def solve(self, stages):
            stages.run(Hops(source=0))
            stages.run(Add())
            stages.run(Hops(source=0), fresh=["hops"], graph=back, start=[0])
            stages.run(Add())
            return {}

    there, back = Graph.from_edges([0, 1], [1, 2]), Graph.from_edges([0, 2], [2, 1])
    assert Engine(there).run(Both()).total.tolist() == [0, 1 + 2, 2 + 1]


class OnSimple(VertexProgram):
    """The hops in the simple graph, and how often that graph was made."""

    undirected = param.flag(True)
    hops = vertex.int32()
    made = aggregate.int64()

    def solve(self, stages):
        graph = stages.derived(simplified, bool(self.undirected))
        stages.run(Hops(source=0), graph=graph)
        return {"made": len(MADE)}


MADE: list[bool] = []


def simplified(graph: Graph, undirected: bool) -> Graph:
    MADE.append(undirected)
    return graph.simple(undirected=undirected)


def test_a_derived_graph_is_made_once():
    MADE.clear()
    graph = Graph.from_edges([0, 0, 2], [1, 1, 1])
    engine = Engine(graph)
    for undirected, hops, made in ((True, [0, 1, 2], 1), (False, [0, 1, -1], 2), (True, None, 2)):
        result = engine.run(OnSimple(undirected=undirected))
        assert result.hops.tolist() == (hops or [0, 1, 2])
        assert result.aggregates["made"] == made
    assert Engine(graph).run(OnSimple()).aggregates["made"] == 3


def test_the_empty_graph_and_a_single_vertex():
    empty = Engine(Graph.from_edges([], [])).run(Distances())
    assert empty.total.shape == (0,) and empty.total.dtype == np.int64 and empty.converged
    alone = Engine(Graph.from_edges([], [], num_vertices=1)).run(Distances())
    assert alone.total.tolist() == [0]


@pytest.mark.parametrize("directed", [True, False])
def test_arc_fields_that_solve_returns(directed):
    graph = Graph.from_edges([0, 2, 1, 1], [1, 0, 2, 1], directed=directed)

    class Ends(VertexProgram):
        joined = arc.int32()

        def solve(self, stages):
            src, dst = stages.graph.coo()
            return {"joined": 10 * src + dst} if self.dtype == "float32" else {}

    result = Engine(graph).run(Ends())
    expected = [1, 11, 12, 20] if directed else [1, 2, 10, 11, 12, 20, 21]
    assert result.arc_fields["joined"].tolist() == expected and not result.fields
    assert result.arc_fields["joined"].dtype == np.int32
    why = r"'joined' is an arc field: use result\.arc_fields\['joined'\]"
    with pytest.raises(FieldError, match=why):
        result["joined"]
    nothing = Engine(Graph.from_edges([], [])).run(Ends())
    assert nothing.arc_fields["joined"].shape == (0,)
    with pytest.raises(ProgramError, match="solve did not compute 'joined': return it"):
        Engine(graph).run(Ends(dtype="float64"))


def test_arc_fields_of_another_shape_are_refused(karate):
    class Short(VertexProgram):
        joined = arc.int32()

        def solve(self, stages):
            return {"joined": [1, 2]}

    why = r"returned 'joined' with shape \(2,\), not one value per arc"
    with pytest.raises(ProgramError, match=why):
        karate[0].run(Short())


def solving(found):
    class Found(VertexProgram):
        total = vertex.int64()

        def solve(self, stages):
            return found

    return Found()


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (None, r"test_stages.py:\d+: Found: solve must return a dict of its fields"),
        ({"sum": [1]}, r"fields \(total\), not sum"),
        ({"total": [1, 2]}, r"returned 'total' with shape \(2,\), not \(34,\)"),
        ({}, "did not compute 'total': return it"),
    ],
)
def test_what_solve_returns_is_checked(karate, found, said):
    with pytest.raises(ProgramError, match=said):
        karate[0].run(solving(found))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"sources": 35}, "cannot draw 35 vertices from a graph with 34"),
        ({"sources": [0, 99]}, "no vertex has the label 99"),
        ({"sources": []}, "expected labels, not an empty list"),
        ({"sources": 0}, "expected None \\(all vertices\\), a number of vertices to draw"),
        ({"sources": 1.5}, "expected None \\(all vertices\\)"),
        (
            {"sources": "0"},
            "number of vertices to draw \\(at least 1\\).*0, with a comma, is one label",
        ),
        ({"sources": "-3"}, "sources='-3': expected None \\(all vertices\\), a number"),
        ({"sources": "1.5"}, "sources='1.5': expected None \\(all vertices\\), a number"),
        ({"sources": ","}, "expected a label before each comma"),
        ({"sources": "1,,2"}, "expected a label before each comma"),
        ({"sources": "99,"}, "^Distances: no vertex has the label '99'"),
        ({"seed": -1}, "seed=-1: expected a value 0 or more"),
    ],
)
def test_wrong_sources(karate, values, said):
    with pytest.raises(GasclError, match=said):
        karate[0].run(Distances(**values))


def test_integers_that_would_wrap_are_refused(karate):
    class Wide(VertexProgram):
        count = vertex.int32()

        def solve(self, stages):
            return {"count": np.full(stages.graph.num_vertices, 2**31)}

    with pytest.raises(GasclError, match=r"Wide: the 'count' that solve returns.*2147483648"):
        karate[0].run(Wide())


def test_start_has_no_meaning(karate):
    with pytest.raises(GasclError, match="Distances runs other programs: start= has no effect"):
        karate[0].run(Distances(), start=[0])


def test_snippets_beside_solve_are_refused():
    with pytest.raises(ProgramError, match="a program with solve has no snippets of its own"):

        class Mixed(VertexProgram):
            apply = "set_mask();"

            def solve(self, stages):
                return {}

    with pytest.raises(ProgramError, match=r"define it as solve\(self, stages\)"):

        class Wrong(VertexProgram):
            def solve(self):
                return {}


class Bounded(VertexProgram):
    low = param.real(1, low=0)
    high = param.int32(1, high=3)
    cost = edge.real(default=1, low=0, high=9)
    total = vertex.real()
    message, combine = "real", "sum"
    mask = "v.id == 0"
    scatter = "send(e.cost);"
    apply = "v.total = msg * p.low * p.high;"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"low": -0.5}, "low=-0.5: expected a value 0 or more"),
        ({"low": float("nan")}, "low=nan: expected a value 0 or more"),
        ({"low": [1, -1]}, "expected a value 0 or more"),
        ({"high": 4}, "high=4: expected a value 3 or less"),
    ],
)
def test_parameters_out_of_range(values, said):
    with pytest.raises(ProgramError, match=said):
        Bounded(**values)


@pytest.mark.parametrize("wrong", [-1.0, 10.0, np.nan])
def test_edge_fields_out_of_range(wrong):
    graph = Graph.from_edges([0, 1], [1, 2], cost=[9.0, wrong])
    said = rf"Bounded: cost must be from 0 to 9, but edge 1 \(1 to 2\) has {wrong} \(1 such edge\)"
    with pytest.raises(GasclError, match=said):
        Engine(graph).run(Bounded())


def test_a_default_out_of_its_range_is_refused():
    with pytest.raises(
        ProgramError, match="default 2 of parameter 'x': expected a value 1 or less"
    ):

        class Wrong(VertexProgram):
            x = param.real(2, high=1)


class Costs(VertexProgram):
    total = vertex.real()

    def solve(self, stages):
        stages.run(Bounded())
        return {}


def test_refusals_and_warnings_are_the_outer_programs(recwarn):
    wrong = Graph.from_edges([0], [1], cost=[-1.0])
    with pytest.raises(
        GasclError, match=r"^Costs \(Bounded\): cost must be from 0 to 9, but edge 0"
    ):
        Engine(wrong).run(Costs())
    Engine(Graph.from_edges([0], [1], weight=[1.0])).run(Costs())  # the line to point to
    assert [str(w.message)[:32] for w in recwarn] == ["Costs (Bounded): the graph has no"[:32]]
    line = Path(__file__).read_text().split("\n")[recwarn[0].lineno - 1]
    assert recwarn[0].filename == __file__ and line.endswith("# the line to point to")


NAMES = [ProgramName(name) for name in ("Outer", "Inner", "Outermost")]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([NAMES[0], ": x"], "Outer: x"),
        (["a.py:3: ", NAMES[0], ": x"], "a.py:3: Outer: x"),
        ([NAMES[0], " (Inner)", ": x"], "Outer (Inner): x"),
        (["a.py:3: ", NAMES[1], ": x"], "a.py:3: Outer (Inner): x"),
        (["delivery 'push' cannot run Inner"], "Outer: delivery 'push' cannot run Inner"),
        ([NAMES[2], ": x"], "Outer (Outermost): x"),
        (["x: ", Option("dtype", "float64")], "Outer: x: dtype='float64'"),
    ],
)
def test_what_an_inner_program_complains_of(said, expected):
    message = GasclError(*said).message.within("Outer")
    assert message == expected
    assert message.options == GasclError(*said).options


class Overflowing(VertexProgram):
    x = vertex.int32(init="2147483647")
    message, combine = "int32", "sum"
    mask = "true"
    scatter = "send(v.x);"
    apply = "v.x = msg;"


class Refusing(VertexProgram):
    wrong = param.choice("overflow", "parameter")
    x = vertex.int32()

    def solve(self, stages):
        stages.run(Overflowing() if self.wrong == "overflow" else Hops(source=None, other=1))
        return {}


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ("overflow", r"^Refusing \(Overflowing\): a message at vertex 2 overflowed int32"),
        ("parameter", r"^Refusing \(Hops\): "),
    ],
)
def test_errors_of_inner_programs_name_both(wrong, expected):
    graph = Graph.from_edges([0, 1], [2, 2])
    with pytest.raises(GasclError, match=expected):
        Engine(graph).run(Refusing(wrong=wrong))


class Flagged(VertexProgram):
    supersteps = param.supersteps(1)
    plain = param.flag(True)
    x = vertex.int32(init="p.plain ? 5 : 7")
    scatter_on = apply_on = "all"
    apply = "v.x += p.plain;"


@pytest.mark.parametrize("value", [True, False, "true", "False", "1", "0", np.bool_(True)])
def test_flags(karate, value):
    program = Flagged(plain=value)
    expected = str(value).lower() in ("true", "1")
    assert program.plain is expected
    assert set(karate[0].run(program).x.tolist()) == {6 if expected else 7}


@pytest.mark.parametrize("value", [1, 0.0, "yes", None])
def test_what_is_no_flag(value):
    with pytest.raises(ProgramError, match="expected True or False"):
        Flagged(plain=value)


def test_no_vertex_twice(karate):
    with pytest.raises(
        ProgramError, match="vertex 2 occurs twice in the list: give each vertex once"
    ):
        karate[0].run(Distances(sources=[33, 2, 5, 33, 2, 33]))


class Beyond(VertexProgram):
    """How many hops more than `least` each vertex and each arc's end is away from the source."""

    source = param.vertex()
    least = param.int32(low=0)
    weight = edge.float64(default=1)
    base = vertex.int32()
    far = vertex.int32()
    there = arc.int32()
    farthest = aggregate.int64()

    def prepare(self, graph, initial):
        self.given = initial.get("base", np.zeros(graph.num_vertices, np.int32))

    def solve(self, stages):
        hops = stages.run(Hops(source=self.source)).hops
        far = np.maximum(hops - self.least, 0) + self.given
        there = far[stages.graph.coo()[1]]
        return {"far": far, "there": there, "base": self.given, "farthest": far.max()}


def test_a_list_of_values_makes_a_run_for_each(karate):
    """Fields are (V, runs), arc fields (A, runs), and aggregators are lists."""
    engine, made = karate
    sources, least = [0, 33, 5], [0, 1, 2]
    base = np.arange(34 * 3).reshape(34, 3)
    program = Beyond(source=sources, least=least, base=base)
    result = engine.run(program)
    assert program.source == (0, 33, 5)
    expected = base.copy()
    for i, source in enumerate(sources):
        hops = nx.single_source_shortest_path_length(made, source)
        expected[:, i] += [max(hops[v] - least[i], 0) for v in range(34)]
    assert result.far.tolist() == expected.tolist() and result.base.tolist() == base.tolist()
    assert result.arc_fields["there"].tolist() == expected[engine.graph.coo()[1]].tolist()
    assert result.aggregates["farthest"] == expected.max(axis=0).tolist()
    assert result.converged and result.stopped == "solved by 3 runs of Hops"
    assert [step.superstep for step in result.trace] == list(range(result.supersteps))
    same = engine.run(Beyond(source=sources, least=1, base=7))
    assert same.far.shape == (34, 3) and same.far[33, 1] == 7
    one = engine.run(Beyond(source=[33], least=[2], base=7), keep_state=True)
    assert one.far.tolist() == engine.run(Beyond(source=33, least=2, base=7)).far.tolist()
    with pytest.warns(NotConverged, match="reached max_supersteps=6"):
        early = engine.run(program, max_supersteps=6)
    assert early.missing == ("base", "far", "there", "farthest") and early.supersteps == 6


def test_lists_of_the_empty_graph_and_without_a_state(karate):
    nothing = Engine(Graph.from_edges([], [])).run(Distances(seed=[1, 2]))
    assert nothing.total.shape == (0, 2) and nothing.converged
    state = karate[0].run(Hops(source=0), keep_state=True).state
    for options in ({"keep_state": True}, {"state": state}):
        said = r"Distances: seed=\[1, 2\] makes several runs, which neither continue from a State"
        with pytest.raises(ProgramError, match=said):
            karate[0].run(Distances(seed=[1, 2]), **options)
    lanes = type("Laned", (Distances,), {"lanes": 2})
    with pytest.raises(ProgramError, match="programs with solve cannot have lanes of their own"):
        karate[0].run(lanes())


class Largest(VertexProgram):
    """The largest number of hops, and their sum, by `share`."""

    by = param.choice("maximum", "sqrt", "other", "function")
    total = vertex.int64()
    most = vertex.int32()

    def solve(self, stages):
        how = {"maximum": np.maximum, "sqrt": np.sqrt, "other": np.maximum, "function": max}
        name = "many" if self.by == "other" else "most"
        return stages.share([0, 33, 7], self.searches, by={name: how[self.by]})

    def searches(self, stages, sources):
        hops = [stages.run(Hops(source=source), fresh=True).hops for source in sources]
        return {"total": np.sum(hops, axis=0), "most": np.max(hops, axis=0)}


def test_work_that_is_shared_on_one_device(karate):
    engine, made = karate
    result = engine.run(Largest(), keep_state=True)
    assert result.total.tolist() == hops(made, [0, 33, 7])
    ways = [nx.single_source_shortest_path_length(made, s) for s in (0, 33, 7)]
    assert result.most.tolist() == [max(way[v] for way in ways) for v in made]
    assert result.stopped == "solved by 3 runs of Hops"
    assert result.state is None
    for by, name, shown in (
        ("sqrt", "most", "<ufunc 'sqrt'>"),
        ("other", "many", "<ufunc 'maximum'>"),
        ("function", "most", "<built-in function max>"),
    ):
        message = rf"Largest: share\(by=\{{'{name}': {shown}\}}\): expected .* \(total, most\)"
        with pytest.raises(ProgramError, match=message):
            engine.run(Largest(by=by))


class Careless(VertexProgram):
    """Wrong calls of `share`."""

    how = param.choice("by", "items", "outer", "number")
    many = vertex.int32()

    def solve(self, stages):
        def outer(its, sources):
            return {"many": stages.run(Hops(source=0)).hops}

        def number(its, sources):
            return {"many": len(sources)}

        if self.how == "by":
            return stages.share([0], number, by=np.maximum)
        if self.how == "items":
            return stages.share(7, number)
        found = stages.share([0, 1], outer if self.how == "outer" else number)["many"]
        assert isinstance(found, np.int64) and found == 2
        return {"many": np.full(stages.graph.num_vertices, found)}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("by", r"share\(by=<ufunc 'maximum'>\): expected a dict by name"),
        ("items", "items must be a list or another iterable, not 7"),
        ("outer", "share passes a Stages to the function: call the run method of that one"),
    ],
)
def test_wrong_calls_of_share(karate, how, message):
    with pytest.raises(ProgramError, match=message):
        karate[0].run(Careless(how=how))


def test_share_gives_numbers(karate):
    assert set(karate[0].run(Careless(how="number")).many) == {2}


class Ahead(VertexProgram):
    """The sum of the hops from several sources, which are components of a vector."""

    supersteps = param.supersteps(1)
    each = vertex.int32x8()
    total = vertex.int64()
    far = arc.int32()
    scatter_on = apply_on = "all"
    scatter = "e.far = max(v.each.s0, each_of(e.dst).s7);"
    apply = "v.total += v.each.s0 + 2 * v.each.s7;"


class OnDevice(VertexProgram):
    """What `Ahead` finds of 8 sources at once, in several turns."""

    turns = param.int32(1)
    total = vertex.int64()
    far = arc.int32()

    def solve(self, stages):
        return stages.share(range(self.turns), self.totals)

    def totals(self, stages, turns):
        beside = stages.beside()
        for turn in turns:
            stages.run(BreadthFirst(source=[turn, *range(10, 17)]), fresh=True)
            beside.run(Ahead(each=stages.state.on_device("depth")))
        return {name: beside.state.on_device(name) for name in ("total", "far")}


@pytest.mark.parametrize("keep", [False, True])
def test_fields_stay_on_the_device(karate, keep):
    engine, made = karate
    result = engine.run(OnDevice(turns=2), keep_state=keep)
    first = [np.array(hops(made, [each])) for each in (0, 1)]
    last = np.array(hops(made, [16]))
    assert {result.fields, result.arc_fields} <= {*engine.device.unread()}
    total = first[0] + first[1] + 4 * last
    assert result.total.tolist() == total.tolist() and result.total is result.total
    source, target = engine.graph.coo()
    far = np.maximum(first[1][source], last[target])
    assert result.arc_fields["far"].tolist() == far.tolist()
    assert not {result.fields, result.arc_fields} & {*engine.device.unread()}
    assert [step.program for step in result.trace if step.program == "Ahead"] == ["Ahead"] * 2
    assert result.stopped == "solved by 2 runs of BreadthFirstLanes and 2 runs of Ahead"
    again = pickle.loads(pickle.dumps(engine.run(OnDevice(turns=2))))
    assert again.total.tolist() == total.tolist()
    assert [*again.arc_fields] == ["far"]


def test_debug_mode_and_renumbered_fields_on_the_device(karate):
    """Fields go through the host where the runs number vertices differently."""
    engine, _ = karate
    expected = engine.run(OnDevice()).total.tolist()
    assert Engine(engine.graph, debug=True).run(OnDevice()).total.tolist() == expected

    class Same(VertexProgram):
        rank = vertex.real()
        twice = vertex.real()

        def solve(self, stages):
            stages.run(PageRank(supersteps=3))
            rank = stages.state.on_device("rank")
            assert rank.dtype == np.float32 and rank.shape == (stages.graph.num_vertices,)
            stages.beside().run(Twice(x=rank))
            other = stages.beside()
            other.run(Twice(x=rank))
            return {"rank": rank, "twice": other.state.on_device("twice")}

    class Twice(VertexProgram):
        supersteps = param.supersteps(1)
        x = vertex.real()
        twice = vertex.real()
        apply_on = "all"
        apply = "v.twice = 2 * v.x;"

    web = generators.rmat(16, 8, seed=1)
    result = Engine(web).run(Same())
    assert result.numbering
    assert result.twice.tolist() == (2 * result.rank).tolist()
    assert result.rank.tolist() == Engine(web).run(PageRank(supersteps=3)).rank.tolist()


def test_operators_read_a_field_on_the_device(karate):
    engine, _ = karate

    class Computed(VertexProgram):
        total = vertex.int64()

        def solve(self, stages):
            stages.run(Add(hops=np.arange(34)))
            total = stages.state.on_device("total")
            assert len(total) == 34 and total[3] == 3 and (total[30:] > 30).tolist()[0] is False
            return {"total": 2 * total + np.ones(34, int) + (-total >= 0)}

    expected = [2 * i + 1 + (i == 0) for i in range(34)]
    assert engine.run(Computed()).total.tolist() == expected


def test_mistakes_with_fields_on_the_device(karate):
    engine, _ = karate

    class Used(VertexProgram):
        total = vertex.int64()

        def solve(self, stages):
            stages.run(Add(hops=1))
            total = stages.state.on_device("total")
            stages.run(Add(hops=1))
            return {"total": total}

    class Unknown(VertexProgram):
        total = vertex.int64()

        def solve(self, stages):
            stages.run(Add(hops=1))
            return {"total": stages.state.on_device("sum")}

    class TooEarly(VertexProgram):
        total = vertex.int64()

        def solve(self, stages):
            assert not stages.has_state
            return {"total": stages.state.field("total")}

    with pytest.raises(ProgramError, match=r"no program has left a State yet: call stages\.run fi"):
        engine.run(TooEarly())
    with pytest.raises(GasclError, match="this State of Add was used up by a later run of Add"):
        engine.run(Used())
    with pytest.raises(GasclError, match="no field 'sum'; it has: hops, total"):
        engine.run(Unknown())
