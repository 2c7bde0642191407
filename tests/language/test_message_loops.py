"""Which gather snippets read their messages where: by index alone, and in windows."""

from __future__ import annotations

import pytest

from gascl import VertexProgram, param, vertex
from gascl.language.traits import Traits

SUM = "for (int i = 0; i < num_messages; ++i) msg += messages[i] * messages[i];"


def traits(text: str) -> Traits:
    body = {
        "__module__": __name__,
        "x": vertex.int32(),
        "supersteps": param.supersteps(1),
        "message": "int32",
        "scatter_on": "all",
        "functions": "int first(__global const int *x) { return *x; }",
        "scatter": "send(v.x);",
        "gather": text,
        "apply": "v.x = msg;",
    }
    return Traits.of(type("Reads", (VertexProgram,), body).spec)


@pytest.mark.parametrize(
    "text",
    [
        SUM,
        "msg = messages[0]; for (uint i = 1; i < num_messages; i++) msg = max(msg, messages[i]);",
        "for (int i = 0; i < num_messages; i += 1) { if (messages[i] < 0) continue; msg += 2; }",
        "for (int i = 0; i < num_messages; ++i) if (messages[i] == 3) { msg = i; break; }",
        "int n = 0; if (v.x) { n = 1; } " + SUM + " msg /= num_messages + n; " + SUM,
        "for (int i = 0; i < num_messages; ++i) for (int j = 0; j < 3; ++j) msg += messages[i];",
        "for (int i = 0; i < num_messages; ++i) do msg ^= messages[i]; while (msg > 9); msg += 1;",
        "for (int i = 0; i < num_messages; ++i) if (v.x) ++msg; else msg += messages[i]; ++msg;",
    ],
)
def test_loops_over_all_messages_go_by_windows(text):
    assert traits(text).indexes_messages and traits(text).gathers_by_windows


@pytest.mark.parametrize(
    "text",
    [
        "msg = messages[0];",  # no loop
        "for (int i = 0; i < num_messages; ++i) messages[i] = 1; msg = messages[0];",
        "for (int i = 0; i < num_messages; ++i) { msg += messages[i]; ++i; }",
        "for (int i = 0; i < num_messages; ++i) { int i = 3; msg += messages[i]; }",
        "for (int i = 0; i < num_messages; i += 2) msg += messages[i];",
        "for (int i = 0; i <= num_messages - 1; ++i) msg += messages[i];",
        "for (int i = num_messages - 1; i >= 0; --i) msg += messages[i];",
        "int i; for (i = 0; i < num_messages; ++i) msg += messages[i];",
        "for (int i = 0, j = 1; i < num_messages; ++i) msg += messages[i] + j;",
        "if (v.x) " + SUM,
        "if (v.x) { " + SUM + "}",
        "if (num_messages < 2) return; " + SUM,
        "for (int i = 0; i < num_messages; ++i) { if (messages[i]) return; msg = i; }",
        SUM + " msg = x_of(msg % 2);",
        SUM + " msg += num_neighbors ? neighbor(0) : 0;",
    ],
)
def test_others_do_not(text):
    assert traits(text).indexes_messages and not traits(text).gathers_by_windows


@pytest.mark.parametrize(
    "text",
    [
        "msg = *messages;",
        "const int x = 1; msg = x & *&messages[0];",
        "msg = first(messages);",
        "msg = first(&(messages[0]));",
        "#if 1\nmsg = messages[0];\n#endif\n",
    ],
)
def test_messages_that_are_more_than_indexed_stay_global(text):
    found = traits(text)
    assert not found.indexes_messages and not found.gathers_by_windows


LARGEST = "for (int i = 0; i < num_messages; ++i) if (messages[i] > {0}) {0} = messages[i]; "


@pytest.mark.parametrize(
    "text",
    [
        LARGEST.format("msg"),
        "uint2 x = 0; " + LARGEST.format("x.y") + "msg = x.y;",
        "int a = 1, b = v.x; for (int i = 0; i < num_messages; ++i) { const int x = messages[i];"
        " int y = x; for (int k = 0; k < 2; ++k) y += k; a = max(a, y); b = min(b, x); } msg = a;",
        "for (int i = 0; i < num_messages; ++i) msg |= messages[i] > 9 ? 4 : 0;",
    ],
)
def test_what_keeps_few_messages_looks_ahead(text):
    assert traits(text).looks_ahead


@pytest.mark.parametrize(
    "text",
    [
        SUM,  # nearly every message changes it
        "int kept[2] = {0, 1}; " + LARGEST.format("kept[0]") + "msg = kept[0];",
        "int a; " + LARGEST.format("a") + "msg = a;",  # each item would have another one
        "int x = 0; int *y = &x; " + LARGEST.format("*y") + "msg = x;",
        "for (int i = 0; i < num_messages; ++i) if (messages[i] == 3) { msg = i; break; }",
        "for (int i = 0; i < num_messages; ++i) { if (messages[i] < 0) continue; msg = 2; }",
        "msg = messages[0] > 0;",  # no loop
    ],
)
def test_others_read_every_message_in_turn(text):
    assert not traits(text).looks_ahead
