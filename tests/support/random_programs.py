"""A hypothesis strategy: random vertex programs, as trees.

A `Shape` says what a program must have; the rest is drawn.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from support.combiners import BUILT_IN, CUSTOM, by_component, custom_identity, least
from support.program_shapes import (
    ARRAY_STRUCTS,
    GATHERS,
    GROUPINGS,
    INTEGER_ONLY,
    NARROW,
    SINGLE,
    STRUCTS,
    VECTORS,
    WANTS,
    WIDE,
    WIDTHS,
    Shape,
    possible,
)
from support.program_tree import (
    WORDS,
    Aggregator,
    Bin,
    Const,
    Field,
    Gather,
    GetMask,
    Grouping,
    If,
    Is,
    Make,
    Of,
    Program,
    Send,
    SetMask,
    Stmt,
    ToInt,
    Var,
    contains,
    walk,
)
from support.random_expressions import DRAW, E, Scope, bounds_of, clamped, is_safe, scalars
from support.random_statements import Writer, sent_value
from support.random_stops import stop_rules
from support.values import SCALARS, components, element, is_array, is_real, is_scalar, layout

FIELDS = (*SCALARS, "vertex")  # the scalar types of fields and messages
OPS = ("sum", "min", "max", "count", "mean")
EDGES = ("out", "in", "both", "alternate")


class _Drawing:
    """One program, part by part: `body` becomes the `Program`."""

    def __init__(self, draw: DRAW, shape: Shape, real: str):
        self.draw, self.shape, self.real = draw, shape, real
        wants = (w for w in WANTS if w in shape.wants or (not shape.only and self.chance(15)))
        self.wants = possible(shape.combine, frozenset(wants))
        self.body: dict[str, Any] = {"structs": {}, "folds": {}, "aggregates": {}}

    def pick(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def program(self) -> Program:
        self.message()
        self.world()
        self.vertex_fields()
        self.scatter()
        if "pairs" in self.wants:
            self.pairs()
        if self.shape.combine in GATHERS or self.shape.combine == "groups":
            self.gather()
        if self.shape.combine == "preferred group":
            self.prefer()
        self.apply()
        if "receive_if" in self.wants:
            self.receive_if()
        if "enough" in self.wants:
            self.enough()
        if "priority" in self.wants:
            self.priority()
        self.body |= stop_rules(self.draw, self.body, self.laned)
        for name in ("ops", "settled"):
            self.body.pop(name, None)
        return Program(**self.body)

    def composite(self, kind: str | None, most: int = 64, arrays: bool = False) -> str:
        """A vector ("vector"), a struct ("struct") or either, of so many bytes at most; `arrays`: a
        struct may have them."""
        structs = self.body["structs"]
        fits = lambda name, known: layout(name, known, self.real)[0] <= most  # noqa: E731
        vectors = [v for v in VECTORS if fits(v, {})]
        if kind == "vector" or (kind is None and self.chance(40)):
            return self.pick(*vectors)
        known = STRUCTS + ARRAY_STRUCTS * 2 * ("arrays" in self.wants and arrays)
        drawn = self.pick(*[s for s in known if fits("S", {"S": s})])
        name = next((n for n, members in structs.items() if members == drawn), "")
        name = name or "Pair Other Third Fourth Fifth Sixth".split()[len(structs)]
        structs[name] = drawn
        return name

    def message(self) -> None:
        """The type of a message and how it is combined."""
        combine, body, kind = self.shape.combine, self.body, self.shape.message
        most = 8 if "send_to" in self.wants else 64
        if combine in ("least", "by component"):
            if kind in (None, "struct", "vector"):
                kind = self.composite(kind, most, "send_to" not in self.wants)
            ops = tuple(
                self.pick("min", "max", *["sum"] * (member_kind not in NARROW))
                for _, member_kind in components(kind, body["structs"])
            )
            if combine == "least":
                rule = least(kind, body["structs"], self.real)
            else:
                rule = by_component(kind, body["structs"], self.real, ops)
            body |= {"combine": rule.text, "identity": rule.identity, "ops": rule.ops}
            body["folds"][rule.text] = rule.fold
        elif combine in GROUPINGS:
            kind = self.keyed(kind)
        elif combine in (*GATHERS, "first"):
            if combine == "first":
                body["combine"] = combine
            kind = kind or (self.composite(None) if self.chance(25) else self.pick(*FIELDS))
            kind = self.composite(kind, arrays=True) if kind in ("struct", "vector") else kind
        else:
            kinds = [k for k in FIELDS if not (is_real(k) and combine in INTEGER_ONLY)]
            kinds = [k for k in kinds if k not in NARROW] if "%" in combine else kinds
            if combine == "prod" and "send_to" in self.wants:
                kinds = [k for k in kinds if k not in WIDE]
            kind = kind or self.pick(*["real"] * 3 * ("real" in kinds), *kinds)
            body["combine"] = combine
            if combine in CUSTOM:
                body["identity"] = custom_identity(combine, kind)
        if self.sends_arrays() and (self.shape.message == "array" or self.chance(70)):
            kind = self.array(combine)
        body["message"] = kind
        if "enough" in self.wants:
            body["settled"] = self.settled(combine, kind)

    def sends_arrays(self) -> bool:
        """Whether messages may be arrays."""
        combined = self.shape.combine in (*BUILT_IN, "first")
        return "arrays" in self.wants and combined and not self.wants & {"send_to", "enough"}

    def array(self, combine: str = "") -> str:
        """An array of numbers that a rule combines."""
        kinds = list(SCALARS)
        if combine in ("or", "and"):
            kinds = [k for k in kinds if not is_real(k)]
        if combine in ("sum", "prod"):
            kinds = [k for k in kinds if k not in WIDE and (combine == "sum" or is_real(k))]
        return f"{self.pick(*kinds)}({self.pick(*WIDTHS)})"

    def keyed(self, kind: str | None) -> str:
        """The type of messages with a key: a number, or a struct of a key and values."""
        keys, structs = [k for k in FIELDS if not is_real(k)], self.body["structs"]
        if kind not in keys:
            kind = self.pick(*keys) if kind is None and self.chance(40) else None
        if kind is not None:
            structs["Group"] = (("key", kind), ("count", "int32"))
            self.body["grouping"] = Grouping()
            return kind
        members = [("label", self.pick(*keys))]
        members += [(f"n{i}", self.pick(*SCALARS)) for i in range(self.draw(st.integers(1, 2)))]
        values, of_group = [], [members[0]]
        for name, member in members[1:]:
            how = self.pick("sum", "min", "max", *["or", "and"] * (not is_real(member)))
            wide = "uint64" if member.startswith("u") else "float64" if is_real(member) else "int64"
            values.append((name, how))
            of_group.append((name, wide if how == "sum" else member))
        structs["Ballot"] = tuple(members[1:] + members[:1] if self.chance(50) else members)
        structs["Group"] = (*of_group, ("count", "int32"))
        self.body["grouping"] = Grouping("label", tuple(values))
        return "Ballot"

    def prefer(self) -> None:
        body = self.body
        body["gathered"] = "Group"
        if self.chance(30):
            return
        item = scalars(Var("", "item"), "Group", body["structs"])
        scope = Scope(self.draw, item * 8 + self.step_leaves(), structs=body["structs"])
        terms = scope.narrow(scope.expr(1), 1000), scope.narrow(self.pick(*item), 1000)
        score = Bin("+", terms[0].x, terms[1].x)
        body["grouping"] = replace(body["grouping"], score=score)

    def settled(self, combine: str, kind: str) -> int:
        """A message that no other changes: for min and max, none beyond it is sent."""
        if combine in ("or", "and"):
            ones = 2 ** int(kind[4:]) - 1 if kind.startswith("uint") else -1
            return ones if combine == "or" else 0
        least = combine in ("min", "a < b ? a : b")
        # Emphases send a 1.
        return self.pick(0, 1) if least else self.pick(1, 2, 5)

    def world(self) -> None:
        """What a program is about: all that is not of a vertex."""
        body, pick, draw = self.body, self.pick, self.draw
        number = lambda most: range(draw(st.integers(0, most)))  # noqa: E731
        edges = next((e for e in EDGES if f"edges: {e}" in self.shape.shows), None)
        body |= {
            "scatter_on": pick("mask", "mask", "all"),
            "apply_on": pick("message", "all"),
            # Arc fields are refused where edges alternate.
            "edges": edges or pick("out", *EDGES[: 3 if "arc" in self.wants else 4]),
            "edge_fields": {f"w{i}": (pick(*SCALARS), i * 3 or None) for i in number(2)},
            "params": {f"k{i}": self.parameter() for i in number(3)},
        }
        if "priority" in self.wants:
            body |= {"scatter_on": "mask", "apply_on": "message"}
        if "own_mask" in self.wants:
            body["scatter_on"] = "mask"
        if "on_mask" in self.wants:
            body["apply_on"] = "mask"
        self.laned = bool(self.wants & {"lanes", "listed"})
        if self.laned:
            body["listed" if "listed" in self.wants else "lanes"] = pick(2, 3, 2, 3, 2, 5, 40)
        if "listed" in self.wants:
            body["params"]["k0"] = ("int32", 1)
        if "arrays" in self.wants:
            body["tables"] = {f"W{i}": self.table() for i in range(pick(1, 2))}
        for i in number(2 * ("priority" not in self.wants)):
            kind, how = pick(*SCALARS), pick("sum", "min", "max")
            body["aggregates"][f"t{i}"] = (kind, how)
        if "aggregators" in self.wants:
            self.new_aggregators()
        self.outside = [
            *[E(Var("g", "num_vertices"), 0, 400), E(Var("g", "num_edges"), 0, 1000)],
            *[self.read_parameter(name) for name in body["params"]],
            *[E(Var("", "lane"), 0, 4)] * 2 * self.laned,
        ]
        self.own = [
            *[E(Var("v", "id"), 0, 400), E(Var("v", "in_degree"), 0, 1000)],
            *[E(Var("v", "out_degree"), 0, 1000)],
        ]

    def parameter(self) -> tuple[str, int]:
        """The type of a parameter, and its default."""
        kind = self.pick(*SCALARS, "flag", "vertex", "choice")
        if kind in ("flag", "vertex", "choice"):
            return kind, self.draw(st.integers(0, 1)) if kind == "flag" else 0
        return kind, self.draw(st.integers(0 if kind.startswith("u") else -9, 20))

    def table(self) -> tuple[str, Any]:
        """The type of the numbers of an array parameter, and these."""
        kind, shape = self.pick(*SCALARS), self.pick((3,), (7,), (2, 5), (4, 3), (2, 2, 3))
        least = 0 if kind.startswith("u") else -9
        size = math.prod(shape)
        drawn = self.draw(st.lists(st.integers(least, 9), min_size=size, max_size=size))
        return kind, nested(np.reshape(drawn, shape).tolist())

    def read_parameter(self, name: str) -> E:
        kind = self.body["params"][name][0]
        if kind == "choice":
            return E(Is(name, self.pick(*WORDS)), 0, 1)
        high = {"flag": 1, "vertex": 400}.get(kind, 20)
        return E(Var("p", name), 0 if kind == "flag" else -20, high, is_real(kind))

    def new_aggregators(self) -> None:
        """One of each kind, one that follows a rule of its own, and one of a struct."""
        body, pick = self.body, self.pick
        body["aggregates"] = {f"t_{how}": (pick(*SCALARS), how) for how in OPS}
        how = pick(*CUSTOM)
        kind = pick(*[k for k in SCALARS if k not in NARROW and not is_real(k)])
        body["aggregates"]["c"] = Aggregator(kind, how, custom_identity(how, kind))
        kind = self.composite(None)
        rule = least(kind, body["structs"], self.real)
        if self.chance(50):
            ops = tuple(pick("min", "max") for _ in components(kind, body["structs"]))
            rule = by_component(kind, body["structs"], self.real, ops)
        body["aggregates"]["best"] = Aggregator(kind, rule.text, rule.identity)
        body["folds"][rule.text] = rule.fold

    def vertex_fields(self) -> None:
        """Vertex fields, and how a run begins."""
        body, pick = self.body, self.pick
        shape, structs = self.shape, body["structs"]
        if shape.combine in GATHERS or shape.combine == "groups":
            kinds = [None, None, "int32", "real", "uint16"]
            body["gathered"] = self.composite(None) if self.chance(25) else pick(*kinds)
        msg_type = body.get("gathered") or body["message"]
        fields: dict[str, Field] = {}
        self.body["fields"] = fields
        self.outside_of_init = [*self.outside, E(Var("", "superstep"), 0, 0)]
        leaves = self.own + self.outside_of_init
        scope = self.at_init = Scope(self.draw, leaves, structs=structs)
        for i in range(self.draw(st.integers(1, 3))):
            name, kind = f"x{i}", pick(*FIELDS)
            if i == 0 and shape.field in SCALARS:
                kind = shape.field
            elif i and self.chance(60):
                raw = self.chance(50) and shape.combine != "preferred group"
                name = f"raw{i}" if raw else f"wide{i}"
                kind = msg_type if raw else pick("int32", "real", "int64")
            self.add_field(name, kind)
        if "arrays" in self.wants:
            self.add_field("xu", self.shaped(msg_type))
            if self.chance(40):
                self.add_field("xv", self.shaped(msg_type))
        if shape.field in ("struct", "vector") or self.chance(20):
            self.add_field("xs", self.composite(shape.field if shape.field != "real" else None))
        self.stored = {name: f.type for name, f in fields.items()}
        scope.writable = {n: kind for n, kind in self.stored.items() if not n.startswith("raw")}
        masks = Scope(self.draw, self.own + self.read_fields() + self.outside, structs=structs)
        body["mask"] = masks.test() if self.chance(60) else None
        if body["scatter_on"] == "all" and body["apply_on"] == "mask":
            body["mask"] = body["mask"] or masks.test()
        if self.chance(35):
            aggregates = ["aggregate"] * bool(body["aggregates"])
            others = ["set_mask_of"] * ("own_mask" not in self.wants)
            effects = ["assign", "set_mask", *others, *aggregates * 2]
            body["init"] = Writer(scope, body, effects, self.real).block(2)

    def shaped(self, message: str) -> str:
        """An array for a field, often such as messages are."""
        return message if is_array(message) and self.chance(50) else self.array()

    def add_field(self, name: str, kind: str) -> None:
        fields, scope = self.body["fields"], self.at_init
        # An array's init is one number for all components.
        fields[name] = Field(kind, scope.stored(element(kind)[0] if is_array(kind) else kind))
        scope.leaves = self.own + self.read_fields() + self.outside_of_init

    def read_fields(self) -> list[E]:
        leaves: list[E] = []
        for name, f in self.body["fields"].items():
            leaves += scalars(Var("v", name), f.type, self.body["structs"], is_safe(name))
        return leaves

    def step_leaves(self) -> list[E]:
        """What scatter, gather and apply see of the vertex and the superstep."""
        step = [E(Var("", "superstep"), 0, 100)]
        for name in self.body["aggregates"]:
            step += self.aggregate_leaves(name)
        leaves = self.own + self.read_fields() * 2 + self.outside + step * self.pick(1, 3)
        return leaves

    def aggregate_leaves(self, name: str) -> list[E]:
        kind, how, _ = Aggregator(*self.body["aggregates"][name])
        x = Var("prev", name)
        if how == "count":
            return [clamped(x, "int64")]
        if how == "mean":  # a fraction, or NaN
            e = clamped(x, "float64")
            return [E(ToInt(e.x), e.low, e.high)]
        return scalars(x, kind, self.body["structs"])

    def scope(self, leaves: list[E], **more: Any) -> Scope:
        others = self.body["fields"] if "others" in self.wants else {}
        adjacency = "adjacency" in self.wants
        structs = self.body["structs"]
        masks = "own_mask" not in self.wants
        edge_fields = {name: kind for name, (kind, _) in self.body["edge_fields"].items()}
        arrays = [(Var("v", n), f.type, is_safe(n)) for n, f in self.body["fields"].items()]
        arrays += [(Var("e", n), kind, True) for n, kind in more.get("arcs", {}).items()]
        arrays += more.pop("heard", [])
        more["arrays"] = tuple(each for each in arrays if is_array(each[1]))
        more["tables"] = self.body.get("tables", {})
        scope = Scope(
            self.draw, leaves, masks, structs, others, adjacency, edge_fields=edge_fields, **more
        )
        wanted = [scope.other] * bool(others) + [scope.near] * adjacency
        if wanted and leaves:  # be it ever so short, the snippet is likely to ask
            asked = [self.pick(*wanted)() for _ in range(3)]
            scope.leaves = leaves + asked * (1 + len(leaves) // 4)
        return scope

    def arc_leaves(self) -> list[E]:
        body = self.body
        return [
            *[E(Var("e", "src"), 0, 400), E(Var("e", "dst"), 0, 400)],
            *[E(Var("e", "id"), 0, 1000), E(Var("e", "reversed"), 0, 1)],
            *[E(Var("e", n), -9, 9, is_real(k)) for n, (k, _) in body["edge_fields"].items()] * 2,
        ]

    def scatter(self) -> None:
        body = self.body
        arcs: dict[str, str] = {}
        its: list[E] = []
        if "arc" in self.wants:
            its_leaves = self.arc_leaves() + self.outside_of_init
            scope = Scope(self.draw, its_leaves, structs=body["structs"])
            kinds = [self.pick(*FIELDS)] + [self.composite(None)] * self.chance(40)
            fields = {f"x{'ab'[i]}": Field(k, scope.stored(k, 1)) for i, k in enumerate(kinds)}
            if "arrays" in self.wants:
                array = self.array()
                fields["xc"] = Field(array, scope.stored(element(array)[0], 1))
            body["arc_fields"] = fields
            arcs = {name: f.type for name, f in fields.items()}
            for name, kind in arcs.items():
                its += scalars(Var("e", name), kind, body["structs"], True)
        leaves, reads_arc = self.step_leaves(), self.chance(55)
        if reads_arc or arcs:
            leaves += self.arc_leaves() * 2 + its * 6
            leaves += [E(GetMask(Var("e", "dst")), 0, 1)] * ("own_mask" not in self.wants)
        scope = self.scope(leaves, arcs=arcs)
        often = 70 if "receive_if" in self.wants else 35
        marks = not self.wants & {"own_mask", "priority"} and self.chance(often)
        effects = ["set_mask", "set_mask_of"] if marks else []
        effects += ["arc"] * 3 * bool(arcs) + ["send_to"] * 2 * ("send_to" in self.wants)
        if self.shape.combine in SINGLE:  # at most one message an arc
            block = Writer(scope, body, effects, self.real).block(2) if effects else ()
            block += (self.one_send(scope),)
        else:
            block = Writer(scope, body, ["send"] * 5 + effects, self.real).block(2)
            if not contains(block, Send):
                block += (Send(sent_value(scope, body, self.real)),)
        writer = Writer(scope, body, effects, self.real)
        sure = [name for name in ("arc", "send_to") if name in self.wants]
        body["scatter"] = tuple(writer.effect(name) for name in sure) + block

    def pairs(self) -> None:
        """Sometimes in the place of a scatter."""
        body = self.body
        terms = [E(Var("u", n), 0, 1000) for n in ("id", "in_degree", "out_degree")]
        for name, f in body["fields"].items():
            terms += scalars(Var("u", name), f.type, body["structs"], is_safe(name)) * 3
        scope = Scope(self.draw, self.step_leaves() + terms * 2, structs=body["structs"])
        block = Writer(scope, body, ["send"], self.real).block(2)
        body["pairs"] = (If(scope.test(), block),) if self.chance(50) else block
        if not self.wants & {"arc", "send_to"} and self.chance(40):
            body["scatter"] = ()

    def one_send(self, scope: Scope) -> Stmt:
        sends = [(Send(sent_value(scope, self.body, self.real)),) for _ in range(2)]
        orelse = sends[1] if self.chance(50) else ()
        return If(scope.test(), sends[0], orelse) if self.chance(70) else sends[0][0]

    def gather(self) -> None:
        body, structs = self.body, self.body["structs"]
        grouped = self.shape.combine == "groups"
        item = scalars(
            Var("", "item"), "Group" if grouped else body["message"], structs, not grouped
        )
        leaves = self.step_leaves()
        leaves += [E(GetMask(), 0, 1)] * ("own_mask" not in self.wants)
        e = self.pick(*item)
        if self.chance(60):
            inner = self.scope(item * 8 + leaves)
            e = inner.narrow(inner.expr(1), 1000)
        form = self.shape.combine.removeprefix("gather: ")
        ends = {"sum": (-600_000, 600_000), "distinct": (0, 600), "groups": (0, 1008)}
        low, high = ends.get(form, (e.low, e.high))
        found = E(Var("", "found"), low, high, e.real and not grouped)
        scope = self.scope(leaves)
        scope.leaves = [scope.narrow(found, 2000)] * len(scope.leaves) + scope.leaves
        kind = body["gathered"] or body["message"]
        if is_scalar(kind) and self.chance(30):
            result = scope.fit(found, *bounds_of(kind))
        else:
            result = scope.stored(kind, 1)
        body["gather"] = Gather(form, e.x, result, e.real)
        if not grouped and self.chance(50):
            identity = 7 if is_scalar(kind) else None
            parts = components(kind, structs)
            body["identity"] = identity or Make(kind, tuple(Const(i) for i in range(len(parts))))

    def apply(self) -> None:
        body = self.body
        msg_type = body.get("gathered") or body["message"]
        heard = scalars(Var("", "msg"), msg_type, body["structs"])
        heard.append(E(Var("", "has_msg"), 0, 1))
        scope = self.scope(
            heard * 3 + self.step_leaves(),
            writable=self.stored,
            heard=[(Var("", "msg"), msg_type, False)],
        )
        if self.shape.combine == "first":  # some of them for push, which runs scatter again
            read = {x.name for x in walk(body["scatter"]) if isinstance(x, Var | Of)}
            unread = {name: kind for name, kind in self.stored.items() if name not in read}
            scope.writable = unread if unread and self.chance(60) else self.stored
        aggregates = ["aggregate"] * bool(body["aggregates"])
        effects = ["assign"] * 3 + ["store"] * 2 + ["set_mask"] * 2 + aggregates * 2
        if "priority" in self.wants:
            effects += ["set_mask"] * 4
        elif "own_mask" in self.wants:
            effects += ["set_mask", "unset_mask"]
        else:
            effects += ["set_mask_of", "unset_mask"] * self.pick(1, 1, 4)
        effects += ["send_to"] * 3 * ("send_to" in self.wants)
        if any(is_array(kind) and is_safe(n) for n, kind in scope.writable.items()):
            effects += ["each"] * 3
        writer = Writer(scope, body, effects, self.real)
        if self.wants or self.chance(95):
            body["apply"] = writer.block(4)
        if "send_to" in self.wants:
            body["apply"] += (If(scope.test(), (writer.effect("send_to"),)),)
        if "priority" in self.wants and self.chance(80):
            body["apply"] = (*body.get("apply", ()), If(scope.test(), (SetMask(),)))
        if "adjacency" in self.wants and self.chance(70):
            loops = writer.reduction() + (writer.reduction() if self.chance(30) else ())
            body["apply"] = loops + body["apply"] if self.chance(50) else body["apply"] + loops
        if "aggregators" in self.wants:
            body["apply"] += tuple(writer.aggregate(name) for name in body["aggregates"])

    def receive_if(self) -> None:
        """Of the receiver and, where it may, of the message."""
        body, structs = self.body, self.body["structs"]
        leaves = self.own + self.read_fields() * 2 + self.outside
        leaves += [E(Var("", "superstep"), 0, 100)]
        leaves += [E(GetMask(), 0, 1)] * ("own_mask" not in self.wants)
        if not self.wants & {"send_to", "pairs"} and self.shape.combine not in SINGLE:
            leaves += scalars(Var("", "msg"), body["message"], structs) * self.pick(0, 0, 4)
        scope = Scope(self.draw, leaves, structs=structs)
        test = scope.test()
        body["receive_if"] = Bin("||", test, scope.test()) if self.chance(50) else test

    def enough(self) -> None:
        """No other message changes what is combined: as it stands, or for some of the vertices."""
        body = self.body
        op = {"or": "==", "and": "==", "min": "<=", "a < b ? a : b": "<="}
        rule = Bin(op.get(self.shape.combine, ">="), Var("", "msg"), Const(body["settled"]))
        leaves = self.own + self.read_fields() + self.outside
        scope = Scope(self.draw, [*leaves, E(Var("", "superstep"), 0, 100)])
        body["enough"] = Bin("&&", rule, scope.test()) if self.chance(40) else rule

    def priority(self) -> None:
        """Of a field, most of the time; never of `msg` and the superstep."""
        fields = self.read_fields()
        scope = Scope(self.draw, self.own + fields * 3 + self.outside)
        e = self.pick(*fields) if self.chance(40) else scope.expr(2)
        self.body |= {"priority": e.x, "delta": self.pick(1, 2, 4, 8)}


def nested(values: Any) -> Any:
    """Lists as tuples."""
    return tuple(map(nested, values)) if isinstance(values, list) else values


@st.composite
def programs(draw: DRAW, shape: Shape, real: str = "float32") -> Program:
    """A program of this shape that the language admits, whatever it computes."""
    return _Drawing(draw, shape, real).program()
