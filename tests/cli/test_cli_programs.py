"""`gascl programs`: every bundled program, and what it takes and computes."""

from __future__ import annotations

import re

import pytest
from support.command_line import HOPS

import gascl.programs
from gascl.cli.programfile import construct


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
    (example,) = re.findall(rf"^  gascl run {name} karate(.*)$", out, re.M)
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


def test_a_name_that_is_not_there(gascl_):
    code, out, err = gascl_("programs", "PageRnk")
    assert (code, out) == (1, "")
    assert "there is no bundled program 'PageRnk'; did you mean 'PageRank'?" in err
