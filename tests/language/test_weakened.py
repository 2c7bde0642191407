"""Conditions of which not all that they read is known."""

import itertools

import pytest

from gascl.language.weakened import weakened


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("msg < v.x", "msg < v.x"),
        ("msg < v.y", "1"),
        ("msg.a < v.x || (msg.a == v.x && msg.b < v.y)", "msg.a < v.x || (msg.a == v.x && 1)"),
        ("msg < v.y || msg < v.x", "1 || msg < v.x"),
        ("!(msg < v.x && v.y)", "1"),
        ("(msg < v.x && v.y)", "(msg < v.x && 1)"),
        ("v.y ? msg < v.x : msg > v.x", "1"),
        ("msg < v.x && better(v, msg)", "msg < v.x && 1"),
        ("msg.v < v.x && e->v", "msg.v < v.x && e->v"),
        ("(msg == (v.x && v.y)) && v.x", "(1) && v.x"),
        ("a[v.y] && ((msg) < (v.x))", "1 && ((msg) < (v.x))"),
    ],
)
def test_conditions_that_read_others_become_1(text, expected):
    assert weakened(text, {"x"}).replace(" ", "") == expected.replace(" ", "")


def test_lines_stay_where_they_are():
    text = "msg < v.x &&\n  v.y <\n  msg &&\nv.x"
    assert weakened(text, {"x"}).count("\n") == 3


@pytest.mark.parametrize(
    "text",
    [
        "v.x && v.y || !v.y && !v.x",
        "(v.x || v.y) && (v.y || msg)",
        "!(v.x && v.y) && (msg || !v.x)",
        "msg == v.x && (v.y || (v.x && !v.y))",
    ],
)
def test_it_holds_wherever_the_condition_does(text):
    weaker = weakened(text, {"x"})
    assert "v.y" not in weaker
    for x, y, msg in itertools.product((0, 1), repeat=3):
        if value(text, x, y, msg):
            assert value(weaker, x, y, msg)


def value(text, x, y, msg):
    """What C makes of it, where all are 0 or 1."""
    said = text.replace("v.x", str(x)).replace("v.y", str(y)).replace("msg", str(msg))
    said = said.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    return eval(said, {})
