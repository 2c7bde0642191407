"""A graph's vertex fields as initial values of a program's fields of the same names."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from gascl import Engine, GasclError, Graph, GraphError, ProgramError, VertexProgram, param, vertex
from gascl.programs import Bipartition, LabelPropagation, PageRank, StronglyConnected

SRC, DST = [0, 1, 2], [1, 2, 0]
GROUP = [10, 200, 3000]


def ring(**vertex_fields) -> Graph:
    return Graph.from_edges(SRC, DST, vertex_fields=vertex_fields)


class Received(VertexProgram):
    """Each vertex's message from its predecessor, and the field that it reads of it."""

    group = vertex.int32()
    heard = vertex.int32()
    message, combine = "int32", "sum"
    scatter = "send(v.group);"
    apply = "v.heard = msg;"


class Default(Received):
    group = vertex.int32(init="v.id + 1")


class Zeros(Received):
    group = vertex.int32(init=0)


class InStages(VertexProgram):
    """The same in a stage."""

    group = vertex.int32()
    heard = vertex.int32()

    def solve(self, stages):
        stages.run(Received(**self.initial))
        return {}


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def heard(program, graph, **options):
    return Engine(graph).run(program, **options).heard.tolist()


@pytest.mark.parametrize("cls", [Received, Default, InStages])
def test_an_input_is_taken_from_the_graph(cls):
    assert heard(cls(), ring(group=GROUP)) == [3000, 10, 200]


def test_what_comes_first():
    graph = ring(group=GROUP)
    assert heard(Received(group=[1, 2, 3]), graph) == [3, 1, 2]
    assert heard(InStages(group=[1, 2, 3]), graph) == [3, 1, 2]
    assert heard(Default(), ring()) == [3, 1, 2]
    state = Engine(ring()).run(Default(group=[4, 5, 6]), keep_state=True).state
    assert heard(Received(), graph, state=state) == [6, 4, 5]


def test_fields_with_components_and_lanes():
    class Places(VertexProgram):
        place = vertex.real2()
        across = vertex.real()
        source = param.vertex()
        message, combine, mask = "real", "sum", "v.id == p.source"
        scatter = "if (v.id == p.source) send(v.place.x - v.place.y);"
        apply = "v.across = msg;"

    graph = ring(place=np.array([[5, 2], [7, 1], [9, 9]], np.float32))
    result = Engine(graph).run(Places(source=[0, 1]))
    assert result.across.tolist() == [[0, 0], [3, 0], [0, 6]]


def test_a_stage_keeps_its_own_fields():
    class Own(VertexProgram):
        heard = vertex.int32()

        def solve(self, stages):
            return {"heard": stages.run(Zeros()).heard}

    assert heard(Own(), ring(group=GROUP)) == [0, 0, 0]


def test_stages_of_bundled_programs_do_not_read_a_foreign_column():
    graph = Graph.from_edges(
        [0, 1, 2, 2], [1, 2, 0, 3], vertex_fields={"color": [0, 0, 7, 7], "part": [1, 2, 3, 4]}
    )
    found = Engine(graph).run(StronglyConnected()).component
    assert len(set(found[:3].tolist())) == 1 and found[3] != found[0]
    odd = Graph.from_edges([0, 1], [1, 2], vertex_fields={"component": [9, 9, 9]}, directed=False)
    assert Engine(odd).run(Bipartition()).side.tolist() in ([0, 1, 0], [1, 0, 1])


@pytest.mark.parametrize(
    ("program", "name"), [(PageRank(), "rank"), (LabelPropagation(supersteps=1), "label")]
)
def test_what_a_program_computes_starts_as_it_says_with_a_warning(program, name):
    values = np.array([2, 0, 0])
    plain = Engine(ring()).run(program)[name].tolist()
    cls = type(program).__name__
    call = rf"{cls}\({name}=graph\.vertex_fields\['{name}'\]\) starts from it"
    with pytest.warns(UserWarning, match=f"{cls}: the graph's vertex field '{name}' .*; {call}"):
        assert Engine(ring(**{name: values})).run(program)[name].tolist() == plain
    given = type(program)(**{name: ring(**{name: values}).vertex_fields[name]})
    Engine(ring(**{name: values})).run(given)  # the remedy, without a warning


@pytest.mark.parametrize("other", ["Group", "GROUP", "_group", "gr_oup", "groups", "Groups"])
@pytest.mark.parametrize("cls", [Received, Default, InStages])
def test_a_field_of_nearly_the_name_of_an_input_is_a_warning(cls, other):
    graph = ring(**{other: GROUP})
    call = (
        rf"Received\(group=graph\.vertex_fields\['{other}'\]\)" if cls is not InStages else "one of"
    )
    message = f"the graph's vertex field '{other}' is not used.* reads 'group', .*{call}"
    with pytest.warns(UserWarning, match=message.replace("Received", cls.__name__)):
        assert heard(cls(), graph) == heard(
            cls(group=0 if cls is not Default else [1, 2, 3]), graph
        )
    heard(cls(group=graph.vertex_fields[other]), graph)  # the remedy, without a warning
    heard(cls(), ring(**{other: GROUP, "group": GROUP}))


@pytest.mark.parametrize("other", ["grouped", "grou", "Heard", "group2"])
def test_other_names_are_no_warning(other):
    assert heard(Default(), ring(**{other: GROUP})) == [3, 1, 2]


class Private(VertexProgram):
    """A stage whose input the program that runs it forgets."""

    heard = vertex.int32()

    def solve(self, stages):
        stages.run(Received())
        return {}


@pytest.mark.parametrize(
    ("cls", "fields", "remedy"),
    [
        (Received, {}, r"give Received\(group=\.\.\.\) or give the graph a vertex field 'group'"),
        (
            *(Received, {"gruop": GROUP}),
            r"rename .* 'gruop' or give Received\(group=graph\.vertex_fields\['gruop'\]\)",
        ),
        (InStages, {"gruop": GROUP}, "rename the graph's vertex field 'gruop' or declare"),
        (InStages, {}, "give the graph a vertex field 'group' or declare"),
        (Private, {"group": GROUP}, r"give Received\(group=\.\.\.\) or declare"),
    ],
)
def test_an_input_that_nothing_gives_is_a_warning(cls, fields, remedy):
    words = "reads 'group', which nothing gives: it is 0 at every vertex; "
    with pytest.warns(UserWarning, match=f"{words}{remedy}.* with init=0 if that is intended"):
        Engine(ring(**fields)).run(cls())


def test_an_input_whose_zeros_are_meant_is_no_warning():
    assert heard(Zeros(), ring()) == [0, 0, 0]
    assert heard(Received(group=0), ring()) == [0, 0, 0]
    first = Engine(ring(group=GROUP)).run(Received(), keep_state=True)
    assert heard(Received(), ring(), state=first.state) == [3000, 10, 200]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([1, 2, 2**40], GraphError, "group' has 1099511627776 at 2, which int32 cannot hold"),
        ([1.5, 2, 3], GraphError, "group' has 1.5 at 0, which int32 cannot hold"),
        ([[1, 2]] * 3, ProgramError, r"group' must have numbers of shape \(3,\)"),
    ],
)
@pytest.mark.parametrize("cls", [Received, InStages])
def test_values_that_do_not_fit(cls, values, error, message):
    with pytest.raises(error, match=f": the graph's vertex field '{message}") as refused:
        Engine(ring(group=values)).run(cls())
    assert "Received(group=...)" in str(refused.value)
    assert heard(Received(group=1), ring(group=values)) == [1, 1, 1]


def test_a_checkpoint_is_of_the_values(tmp_path):
    class Twice(Received):
        supersteps, scatter_on = param.supersteps(2), "all"

    path = tmp_path / "run.ckpt"
    options = {"max_supersteps": 1, "not_converged": "ignore"}
    Engine(ring(group=GROUP)).run(Twice(), checkpoint=path, **options)
    with pytest.raises(GasclError, match="other initial values of the field 'group'"):
        Engine(ring(group=[1, 2, 3])).run(Twice(), checkpoint=path, resume=True)
    resumed = Engine(ring(group=GROUP)).run(Twice(), checkpoint=path, resume=True)
    assert resumed.heard.tolist() == [3000, 10, 200]


def test_in_the_shell(gascl_, tmp_path):
    ring(group=GROUP).write(tmp_path / "g.npz")
    program = tmp_path / "received.py"
    program.write_text(
        "from gascl import VertexProgram, vertex\n\n\n"
        "class Received(VertexProgram):\n"
        "    group = vertex.int32()\n    heard = vertex.int32()\n"
        "    message, combine = 'int32', 'sum'\n"
        "    scatter = 'send(v.group);'\n    apply = 'v.heard = msg;'\n"
    )
    code, _, err = gascl_(
        "run", f"{program}:Received", tmp_path / "g.npz", "--output", tmp_path / "out.csv"
    )
    assert not code, err
    rows = (tmp_path / "out.csv").read_text().split()
    assert rows == ["vertex,heard", "0,3000", "1,10", "2,200"]
