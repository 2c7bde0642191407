"""Gather snippets that only reduce integers: such a program has the same result with a combiner,
by which every delivery can run it, and work-groups share the messages of a hub."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from gascl.language.combiners import AND, EXPRESSION, MAX, MIN, OR, Combiner
from gascl.language.message_loops import message_loop
from gascl.language.operands import at
from gascl.language.preprocessor import Preprocessor
from gascl.language.snippet import Snippet
from gascl.language.spec import ProgramSpec
from gascl.language.tokens import Token, closing, rewritten
from gascl.language.types import SCALARS

_INTEGERS = {name for name in SCALARS if "int" in name}
#: The operators between the operands of a term.
_SIGNS = {*"+-*/%&|^<>", "<<", ">>", "==", "!=", "<=", ">=", "&&", "||"}
#: For each way to reduce: the combiner, its text and identity where it is an expression, and
#: whether the value from before the loop may be combined with each term instead.
_RULES: dict[str, tuple[Combiner, str, bool]] = {
    "+": (EXPRESSION, "a + b", False),
    "^": (EXPRESSION, "a ^ b", False),
    "|": (OR, "", True),
    "&": (AND, "", True),
    "min": (MIN, "", True),
    "max": (MAX, "", True),
}


class _Reduction(NamedTuple):
    """What a gather snippet makes of its messages.

    Attributes:
        how: a key of `_RULES`.
        first: C text of the integer from before the loop.
        before, after: C text of a term, without the message in it.
    """

    how: str
    first: str
    before: str
    after: str


def combined_form(spec: ProgramSpec) -> ProgramSpec:
    """The program with a combiner in place of its gather snippet, if that only reduces integers by
    sums, extremes or bits, which do not depend on the order, and if no vertex can send twice along
    an arc, which is an error with a gather snippet; else the program itself. Senders compute the
    terms."""
    gather, scatter = spec.snippet("gather"), spec.snippet("scatter")
    if not (gather and scatter) or spec.grouping or "identity" in spec.snippets:
        return spec
    message, result = spec.message, spec.gathered or spec.message
    if message not in _INTEGERS or result not in _INTEGERS or scatter.has_directives:
        return spec
    reduction = _reduction(gather)
    calls = [len(call.arguments) for call in scatter.calls("send")]
    if reduction is None or calls != [1] or scatter.may_send_again:
        return spec
    if reduction.how in ("min", "max") and (scatter.uses(reduction.how) or message != result):
        return spec  # perhaps a variable, which the term would meet, or an ambiguous call
    combiner, text, each_has_first = _RULES[reduction.how]
    # Where vertices without messages apply, they get 0, the identity of these alone.
    if reduction.how in ("&", "min", "max") and spec.apply_on != "message":
        return spec
    if not each_has_first and int(reduction.first):
        return spec
    c = {name: SCALARS[str(name)] for name in (message, result)}
    before = f"{reduction.before}(({c[message]})("
    after = f")){reduction.after}"
    if each_has_first:
        first = f"({c[result]})({reduction.first})"
        value = (f"({c[result]})({before}", f"{after})")
        if reduction.how in ("min", "max"):
            before, after = f"{reduction.how}({first}, {value[0]}", f"{value[1]})"
        else:
            before, after = f"{first} {reduction.how} {value[0]}", value[1]
    toks = scatter.tokens
    send = next(i for i, token in enumerate(toks) if token.text == "send")
    end = closing(toks, send + 1)
    sending = rewritten(scatter.text, toks, {send + 2: before}, {}, {end - 2: after})
    snippets = {name: each for name, each in spec.snippets.items() if name != "gather"}
    known = Preprocessor(types=set(scatter.types))
    snippets["scatter"] = Snippet.make(scatter.label, sending, scatter.places, known)
    if text:
        place = gather.places[:1]
        snippets["combine"] = Snippet.make(f"{spec.name}.combine", text, place)
        snippets["identity"] = Snippet.make(f"{spec.name}.identity", "0", place)
    return replace(
        spec,
        message=result,
        gathered=None,
        combiner=combiner,
        snippets=MappingProxyType(snippets),
    )


def _reduction(gather: Snippet) -> _Reduction | None:
    """What a snippet does if it is one loop over all messages that only reduces them."""
    toks = gather.tokens
    if gather.has_directives:
        return None
    first, i = "0", 0
    if [at(toks, 0), at(toks, 1)] == ["msg", "="]:
        end = next((k for k, token in enumerate(toks) if token.text == ";"), 0)
        first, i = "".join(token.text for token in toks[2:end]), end + 1
    loop = message_loop(toks, i) if at(toks, i) == "for" else None
    if not _is_integer(first) or loop is None or loop.body[-1] + 1 != len(toks):
        return None
    if [toks[k].text for k in loop.declared][-2:] != ["0", ";"] or len(loop.declared) != 5:
        return None
    body = toks[loop.body[0] : loop.body[-1] + 1]
    if body[0].text == "{":
        body = body[1:-1]
    how, term = _statement(body)
    texts = [token.text for token in term]
    read = ["messages", "[", loop.variable, "]"]
    places = [k for k in range(len(texts)) if texts[k : k + 4] == read]
    if len(places) != 1 or not _is_plain(term):
        return None
    return _Reduction(how, first, _text(term[: places[0]]), _text(term[places[0] + 4 :]))


def _statement(body: Sequence[Token]) -> tuple[str, Sequence[Token]]:
    """How a statement combines `msg` with a term, and the term; "" if it does not."""
    texts = [token.text for token in body]
    if texts.count(";") != 1 or texts[-1:] != [";"] or texts[:1] != ["msg"]:
        return "", ()
    if texts[1] in ("+=", "^=", "|=", "&="):
        return texts[1][0], body[2:-1]
    extreme = texts[1:2] == ["="] and texts[3:6] == ["(", "msg", ","] and texts[-2] == ")"
    if extreme and texts[2] in ("min", "max") and closing([*body], 3) == len(body) - 1:
        return texts[2], body[6:-2]
    return "", ()


def _is_integer(text: str) -> bool:
    """Whether it is a plain integer of C that Python reads alike."""
    digits = text.removeprefix("-")
    return digits == "0" or (digits.isdecimal() and digits[0] != "0")


def _is_plain(term: Sequence[Token]) -> bool:
    """Whether a term is a whole expression of the message, integers, casts to integers and
    operators, and surely does not divide by 0. An error in it would be reported of scatter."""
    types, k, ended = {SCALARS[name] for name in _INTEGERS}, 0, False
    texts = [token.text for token in term]
    while k < len(texts):
        text, step = texts[k], 1
        if ended:  # with an operand
            divides = text in ("/", "%")
            if text in _SIGNS and not (divides and not _divides(at([*term], k + 1))):
                ended = False
            elif text != ")":
                return False
        elif texts[k : k + 4 : 3] == ["messages", "]"]:
            ended, step = True, 4
        elif term[k].kind == "number" and _is_integer(text):
            ended = True
        elif texts[k : k + 3 : 2] == ["(", ")"] and texts[k + 1] in types:
            step = 3
        elif text not in ("(", "+", "-", "~", "!"):
            return False
        k += step
    return ended


def _divides(text: str) -> bool:
    return _is_integer(text) and int(text) != 0


def _text(part: Sequence[Token]) -> str:
    return "".join(f"{token.text} " for token in part)
