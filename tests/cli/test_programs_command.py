"""`gascl programs`: every bundled program, and what it takes and computes."""

import re
import shlex

import pytest
from support.command_line import HOPS

import gascl.programs
from gascl.cli.find_program import construct


def test_the_list(gascl_):
    code, out, err = gascl_("programs")
    assert (code, err) == (0, "")
    listed, _, rest = out.partition("\n\n")
    names = [line.split()[0] for line in listed.splitlines()]
    assert names == sorted(gascl.programs.__all__)
    assert all(len(line.split()) > 3 for line in listed.splitlines())
    assert "gascl programs NAME" in rest


@pytest.mark.parametrize("name", gascl.programs.__all__)
def test_one(gascl_, name):
    cls = getattr(gascl.programs, name)
    code, out, err = gascl_("programs", name)
    assert (code, err) == (0, "")
    assert out.startswith(f"{name}: ")
    spec = cls.spec
    for fields in (spec.params, spec.edge_fields, spec.vertex_fields, spec.arc_fields):
        for field in fields:
            assert re.search(rf"^  {field} ", out, re.M)
    (example,) = re.findall(rf"^  gascl run {name} \S+(.*)$", out, re.M)
    construct(cls, dict(re.findall(r"--set (\w+)=(\S+)", example)))


def test_page_rank_and_a_users_own(gascl_, write):
    _, out, _ = gascl_("programs", "PageRank")
    assert "\n  damping     real, from 0 to 1 (0.85)\n" in out
    assert "\n  dangling    spread or ignore or land (spread)\n" in out
    path = write("my.py", HOPS)
    _, out, _ = gascl_("programs", f"{path}:Hops")
    assert out.startswith("Hops: Steps from one vertex.\n")
    assert "\n  source  a vertex (required)\n" in out
    assert f"\n  gascl run {path}:Hops karate --set source=0\n" in out


PICKY = """
from gascl import VertexProgram, edge, param, vertex

class Picky(VertexProgram):
    source = param.vertex()
    share = param.real(low=0.25, high=0.75)
    least = param.int32(low=3)
    always = param.flag()
    supersteps = param.supersteps(2)
    weight = edge.real()
    x = vertex.real(rest=0)
    message, combine, scatter_on = "real", "sum", "all"
    scatter = "send(p.share * e.weight);"
    apply = "v.x = msg;"

class Tolls(Picky):
    toll = edge.real()
    scatter = "send(e.toll);"
"""


def test_the_example_of_a_users_own_runs_as_it_stands(gascl_, write):
    path = write("my own.py", PICKY)
    _, out, _ = gascl_("programs", f"{path}:Picky")
    (example,) = re.findall(r"^  gascl (run .*)$", out, re.M)
    assert "\n  (initial values are given in Python: Picky(x={LABEL: VALUE}))\n" in out
    code, out, err = gascl_(*shlex.split(example))
    assert (code, err) == (0, "") and "Picky: 2 supersteps" in out
    _, out, _ = gascl_("programs", f"{path}:Tolls")
    assert "Tolls' GRAPH --set source=LABEL " in out
    assert "\n  (GRAPH is a file with these edge fields: weight, toll)\n" in out


def test_a_name_that_is_not_there(gascl_):
    code, out, err = gascl_("programs", "PageRnk")
    assert (code, out) == (1, "")
    assert "there is no bundled program 'PageRnk'; did you mean 'PageRank'?" in err


#: The examples' grid of 5 times 8 vertices is a checkerboard: 20 vertices of either color. The
#: first ones with four neighbors are the second and third of the second row.
CHECKERBOARD = "\nside  vertices  hub\n0           20  9\n1           20  10\n"


@pytest.mark.parametrize(
    ("name", "found"), [("BipartiteMatching", "matches: 20"), ("Bipartition", CHECKERBOARD)]
)
def test_examples_of_bipartite_graphs_run_as_they_stand(gascl_, monkeypatch, tmp_path, name, found):
    monkeypatch.chdir(tmp_path)
    _, out, _ = gascl_("programs", name)
    examples = re.findall(r"^  gascl (.*)$", out, re.M)
    assert len(examples) == 2
    for example in examples:
        words = shlex.split(example)
        code, out, err = gascl_(*words, *(["--verbose"] if words[0] == "run" else []))
        assert (code, err) == (0, "")
        assert "rows=5, columns=8" in out or "gascl's .npz" in out, "in the generator's words"
    assert found in out
