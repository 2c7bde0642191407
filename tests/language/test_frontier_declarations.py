"""receive_if, first, enough, priority, order, apply_on = "mask": what is refused, and how."""

from __future__ import annotations

import numpy as np
import pytest
from support.invalid_classes import TEMPLATE, said

from gascl import ProgramError, VertexProgram

PAIR = "Pair = struct([('distance', 'real'), ('parent', 'int32')])\nmessage = Pair\n"
SINGLE = "combine = None\ngather = 'msg = messages[0];'\n"
PAIRS = "pairs = 'send(u.rank);'\n"
POSTS = "apply = 'send_to(0, 1);'\n"
SILENT = "message = combine = None\nscatter = apply = ''\n"
FIRST = "combine = 'first'\n"
LEAST = "combine = 'min'\n"
#: A program that may have a priority.
ORDERED = "combine = 'min'\nchange = None\npriority = 'v.rank'\n"


def defined(body: str) -> type[VertexProgram]:
    names: dict = {"__name__": "my_program"}
    text = TEMPLATE + "".join(f"    {line}\n" for line in body.split("\n"))
    exec(compile(text, "nowhere", "exec"), names)
    return names["Wrong"]


FIRSTS = [
    (FIRST + "scatter = 'send_to(0, 1);'  # <<<", "message of the first arc, and send_to has no"),
    (FIRST + "apply = 'send_to(0, 1);'  # <<<", "call send, or give another combine"),
    (FIRST + PAIRS.strip() + "  # <<<", "first arc, and pairs have no arcs: give another"),
    ("identity = '0'\ncombine = 'first'  # <<<", "combine = 'first' needs no identity: remove it"),
    (FIRST + "gather = 'msg = 0;'  # <<<", "give combine or gather, not both"),
    ("combine = 'frist'  # <<<", "not an expression over a and b; did you mean 'first'?"),
]
RECEIVES = [
    ("receive_if = 'v.rnak < 0'  # <<<", "unknown v.rnak; did you mean v.rank?"),
    ("recieve_if = 'v.rank < 0'  # <<<", "unknown attribute 'recieve_if'; did you mean 'receive_i"),
    ("receive_if = 'v.hops++ < 3'  # <<<", "v.hops is written in Wrong.receive_if", "init and ap"),
    ("receive_if = '(msg = 1) > 0'  # <<<", "msg is read only"),
    (PAIR + FIRST + "receive_if = '++msg.parent > 0'  # <<<", "msg is read only"),
    ("receive_if = 'e.weight > 0'  # <<<", "`e` is not available in Wrong.receive_if"),
    ("receive_if = 'prev.change > 0'  # <<<", "`prev` is not available in Wrong.receive_if"),
    ("receive_if = 'agg.change > 0'  # <<<", "`agg` is not available in Wrong.receive_if"),
    ("receive_if = 'hops_of(0) > 0'  # <<<", "hops_of can only be used in scatter, gather, prefer"),
    ("receive_if = 'v'  # <<<", "`v` is not a value by itself: write v.NAME"),
    ("receive_if = '(v.rank'  # <<<", "unbalanced `(` in Wrong.receive_if"),
    ("receive_if = ''", "Wrong.receive_if is empty: write one, or leave it out"),
    ("receive_if = True", "Wrong.receive_if must be a string of C, not True: write it in quotes"),
    (SILENT + "receive_if = 'v.rank < 0'  # <<<", "no `message` is declared", "declare it, or rem"),
    (
        SINGLE + "receive_if = 'msg > v.rank'  # <<<",
        "if there is a gather snippet",
        "messages[i] in ga",
    ),
    (
        PAIRS + "receive_if = 'msg > v.rank'  # <<<",
        "if there is a pairs snippet: test in pairs before",
    ),
    (POSTS + "receive_if = 'msg > v.rank'  # <<<", "combined when the next superstep begins: lea"),
    (
        POSTS + "receive_if = '''v.rank > 1 &&\n  msg > v.rank  // <<<\n'''",
        "call send_to in scatter",
    ),
]
ENOUGH = [
    ("enough = 'msg == 0'  # <<<", "with combine = 'sum' every message counts: remove enough"),
    ("combine = 'prod'\nenough = 'msg == 0'  # <<<", "combine = 'prod' every message counts"),
    (FIRST + "enough = 'msg == 0'  # <<<", "combine = 'first' one message is enough: remove enou"),
    (SINGLE + "enough = 'msg == 0'  # <<<", "a gather snippet reads every message: remove enough"),
    (SILENT + "enough = 'v.rank > 0'  # <<<", "no messages are combined: give message and combi"),
    (LEAST + "enough = 'v.rank == 0'  # <<<", "enough must read msg", 'as in "msg == 0"'),
    (LEAST + "enough = 'msg == v.rnak'  # <<<", "unknown v.rnak; did you mean v.rank?"),
    (LEAST + "enough = '(msg = 0) == 0'  # <<<", "msg is read only"),
    (LEAST + "enough = 'msg == prev.change'  # <<<", "`prev` is not available in Wrong.enough"),
    (LEAST + "enough = 'msg == (v.hops = 1)'  # <<<", "v.hops is written in Wrong.enough"),
    (LEAST + "enough = 0", "Wrong.enough must be a string of C, not 0"),
    (LEAST + "enouh = 'msg == 0'  # <<<", "unknown attribute 'enouh'; did you mean 'enough'?"),
]
MASKS = [
    (
        "scatter_on = 'all'\napply_on = 'mask'  # <<<",
        "needs a mask: give mask = '...', call set_ma",
    ),
    ("aply_on = 'mask'  # <<<", "unknown attribute 'aply_on'; did you mean 'apply_on'?"),
]
PRIORITIES = [
    (
        "change = None\npriority = 'v.rank'\ncombine = 'sum'  # <<<",
        "'sum' depends on when",
        "by 'min'",
    ),
    ("change = None\npriority = 'v.rank'\ncombine = 'prod'  # <<<", "remove priority, or combine"),
    (
        "combine = 'min'\npriority = 'v.rank'\nchange = aggregate.real('min')  # <<<",
        "aggregator 'change' depends on when vertices scatter",
        "remove priority or the aggregator",
    ),
    (ORDERED + "scatter_on = 'all'  # <<<", "which needs scatter_on = 'mask', not 'all'"),
    (ORDERED + "apply_on = 'all'  # <<<", "which needs apply_on = 'message' or 'mask', not 'all'"),
    (ORDERED + "ends = 'stop'  # <<<", "which needs ends = 'mask', not 'stop'"),
    (ORDERED + PAIRS.strip() + "  # <<<", "all vertices at once", "remove priority"),
    (ORDERED + "apply = 'unset_mask();'  # <<<", "unset_mask cannot be used here with a priority"),
    (ORDERED + "apply = 'set_mask_of(0);'  # <<<", "set_mask_of cannot be used here", "its own ap"),
    (ORDERED + "scatter = 'set_mask_of(0); send(1);'  # <<<", "set_mask_of cannot be used here"),
    (ORDERED + "scatter = 'set_mask(); send(1);'  # <<<", "set_mask cannot be used here with a pr"),
    (ORDERED + "priority = 'v.rnak'  # <<<", "unknown v.rnak; did you mean v.rank?"),
    (ORDERED + "priority = 'v.rank = 1'  # <<<", "v.rank is written in Wrong.priority"),
    (ORDERED + "priority = 'superstep'  # <<<", "superstep can only be used in ", "Wrong.priority"),
    (ORDERED + "priority = 'msg'  # <<<", "msg can only be used in gather, apply, receive_i"),
    (ORDERED + "priority = 'e.weight'  # <<<", "`e` is not available in Wrong.priority"),
    (ORDERED + "priority = ' '", "Wrong.priority is empty: write one"),
    (ORDERED + "priority = 3", "Wrong.priority must be a string of C, not 3"),
    (ORDERED + "prority = 'v.rank'  # <<<", "unknown attribute 'prority'; did you mean 'priority'"),
]
DELTAS = [
    ("delta = 1  # <<<", "there is no priority: give priority = '...', or remove delta"),
    *(
        (
            ORDERED + f"delta = {given}  # <<<",
            "delta must be a positive number from 1.2e-38 to 3.4e38, or None, not ",
        )
        for given in (
            *("0", "-1", "True", "'4'", "float('nan')", "float('inf')", "1e-50", "1e50", "10**400"),
            *("[1]", "1j", "np.bool_(1)"),
        )
    ),
]
#: A program whose order may be "any".
ANY = LEAST + "change = supersteps = None\norder = 'any'\napply = 'v.rank = fmin(v.rank, msg);'\n"
ORDERS = [
    ("order = 'all'  # <<<", "order must be 'supersteps' or 'any', not 'all'"),
    ("ordre = 'any'  # <<<", "unknown attribute 'ordre'; did you mean 'order'?"),
    (
        "scatter = ''\napply = 'v.rank = 1;'\nmessage = combine = change = None\n"
        "order = 'any'  # <<<",
        "there is no scatter, and only vertices with a message apply: give scatter",
    ),
    ("change = None\norder = 'any'\ncombine = 'sum'  # <<<", "'sum' counts a message as often"),
    ("change = None\norder = 'any'\ncombine = 'prod'  # <<<", "combine by 'min', 'max', 'or'"),
    ("change = None\norder = 'any'\ncombine = 'first'  # <<<", "send the id of the sender"),
    (ANY + "combine = None\ngather = 'msg = messages[0];'  # <<<", "all messages of a superstep"),
    (ANY + "pairs = 'send(u.rank);'  # <<<", "pairs send in every superstep"),
    (ANY + "stop = 'superstep > 3'  # <<<", "at the end of a superstep", "remove stop or order"),
    (ANY + "change = aggregate.real('max')  # <<<", "depends on how often apply runs"),
    (ANY + "converged = lambda self, step: True  # <<<", "is called after each superstep"),
    (ANY + "rounds = param.supersteps()  # <<<", "parameter 'rounds' is a number of supersteps"),
    (ANY + "sent = arc.real()  # <<<", "arc field 'sent' depends on when vertices scatter"),
    (ANY + "stop = None\nscatter_on = 'all'  # <<<", "give scatter_on = 'mask', or remove order"),
    (ANY + "apply_on = 'all'\nscatter = 'send(v.rank);'  # <<<", "send from apply, with send_to"),
    (ANY + "apply_on = 'mask'  # <<<", "give apply_on = 'message', or remove order"),
    (ANY + "ends = 'stop'  # <<<", "give ends = 'mask', or remove order"),
    (ANY + "edges = 'alternate'  # <<<", "depends on the superstep: give other edges"),
    (ANY + "scatter = 'send(superstep);'  # <<<", "superstep counts supersteps, and"),
    (ANY + "receive_if = 'get_mask()'  # <<<", "use a field that the message carries"),
    (ANY + "apply = 'if (get_mask_of(0)) set_mask();'  # <<<", "get_mask_of depends on the supers"),
    (ANY + "apply = 'unset_mask();'  # <<<", "unset_mask cannot be used here with order = 'any'"),
    (ANY + "apply = 'set_mask_of(0);'  # <<<", "set_mask_of cannot be used here with order = 'any"),
    (ANY + "scatter = 'send(1); set_mask();'  # <<<", "set_mask cannot be used here with order ="),
]


@pytest.mark.parametrize(
    "case",
    [*FIRSTS, *RECEIVES, *ENOUGH, *MASKS, *PRIORITIES, *DELTAS, *ORDERS],
    ids=lambda c: c[0].replace("\n", "; ").split("#")[0],
)
def test_refused(tmp_path, case):
    said(tmp_path, *case)


@pytest.mark.parametrize(
    "body",
    [
        *(FIRST + more for more in ("", PAIR, "message = 'int4'")),
        FIRST + "receive_if = 'msg > v.rank && v.in_degree < p.damping'",
        "receive_if = 'v.rank < 0 && superstep > 2 && lane < 3 && g.num_edges > hash(v.id)'",
        SINGLE + "receive_if = 'v.rank < 0'",
        PAIRS + "receive_if = 'v.rank < 0'",
        POSTS + "receive_if = 'v.rank < 0'",
        "scatter = 'send_to(0, 1);'\nreceive_if = 'msg > v.rank'",
        PAIR + FIRST + "receive_if = 'msg.distance < v.rank'\nscatter = 'send((Pair){0});'",
        *(f"message, combine = 'int32', '{how}'\nenough = 'msg == 0'" for how in ("or", "and")),
        LEAST + "enough = 'msg <= v.rank + p.damping + g.num_edges + lane + superstep'",
        "combine, identity = 'fmin(a, b)', 'INFINITY'\nenough = 'msg <= 0'",
        LEAST + PAIRS + POSTS + "enough = 'msg <= 0'",
        "apply_on = 'mask'",
        "scatter_on = 'all'\napply_on = 'mask'\nmask = 'v.hops'",
        "scatter_on = 'all'\napply_on = 'mask'\napply = 'set_mask();'",
        "scatter_on = 'all'\napply_on = 'mask'\ninit = 'set_mask_of(0);'",
        ORDERED + "apply_on = 'mask'\ninit = 'set_mask_of(0); set_mask();'\napply = 'set_mask();'",
        ORDERED + "priority = 'v.rank + p.damping + g.num_edges + lane + hash(v.id)'",
        *(ANY + more for more in ("", "priority = 'v.rank'", "scatter = 'send_to(0, 1);'")),
        ANY + "init = 'set_mask_of(0);'\nreceive_if = 'msg < v.rank'\nenough = 'msg <= 0'",
        *(f"{ANY}edges = '{way}'" for way in ("in", "both")),
        ORDERED + "combine = 'first'\nstop = 'superstep > 3'",
        ORDERED + SINGLE + "receive_if = 'v.rank < 0'",
        *(
            ORDERED + f"delta = {given}"
            for given in ("None", "1", "0.25", "1e30", "np.float32(3)", "np.int8(2)")
        ),
    ],
)
def test_right(body):
    assert defined(body).spec.works


def test_what_the_spec_has():
    cls = defined(ORDERED + "receive_if = 'msg < v.rank'\nenough = 'msg <= 0'\ndelta = 4")
    assert cls.spec.delta == 4
    assert {"receive_if", "enough", "priority"} <= set(cls.spec.snippets)
    assert cls.spec.snippets["receive_if"].text == "msg < v.rank"
    plain = type("Plain", (cls,), {"priority": None, "delta": None, "enough": None})
    assert (plain.spec.delta, "priority" in plain.spec.snippets) == (None, False)
    assert "enough" not in plain.spec.snippets
    with pytest.raises(ProgramError, match="there is no priority"):
        type("Plain", (cls,), {"priority": None})
    assert defined(ORDERED + f"delta = {np.float64(0.5)}").spec.delta == 0.5
