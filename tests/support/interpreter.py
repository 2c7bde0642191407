"""The state of one run of a program tree, and what each expression and statement does to it.

Values are Python's int and float, and tuples of them for vectors and structs. A value that leaves
the range in which every type computes the same raises `Inexact`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from support.combiners import BUILT_IN, CUSTOM, identity_of
from support.gather_snippets import FORMS
from support.plain_graph import PlainGraph
from support.program_tree import (
    WORDS,
    Aggregate,
    Assign,
    Bin,
    Clamp,
    Common,
    Cond,
    Const,
    Each,
    Entry,
    Expr,
    ForCommon,
    From,
    Grouping,
    HasEdge,
    Hash,
    If,
    Is,
    Item,
    Make,
    Member,
    Neighbor,
    Of,
    Program,
    Reduce,
    Repeat,
    Return,
    Send,
    Stmt,
    To,
    ToInt,
    Uniform,
    UnsetMask,
    Var,
    Vertex,
    kind_of,
)
from support.values import Inexact, Store, components, element, is_array, is_scalar, scalar_dtype

COMPARE = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


class Returned(Exception):
    """The snippet has been left."""


def hashed(x: int) -> int:
    """The last step of MurmurHash3."""
    x &= 2**32 - 1
    x = ((x ^ x >> 16) * 0x85EBCA6B) & 2**32 - 1
    x = ((x ^ x >> 13) * 0xC2B2AE35) & 2**32 - 1
    return x ^ x >> 16


def drawn_bits(keys: Sequence[int]) -> int:
    """The 64 bits of `uniform`: a step of SplitMix64 for each key."""
    most, x = 2**64 - 1, 0
    for key in keys:
        x = ((x ^ (key & most)) + 0x9E3779B97F4A7C15) & most
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & most
        x = (x ^ x >> 27) * 0x94D049BB133111EB & most
        x ^= x >> 31
    return x


class Interpreter:
    """What a snippet sees just now: `lane`, `v`, `arc`, `msg`, ... and the state of the run.

    `used` counts what the program has made use of, by name, for the tests of coverage.
    """

    def __init__(self, program: Program, graph: PlainGraph, real: str, params: Mapping[str, Any]):
        self.program, self.graph = program, graph
        self.store = Store(program.structs, real)
        self.used: set[str] = set()
        self.params = {name: params.get(name, x) for name, (_, x) in program.params.items()}
        lists = [len(x) for x in self.params.values() if not np.isscalar(x)]
        self.lanes = lists[0] if lists else program.lanes or 1
        self.laned = bool(lists) or program.lanes is not None  # results have an axis of lanes
        if any(n != self.lanes for n in lists) or self.lanes != (program.lanes or self.lanes):
            raise ValueError("lanes disagree")
        self.edge_fields = {}
        for name, (kind, default) in program.edge_fields.items():
            given = graph.fields.get(name, [default] * len(graph.edges))
            self.edge_fields[name] = [self.store.fit(kind, x) for x in given]
        n = graph.num_vertices
        self.out_degree, self.in_degree = [0] * n, [0] * n
        for a, b, _, _ in graph.arcs("out"):
            self.out_degree[a] += 1
            self.in_degree[b] += 1
        self.go_along(program.edges)

        lanes = range(self.lanes)
        # By lane, name and vertex (or arc); `seen` is what FIELD_of sees.
        self.fields = [{name: [None] * n for name in program.fields} for _ in lanes]
        self.seen: list[dict[str, list[Any]]] = []
        self.arc_fields = [{name: [None] * len(self.arcs) for name in program.arc_fields}
                           for _ in lanes]  # fmt: skip
        self.written = [{name: set() for name in program.arc_fields} for _ in lanes]
        # Who waits to scatter, and who of them does in this superstep.
        self.waiting, self.mask = [0] * n, [0] * n
        # By lane and vertex: the messages of this superstep and of the next.
        self.inbox: list[list[list[Any]]] = []
        self.pending: list[list[list[Any]]] = []
        self.set_by: list[list[set[str]]] = []
        self.calls = 0  # of send_to that are received in this superstep
        self.effects = 0  # of snippets, besides what is sent along arcs
        self.superstep, self.phase = 0, "init"
        self.u = -1  # in pairs, the vertex that gives
        self.lane, self.v, self.place, self.arc = 0, -1, -1, (0, 0, 0, 0)
        self.msg, self.has_msg = self.no_message(), 0
        self.item: Any = 0  # one of the messages
        self.found: Any = 0
        self.w, self.ends = -1, (-1, -1)  # in for_common
        self.i, self.near = -1, -1  # in Reduce
        self.k = -1  # in Each
        self.prev: dict[str, Any] = {}
        self.tally = self.no_tally()

    def go_along(self, edges: str) -> None:
        """Take these arcs from now on; "alternate" begins as "out"."""
        self.arcs = self.graph.arcs("out" if edges == "alternate" else edges)
        self.neighbors: list[list[int]] = [[] for _ in range(self.graph.num_vertices)]
        self.edges_to: list[list[int]] = [[] for _ in range(self.graph.num_vertices)]
        for a, b, i, _ in self.arcs:
            self.neighbors[a].append(b)
            self.edges_to[a].append(i)
        self.edges = {(a, b) for a, b, _, _ in self.arcs}

    def empty(self) -> list[list[list[Any]]]:
        return [[[] for _ in range(self.graph.num_vertices)] for _ in range(self.lanes)]

    def no_message(self) -> Any:
        """`msg` where none was sent."""
        program = self.program
        if program.identity is not None:
            known = program.identity
            return self.ev(known) if isinstance(known, Make) else known
        if program.combine in (None, "first"):
            return self.store.zero(program.msg_type)
        kind = program.message
        scalar = element(kind)[0] if is_array(kind) else kind
        identity = identity_of(program.combine, scalar_dtype(scalar, self.store.real))
        return (identity,) * element(kind)[1] if is_array(kind) else identity

    def fold(self, how: str) -> Any:
        if how == "first":
            return lambda a, b: a
        if how in BUILT_IN:  # an array by component
            op = BUILT_IN[how]
            return lambda a, b: tuple(map(op, a, b)) if isinstance(a, tuple) else op(a, b)
        return CUSTOM.get(how) or self.program.folds[how]

    # Aggregators: what was added (a pair for mean), and its value once the superstep has ended.

    def no_tally(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in self.program.aggregates:
            kind, how, identity = self.program.aggregator(name)
            if how in ("count", "mean"):
                found[name] = 0 if how == "count" else (0, 0)
            elif isinstance(identity, Make):
                found[name] = self.ev(identity)
            elif identity is not None:
                found[name] = self.store.fit(kind, identity)
            else:
                dtype = scalar_dtype(kind, self.store.real)
                wide = np.dtype("f8" if dtype.kind == "f" else "i8") if how == "sum" else dtype
                found[name] = identity_of(how, wide)
        return found

    def add(self, name: str, value: Any) -> None:
        kind, how, _ = self.program.aggregator(name)
        value = self.store.fit(kind, value)
        before = self.tally[name]
        if how == "count":
            self.tally[name] = before + 1
        elif how == "mean":
            self.tally[name] = (self.store.exact(before[0] + value), before[1] + 1)
        else:
            value = self.fold(how)(before, value)
            self.tally[name] = value if how == "sum" else self.store.fit(kind, value)
            if how == "sum" and abs(value) > 2**40:
                raise Inexact(f"a sum of {value}")
        text = how if how in ("sum", "min", "max", "count", "mean") else "custom"
        self.used.add(f"aggregate {text if is_scalar(kind) else 'a struct or vector'}")

    def totals(self) -> dict[str, Any]:
        found = {}
        for name, value in self.tally.items():
            if self.program.aggregator(name).how == "mean":
                total, count = value
                found[name] = total / count if count else math.nan
                self.used.add("mean" if count else "mean of nothing")
            else:
                found[name] = value
        return found

    # Expressions -----------------------------------------------------------------------------

    def ev(self, x: Expr) -> Any:
        """The value of an expression, for the vertex, arc and message of the moment."""
        if isinstance(x, Const):
            return x.value
        if isinstance(x, Var):
            return self.variable(x.space, x.name)
        if isinstance(x, Bin):
            return self.binary(x)
        if isinstance(x, Cond):
            return self.ev(x.then) if self.ev(x.test) else self.ev(x.orelse)
        if isinstance(x, Clamp):
            return self.clamp(x)
        if isinstance(x, Vertex):
            return self.ev(x.x) % self.graph.num_vertices
        if isinstance(x, ToInt):
            return int(self.ev(x.x))
        if isinstance(x, Member):
            paths = [path for path, _ in components(kind_of(self.program, x.x), self.store.structs)]
            return self.ev(x.x)[paths.index(x.path)]
        if isinstance(x, Item):
            self.used.add(f"a component by its index in {self.phase}")
            found = self.ev(x.x)
            return found[self.ev(x.index) if x.plain else self.ev(x.index) % len(found)]
        if isinstance(x, Make):
            return self.store.fit(x.kind, [self.ev(part) for part in x.parts])
        if isinstance(x, Of):
            return self.of(x.name, self.ev(x.of))
        if isinstance(x, Entry):
            self.used.add(f"an array parameter in {self.phase}")
            kind, found = self.program.tables[x.name]
            for index in x.indices:
                found = found[self.ev(index) % len(found)]
            return self.store.fit(kind, found)
        if isinstance(x, Neighbor):
            whose = self.v if x.of is None else self.ev(x.of)
            self.used.add(f"neighbor{'' if x.of is None else '_of'} in {self.phase}")
            near = self.neighbors[whose]
            return near[self.ev(x.i) % len(near)] if near else whose
        if isinstance(x, HasEdge):
            found = (self.ev(x.a), self.ev(x.b)) in self.edges
            self.used.add(f"has_edge {found}".lower() + f" in {self.phase}")
            return int(found)
        if isinstance(x, Common):
            found = len(self.common(self.ev(x.a), self.ev(x.b)))
            self.used.add(f"common {'some' if found else 'none'} in {self.phase}")
            return found
        if isinstance(x, From):
            end = self.ends[("first", "second").index(x.end)]
            place = self.neighbors[end].index(self.w)
            self.used.add(f"FIELD_from in {self.phase}")
            return self.edge_fields[x.name][self.edges_to[end][place]]
        if isinstance(x, To):
            near = self.edges_to[self.v]
            self.used.add(f"FIELD_to in {self.phase}")
            return self.edge_fields[x.name][near[self.ev(x.i) % len(near)]] if near else 0
        if isinstance(x, Hash):
            return hashed(self.ev(x.x)) % 1000
        if isinstance(x, Uniform):
            return drawn_bits([self.ev(key) for key in x.keys]) >> 58
        if isinstance(x, Is):
            return int((self.params[x.name] or WORDS[0]) == x.word)
        return self.mask[self.v if x.of is None else self.ev(x.of)]

    def common(self, a: int, b: int) -> list[int]:
        return sorted({*self.neighbors[a]} & {*self.neighbors[b]} - {a, b})

    def clamp(self, x: Clamp) -> Any:
        value = self.ev(x.x)
        if not x.real:
            return min(max(value, x.low), x.high)
        if math.isnan(value):
            return float(x.low)  # fmax takes the number
        value = float(min(max(value, x.low), x.high))
        return float(np.float32(value)) if self.store.single else value  # the cast to `real`

    def of(self, name: str, at: int) -> Any:
        self.used.add(f"FIELD_of in {self.phase}")
        value = self.seen[self.lane][name][at]
        if self.phase == "apply" and value != self.fields[self.lane][name][at]:
            self.used.add("FIELD_of is from before the phase")
        return value

    def variable(self, space: str, name: str) -> Any:
        if space in ("v", "u"):
            whose = self.v if space == "v" else self.u
            if name in self.program.fields:
                return self.fields[self.lane][name][whose]
            if name == "id":
                return whose
            return (self.in_degree if name == "in_degree" else self.out_degree)[whose]
        if space == "e":
            if name in self.program.arc_fields:
                if self.place in self.written[self.lane][name]:
                    self.used.add("arc state of a superstep before")
                return self.arc_fields[self.lane][name][self.place]
            if name in self.edge_fields:
                return self.edge_fields[name][self.arc[2]]
            return self.arc[("src", "dst", "id", "reversed").index(name)]
        if space == "g":
            return self.graph.num_vertices if name == "num_vertices" else len(self.graph.edges)
        if space == "p":
            value = self.params[name]
            if not np.isscalar(value):
                self.used.add("a parameter of each lane")
                value = value[self.lane]
            kind = self.program.params[name][0]
            return int(value) if kind == "flag" else self.store.fit(kind, value)
        if space:
            return (self.prev if space == "prev" else self.totals())[name]
        if name in ("lane", "num_neighbors"):
            self.used.add(f"{name} in {self.phase}")
        return {
            "superstep": self.superstep,
            "msg": self.msg,
            "has_msg": self.has_msg,
            "lane": self.lane,
            "item": self.item,
            "found": self.found,
            "w": self.w,
            "i": self.i,
            "near": self.near,
            "k": self.k,
            "num_neighbors": len(self.neighbors[self.v]) if self.neighbors else 0,
        }[name]

    def binary(self, x: Bin) -> Any:
        a = self.ev(x.a)
        if x.op == "&&":
            return int(bool(a) and bool(self.ev(x.b)))
        if x.op == "||":
            return int(bool(a) or bool(self.ev(x.b)))
        b = self.ev(x.b)
        if x.op in COMPARE:
            return int(COMPARE[x.op](a, b))
        if x.op in ("min", "max"):
            return min(a, b) if x.op == "min" else max(a, b)
        if x.op in ("fmin", "fmax"):
            return float(min(a, b) if x.op == "fmin" else max(a, b))
        if x.op in ("&", "|", "^"):
            return a & b if x.op == "&" else a | b if x.op == "|" else a ^ b
        if x.op in ("/", "%"):
            if isinstance(a, float) or isinstance(b, float):
                return self.store.exact(a / b)
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if x.op == "/" else a - quotient * b
        return self.store.exact(a + b if x.op == "+" else a - b if x.op == "-" else a * b)

    # Statements ------------------------------------------------------------------------------

    def snippet(self, block: Sequence[Stmt], sent: list[Any] | None = None) -> None:
        """Run a snippet for the vertex and arc of the moment, see `do`."""
        try:
            self.do(block, sent)
        except Returned:
            self.used.add(f"return in {self.phase}")

    def do(self, block: Sequence[Stmt], sent: list[Any] | None = None) -> None:
        """Run statements; `sent` collects what is sent along the arc of the moment."""
        for s in block:
            if isinstance(s, If):
                self.do(s.then if self.ev(s.test) else s.orelse, sent)
            elif isinstance(s, Repeat):
                for _ in range(s.times):
                    self.do(s.block, sent)
            elif isinstance(s, ForCommon):
                self.ends = self.ev(s.a), self.ev(s.b)
                for w in self.common(*self.ends):
                    self.w = w
                    self.used.add(f"for_common in {self.phase}")
                    if any(self.neighbors[end].count(w) > 1 for end in self.ends):
                        self.used.add("for_common: of parallel arcs")
                    self.do(s.block, sent)
            elif isinstance(s, Reduce):
                self.reduce(s)
            elif isinstance(s, Each):
                self.effects += 1
                for k in range(element(self.program.fields[s.name].type)[1]):
                    self.k = k
                    self.assign(Assign(f"{s.name}.[{k}]", s.value))
            elif isinstance(s, Return):
                raise Returned
            elif isinstance(s, Send) and s.to is None:
                assert sent is not None
                sent.append(self.store.fit(self.program.message, self.ev(s.value)))
            else:
                self.effects += 1
                self.effect(s)

    def reduce(self, s: Reduce) -> None:
        """Run a loop over neighbors as it is written: one turn after the other."""
        for i, near in enumerate(self.neighbors[self.v]):
            self.i, self.near = i, near
            if not self.ev(s.test):
                continue
            self.used.add(f"a loop over neighbors: {s.how}")
            self.effects += 1
            kind = self.program.fields[s.assign.name].type
            found = self.store.fit(kind, self.ev(s.assign.value))
            had = self.fields[self.lane][s.assign.name][self.v]
            if s.how in ("sum", "any") or (found < had if s.how == "min" else found > had):
                self.assign(s.assign)
            if s.how == "any":
                return

    def effect(self, s: Stmt) -> None:
        """Run a statement that does more than send along an arc."""
        if isinstance(s, Assign):
            self.assign(s)
        elif isinstance(s, Send):
            self.send_to(s)
        elif isinstance(s, Aggregate):
            self.add(s.name, self.ev(s.value))
        elif isinstance(s, UnsetMask):
            self.unset()
        elif s.of is None:
            self.set_own()
        else:
            self.set_by[self.lane][self.ev(s.of)].add("other")

    def assign(self, s: Assign) -> None:
        name, _, path = s.name.partition(".")
        on_arc = s.space == "e"
        values = (self.arc_fields if on_arc else self.fields)[self.lane][name]
        at = self.place if on_arc else self.v
        kind = (self.program.arc_fields if on_arc else self.program.fields)[name].type
        value = self.ev(s.value)
        if path:
            paths = [path for path, _ in components(kind, self.store.structs)]
            parts = list(values[at])
            parts[paths.index(path)] = value
            value = parts
        elif s.op == "+=":
            value = self.store.exact(values[at] + value)
        values[at] = self.store.fit(kind, value)
        if on_arc:
            self.written[self.lane][name].add(self.place)

    def send_to(self, s: Send) -> None:
        value = self.store.fit(self.program.message, self.ev(s.value))
        to = self.ev(s.to)
        self.used.add(f"send_to in {self.phase}")
        if self.phase != "scatter":  # it arrives in the next superstep
            self.pending[self.lane][to].append(value)
        elif self.wants(to, value):
            self.inbox[self.lane][to].append(value)
            self.calls += 1

    def wants(self, receiver: int, message: Any) -> bool:
        """Whether `receive_if` lets a message in: nobody writes `v` before apply, so that it is as
        it was when the superstep began."""
        rule = self.program.receive_if
        if rule is None:
            return True
        before = self.v, self.msg, self.phase
        self.v, self.msg, self.phase = receiver, message, "receive_if"
        wanted = bool(self.ev(rule))
        self.v, self.msg, self.phase = before
        self.used.add("a message is received" if wanted else "a message is dropped")
        return wanted

    def combined(self, messages: list[Any]) -> Any:
        """What `msg` is for the vertex of the moment."""
        if not messages:
            return self.no_message()
        program = self.program
        if program.grouping is not None:
            return self.of_groups(program.grouping, messages)
        if program.gather is not None:
            ways = [self.gathered(order) for order in (messages, messages[::-1])]
            assert ways[0] == ways[1], "the snippet depends on the order of messages"
            return ways[0]
        if program.combine == "first" and len(messages) > 1:
            # Arcs were run in the order of their sender, other end and edge id, and only they send.
            self.used.add("the first of several")
        for order in (messages, messages[::-1]) if program.enough is not None else ():
            self.check_enough(self.partial(order))
        return self.partial(messages)[-1]

    def of_groups(self, grouping: Grouping, messages: list[Any]) -> Any:
        """What becomes of the groups of some messages."""
        program, kind = self.program, self.program.message
        paths = [path for path, _ in components(kind, self.store.structs)]
        at = paths.index(grouping.key) if grouping.key else 0
        keyed = [message if grouping.key else (message,) for message in messages]
        groups = []
        for key in sorted({parts[at] for parts in keyed}):
            own, group = [parts for parts in keyed if parts[at] == key], [key]
            for name, how in grouping.values:
                total, *others = [parts[paths.index(name)] for parts in own]
                for other in others:
                    total = self.store.exact(self.fold(how)(total, other))
                group.append(total)
            groups.append((*group, len(own)))
        self.used.add("several groups" if len(groups) > 1 else "one group")
        if len(groups) < len(messages):
            self.used.add("a group of several messages")
        if program.gather is not None:
            found = len(groups)
            for self.item in groups:
                value = int(math.fmod(int(self.ev(program.gather.item)), 1009))
                found = (found * 3 + value + 1009) % 1009
            self.found = found
            return self.store.fit(program.msg_type, self.ev(program.gather.result))
        best, most = None, 0
        before, self.phase = self.phase, "prefer"
        for self.item in groups:
            score = self.item[-1] if grouping.score is None else self.ev(grouping.score)
            if best is None or score > most:
                best, most = self.item, score
        self.phase = before
        self.used.add("a preferred group" if grouping.score else "the most frequent key")
        return self.store.fit("Group", best)

    def partial(self, messages: list[Any]) -> list[Any]:
        """What the messages so far are combined, after each of them."""
        how, kind = self.program.combine or "", self.program.message
        fold, totals = self.fold(how), [messages[0]]
        for other in messages[1:]:
            total = fold(totals[-1], other)
            if how != "sum":  # whose parts may leave the type, not the result
                total = self.store.fit(kind, total)
            totals.append(total)
        totals[-1] = self.store.fit(kind, totals[-1])
        return totals

    def check_enough(self, totals: list[Any]) -> None:
        """Once it is enough, nothing changes any more."""
        settled = next((i for i, total in enumerate(totals) if self.is_enough(total)), None)
        if settled is not None:
            assert set(totals[settled:]) == {totals[-1]}, "it was promised that nothing changes"
            self.used.add("enough of several" if settled + 1 < len(totals) else "enough")

    def is_enough(self, combined: Any) -> bool:
        assert self.program.enough is not None
        before, self.msg, self.phase = self.phase, combined, "enough"
        found = bool(self.ev(self.program.enough))
        self.phase = before
        return found

    def gathered(self, messages: list[Any]) -> Any:
        gather, keys = self.program.gather, []
        assert gather
        for self.item in messages:
            keys.append(self.ev(gather.item))
        self.found = FORMS[gather.form].find(keys)
        if gather.form == "sum":
            self.store.exact(self.found)
        self.used.add(f"gather: {gather.form}")
        if len(messages) > 1:
            self.used.add("gather of several messages")
        return self.store.fit(self.program.msg_type, self.ev(gather.result))

    # Who set a vertex in the next mask: "scatter" (anybody), "own" (itself in apply) or "other"
    # (a set_mask_of in apply, or in init). unset_mask() takes back the first two.
    def set_own(self) -> None:
        self.set_by[self.lane][self.v].add("own")

    def unset(self) -> None:
        self.set_by[self.lane][self.v] -= {"own", "scatter"}
