"""`gascl explain`."""

import pytest

from gascl import generators


def test_it_explains_a_run(gascl_):
    code, out, err = gascl_("explain", "BreadthFirst", "karate", "--set", "source=1")
    assert code == 0 and not err
    assert "34 vertices" in out.splitlines()[0]
    for words in (
        "delivery: frontier, since ",
        "  not edges: ",
        "placement: ",
        "memory: ",
        "v.depth",
    ):
        assert words in out


def test_a_delivery_and_debug_mode(gascl_):
    code, out, _ = gascl_("explain", "BreadthFirst", "karate", "--delivery", "push")
    assert code == 0 and "delivery: push, since delivery='push' was requested" in out
    code, out, _ = gascl_("explain", "PageRank", "karate", "--debug")
    assert code == 0 and "debug mode" in out
    _, out, _ = gascl_("explain", "PageRank", "karate", "--nondeterministic")
    assert "not edges: it takes longer: about" in out


def test_what_cannot_run(gascl_):
    code, _, err = gascl_("explain", "PageRank", "karate", "--delivery", "push")
    assert code == 1 and "cannot run PageRank" in err


def test_parts(gascl_, tmp_path):
    generators.uniform(1 << 10, 1 << 16, seed=1).write(tmp_path / "g.npz")
    limit = "--device-memory", "240000"  # and the arcs alone take 4 bytes each
    code, out, _ = gascl_("explain", "PageRank", tmp_path / "g.npz", *limit)
    assert code == 0 and "parts, since the run needs" in out


@pytest.mark.parametrize("program", ["Louvain", "Triangles"])
def test_programs_of_several_stages(gascl_, program):
    code, out, _ = gascl_("explain", program, "karate")
    assert code == 0 and out.count("delivery: ") >= 1
