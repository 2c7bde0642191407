"""How a gather snippet reads its messages, which decides where a GPU can keep them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from gascl.language.operands import OPENING, TYPES, at, ends_operand, statement_end, whole_end
from gascl.language.snippet import Snippet, is_written
from gascl.language.tokens import Token, closing, rewritten

#: Words after which the items of a work-group would no longer do the same.
_LEAVES = ("return", "goto")
#: A body without any of these changes its variables at nearly every message.
_CHOICES = {"if", "?", "&&", "||", "|=", "&=", "min", "max", "fmin", "fmax"}
#: Words that leave a turn of a loop, so that what follows its body is not reached.
_LEAVES_TURN = ("break", "continue", "switch")


class MessageLoop(NamedTuple):
    """A loop over all messages, from the first or from a later one: the indices of its tokens.

    Attributes:
        begin: of its `for`.
        variable: its name.
        declared: the range of the variable's declaration, with its semicolon.
        condition: of the first token behind that.
        step: of the semicolon behind the condition.
        body: the range of the statement that it repeats.
    """

    begin: int
    variable: str
    declared: range
    condition: int
    step: int
    body: range


def only_indexes(snippet: Snippet) -> bool:
    """Whether `messages` only stands before an index, so that it need be no `__global` pointer."""
    toks = snippet.tokens
    return not snippet.has_directives and all(
        at(toks, i + 1) == "[" and not _has_address_taken(toks, i, snippet)
        for i, token in enumerate(toks)
        if token.text == "messages"
    )


def by_windows(snippet: Snippet) -> str | None:
    """The text of a gather snippet in which its loops over all messages read them from windows,
    parts of the messages that a work-group has copied to local memory (kernels/gather/windows.cl);
    None if it has no such loop, or does more than read messages. Its lines keep their places.

    All items of the group run it, and none may leave it early. Where a loop may look ahead, they
    first look for the next message that changes anything, each at other messages, and then go on
    with that one.
    """
    toks = snippet.tokens
    if not only_indexes(snippet) or snippet.uses(*_LEAVES):
        return None
    if any(_writes(toks, i, snippet) for i, t in enumerate(toks) if t.text == "messages"):
        return None
    loops = list(_loops(toks, snippet))
    if not loops:
        return None
    before: dict[int, str] = {}
    after: dict[int, str] = {}
    instead: dict[int, str] = {}
    for loop in loops:
        declaration, variable = " ".join(toks[i].text for i in loop.declared), loop.variable
        for i in loop.body:
            inside = "".join(t.text for t in toks[i : i + 4])
            if inside == f"messages[{variable}]":
                instead[i] = "gascl_window"
                after[i + 2] = " - gascl_from"
        state = _state(toks, loop, snippet)
        start, ahead = "GASCL_LOAD_WINDOW GASCL_UNROLL ", ""
        # A loop that was left by `break` reads no further window.
        end, rest = "gascl_to", f" if ({variable} < gascl_to) {variable} = num_messages;"
        if state is not None:
            body = " ".join(instead.get(i, toks[i].text) + after.get(i, "") for i in loop.body)
            typed = " ".join(toks[i].text for i in loop.declared if i < loop.declared[-1])
            typed = typed.partition("=")[0]
            start, ahead = _looking(typed, variable, body, state), "int gascl_most = GASCL_LOOKS; "
            end, rest = "gascl_until", " } GASCL_END_LOOKING"
        before[loop.begin] = f"{{ {declaration} {ahead}GASCL_FOR_WINDOWS {{ {start}"
        instead |= dict.fromkeys(loop.declared, "")
        instead[loop.declared[-1]] = ";"
        instead |= dict.fromkeys(range(loop.condition, loop.step), "")
        instead[loop.condition] = f"{variable} < {end}"
        last = loop.body[-1]
        after[last] = f"{after.get(last, '')}{rest} }} }}"
    return rewritten(snippet.text, toks, before, instead, after)


def looks_ahead(snippet: Snippet) -> bool:
    """Whether any loop of `by_windows` looks ahead."""
    return "GASCL_LOOK_AHEAD" in (by_windows(snippet) or "")


def _looking(typed: str, variable: str, body: str, state: dict[str, str]) -> str:
    """C text before a loop over a window, by which it begins with the next message that changes the
    state, and ends after it. Each item tries others, on a copy of the state.

    Args:
        typed: the variable of the loop with its type.
    """
    kept = " ".join(f"const {type_} gascl_had_{name} = {name};" for name, type_ in state.items())
    copies = " ".join(f"{type_} {name} = gascl_had_{name};" for name, type_ in state.items())
    differs = " || ".join(f"GASCL_DIFFERS({name}, gascl_had_{name})" for name in state) or "false"
    return (
        f"GASCL_LOAD_WINDOW GASCL_LOOK_AHEAD({variable}) {{ {kept} {{ "
        f"const {typed}= gascl_at; {copies} {body} if ({differs}) gascl_next = gascl_at; "
        f"}} }} GASCL_GO_ON({variable}) GASCL_UNROLL "
    )


def _state(toks: list[Token], loop: MessageLoop, snippet: Snippet) -> dict[str, str] | None:
    """The variables from before a loop that its body writes, with their types; None if it may write
    anything else, leaves its turns, or changes them at nearly every message."""
    texts = {toks[i].text for i in loop.body}
    if texts.intersection(_LEAVES_TURN) or not texts.intersection(_CHOICES):
        return None
    types = TYPES | snippet.types
    # Without an initial value, each item would have another one.
    before = _outer(toks[: loop.begin])
    known = {"msg": "gascl_gathered"} | _declared(before, types, ("=",))
    state: dict[str, str] = {}
    own = set(_declared([toks[i] for i in loop.body], types, ("=", ",", ";")))
    names = (t.text for i, t in enumerate(before) if at(before, i - 1) not in (".", "->"))
    if own.difference(known).intersection(names):
        return None  # a name that may be that of two variables
    for i in loop.body:
        name = toks[i].text
        if toks[i].kind != "word" or at(toks, i - 1) in (".", "->"):
            continue
        if not is_written(toks, i, i + 1, snippet.types) or (name in own and name not in known):
            continue
        if name not in known:
            return None
        state[name] = known[name]
    return state


def _outer(toks: list[Token]) -> list[Token]:
    """Tokens without those of blocks, whose variables do not outlive them."""
    found, i = list[Token](), 0
    while i < len(toks):
        found.append(toks[i])
        i = closing(toks, i) if toks[i].text == "{" else i + 1
    return found


def _declared(toks: list[Token], types: Set[str], followed: Sequence[str]) -> dict[str, str]:
    """The variables that statements declare, and their types: one word each, no arrays, and no
    pointers.

    Args:
        followed: what stands behind their names.
    """
    found: dict[str, str] = {}
    for i, token in enumerate(toks):
        if token.text not in types or at(toks, i - 1) not in ("", ";", "{", "}", "(", "const"):
            continue
        k = i + 1
        while k < len(toks) and toks[k].kind == "word" and at(toks, k + 1) in ("=", ",", ";"):
            if at(toks, k + 1) in followed:
                found[toks[k].text] = token.text
            k = whole_end(toks, k + 2) if at(toks, k + 1) == "=" else k + 1
            if at(toks, k) != ",":
                break
            k += 1
    return found


def _loops(toks: list[Token], snippet: Snippet) -> Iterator[MessageLoop]:
    """The loops over all messages that are statements of the snippet itself."""
    i = 0
    while i < len(toks):
        end = closing(toks, i) if toks[i].text in ("(", "[", "{") else i + 1
        if toks[i].text == "for" and at(toks, i - 1) in ("", ";", "}"):
            loop = message_loop(toks, i)
            if loop is not None and _keeps_variable(toks, loop, snippet):
                yield loop
                end = loop.body[-1] + 1
        i = end


def message_loop(toks: list[Token], i: int) -> MessageLoop | None:
    """The loop at toks[i], `for (int i = ...; i < num_messages; ++i) ...`, if it is one."""
    if at(toks, i + 1) != "(":
        return None
    head = range(i + 2, closing(toks, i + 1) - 1)
    ends = [k for k in head if toks[k].text == ";"]
    equals = next((k for k in head if toks[k].text == "="), 0)
    if len(ends) != 2 or not head[0] + 1 < equals < ends[0]:
        return None
    variable = toks[equals - 1].text
    declares = all(toks[k].kind == "word" for k in range(head[0], equals))
    condition = [t.text for t in toks[ends[0] + 1 : ends[1]]]
    step = [t.text for t in toks[ends[1] + 1 : head[-1] + 1]]
    if not declares or any(toks[k].text == "," for k in range(equals, ends[0])):
        return None
    if condition != [variable, "<", "num_messages"]:
        return None
    if step not in (["++", variable], [variable, "++"], [variable, "+=", "1"]):
        return None
    declared, body = (
        range(head[0], ends[0] + 1),
        range(head[-1] + 2, statement_end(toks, head[-1] + 2)),
    )
    return MessageLoop(i, variable, declared, ends[0] + 1, ends[1], body) if body else None


def _keeps_variable(toks: list[Token], loop: MessageLoop, snippet: Snippet) -> bool:
    """Whether the body of a loop neither changes its variable nor declares another of its name."""
    for i in loop.body:
        if toks[i].text != loop.variable or at(toks, i - 1) in (".", "->"):
            continue
        declares = toks[i - 1].kind == "word" and at(toks, i - 1) not in OPENING
        if declares or is_written(toks, i, i + 1, snippet.types):
            return False
    return True


def _writes(toks: list[Token], i: int, snippet: Snippet) -> bool:
    return is_written(toks, i, i + 1, snippet.types)


def _has_address_taken(toks: list[Token], i: int, snippet: Snippet) -> bool:
    while at(toks, i - 1) == "(":
        i -= 1
    return at(toks, i - 1) == "&" and not ends_operand(toks, i - 2, snippet.types)
