"""What a class says of its messages: their type, how they combine, who sends. And its check."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NoReturn

from gascl.errors import ProgramError
from gascl.language.source import Place
from gascl.language.types import resolve

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram

#: The combiners with a name. Any other is an expression over `a` and `b`, with an `identity`.
COMBINERS = ("sum", "prod", "min", "max", "or", "and")


def refuse(place: Place, cls: type[VertexProgram], why: str) -> NoReturn:
    shown = f"\n    {place.text.strip()}" if place.text else ""
    raise ProgramError(f"{place}: {cls.__name__}: {why}{shown}")


def check_messages(cls: type[VertexProgram]) -> None:
    sending = [n for n in ("scatter", "pairs", "apply") if n in cls.snippets]
    sends = [n for n in sending if cls.snippets[n].uses("send", "send_to")]
    if cls.message is None:
        if sends or cls.combine is not None or "gather" in cls.snippets:
            refuse(
                cls.class_source.place(sends[0] if sends else "combine"),
                cls,
                "say what is sent: message = 'real' (or another type) and combine = 'sum' ...",
            )
        if "apply" in cls.snippets and cls.snippets["apply"].uses("msg"):
            refuse(
                cls.class_source.place("apply"), cls, "`msg` is read, but no `message` is declared"
            )
        return
    place = cls.class_source.place("message")
    if "gather" in cls.snippets:
        return
    if cls.combine is None:
        named = ", ".join(COMBINERS)
        why = f"combine is missing: one of {named}, or a C expression over a and b"
        refuse(place, cls, why + "; or a gather snippet that reads messages[i]")
    type_ = resolve(cls.message, "float32")
    place = cls.class_source.place("combine")
    if cls.combine in COMBINERS:
        if cls.identity is not None:
            refuse(place, cls, f"combine = {cls.combine!r} has an identity of its own")
        summed = cls.combine == "sum" and type_.all_floats
        if (type_.width > 1 or type_.members) and not summed:
            also = ", or floats alone in a vector or struct" if cls.combine == "sum" else ""
            why = f"combine = {cls.combine!r} needs a scalar message{also}; or write it out"
            refuse(place, cls, why)
        if cls.combine in ("or", "and") and type_.is_float:
            refuse(place, cls, f"combine = {cls.combine!r} needs an integer message")
    else:
        words = cls.snippets["combine"].words
        if "a" not in words or "b" not in words:
            near = get_close_matches(cls.combine, COMBINERS, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            refuse(place, cls, f"combine = {cls.combine!r} is no expression over a and b{hint}")
        if cls.identity is None:
            refuse(place, cls, "a combine expression needs its identity = '...'")


def check_singles(cls: type[VertexProgram]) -> None:
    """A gather snippet reads messages singly: what goes with it and what does not."""
    gather = cls.snippets.get("gather")
    if gather is None:
        if cls.gathered is not None:
            place = cls.class_source.place("gathered")
            refuse(place, cls, "gathered is the type that a gather snippet assigns; there is none")
        return
    if cls.combine is not None:
        refuse(
            cls.class_source.place("gather"),
            cls,
            "messages are combined or read singly: give combine or gather, not both",
        )
    for name in ("scatter", "apply"):
        if name in cls.snippets and cls.snippets[name].uses("send_to"):
            snippet = cls.snippets[name]
            refuse(
                snippet.place(snippet.words["send_to"]),
                cls,
                "send_to needs a combiner: single messages travel along arcs only",
            )
    if not any(m.namespace == "msg" for m in gather.members):
        refuse(cls.class_source.place("gather"), cls, "gather must assign `msg`")


def check_pairs(cls: type[VertexProgram]) -> None:
    """A pairs snippet sends, to a combiner."""
    pairs = cls.snippets.get("pairs")
    if pairs is None:
        return
    place = cls.class_source.place("pairs")
    if not pairs.uses("send"):
        refuse(place, cls, "pairs sends nothing: call send(x), what u gives to v")
    if "gather" in cls.snippets:
        why = "a gather snippet reads messages one by one, and there would be one for each pair"
        refuse(cls.class_source.place("gather"), cls, f"{why}: give pairs a combiner")
