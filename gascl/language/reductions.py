"""Finds the loops over neighbors in apply, and those that only reduce: sums, counts, minima and
the like, whose turns may run at the same time with the same result. They may also put vertices into
the mask.

A reduction keeps its meaning to the last bit. Integer sums, minima, flags and so on do not depend
on the order of the turns; the terms of a sum of floats are added in their order, and only computed
at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from gascl.language.fields import Field
from gascl.language.keywords import ADD_TO
from gascl.language.operands import at, ends_operand, statement_end, whole_end
from gascl.language.snippet import Snippet
from gascl.language.spec import ProgramSpec
from gascl.language.tokens import Token, closing
from gascl.language.types import SCALARS, Type, resolve

_LOOPS = ("for", "while", "do", "for_common")
_INTEGERS = {c for c in SCALARS.values() if c not in ("float", "double")}
_SCALARS = {*SCALARS.values(), "real", "bool"}
#: Types of floats, by their precision.
_PRECISION = {"float": 1, "double": 2}
#: Words with an effect on more than the vertex and local variables, which depends on the item that
#: calls them, and on the order of calls; with `aggregate_NAME` and `add_to_FIELD`.
_EFFECTS = {"send", "send_to", "set_mask", "unset_mask"}
#: Functions whose result is an int.
_INTS = ("neighbor", "neighbor_of", "num_neighbors_of", "has_edge", "get_mask", "get_mask_of")
#: Functions of OpenCL whose result has the type of their arguments.
_ALIKE = set("min max fmin fmax fabs abs clamp sqrt rsqrt exp log pow floor ceil".split())
_COMPARE = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")
_FORM = "`for (int i = 0; i < num_neighbors; ++i)`"
#: None of these may be in a loop that reduces.
_NESTED = ("do", "for_common", "switch", "goto")


@dataclass(frozen=True)
class Accumulator:
    """What a loop reduces to.

    Attributes:
        name: the variable or the field in C, such as `sum` or `v.total`.
        type: its type in C.
        how: how two partial values become one: "+", "*", "^", "|", "&", "min", "max", "fmin",
            "fmax", "||", "&&"; "= 1", if the loop assigns this constant; or "<" or ">", if it is
            assigned whenever another one falls or rises, such as the place of a maximum.
        leader: the name of that other one; else "".
    """

    name: str
    type: str
    how: str
    leader: str = ""

    @property
    def sets(self) -> bool:
        """Whether the loop assigns a constant."""
        return self.how.startswith("=")

    @property
    def message(self) -> str:
        """The combiner of messages that is most like it."""
        if self.sets:
            return "or"
        if self.leader:
            return "a.x > b.x ? a : b"
        named = {"+": "sum", "*": "prod", "&": "and", "&&": "and", "|": "or", "||": "or"}
        return named.get(self.how, self.how.removeprefix("f"))

    @property
    def starts(self) -> str:
        """C text of the value that each part of the turns starts from, which changes nothing; "" if
        that is the value from before the loop."""
        # 0.0 + -0.0 is 0.0: for floats, only -0.0 changes nothing.
        values = {"+": f"-({self.type})0", "*": f"({self.type})1", "^": f"({self.type})0"}
        return values.get(self.how, "")

    def joined(self, a: str, b: str, had: str, leaders: tuple[str, str] | None = None) -> str:
        """C text that joins two partial values.

        Args:
            had: the value from before the loop.
            leaders: those of the leader, if there is one.
        """
        if leaders is not None:
            return f"{leaders[1]} {self.how} {leaders[0]} ? {b} : {a}"
        if self.how in ("min", "max"):
            return f"{b} {'<' if self.how == 'min' else '>'} {a} ? {b} : {a}"
        if self.how in ("fmin", "fmax"):
            return f"{self.how}({a}, {b})"
        if self.how in ("||", "&&") or self.sets:  # a part that assigns nothing has what was there
            both = b if self.sets else f"{a} {self.how} {b}"
            return f"{b} == {had} ? {a} : {a} == {had} ? {b} : {both}"
        return f"{a} {self.how} {b}"


@dataclass(frozen=True)
class Reduction:
    """A loop whose turns may run at the same time.

    Attributes:
        first, last: the loop in the text: the places of its first character, and after its last.
        body: where its body begins.
        index, index_type: the variable that numbers the neighbors.
        accumulators: what it reduces to; leaders stand behind what is assigned with them.
        ordered: the terms must be joined in the order of the turns.
        nests: there are loops in it.
    """

    first: int
    last: int
    body: int
    index: str
    index_type: str
    accumulators: tuple[Accumulator, ...]
    ordered: bool
    nests: bool

    @property
    def in_chunks(self) -> bool:
        """Whether consecutive turns make a part, so that the first of equal extremes counts."""
        return not self.ordered and any(each.leader for each in self.accumulators)


@dataclass(frozen=True)
class NeighborLoop:
    """A loop over the neighbors of the vertex.

    Attributes:
        line: its line in the snippet, counted from 0.
        reduction: what it is if it only reduces.
        why_not: why its turns may not run at the same time, in a clause; "" if they may.
    """

    line: int
    reduction: Reduction | None
    why_not: str = ""


class _NotReduced(Exception):
    """Why a loop is no reduction, in a clause about it."""


def neighbor_loops(spec: ProgramSpec, real: str) -> list[NeighborLoop]:
    """The loops over the neighbors of the vertex in apply that are in no other loop.

    Args:
        real: the type that `real` stands for.
    """
    apply = spec.snippet("apply")
    if not apply.uses("num_neighbors"):
        return []
    if real not in spec.loops:
        spec.loops[real] = list(_Finder(spec, apply, real).loops())
    found: list[NeighborLoop] = spec.loops[real]
    return found


def reductions(spec: ProgramSpec, real: str) -> tuple[Reduction, ...]:
    """Those of the loops whose turns may run at the same time, in order."""
    return tuple(loop.reduction for loop in neighbor_loops(spec, real) if loop.reduction)


class _Finder:
    """Looks for the loops of a snippet."""

    def __init__(self, spec: ProgramSpec, snippet: Snippet, real: str):
        self.spec, self.snippet, self.real = spec, snippet, real
        self.toks = snippet.tokens
        #: The places of the tokens that declare a local variable, by its name.
        self.declared: dict[str, list[int]] = {}
        self.locals, self.lengths = self._declared()
        self.places = self._places()
        wide = [*spec.vertex_fields.values(), *spec.edge_fields.values(), *spec.params.values()]
        doubles = any(each.resolve(real).scalar == "float64" for each in wide)
        self.literal = "double" if doubles or snippet.uses("double") else "float"

    def _declared(self) -> tuple[dict[str, str], set[str]]:
        """The types of local variables that are numbers, without names that mean several things;
        and the constants that are `num_neighbors`."""
        toks, types = self.toks, self.snippet.types
        found, lengths, several = dict[str, str](), {"num_neighbors"}, set[str]()
        for i, token in enumerate(toks):
            if token.text not in types or i + 1 == len(toks) or toks[i + 1].kind != "word":
                continue
            is_number = token.text in _SCALARS and at(toks, i - 1) not in types
            k = i + 1
            while k < len(toks) and toks[k].kind == "word":
                name, type_, end = toks[k].text, self._type(token.text), whole_end(toks, k + 1)
                self.declared.setdefault(name, []).append(k)
                if not is_number or found.get(name, type_) != type_:
                    several.add(name)
                found[name] = type_
                value = [t.text for t in toks[k + 1 : end]]
                if value == ["=", "num_neighbors"] and at(toks, i - 1) == "const":
                    lengths.add(name)
                k = end + 1 if at(toks, end) == "," else len(toks)
        return {name: type_ for name, type_ in found.items() if name not in several}, lengths

    def _places(self) -> set[str]:
        """The local variables that are arrays or pointers."""
        toks, types = self.toks, self.snippet.types
        return {
            token.text
            for i, token in enumerate(toks)
            if token.kind == "word"
            and (
                (at(toks, i + 1) == "[" and at(toks, i - 1) not in (".", "->"))
                or (at(toks, i - 1) == "*" and at(toks, i - 2) in types)
            )
        }

    def in_another_loop(self, i: int, place: int) -> bool:
        """Whether toks[i] is in a loop that toks[place] is not in."""
        toks = self.toks
        loops = (range(k, statement_end(toks, k)) for k in range(i) if toks[k].text in _LOOPS)
        return any(i in loop and place not in loop for loop in loops)

    def _type(self, name: str) -> str:
        return SCALARS[self.real] if name == "real" else name

    def loops(self) -> Iterator[NeighborLoop]:
        """The loops over neighbors, outside of other loops."""
        toks, i = self.toks, 0
        jumps = self.snippet.has_directives or self.snippet.uses("goto", "switch")
        while i < len(toks):
            if toks[i].text not in _LOOPS:
                i += 1
                continue
            end = statement_end(toks, i)
            head = self._head(i)
            if head is not None:
                try:
                    if jumps:
                        _no("the snippet has directives or jumps")
                    found = _Loop(self, *head, end).reduction(toks[i])
                    yield NeighborLoop(toks[i].line, found)
                except _NotReduced as why:
                    yield NeighborLoop(toks[i].line, None, str(why))
            elif self._counts_neighbors(i):
                yield NeighborLoop(toks[i].line, None, f"it is not {_FORM}")
            i = end

    def _counts_neighbors(self, i: int) -> bool:
        """Whether the head of the loop at toks[i] reads the number of neighbors."""
        head = self.toks[i : closing(self.toks, i + 1)]
        return head[0].text != "for_common" and any(t.text in self.lengths for t in head)

    def _head(self, i: int) -> tuple[int, str, str] | None:
        """Of a loop over neighbors, where its body begins, the type and the name of its index."""
        toks = self.toks
        if toks[i].text != "for":
            return None
        end = closing(toks, i + 1)
        head = [t.text for t in toks[i + 2 : end - 1]]
        if len(head) not in (11, 12) or head[0] not in ("int", "uint", "long", "ulong"):
            return None
        type_, name = head[:2]
        begins = head[2:5] == ["=", "0", ";"]
        until = head[5] == name and head[6] in ("<", "!=") and head[7] in self.lengths
        steps = (["++", name], [name, "++"], [name, "+=", "1"])
        if begins and until and head[8] == ";" and head[9:] in steps:
            return end, type_, name
        return None


def _no(why: str) -> NoReturn:
    raise _NotReduced(why)


@dataclass
class _Loop:
    """Reads the body of one loop."""

    finder: _Finder
    body: int
    index_type: str
    index: str
    end: int
    found: dict[str, list[Accumulator]] = field(default_factory=dict)
    inner: set[str] = field(default_factory=set)
    breaks: bool = False
    marks: bool = False
    #: How many loops of the body are around the statement that is read; whether there are any.
    depth: int = 0
    nests: bool = False
    #: The accumulators of inner loops.
    repeated: set[str] = field(default_factory=set)
    #: The places of tokens that are accumulators where they may be.
    known: set[int] = field(default_factory=set)

    def reduction(self, first: Token) -> Reduction:
        toks = self.finder.toks
        for token in toks[self.body : self.end]:
            if token.text in _NESTED:
                _no("there is another loop in it" if token.text in _LOOPS else "it jumps")
            if token.text in _EFFECTS or token.text.startswith(("aggregate_", ADD_TO)):
                _no(f"it calls {token.text}")
        self.statement(self.body)
        self.check_uses()
        accumulators = []
        for name, uses in self.found.items():
            if len({use.how for use in uses}) > 1:
                _no(f"it combines {name} in several ways")
            if uses[0].leader and (len(uses) > 1 or len(self.found[uses[0].leader]) > 1):
                _no(f"it assigns to {name} in several places, or to {uses[0].leader}")
            accumulators.append(uses[0])
        ordered = [a for a in accumulators if a.how in ("+", "*") and a.type in _PRECISION]
        for each in ordered:
            if len(self.found[each.name]) > 1:
                _no(f"it adds to {each.name} in several places")
            if each.name in self.repeated:
                _no(f"it adds to {each.name}, a float, in an inner loop")
        if self.breaks and (self.marks or not all(a.sets for a in accumulators)):
            _no("it ends early")
        if not accumulators and not self.marks:
            _no("it computes nothing")
        last = toks[self.end - 1]
        places = first.start, last.start + len(last.text), toks[self.body].start
        of_index = self.index, self.index_type
        return Reduction(*places, *of_index, tuple(accumulators), bool(ordered), self.nests)

    def check_uses(self) -> None:
        """No accumulator is read in the loop, and its address is not taken anywhere."""
        toks, types = self.finder.toks, self.finder.snippet.types
        for i, token in enumerate(toks):
            name = self.name_at(i)
            if name is None or name not in self.found:
                if token.text == "v" and at(toks, i + 1) != "." and self.fields():
                    _no("the snippet uses the whole of v")
                continue
            if self.body <= i < self.end and i not in self.known:
                _no(f"it reads {name}")
            if at(toks, i - 1) == "&" and not ends_operand(toks, i - 2, types):
                _no(f"the snippet takes the address of {name}")

    def fields(self) -> bool:
        return any(name.startswith("v.") for name in self.found)

    def name_at(self, i: int) -> str | None:
        """The variable or the field of the vertex that is named at toks[i]."""
        toks = self.finder.toks
        if toks[i].kind != "word" or at(toks, i - 1) in (".", "->"):
            return None
        if toks[i].text != "v":
            return toks[i].text
        return f"v.{at(toks, i + 2)}" if at(toks, i + 1) == "." else None

    def width(self, i: int) -> int:
        """The number of tokens of that name."""
        return 3 if self.finder.toks[i].text == "v" else 1

    # Statements -------------------------------------------------------------------------------

    def statement(self, i: int) -> int:
        """Read the statement at toks[i]; returns where the next one is."""
        toks, end = self.finder.toks, statement_end(self.finder.toks, i)
        word = toks[i].text
        if word == "{":
            k = i + 1
            while k < end - 1:
                k = self.statement(k)
        elif word == "if":
            self.condition(i)
        elif word in ("for", "while"):
            self.inner_loop(i)
        elif word == "return":
            _no("it returns")
        elif word == "break":
            self.breaks |= self.depth == 0
        elif word == "set_mask_of" and closing(toks, i + 1) == end - 1:
            self.marks = True
            self.pure(i + 2, end - 2)
        elif word == "const" or (word in self.finder.snippet.types and toks[i + 1].kind == "word"):
            self.declaration(i, end - 1)
        elif word not in (";", "continue"):
            self.assignment(i, end - 1)
        return end

    def condition(self, i: int) -> None:
        toks = self.finder.toks
        then = closing(toks, i + 1)
        if self.extreme(i, then):
            return
        self.pure(i + 2, then - 1)
        after = self.statement(then)
        if at(toks, after) == "else":
            self.statement(after + 1)

    def inner_loop(self, i: int) -> None:
        """A loop in a turn: each turn runs it from its beginning, with variables of its own."""
        toks, k = self.finder.toks, i + 2
        body = closing(toks, i + 1)
        self.depth += 1
        self.nests = True
        if toks[i].text == "for":
            k = self.statement(k)
            end = whole_end(toks, k)
            self.pure(k, end)
            k = end + 1
            while k < body - 1:
                end = whole_end(toks, k)
                self.assignment(k, end)
                k = end + 1
        else:
            self.pure(k, body - 1)
        self.statement(body)
        self.depth -= 1

    def extreme(self, i: int, then: int) -> bool:
        """Whether it is `if (x < least) least = x;` or the like. There may be more assignments,
        such as of the place of that minimum."""
        toks = self.finder.toks
        end = statement_end(toks, then)
        if at(toks, end) == "else":
            return False
        begins = list[int]()
        k = then
        while k < end:
            if toks[k].text in ("{", "}"):
                k += 1
                continue
            begins.append(k)
            k = statement_end(toks, k)
        for begin in begins:
            others = [other for other in begins if other != begin]
            if self.extreme_of(i, then, begin, others):
                return True
        return False

    def extreme_of(self, i: int, then: int, begin: int, others: list[int]) -> bool:
        """Whether the statement at toks[begin] assigns the extreme itself.

        Args:
            others: where other statements begin that run with it.
        """
        toks = self.finder.toks
        end = statement_end(toks, begin)
        name = self.name_at(begin)
        if name is None or self.own(name) or at(toks, begin + self.width(begin)) != "=":
            return False
        value = range(begin + self.width(begin) + 1, end - 1)
        signs = [k for k in range(i + 2, then - 1) if toks[k].text in ("<", ">", "<=", ">=")]
        if len(signs) != 1:
            return False
        sides = range(i + 2, signs[0]), range(signs[0] + 1, then - 1)
        texts = [[toks[k].text for k in part] for part in (value, *sides)]
        own = [toks[k].text for k in range(begin, begin + self.width(begin))]
        if texts[1:] == [texts[0], own]:
            less, place = toks[signs[0]].text in ("<", "<="), sides[1]
        elif texts[1:] == [own, texts[0]]:
            less, place = toks[signs[0]].text in (">", ">="), sides[0]
        else:
            return False
        type_ = self.accumulator(name, begin, place[0])
        self.pure(value.start, value.stop)
        types = self.types(value.start, value.stop)
        fits = all(t in _PRECISION and _PRECISION[t] <= _PRECISION.get(type_, 0) for t in types)
        if type_ in _INTEGERS:
            signed = not type_.startswith("u")
            fits = types <= ({t for t in _INTEGERS if t[0] != "u"} if signed else {type_})
        if not fits:
            _no(f"{name} has another type than the value it is compared with")
        if others and toks[signs[0]].text in ("<=", ">="):
            _no(f"of equal values of {name} the last one would count: compare by < or >")
        for other in others:
            self.assigned_with(name, other, "<" if less else ">")
        self.add(name, type_, "min" if less else "max")
        return True

    def assigned_with(self, leader: str, i: int, how: str) -> None:
        """The statement at toks[i], which runs whenever `leader` falls or rises."""
        toks, name = self.finder.toks, self.name_at(i)
        if name is None or self.own(name) or at(toks, i + self.width(i)) != "=":
            _no(f"it does more than assign where {leader} changes")
        self.pure(i + self.width(i) + 1, statement_end(toks, i) - 1)
        self.add(name, self.accumulator(name, i), how, leader)

    def declaration(self, i: int, end: int) -> None:
        toks = self.finder.toks
        i += toks[i].text == "const"
        k = i + 1
        while k < end:
            name = toks[k].text
            stop = whole_end(toks, k)
            if toks[k].kind != "word" or at(toks, k + 1) not in ("=", ",", ";"):
                _no("it declares more than numbers")
            self.pure(k + 2, stop)
            self.inner.add(name)
            k = stop + 1

    def own(self, name: str | None) -> bool:
        """Whether it is a variable that each turn has for itself: declared in the body, and nowhere
        else, except in other loops."""
        finder = self.finder
        declared = finder.declared.get(name or "", ())
        outside = any(
            not self.body <= i < self.end and not finder.in_another_loop(i, self.body)
            for i in declared
        )
        return name in self.inner and name not in finder.places and not outside

    def assignment(self, i: int, end: int) -> None:
        toks = self.finder.toks
        if toks[i].text in ("++", "--"):
            name = self.name_at(i + 1)
            if name is None or i + 1 + self.width(i + 1) != end:
                _no("it does more than reduce")
            if not self.own(name):
                self.sum(name, i + 1, end, end)
            return
        name = self.name_at(i)
        if name is None:
            _no("it does more than reduce")
        k = i + self.width(i)
        sign = at(toks, k)
        if self.own(name) and (sign in ("++", "--") or sign[-1:] == "="):
            return self.pure(k + 1, end)
        if sign in ("++", "--") and k + 1 == end:
            self.sum(name, i, end, end)
        elif sign in ("+=", "-=", "*="):
            self.sum(name, i, k + 1, end, "*" if sign == "*=" else "+")
        elif sign in ("|=", "&=", "^="):
            self.pure(k + 1, end)
            self.add(name, self.accumulator(name, i), sign[0])
        elif sign == "=":
            self.assigned(name, i, k + 1, end)
        else:
            _no("it does more than reduce")

    def sum(self, name: str, i: int, start: int, end: int, how: str = "+") -> None:
        self.pure(start, end)
        type_ = self.accumulator(name, i)
        types = self.types(start, end)
        most = max((_PRECISION.get(t, 0) for t in types), default=0)
        if type_ == "bool" or most > _PRECISION.get(type_, 0):
            _no(f"what it adds to {name} has a wider type")
        self.add(name, type_, how)

    def assigned(self, name: str, i: int, start: int, end: int) -> None:
        """`name = ...` that is a minimum, a maximum, a logical operation, or a constant."""
        toks = self.finder.toks
        texts = [t.text for t in toks[start:end]]
        width = self.width(i)
        own = [t.text for t in toks[i : i + width]]
        if texts[0] in ("min", "max", "fmin", "fmax") and closing(toks, start + 1) == end:
            comma = whole_end(toks, start + 2)
            first, second = range(start + 2, comma), range(comma + 1, end - 1)
            for mine, other in ((first, second), (second, first)):
                if [toks[k].text for k in mine] == own:
                    self.pure(other.start, other.stop)
                    type_ = self.accumulator(name, i, mine.start)
                    if (type_ in _PRECISION) != (texts[0][0] == "f"):
                        _no(f"{texts[0]} does not go with the type of {name}")
                    return self.add(name, type_, texts[0])
        if texts[:width] == own and texts[width : width + 1] in (["||"], ["&&"]):
            self.pure(start + width + 1, end)
            if not {"?", "||", "&&"} & set(texts[width + 1 :]):
                how = texts[width]
                return self.add(name, self.accumulator(name, i, start), how)
        constant = [t for t in texts if t != "-"]
        if len(constant) == 1 and (constant[0] in ("true", "false") or constant[0].isdigit()):
            type_ = self.accumulator(name, i)
            if type_ in _PRECISION:
                _no(f"it assigns a number to {name}, which is a float")
            return self.add(name, type_, f"= {''.join(texts)}")
        _no(f"it assigns to {name}, but no sum, minimum or the like")

    def accumulator(self, name: str, *places: int) -> str:
        """The type of an accumulator that is named at these places."""
        if name in self.inner or name == self.index:
            _no(f"it changes {name}")
        self.known.update(places)
        type_: Type | str | None = self.finder.locals.get(name)
        if name.startswith("v."):
            declared = self.finder.spec.vertex_fields.get(name[2:])
            type_ = None if declared is None else declared.resolve(self.finder.real).c
        if type_ not in _SCALARS:
            _no(f"the type of {name} is not known to be a number")
        return str(type_)

    def add(self, name: str, type_: str, how: str, leader: str = "") -> None:
        if self.depth:
            self.repeated.add(name)
        self.found.setdefault(name, []).append(Accumulator(name, type_, how, leader))

    # Expressions ------------------------------------------------------------------------------

    def pure(self, start: int, end: int) -> None:
        """Refuse an expression that changes anything, or passes on where something could be
        changed."""
        toks, types = self.finder.toks, self.finder.snippet.types
        for i in range(start, end):
            token = toks[i]
            passes = token.text in self.finder.places and at(toks, i + 1) != "["
            if passes or (token.text == "&" and not ends_operand(toks, i - 1, types)):
                _no("it passes on a pointer or an array")
            changes = token.text in ("++", "--", "{", ";", "set_mask_of") or token.text[-1] == "="
            if changes and token.text not in ("==", "!=", "<=", ">="):
                _no("it changes something within an expression")

    def types(self, start: int, end: int) -> set[str]:
        """The types on which that of an expression depends."""
        toks, found = self.finder.toks, set[str]()
        marks, compares, i = list[int](), False, start
        while i < end:
            marks += [i] if toks[i].text in ("?", ":") else []
            compares |= toks[i].text in _COMPARE
            i = closing(toks, i) if toks[i].text in ("(", "[") else i + 1
        if marks:
            if len(marks) != 2:
                _no("its terms are too nested to tell their type")
            return self.types(marks[0] + 1, marks[1]) | self.types(marks[1] + 1, end)
        if compares:
            return {"int"}
        i = start
        while i < end:
            i = self.operand(i, found)
        return found

    def operand(self, i: int, found: set[str]) -> int:
        """Add the type of the operand or sign at toks[i]; returns where the next one is."""
        toks, finder = self.finder.toks, self.finder
        token = toks[i]
        if token.text == "(":
            end = closing(toks, i)
            found |= self.types(i + 1, end - 1)
            return end
        if token.kind == "number":
            found.add(self.number(token.text.lower()))
            return i + 1
        if token.kind != "word":
            return i + 1
        if token.text in _SCALARS:  # a cast
            found.add(finder._type(token.text))
            return i + 1
        called = at(toks, i + 1) == "("
        if called and token.text in _ALIKE:
            return i + 1 + self.arguments(i + 1, found)
        end, type_ = (closing(toks, i + 1) if called else i + 1), self.named(token.text, called)
        if token.text in ("v", "p", "g", "prev") and at(toks, i + 1) == ".":
            end, type_ = i + 3, self.member(token.text, at(toks, i + 2))
        if type_ is None or type_ not in _SCALARS or at(toks, end) in (".", "->", "["):
            _no(f"the type of {token.text} is not known to be a number")
        found.add(type_)
        return end

    def arguments(self, i: int, found: set[str]) -> int:
        """Add the types of the arguments in the parentheses at toks[i]; returns how many tokens
        these are."""
        toks, end, k = self.finder.toks, closing(self.finder.toks, i), i + 1
        while k < end:
            stop = whole_end(toks, k)
            found |= self.types(k, stop)
            k = stop + 1
        return end - i

    def number(self, text: str) -> str:
        if text.startswith("0x") or not set(text) & set(".ef"):
            return {"l": "long", "u": "uint"}.get(text[-1], "int")
        return "float" if text.endswith("f") else self.finder.literal

    def named(self, word: str, called: bool) -> str | None:
        """The type of a word of the language or of a local variable."""
        finder, spec = self.finder, self.finder.spec
        if not called and word in finder.locals:
            return finder.locals[word]
        if word in (*_INTS, "num_neighbors", "superstep", "lane", "has_msg", "common"):
            return "int"
        if word in ("true", "false"):
            return "int"
        if word in ("hash", "uniform"):
            return "uint" if word == "hash" else finder._type("real")
        if word == "msg" and spec.grouping is None:
            name = spec.gathered if spec.gathered is not None else spec.message
            return None if name is None else _of_number(resolve(name, finder.real))
        fields: Mapping[str, object] = spec.vertex_fields if word.endswith("_of") else {}
        if called and word.removesuffix("_of") in fields:
            return _of_number(spec.vertex_fields[word.removesuffix("_of")].resolve(finder.real))
        if called and word.endswith("_to") and word.removesuffix("_to") in spec.edge_fields:
            return spec.edge_fields[word.removesuffix("_to")].resolve(finder.real).c
        return None

    def member(self, space: str, name: str) -> str | None:
        finder, spec = self.finder, self.finder.spec
        if space == "g" or (space == "v" and name not in spec.vertex_fields):
            return "long" if name == "num_edges" else "int"
        declared: Mapping[str, Field] = {
            "v": spec.vertex_fields,
            "p": {n: p for n, p in spec.params.items() if p.in_run},
        }.get(space, {})
        if name in declared:
            return _of_number(declared[name].resolve(finder.real))
        return None


def _of_number(type_: Type) -> str | None:
    """The type of a component of an array, or else the type."""
    return type_.one.c if type_.shape else type_.c
