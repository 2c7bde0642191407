"""What notebooks and shells show: reprs, HTML, signatures, and errors without gascl's own lines."""

from __future__ import annotations

import inspect
import json
import operator
import pydoc
import re
import subprocess
import sys
import traceback
from contextlib import suppress
from importlib.util import find_spec

import numpy as np
import pytest

from gascl import Engine, Graph, GraphError, VertexProgram, aggregate, param, vertex
from gascl.programs import BreadthFirst, PageRank, ShortestPaths, SpanningForest


def roads() -> Graph:
    return Graph.from_edges([("a", "b"), ("b", "<c>")], weight=[1.5, 2])


def test_plain_reprs():
    graph = roads()
    engine = Engine(graph)
    device = str(engine.device)
    assert repr(engine.device) == f"Device({device!r})"
    assert repr(engine) == f"Engine({graph!r}, {device!r})"
    loose = Engine(graph, engine.device, deterministic=False, debug=True, seed=3)
    assert repr(loose).endswith(f"{device!r}, deterministic=False, debug=True, seed=3)")
    result = engine.run(BreadthFirst(source="a"), keep_state=True)
    supersteps = result.supersteps
    state = f"State(BreadthFirst: depth, parent; superstep {supersteps}, {device})"
    assert repr(result.state) == state
    engine.run(PageRank(), state=result.state)
    assert repr(result.state) == "State(BreadthFirst, used up by PageRank)"


def test_html_of_graphs():
    shown = roads()._repr_html_()
    assert "Graph(3 vertices, 2 edges, directed, fields: weight)" in shown
    assert "<th>source</th><th>target</th><th>weight</th>" in shown
    assert "<td>a</td><td>b</td>" in shown and "&lt;c&gt;" in shown and "<c>" not in shown
    many = Graph.from_edges(np.zeros(25, int), range(25), vertex_fields={"x": np.zeros(25)})
    assert many._repr_html_().count("<tr>") == 2 * (1 + 10)
    assert "... 15 more" in many._repr_html_() and "vertex fields: x" in many._repr_html_()
    assert "0 vertices" in Graph.from_edges([])._repr_html_()


def test_html_of_results():
    result = Engine(roads()).run(ShortestPaths(source="a"), keep_state=True)
    shown = result._repr_html_()
    assert "<th>vertex</th><th>distance</th><th>parent</th>" in shown
    assert '<td>b</td><td style="text-align: right">1.5</td><td>a</td>' in shown
    assert result.stopped in shown and result.delivery in shown
    Engine(roads()).run(PageRank(), state=result.state)  # an engine of the same device
    assert "used up" not in shown
    other = Engine(roads()).run(BreadthFirst(source="a"), keep_state=True)
    Engine(roads()).run(PageRank(), state=other.state)
    assert "used up by a later run" in other._repr_html_()
    forest = Engine(roads()).run(SpanningForest())._repr_html_()
    assert "arc fields: member" in forest

    class Count(VertexProgram):
        seen = vertex.int32()
        total = aggregate.int32("sum")
        apply_on, apply = "all", "aggregate_total(1);"
        stop = "1"

    assert "total = 3" in Engine(roads()).run(Count())._repr_html_()


def test_html_of_programs():
    shown = ShortestPaths(source="<a>", weight="km")._repr_html_()
    assert "<b>ShortestPaths</b>" in shown and "&#x27;&lt;a&gt;&#x27;" in shown
    assert "<td>weight</td><td>&#x27;km&#x27;</td><td>edge field</td>" in shown


def test_signatures():
    assert str(inspect.signature(ShortestPaths)) == (
        "(*, source, sources=None, cutoff=inf, weight='weight', "
        "distance='v.id == p.source ? 0 : INFINITY', parent=-1, dtype='float32')"
    )
    names = list(inspect.signature(PageRank).parameters)
    assert names[:3] == ["damping", "tolerance", "supersteps"] and "personalization" in names
    help_text = pydoc.plain(pydoc.render_doc(BreadthFirst))  # in one line before Python 3.13
    signature = re.sub(r"[\s|]", "", help_text)
    assert "BreadthFirst(*,source,sources=None,hops=None,depth=" in signature
    for program in (ShortestPaths, BreadthFirst):  # every name can be given
        inspect.signature(program).bind(source=1, dtype="float64")


def test_the_signature_of_an_own_constructor():
    class Own(PageRank):
        def __init__(self, half_life, *, dtype="float32"):
            super().__init__(damping=0.5 ** (1 / half_life), dtype=dtype)

    class Heir(Own):
        extra = param.int32(1)

    class Loose(PageRank):
        extra = param.int32(1)

    assert str(inspect.signature(Own)) == "(half_life, *, dtype='float32')"
    assert str(inspect.signature(Heir)) == "(half_life, *, dtype='float32')"
    assert "extra=1" in str(inspect.signature(Loose))


def raised() -> GraphError:
    with pytest.raises(GraphError) as caught:
        Engine(roads()).run(ShortestPaths(source="x"))
    return caught.value


def test_errors_show_the_callers_lines_alone():
    error = raised()
    shown = "\n".join(error._render_traceback_())
    assert 'Engine(roads()).run(ShortestPaths(source="x"))' in shown
    assert shown.endswith(f"GraphError: {error}") and shown.count("File ") == 1
    assert "".join(traceback.format_exception(error)).count("File ") > 3  # all are still there


def test_errors_show_nothing_of_what_gascl_calls():
    """Files are opened in a context manager, whose frame is one of contextlib."""

    def mine():
        return Graph.read("there/is/no/such.csv")

    with pytest.raises(GraphError) as caught, suppress(OSError):
        mine()
    shown = "\n".join(caught.value._render_traceback_())
    assert "contextlib" not in shown and shown.count("File ") == 2 and ", in mine" in shown


class Broken(PageRank):
    """Its own lines raise errors."""

    where = param.int32()

    def prepare(self, graph, initial):
        if self.where == 0:
            raise IndexError

    def converged(self, step):
        return self.where == 1 and 1 / 0


class Stages(VertexProgram):
    x = vertex.int32()

    def solve(self, stages):
        return stages.run(Broken(where=1)).rank


def noted(step):
    raise LookupError


@pytest.mark.parametrize(
    ("program", "options", "error", "last"),
    [
        (Broken(where=0), {}, IndexError, ["prepare"]),
        (Broken(where=1), {}, ZeroDivisionError, ["converged"]),
        (Broken(where=2), {"callback": noted}, LookupError, ["noted"]),
        (Stages(), {}, ZeroDivisionError, ["solve", "converged"]),
    ],
)
def test_errors_of_the_callers_own_functions(program, options, error, last):
    """Between the call of `run` and such a function, there were up to seven lines of gascl."""
    with pytest.raises(error) as caught:
        Engine(roads()).run(program, **options)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names == ["test_errors_of_the_callers_own_functions", "run", *last]


def test_errors_of_gascl_itself_show_its_lines(monkeypatch):
    monkeypatch.setattr("gascl.run.state.set_parameters", operator.neg)
    with pytest.raises(TypeError, match="takes exactly one argument") as caught:
        Engine(roads()).run(PageRank())
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert sum("engine.py" in file for file in files) > 2


def test_errors_in_ipython(capsys):
    pytest.importorskip("IPython", reason="IPython is not installed")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_cell("from gascl import Graph\nGraph.read('there/is/no/such.file')")
    printed = "".join(capsys.readouterr())
    assert "there/is/no/such.file" in printed and "Graph.read(" in printed
    assert "gascl/io" not in printed and len(printed.splitlines()) < 10
    shell.run_cell("Graph.from_edges([('a', 'b')])")
    InteractiveShell.clear_instance()


# The progress bar ---------------------------------------------------------------------------------

RUN = """
from gascl import Engine, Graph
from gascl.programs import PageRank
graph = Graph.from_edges([0, 1, 2], [1, 2, 0])
result = Engine(graph).run(PageRank(supersteps=40), progress=True)
"""


EXECUTE = """
import json, sys
import nbclient, nbformat
cells = [nbformat.v4.new_code_cell(cell) for cell in sys.argv[1:]]
notebook = nbformat.v4.new_notebook(cells=cells)
notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "", "language": "python"}
nbclient.NotebookClient(notebook, timeout=120).execute()
print(json.dumps(notebook.cells[-1].outputs))
"""


def outputs_of(*cells: str) -> list[dict]:
    """What the last cell of a notebook shows. Another process executes it, since this one would be
    taken for a notebook's after it has imported ipykernel."""
    for name in ("nbformat", "nbclient", "ipykernel"):
        if not find_spec(name):
            pytest.skip(f"{name} is not installed")
    done = subprocess.run([sys.executable, "-c", EXECUTE, *cells], stdout=subprocess.PIPE)
    assert done.returncode == 0
    return json.loads(done.stdout)


def test_the_progress_bar_is_a_widget():
    if not find_spec("ipywidgets"):
        pytest.skip("ipywidgets is not installed")
    shown = [o for o in outputs_of(RUN) if o["output_type"] == "display_data"]
    assert len(shown) == 1
    assert "application/vnd.jupyter.widget-view+json" in shown[0]["data"]


def test_the_progress_bar_is_text_without_ipywidgets():
    shown = outputs_of("import sys; sys.modules['ipywidgets'] = None", RUN)
    assert all(o["output_type"] == "stream" for o in shown)
    text = "".join(o["text"] for o in shown)
    assert "gascl: PageRank" in text and "40/40" in text


def test_graphs_show_what_their_fields_mean():
    """They were codes and counts of seconds, below the whole report."""
    at = np.array(["2024-05-01T08:00"], "M8[s]")
    kinds = {"kind": ["tram"], "at": at, "vertex_fields": {"city": {"a": "Ulm", "b": "Bonn"}}}
    graph = Graph.from_edges([("a", "b")], **kinds)
    shown = graph._repr_html_()
    for text in ("tram", "2024-05-01 08:00:00", "Ulm", "Bonn"):
        assert f"<td>{text}</td>" in shown
    assert shown.index("tram") < shown.index("Bonn") < shown.index("since 1970")
