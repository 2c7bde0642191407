"""Renders the options that messages name as those of the command `gascl`."""

from __future__ import annotations

import shlex
from typing import Any

from gascl.user_messages import ANY, Message, Option, render

#: Arguments of functions that are options of the shell, too. All others are parameters.
_SAME = {"checkpoint", "delivery", "device", "duplicates", "every", "format", "max_supersteps"}
_SAME |= {"color", "partition", "self_loops", "size", "spill", "start", "id", "vertices", "weight"}
_SAME |= {"edge_color", "edge_labels", "edge_width"}


def for_shell(text: str) -> str:
    """A message in the words of the shell; a text that names no options is unchanged."""
    if not isinstance(text, Message):
        return text
    return render(text.parts, _option, " ")


def _option(option: Option) -> str:
    name, value = option.name, _text(option.value)
    if option.of == "edge field":
        return f"give --weight {value}" if name == "weight" else f"give --set {name}={value}"
    if option.of == "reader":
        return f"--option {_quoted(f'{name}={value}')}"
    if option.of == "program" or name not in {*_SAME, "directed", "field", "resume"}:
        return f"--set {_quoted(f'{name}={value}')}"
    if name == "field":  # of Graph.between
        return f"--time {_quoted(value)}"
    if name == "directed":
        return "--undirected" if option.value is False else "--directed"
    if name == "resume":
        return "--resume"
    return f"--{name.replace('_', '-')} {_quoted(value)}".rstrip()


def _quoted(text: str) -> str:
    """The text as one argument of a command; options that users complete stay readable."""
    return shlex.quote(text) if any(character.isspace() for character in text) else text


def _text(value: Any) -> str:
    """A value as the shell's options take it: `true`, `0.5`, `from,to`."""
    if value is ANY:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return str(value)
