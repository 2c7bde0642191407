"""Messages grouped by key: each case is computed once more in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from support.admitting_deliveries import admitted

from gascl import Engine, Graph, ProgramError, VertexProgram, by_key, edge, param, struct, vertex
from gascl.run import plan

#: Of rows that a work-group takes together, so that some are longer.
BLOCK = 16
PLACES = 97

Pair = struct([("value", "real"), ("label", "int16")])
Small = struct([("low", "int8"), ("label", "int16")])
Large = struct([("label", "int32"), ("value", "int64")])
Several = struct(
    [("low", "int32"), ("label", "uint64"), ("high", "real"), ("sum", "int8"), ("bits", "uint32")]
)
#: A group: its key, its values by name, and how many messages it has.
Group = tuple[Any, dict[str, Any], int]


def arcs() -> list[tuple[int, int, int]]:
    """Ends and weights: hubs whose rows are longer than a block, by far and by little, and of
    exactly its length; parallel arcs, self-loops, and vertices without arcs."""
    rng = np.random.default_rng(7)
    pairs = [(v, 4) for v in range(90)] * 2 + [(v, 30) for v in range(40)]
    pairs += [(v, 91) for v in range(BLOCK)] + [(v, 92) for v in range(BLOCK + 1)]
    pairs += [*zip(*rng.integers(0, 90, (2, 150)).tolist(), strict=True), (8, 8), (3, 9), (3, 9)]
    return [
        (a, b, w) for (a, b), w in zip(pairs, rng.integers(0, 5, len(pairs)).tolist(), strict=True)
    ]


def graph() -> Graph:
    src, dst, weights = zip(*arcs(), strict=True)
    return Graph.from_edges(src, dst, num_vertices=PLACES, weight=np.array(weights, np.float32))


def best_by(score: Callable[[Group], Any]) -> Callable[[Sequence[Group]], Group]:
    """The group with the highest score, of these the one with the smallest key."""
    return lambda groups: min(groups, key=lambda group: (-score(group), group[0]))


READS = """
    for (int i = 0; i < num_groups; ++i)
        msg = (msg * 31 + (int)groups[i].label * 7 + groups[i].low * 5 + (int)groups[i].high * 3
               + (int)groups[i].sum * 11 + (int)groups[i].bits + groups[i].count) % 10007;
    msg += num_groups;
"""


def read(groups: Sequence[Group]) -> int:
    found = 0
    for key, values, count in groups:
        found = found * 31 + key * 7 + values["low"] * 5 + values["high"] * 3 + values["sum"] * 11
        found = (found + values["bits"] + count) % 10007
    return found + len(groups)


#: What a class declares, the key and values that a message of x over an arc of a weight has, what
#: combines values, and what becomes of the groups of a vertex with x.
CASES: dict[str, tuple[dict[str, Any], Any, dict[str, Any], Any]] = {
    "votes": (
        {"message": "int32", "combine": by_key(), "prefer": "a.count > b.count",
         "scatter": "send(v.x % 13 - 4);", "apply": "v.x += msg.key * 3 + msg.count;"},
        lambda x, w: (x % 13 - 4, {}),
        {},
        lambda x, groups: (best := best_by(lambda group: group[2])(groups))[0] * 3 + best[2],
    ),
    "votes for many": (
        {"message": "uint32", "combine": by_key(), "prefer": "b.count < a.count",
         "scatter": "send(v.x);", "apply": "v.x += (msg.key % 1000) * 3 + msg.count;"},
        lambda x, w: (x, {}),
        {},
        lambda x, groups: (best := best_by(lambda group: group[2])(groups))[0] % 1000 * 3 + best[2],
    ),
    "rarest": (
        {"message": "int8", "combine": by_key(), "prefer": "a.count < b.count",
         "scatter": "if (v.x % 3) send(v.x % 13 - 4);", "apply": "v.x += msg.key * 3 + msg.count;"},
        lambda x, w: (x % 13 - 4, {}) if x % 3 else None,
        {},
        lambda x, groups: (best := best_by(lambda group: -group[2])(groups))[0] * 3 + best[2],
    ),
    "heaviest": (
        {"Pair": Pair, "message": Pair, "combine": by_key("label", value="sum"),
         "prefer": "a.value + (a.label == v.x % 7) > b.value + (b.label == v.x % 7)",
         "scatter": "send((Pair){e.weight, v.x % 7});",
         "apply": "v.x += (int)msg.value + msg.label + msg.count;"},
        lambda x, w: (x % 7, {"value": w}),
        {"value": sum},
        lambda x, groups: (
            best := best_by(lambda group: group[1]["value"] + (group[0] == x % 7))(groups)
        )[0] + int(best[1]["value"]) + best[2],
    ),
    "highest score": (
        {"Pair": Pair, "message": Pair, "combine": by_key("label", value="sum"),
         "prefer": "a.label == v.x % 5 ? NAN : a.value",
         "scatter": "send((Pair){e.weight, v.x % 7});",
         "apply": "v.x += (int)msg.value + msg.label + msg.count;"},
        lambda x, w: (x % 7, {"value": w}),
        {"value": sum},
        lambda x, groups: (
            best := best_by(lambda group: -1 if group[0] == x % 5 else group[1]["value"])(groups)
        )[0] + int(best[1]["value"]) + best[2],
    ),
    "largest sum": (
        {"Large": Large, "message": Large, "combine": by_key("label", value="sum"),
         "prefer": "a.value / 3000000000",
         "scatter": "send((Large){v.x % 11 - 3, (v.x % 7 - 3) * 3000000000});",
         "apply": "v.x += (int)(msg.value / 3000000000) + msg.label + msg.count;"},
        lambda x, w: (x % 11 - 3, {"value": (x % 7 - 3) * 3_000_000_000}),
        {"value": sum},
        lambda x, groups: (
            best := best_by(lambda group: group[1]["value"] // 3_000_000_000)(groups)
        )[0] + best[1]["value"] // 3_000_000_000 + best[2],
    ),
    "lowest": (
        {"Small": Small, "message": Small, "combine": by_key("label", low="min"),
         "prefer": "a.low + a.count < b.low + b.count",
         "scatter": "send((Small){v.x % 9, v.x % 7});",
         "apply": "v.x += msg.low + msg.label + msg.count;"},
        lambda x, w: (x % 7, {"low": x % 9}),
        {"low": min},
        lambda x, groups: (
            best := best_by(lambda group: -(group[1]["low"] + group[2]))(groups)
        )[0] + best[1]["low"] + best[2],
    ),
    "all groups": (
        {"Several": Several, "message": Several, "gathered": "int32", "gather": READS,
         "combine": by_key("label", low="min", high="max", sum="sum", bits="or"),
         "scatter": "send((Several){v.x % 5, v.x % 11, v.x % 17, 100, 1u << v.x % 3});",
         "apply": "v.x += msg;"},
        lambda x, w: (
            x % 11, {"low": x % 5, "high": x % 17, "sum": 100, "bits": 1 << x % 3}
        ),
        {"low": min, "high": max, "sum": sum, "bits": lambda bits: np.bitwise_or.reduce([*bits])},
        lambda x, groups: read(groups),
    ),
}  # fmt: skip


def grouped(messages: Sequence[Any], rules: dict[str, Any]) -> list[Group]:
    """The groups of some messages by ascending keys."""
    found = []
    for key in sorted({key for key, _ in messages}):
        values = [each for other, each in messages if other == key]
        combined = {name: rule([each[name] for each in values]) for name, rule in rules.items()}
        found.append((key, combined, len(values)))
    return found


def expected(case: str, masked: bool, lanes: int, steps: int) -> tuple[Any, list[int]]:
    """The field of each lane after some supersteps, and the messages of each."""
    _, message, rules, result = CASES[case]
    x = [[(v * 7 + lane) % 31 for v in range(PLACES)] for lane in range(lanes)]
    mask, trace = [v % 4 != 1 or not masked for v in range(PLACES)], []
    for _ in range(steps):
        after, count, marked = [list(of) for of in x], 0, [False] * PLACES
        for lane in range(lanes):
            inbox: list[list[Any]] = [[] for _ in range(PLACES)]
            for a, b, weight in arcs():
                sent = message(x[lane][a], weight) if mask[a] else None
                if sent is not None and (not masked or (sent[0] + x[lane][b]) % 5):
                    inbox[b].append(sent)
            for v, messages in enumerate(inbox):
                if messages:
                    groups = grouped(messages, rules)
                    after[lane][v] = (x[lane][v] + result(x[lane][v], groups)) % 997
                    marked[v] = marked[v] or after[lane][v] % 3 > 0
                    count += len(messages)
        x, mask = after, marked if masked else mask
        trace.append(count)
    return x, trace


def program(case: str, masked: bool, lanes: int, steps: int) -> VertexProgram:
    body = {**CASES[case][0], "__module__": __name__}
    body["x"] = vertex.int32(init="(v.id * 7 + lane) % 31")
    body["weight"] = edge.real()
    body["supersteps"], body["lanes"] = param.supersteps(steps), lanes
    body["apply"] += "v.x = ((v.x % 997) + 997) % 997; if (v.x % 3) set_mask();"
    if masked:
        key = "msg" if isinstance(body["message"], str) else "msg.label"
        body |= {"mask": "v.id % 4 != 1", "ends": "stop"}
        body["receive_if"] = f"((int){key} + v.x) % 5 != 0"
    else:
        body["scatter_on"] = "all"
    return type("Grouped", (VertexProgram,), body)()


@pytest.mark.parametrize("device", [1, 8], indirect=True)
@pytest.mark.parametrize(("masked", "lanes"), [(False, 1), (True, 1), (True, 3)])
@pytest.mark.parametrize("case", CASES)
def test_groups(case, masked, lanes, device, monkeypatch):
    # Where all rows of a block are short, a group sorts them by counting.
    monkeypatch.setattr(plan, "BLOCK", 4 * BLOCK if masked and lanes == 1 else BLOCK)
    made = program(case, masked, lanes, steps=3)
    names = admitted(made, device)
    assert {"slots", "outbox", "serial"} == set(names)
    x, messages = expected(case, masked, lanes, steps=3)
    for name in names:
        found = Engine(graph(), device).run(made, delivery=name)
        np.testing.assert_array_equal(np.reshape(found.x.T, (lanes, -1)), x, name)
        assert [step.messages for step in found.trace] == messages, name


@pytest.mark.parametrize("case", ["votes", "heaviest", "highest score", "all groups"])
def test_debug_mode(case, device):
    """Messages come in another order, which changes no group."""
    x, _ = expected(case, masked=True, lanes=1, steps=3)
    for delivery in ("slots", "outbox"):
        found = Engine(graph(), device, debug=True, seed=3).run(
            program(case, masked=True, lanes=1, steps=3), delivery=delivery
        )
        np.testing.assert_array_equal(found.x, x[0])


def test_a_row_of_many_keys(device, monkeypatch):
    """More than a table takes at a time, some of them frequent."""
    monkeypatch.setattr(plan, "BLOCK", BLOCK)

    class Elects(VertexProgram):
        kind = vertex.uint32()
        best = vertex.uint32()
        count = vertex.int32()
        supersteps = param.supersteps(1)
        message, combine, scatter_on = "uint32", by_key(), "all"
        prefer = "a.count > b.count"
        scatter = "send(v.kind);"
        apply = "v.best = msg.key; v.count = msg.count;"

    rng = np.random.default_rng(3)
    for most in (2**32, 2000, 8):
        kinds = rng.integers(0, most, 5001).astype(np.uint32)
        star = Graph.from_edges(np.arange(1, 5001), np.zeros(5000, int), num_vertices=5001)
        found = Engine(star, device).run(Elects(kind=kinds))
        values, counts = np.unique(kinds[1:], return_counts=True)
        assert (found.best[0], found.count[0]) == (values[counts.argmax()], counts.max())


def hashed_key(keys):
    """By which a row's messages are divided (kernels/outbox/hashed_group.cl)."""
    x = keys.astype(np.uint32)
    x = (x ^ x >> 16) * np.uint32(0x85EBCA6B)
    x = (x ^ x >> 13) * np.uint32(0xC2B2AE35)
    return x ^ x >> 16


@pytest.mark.parametrize("device", [1, 8], indirect=True)
@pytest.mark.parametrize("lanes", [1, 2])
def test_sums_of_many_keys(device, lanes, monkeypatch):
    """More than a table takes at a time, and some keys more often; not all vertices receive."""
    monkeypatch.setattr(plan, "BLOCK", BLOCK)

    class Sums(VertexProgram):
        Pair = struct([("label", "uint32"), ("value", "int32")])
        label = vertex.uint32()
        value = vertex.int32()
        best = vertex.uint32()
        found = vertex.int64(init=-1)
        count = vertex.int32()
        supersteps = param.supersteps(1)
        message, combine, scatter_on = Pair, by_key("label", value="sum"), "all"
        receive_if = "v.id % 2 == 0"
        prefer = "a.value"
        scatter = "send((Pair){v.label, v.value + lane});"
        apply = "v.best = msg.label; v.found = msg.value; v.count = msg.count;"

    program = type("SumsInLanes", (Sums,), {"lanes": lanes})
    rng = np.random.default_rng(5)
    senders = np.concatenate([np.arange(2, 3002), np.arange(2, 3002), np.arange(2, 40)])
    ends = np.repeat([0, 1, 4], [3000, 3000, 38])
    star = Graph.from_edges(senders, ends, num_vertices=3002)
    many = rng.integers(0, 2**32, 3002)
    # Few keys in the parts of a long row that come first, many in those behind.
    uneven = np.where(hashed_key(many) < 2**31, many[0], many)
    for labels in (many, many % 700, many % 8, uneven):
        label = labels.astype(np.uint32)
        value = rng.integers(0, 1000, 3002).astype(np.int32)
        found = Engine(star, device).run(program(label=label, value=value), delivery="outbox")
        for lane in range(lanes):
            got = [np.reshape(found[name], (3002, lanes)) for name in ("best", "found", "count")]
            assert got[1][1, lane] == -1, "it receives nothing"
            for end in (0, 4):
                sent = senders[ends == end]
                keys, at = np.unique(label[sent], return_inverse=True)
                sums = np.bincount(at, value[sent] + lane).astype(int)
                best = sums.argmax()  # the smallest key
                expected = [keys[best], sums[best], np.bincount(at)[best]]
                assert [array[end, lane] for array in got] == expected


@pytest.mark.parametrize("device", [1, 8], indirect=True)
@pytest.mark.parametrize("lanes", [1, 2])
def test_sums_of_few_rows(device, lanes, monkeypatch):
    """Few of the rows of a block receive in a superstep, but in between all, and there is a hub."""
    monkeypatch.setattr(plan, "BLOCK", 4 * BLOCK)

    class Turns(VertexProgram):
        Pair = struct([("label", "int32"), ("value", "int32")])
        label = vertex.int32(init="v.id % 7 + lane")
        supersteps = param.supersteps(6)
        message, combine, scatter_on = Pair, by_key("label", value="sum"), "all"
        receive_if = "superstep == 3 || v.id % 16 == superstep"
        prefer = "a.value"
        scatter = "send((Pair){v.label, e.src % 5});"
        apply = "v.label = (msg.label * 3 + msg.value) % 11;"

    program = type("TurnsInLanes", (Turns,), {"lanes": lanes})
    rng = np.random.default_rng(6)
    count = 900
    senders, ends = rng.integers(0, count, (2, 4000))
    senders, ends = np.r_[senders, rng.integers(0, count, 700)], np.r_[ends, np.full(700, 5)]
    graph = Graph.from_edges(senders, ends, num_vertices=count)
    found = Engine(graph, device).run(program(), delivery="outbox").label.reshape(count, lanes)
    for lane in range(lanes):
        label = np.arange(count) % 7 + lane
        for step in range(6):
            sums = np.zeros((count, 21), int)
            np.add.at(sums, (ends, label[senders]), senders % 5)
            heard = np.zeros((count, 21), bool)
            heard[ends, label[senders]] = True
            best = np.where(heard, sums, -1).argmax(axis=1)  # the smallest label
            receives = heard.any(axis=1) & ((np.arange(count) % 16 == step) | (step == 3))
            changed = (best * 3 + sums[np.arange(count), best]) % 11
            label = np.where(receives, changed, label)
        assert found[:, lane].tolist() == label.tolist()


def test_the_preferred_group_may_depend_on_other_vertices(device):
    """Of the fields as they were before apply."""

    class Nearest(VertexProgram):
        """The neighbor whose place is the highest; all places change at the same time."""

        place = vertex.int32(init="v.id * 5 % 97")
        best = vertex.int32(init=-1)
        supersteps = param.supersteps(3)
        message, combine, scatter_on = "vertex", by_key(), "all"
        prefer = "place_of(a.key)"
        scatter = "send(v.id);"
        apply = "v.best = msg.key; v.place = (v.place + place_of(msg.key)) % 97;"

    place, best = [v * 5 % 97 for v in range(PLACES)], [-1] * PLACES
    for _ in range(3):
        before = [*place]
        for v in range(PLACES):
            if senders := {a for a, b, _ in arcs() if b == v}:
                best[v] = max(sorted(senders), key=before.__getitem__)
                place[v] = (before[v] + before[best[v]]) % 97
    for name in ("slots", "outbox", "serial"):
        found = Engine(graph(), device).run(Nearest(), delivery=name)
        assert (found.best.tolist(), found.place.tolist()) == (best, place), name


@pytest.mark.parametrize("half", [6000, 36_000])
def test_a_row_of_more_keys_than_a_table(device, monkeypatch, half):
    """Every group, by ascending keys, of messages that come in another order, and keys twice: more
    than one table takes, and than several do."""
    monkeypatch.setattr(plan, "BLOCK", BLOCK)

    class Adds(VertexProgram):
        Pair = struct([("value", "int32"), ("label", "int32")])
        kind = vertex.int32()
        heard = vertex.int64()
        supersteps = param.supersteps(1)
        message, combine, scatter_on = Pair, by_key("label", value="sum"), "all"
        gathered = "int64"
        scatter = "send((Pair){v.id, v.kind});"
        gather = """
            for (int i = 0; i < num_groups; ++i)
                msg = (msg * 31 + groups[i].label + groups[i].value * 3 + groups[i].count)
                      % 1000003;
        """
        apply = "v.heard = msg;"

    rng = np.random.default_rng(4)
    kinds = np.r_[0, rng.permutation(np.arange(-half, half)), rng.integers(-half, half, half // 2)]
    star = Graph.from_edges(np.arange(1, len(kinds)), np.zeros(len(kinds) - 1, int))
    found, expected = Engine(star, device).run(Adds(kind=kinds), delivery="outbox"), 0
    sums, counts = Counter[int](), Counter[int](kinds[1:].tolist())
    for number, kind in enumerate(kinds.tolist()[1:], 1):
        sums[kind] += number
    for kind in sorted(sums):
        # As in C, the remainder of a negative number is negative.
        expected = math.fmod(expected * 31 + kind + sums[kind] * 3 + counts[kind], 1000003)
    assert found.heard[0] == expected


def test_the_messages_of_a_step(device):
    """What a watched run shows of them is what was sent."""
    made = program("all groups", masked=False, lanes=1, steps=1)
    steps = Engine(graph(), device).steps(made, delivery="slots")
    step = [*steps][-1]
    x = (np.arange(PLACES) * 7) % 31
    sent = step.sent
    np.testing.assert_array_equal(sent.value["label"], x[sent.source] % 11)
    np.testing.assert_array_equal(sent.value["sum"], 100)
    assert sent.value.dtype.names == ("low", "label", "high", "sum", "bits")


WRONG = [
    ({"message": Pair, "combine": by_key("labels", value="sum")},
     "names 'labels', which is no member of message: value, label"),
    ({"message": Pair, "combine": by_key("label")}, "does not say how 'value' is combined"),
    ({"message": Pair, "combine": by_key("label", label="sum", value="sum")},
     "combines 'label', which is the key: remove label='sum'"),
    ({"message": Pair, "combine": by_key("value", label="sum")},
     "needs an integer or a vertex as the key, which 'value' (float) is not"),
    ({"message": Pair, "combine": by_key()}, "needs the member that is the key"),
    ({"message": "real", "combine": by_key()}, "an integer or a vertex as the key"),
    ({"message": "int32", "combine": by_key("label")}, "message must be a struct"),
    ({"message": Pair, "combine": by_key("label", label="min", value="sum")},
     "combines 'label', which is the key: remove label='min'"),
    ({"combine": by_key}, "combine = by_key is not called: write by_key()"),
    ({"combine": "by_key()", "prefer": None}, "by_key(...) is a function in Python"),
    ({"message": Pair, "combine": by_key("label", value="or")},
     "has value='or', which needs an integer message"),
    ({"prefer": None}, "say which one counts"),
    ({"prefer": "2"}, "neither compares two groups, a and b, as a.count > b.count does, nor"),
    ({"gather": "msg = groups[0].key;"}, "give prefer or gather, not both"),
    ({"combine": "sum"}, "prefer says which group of messages counts, but there are none"),
    ({"prefer": None, "gather": "msg = messages[0];"}, "read groups[i] and num_groups"),
    ({"prefer": None, "gather": "groups[0].count = 1; msg = groups[0];"},
     "groups[i] is read only: copy what you change into a variable"),
    ({"prefer": None, "gather": "for (int i = 0; i < num_groups; ++i) ++(groups[i].key);"},
     "groups[i] is read only"),
    ({"prefer": None, "combine": None, "gather": "msg = groups[0].key;"},
     "messages are not grouped by by_key(...): read messages[i]"),
    ({"identity": "0"}, "needs no identity"),
    ({"apply": "send_to(0, msg.key);"}, "send_to needs another combiner"),
    ({"pairs": "send(v.id);"}, "pairs have none"),
    ({"enough": "msg.count > 3"}, "every message counts in its group"),
    ({"priority": "v.id"}, "counts messages, which depends on when vertices scatter"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "why"), WRONG)
def test_mistakes_are_refused(wrong, why):
    body = {
        "message": "vertex",
        "combine": by_key(),
        "prefer": "a.count > b.count",
        "x": vertex.int32(),
        "Pair": Pair,
        "scatter": "send(v.id);",
        "apply": "v.x = msg.count;",
        **wrong,
    }
    with pytest.raises(ProgramError) as refused:
        type("Wrong", (VertexProgram,), {k: x for k, x in body.items() if x is not None})
    assert why in str(refused.value)


def test_members_are_named_where_a_group_has_no_such_member(device):
    class Misread(VertexProgram):
        kind = vertex.int32()
        message, combine = Pair, by_key("label", value="sum")
        prefer = "a.value > b.value"
        scatter = "send((Pair){1, v.kind});"
        apply = "v.kind = msg.kind;"

    with pytest.raises(ProgramError, match="; a group of messages has the members label, value, c"):
        Engine(graph(), device).run(Misread())


def test_unknown_rules_are_refused():
    with pytest.raises(ProgramError, match="by_key: weight='mean' is not one of sum, prod, min"):
        by_key("label", weight="mean")
    with pytest.raises(ProgramError, match="the key is the name of a member of message, not 3"):
        by_key(3)


def test_other_deliveries_say_why_they_refuse():
    made = program("votes", masked=False, lanes=1, steps=1)
    for name in ("pull", "push", "edges", "asynchronous"):
        with pytest.raises(ProgramError, match="its messages are grouped by key, "):
            Engine(graph()).run(made, delivery=name)


#: Keys that are near each other or far, of small and large types, and at the ends of these.
KEYS: list[tuple[str, str, Callable[[int], int]]] = [
    ("int8", "v.x % 2 ? 127 - v.x % 5 : -128 + v.x % 5",
     lambda x: 127 - x % 5 if x % 2 else -128 + x % 5),
    ("int16", "v.x % 7 - 3", lambda x: x % 7 - 3),
    ("int32", "INT_MIN + v.x % 9", lambda x: -(2**31) + x % 9),
    ("int32", "v.x % 2 ? INT_MAX : INT_MIN", lambda x: 2**31 - 1 if x % 2 else -(2**31)),
    ("uint64", "~0ul - v.x % 9", lambda x: 2**64 - 1 - x % 9),
    ("int64", "(v.x % 9 - 4) * 1000000007l", lambda x: (x % 9 - 4) * 1_000_000_007),
    ("uint32", "v.x * 40", lambda x: x * 40),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "key", "computed"), KEYS)
def test_counts_of_keys_near_and_far(device, type_, key, computed):
    class Counts(VertexProgram):
        supersteps = param.supersteps(1)
        x = vertex.int32(init="v.id * 7 % 31")
        message, combine, gathered = type_, by_key(), "int32"
        scatter_on = "all"
        scatter = f"send({key});"
        gather = """
            for (int i = 0; i < num_groups; ++i)
                msg = (msg * 31 + (int)((ulong)groups[i].key % 1009) + groups[i].count) % 10007;
        """
        apply = "v.x = msg;"

    inbox: list[list[int]] = [[] for _ in range(PLACES)]
    for a, b, _ in arcs():
        inbox[b].append(computed(a * 7 % 31))
    wanted = []
    for v, keys in enumerate(inbox):
        found = 0
        for each, count in sorted(Counter(keys).items()):
            found = (found * 31 + each % 2**64 % 1009 + count) % 10007
        wanted.append(found if keys else v * 7 % 31)
    assert Engine(graph(), device).run(Counts()).x.tolist() == wanted
