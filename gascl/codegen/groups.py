"""Writes the type of a group of messages with the same key, and the functions of
kernels/groups.cl that depend on it."""

from __future__ import annotations

from gascl.codegen.context import Context
from gascl.codegen.source_writer import Text
from gascl.language.grouping import COUNT
from gascl.language.types import Type


def write_groups(text: Text, c: Context) -> None:
    """Write how a message becomes a group, and groups are joined."""
    grouping = c.spec.grouping
    if grouping is None:
        return
    types, message = dict(c.group.members), dict(c.message.members)
    key, whole = grouping.keyed, not grouping.key
    unsigned = types[key].scalar.kind == "u"
    place = "int" if c.narrow_keys else "long"
    to, half = ("uint", "0x80000000u") if c.narrow_keys else ("ulong", "0x8000000000000000ul")
    turned = "" if unsigned else f" ^ {half}"
    text.put(
        f"typedef {types[key].c} gascl_key;",
        "// The bits of a key, in the order of keys, and the key of bits.",
        f"typedef {to} gascl_key_bits;",
        f"#define GASCL_KEY_BITS(key) (({to})(key){turned})",
        f"#define GASCL_KEY_OF(bits) (({types[key].c})((bits){turned}))",
    )
    if c.traits.votes:
        sign = "INT_MIN" if unsigned else "0"
        text.put(f"typedef {types[key].c}16 gascl_keys;", f"#define GASCL_SIGN {sign}", "")
        return
    text.put(
        f"typedef {to}16 gascl_sixteen_keys;",
        f"typedef {place} gascl_place;",
        f"typedef {place}16 gascl_sixteen_places;",
        f"#define GASCL_KEY(group) (group).{key}",
        "",
        "// A group of one message. `count` stands for its place among the messages meanwhile.",
        "static gascl_group gascl_group_of(const gascl_message x, const int place) {",
        "    gascl_group group;",
        f"    group.{key} = {'x' if whole else f'x.{key}'};",
        *(f"    group.{n} = {_as(types[n], message[n], f'x.{n}')};" for n, _ in grouping.values),
        "    group.count = place;",
        "    return group;",
        "}",
        "",
        "// The message of such a group.",
        "static gascl_message gascl_message_of(const gascl_group group) {",
        "    gascl_message x;",
        f"    {'x' if whole else f'x.{key}'} = group.{key};",
        *(f"    x.{n} = {_as(message[n], types[n], f'group.{n}')};" for n, _ in grouping.values),
        "    return x;",
        "}",
        "",
        "// Adds the values of another group with the same key.",
        "static void gascl_join_values(gascl_group *into, const gascl_group other) {",
    )
    for name, combiner in grouping.values:
        both = combiner.combined(types[name], f"into->{name}", f"other.{name}")
        text.put(f"    into->{name} = {both};")
    text.put("}", "")
    if c.traits.hashes:
        name = grouping.values[0][0]
        text.put(
            "// The bits of the sum of a group.",
            f"#define GASCL_SUM_BITS(group) ((ulong)(group).{name})",
            f"#define GASCL_SET_SUM(group, bits) ((group).{name} = ({types[name].c})(bits))",
            "",
        )
    names = [*(n for n, _ in grouping.values), COUNT]
    text.macro("GASCL_STORE_VALUES(to, from)", *(f"(to).{n} = (from).{n}" for n in names))


def _as(to: Type, given: Type, value: str) -> str:
    """C text of a value of one type in another."""
    return f"convert_{to.c}({value})" if to.width > 1 and to != given else f"({to.c})({value})"
