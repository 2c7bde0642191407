"""Which gather snippets only reduce integers, so that their programs have a combiner instead."""

from __future__ import annotations

import numpy as np
import pytest

from gascl import ProgramError, VertexProgram, by_key, param, vertex

LOOP = "for (int i = 0; i < num_messages; ++i) "
SUM = f"msg = 0; {LOOP}msg += messages[i];"


def spec(gather: str = SUM, **body):
    given = {
        "__module__": __name__,
        "x": vertex.int32(),
        "supersteps": param.supersteps(1),
        "message": "int32",
        "scatter_on": "all",
        "scatter": "send(v.x);",
        "gather": gather,
        "apply": "v.x = (int)msg;",
    }
    return type("Reads", (VertexProgram,), {**given, **body}).spec


@pytest.mark.parametrize(
    ("gather", "combined"),
    [
        (SUM, "a + b"),
        (f"{LOOP}{{ msg += messages[i]; }}", "a + b"),
        (f"{LOOP}msg += 2 * (messages[i] % 7) - (messages[0 + 1 - 1] ? 1 : 0);", None),
        (f"{LOOP}msg += 2 * (messages[i] % 7) - 1;", "a + b"),
        ("for (uint j = 0; j < num_messages; j++) msg ^= messages[j] << 3;", "a ^ b"),
        (f"msg = 5; {LOOP}msg |= (int)messages[i];", "or"),
        (f"{LOOP}msg += -(~messages[i] & 3) == 2;", "a + b"),
        (f"msg = -1; {LOOP}msg &= messages[i];", "and"),
        (f"msg = 1000000; {LOOP}msg = min(msg, messages[i]);", "min"),
        (f"{LOOP}msg = max(msg, 3 - messages[i]);", "max"),
    ],
)
def test_a_loop_that_reduces_integers_is_combined(gather, combined):
    found = spec(gather)
    if combined is None:
        assert "gather" in found.snippets and found.combiner is None
        return
    assert "gather" not in found.snippets and found.combiner is not None
    rule = found.snippets.get("combine")
    assert (rule.text if rule else found.combiner.name) == combined


@pytest.mark.parametrize(
    "gather",
    [
        f"msg = 3; {LOOP}msg += messages[i];",  # once, not for each message
        f"msg = v.x; {LOOP}msg |= messages[i];",
        f"msg = 010; {LOOP}msg |= messages[i];",  # octal
        f"{LOOP}msg += messages[i] * messages[i];",
        f"{LOOP}msg += i * messages[i];",
        f"{LOOP}msg += v.x * messages[i];",
        f"{LOOP}msg += 0.5f * messages[i];",
        f"{LOOP}msg += (float)messages[i];",
        f"{LOOP}msg += 12 / messages[i];",  # which may be 0
        f"{LOOP}msg += messages[i] % 0;",
        f"{LOOP}msg += messages[i] / num_messages;",
        f"{LOOP}msg -= messages[i];",
        f"{LOOP}msg += 2 messages[i];",
        f"{LOOP}msg += messages[i] +;",
        f"{LOOP}msg += messages[i] ? 1 : 0;",
        f"{LOOP}msg = min(messages[i], msg);",
        f"{LOOP}msg = min(msg, messages[i]) + 1;",
        f"{LOOP}if (messages[i]) msg += messages[i];",
        f"{LOOP}{{ msg += messages[i]; msg += 1; }}",
        f"{SUM} msg /= num_messages;",
        f"int n = 0; {LOOP}msg += messages[i];",
        "for (int i = 1; i < num_messages; ++i) msg += messages[i];",
        "for (int i = 0; i < num_messages; i += 2) msg += messages[i];",
        f"{LOOP}msg += messages[num_messages - 1 - i];",
        f"{LOOP}msg++;",
        "msg = messages[0];",
    ],
)
def test_others_are_read_one_by_one(gather):
    found = spec(gather)
    assert "gather" in found.snippets and found.combiner is None


@pytest.mark.parametrize(
    "body",
    [
        {"message": "real"},
        {"gathered": "real"},
        {"message": "int4"},
        {"message": "vertex"},
        {"identity": "7"},
        {"scatter": "for (int i = 0; i < 2; ++i) send(v.x);"},
        {"scatter": "if (v.x) send(1); else send(2);"},
        {"scatter": "#if 1\nsend(v.x);\n#endif\n"},
    ],
)
def test_other_programs_keep_their_snippet(body):
    gather = f"{LOOP}msg += messages[i];"
    if body.get("message") == "int4":
        body = {**body, "scatter": "send((int4)(v.x));", "apply": "v.x = msg.x;"}
    assert "gather" in spec(gather, **body).snippets


@pytest.mark.parametrize("how", ["msg = min(msg, messages[i])", "msg &= messages[i]"])
def test_zero_is_kept_where_all_vertices_apply(how):
    """Without messages, msg is 0 beside a gather snippet, and the identity of a combiner."""
    assert "gather" not in spec(f"{LOOP}{how};").snippets
    assert "gather" in spec(f"{LOOP}{how};", apply_on="all").snippets
    assert "gather" not in spec(apply_on="all").snippets


def test_a_variable_of_the_name_of_a_function():
    gather = f"{LOOP}msg = max(msg, messages[i]);"
    assert "gather" not in spec(gather).snippets
    assert "gather" in spec(gather, scatter="int max = v.x; send(max);").snippets


def test_groups_are_no_messages():
    body = {"combine": by_key(), "gathered": "int32"}
    gather = "for (int i = 0; i < num_groups; ++i) msg += groups[i].count;"
    assert "gather" in spec(gather, **body).snippets


def test_subclasses_inherit_what_was_written():
    class Base(VertexProgram):
        supersteps = param.supersteps(1)
        x = vertex.int32()
        message, scatter_on = "int32", "all"
        scatter = "send(v.x);"
        gather = "for (int i = 0; i < num_messages; ++i) msg += messages[i];"
        apply = "v.x = msg;"

    class Later(Base):
        gather = "msg = messages[0];"

    class Same(Base):
        apply = "v.x = msg + 1;"

    assert "gather" in Later.spec.snippets and "gather" not in Same.spec.snippets
    with pytest.raises(ProgramError, match="either combined or read one by one"):

        class Both(Base):
            combine = "sum"


def test_types_are_those_of_the_snippet():
    assert spec(message="uint8", gathered="int64").message == "int64"
    found = spec(f"{LOOP}msg += messages[i] - 300;", message="uint8", gathered="int64")
    # What is sent first becomes a message, as 256 + 7 becomes 7.
    assert "(uchar)(v.x)" in found.snippets["scatter"].text
    assert np.dtype("int64") == found.message_type("float32").scalar
