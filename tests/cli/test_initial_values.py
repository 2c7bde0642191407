"""`--set` of vertex fields: initial values as numbers, by label, and from files."""

from __future__ import annotations

import networkx as nx
import pytest
from support.command_line import table

from gascl import VertexProgram, vertex
from gascl.cli.find_program import construct
from gascl.errors import GasclError, ProgramError
from gascl.programs import PageRank


def ranks(gascl_, given: str) -> dict[str, str]:
    code, out, err = gascl_("run", "PageRank", "karate", "--set", given, "--top", "34")
    assert code == 0, err
    return dict(table(out)[1])


def test_by_label(gascl_, write):
    """Four ways to say the same, against NetworkX."""
    expected = nx.pagerank(nx.karate_club_graph(), weight=None, personalization={0: 3, 33: 1})
    file = write("ranks.csv", "vertex,rank\n0,3\n33,1\n")
    columns = write("more.csv", "who,age,personalization\n0,9,3\n33,9,1\n")
    answers = [
        ranks(gascl_, f"personalization={given}")
        for given in ("0:3,33:1", '{"0": 3, "33": 1.0}', f"@{file}", f"@{columns}")
    ]
    for answer in answers:
        assert {label: float(value) for label, value in answer.items()} == pytest.approx(
            {str(label): value for label, value in expected.items()}, rel=1e-3
        )
        assert answer == answers[0]


def test_ids_of_a_file_are_text_if_those_of_the_graph_are(gascl_, write):
    graph = write("graph.csv", "source,target\n007,x\nx,8\n")
    file = write("ranks.csv", "vertex,rank\n007,3\n8,1\n")
    outs = [
        gascl_("run", "PageRank", graph, "--set", f"personalization={given}")
        for given in (f"@{file}", "007:3,8:1")
    ]
    assert outs[0][0] == 0, outs[0][2]
    assert table(outs[0][1]) == table(outs[1][1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("libc6:1", {"libc6": 1}),
        ("libc6:1,bash:2.5,", {"libc6": 1, "bash": 2.5}),
        ("Vaduz:Landstrasse/Neugasse:1e-3", {"Vaduz:Landstrasse/Neugasse": 1e-3}),
        ('{"Doe, J.": 2}', {"Doe, J.": 2}),
        ("0.5", 0.5),
        ("7", 7),
    ],
)
def test_texts(text, expected):
    assert construct(PageRank, {"personalization": text}).initial == {"personalization": expected}


class Placed(VertexProgram):
    place = vertex.real2()
    apply_on, apply, stop = "all", "v.place += 1;", "1"


@pytest.mark.parametrize(
    ("cls", "text", "message"),
    [
        (PageRank, "personalization=a", "personalization=a: expected a number; give a number for"),
        (PageRank, "personalization=a:x", "'x' is no number; give a number for all vertices"),
        (PageRank, "personalization=a:1,b", "'b' has no colon"),
        (PageRank, "personalization=a:1,a:2", "'a' has two values"),
        (PageRank, 'personalization={"a": true}', "true is no number"),
        (PageRank, 'personalization={"a": 1, "a": 2}', "'a' has two values"),
        (PageRank, 'personalization={"a": 1', "personalization={"),
        (Placed, "place=1", "place has several numbers per vertex, which --set cannot give"),
    ],
)
def test_refused(cls, text, message):
    with pytest.raises(ProgramError) as caught:
        construct(cls, dict([text.split("=", 1)]))
    assert message in str(caught.value)


def test_refused_files(write, gascl_):
    with pytest.raises(GasclError, match=r"personalization=@no\.csv: there is no such file"):
        construct(PageRank, {"personalization": "@no.csv"})
    file = write("two.csv", "vertex,age,height\n0,1,2\n")
    with pytest.raises(GasclError, match=r"no column 'personalization' .* \(it has: age, height\)"):
        construct(PageRank, {"personalization": f"@{file}"})
    code, _, err = gascl_("run", "PageRank", "karate", "--set", "personalization=x:1")
    assert code == 1 and "there is no vertex 'x'" in err
