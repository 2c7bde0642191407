"""`by_key`: messages with the same key are combined, and a vertex sees a group for each key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gascl.errors import ProgramError
from gascl.language.combiners import AND, MAX, MIN, OR, PRODUCT, SUM, Combiner
from gascl.language.types import Type, resolve

#: The combiners of the values of a group.
_RULES = {c.name: c for c in (SUM, PRODUCT, MIN, MAX, OR, AND)}
#: The member of a group that says how many messages it has, and its key where a message is a key.
COUNT, KEY = "count", "key"


@dataclass(frozen=True)
class Grouping:
    """How messages are grouped by their key, as `by_key` says.

    Attributes:
        key: the member of a message that is its key; "" if the whole message is.
        values: how each other member is combined within a group.
    """

    key: str = ""
    values: tuple[tuple[str, Combiner], ...] = ()

    def __str__(self) -> str:
        key = [repr(self.key)] if self.key else []
        return f"by_key({', '.join([*key, *(f'{n}={c.name!r}' for n, c in self.values)])})"

    @property
    def keyed(self) -> str:
        """The member of a group that is its key."""
        return self.key or KEY

    @property
    def ordered(self) -> bool:
        """Whether a value may depend on the order in which messages are combined: through rounding,
        if it is a float."""
        return any(combiner in (SUM, PRODUCT) for _, combiner in self.values)

    def refuses(self, message: Type) -> str:
        """Why messages of a type cannot be grouped like this; "" if they can."""
        members = dict(message.members)
        if not self.key:
            if members or self.values:
                return 'needs the member that is the key, as in by_key("label", weight="sum")'
            return _refuses_key("a message", message)
        if not members:
            return "names members, so that message must be a struct: or write by_key()"
        for name in (self.key, *(name for name, _ in self.values)):
            if name not in members:
                return f"names {name!r}, which is no member of message: {', '.join(members)}"
        rules = dict(self.values)
        if self.key in rules:
            rule = f"{self.key}={rules[self.key].name!r}"
            return f"combines {self.key!r}, which is the key: remove {rule}"
        for name in members:
            if name != self.key and name not in rules:
                return f"does not say how {name!r} is combined, as in {name}='sum'"
        if COUNT in members:
            return f"gives a group the member {COUNT!r}: give the member of message another name"
        for name, combiner in self.values:
            if members[name].shape:
                return f"combines {name!r}, which is an array: use a vector such as 'real16'"
            why = combiner.refuses(members[name])
            if why:
                return f"has {name}={combiner.name!r}, which {why.split(';')[0]}"
        return _refuses_key(repr(self.key), members[self.key])

    def names(self) -> tuple[str, ...]:
        """The names of the members of a group."""
        return self.keyed, *(name for name, _ in self.values), COUNT

    def members(self, message: Type, fp64: bool) -> Iterator[tuple[str, Type]]:
        """The members of a group: its key, its values in the types in which they are combined, and
        the number of its messages."""
        types = dict(message.members) or {KEY: message}
        yield self.keyed, types[self.keyed]
        for name, combiner in self.values:
            yield name, combiner.accumulator(types[name], fp64)
        yield COUNT, resolve("int32", "")


def by_key(key: str = "", **values: str) -> Grouping:
    """Messages with the same key are combined: of a vertex's messages, there is a group for each
    key::

        message, combine = "vertex", by_key()  # the message is the key
        message = struct([("label", "vertex"), ("weight", "real")])
        combine = by_key("label", weight="sum")

    docs/programs.md has the details.

    Args:
        key: the member of a message that is its key.
        values: how each other member is combined: "sum", "prod", "min", "max", "or" or "and".

    Raises:
        ProgramError: there is no such rule.
    """
    for name, rule in values.items():
        if rule not in _RULES:
            known = ", ".join(_RULES)
            raise ProgramError(f"by_key: {name}={rule!r} is not one of {known}")
    if not isinstance(key, str):
        raise ProgramError(f"by_key: the key is the name of a member of message, not {key!r}")
    return Grouping(key, tuple((name, _RULES[rule]) for name, rule in values.items()))


def _refuses_key(what: str, type_: Type) -> str:
    if type_.width > 1 or type_.is_float:
        return f"needs an integer or a vertex as the key, which {what} ({type_.c}) is not"
    return ""
