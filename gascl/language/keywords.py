"""The words that mean something in snippets, in C or in Python, so that nothing else can be called
by them; docs/programs.md lists them."""

from __future__ import annotations

from collections.abc import Container

from gascl.language.types import SCALARS, WIDTHS

VERTEX_MEMBERS = ("id", "in_degree", "out_degree")
EDGE_MEMBERS = ("src", "dst", "id", "reversed")
GRAPH_MEMBERS = ("num_vertices", "num_edges", "hub")

#: Snippet -> the namespaces that it may read. The init expression of a vertex field counts as
#: "field", that of an arc field as "arc"; the combiner and identity of an aggregator count as those
#: of messages.
READS = {
    "functions": "",
    "field": "v p g superstep",
    "arc": "e p g superstep",
    "init": "v p g superstep",
    "mask": "v p g",
    "scatter": "v e p g prev superstep",
    "pairs": "v u p g prev superstep",
    "gather": "v p g prev superstep",
    "prefer": "v p g prev superstep",
    "apply": "v p g prev superstep",
    "stop": "agg prev p g superstep",
    "receive_if": "v p g superstep",
    "enough": "v p g superstep",
    "priority": "v p g",
    "pairs_within": "p g prev superstep",
    "pairs_merge": "p g prev superstep",
    "combine": "",
    "identity": "",
}
_ANYWHERE = "functions field arc init mask scatter pairs gather apply stop combine identity "
_ANYWHERE += "prefer receive_if enough priority pairs_within pairs_merge"
#: Function or word -> the snippets that may use it. `aggregate_NAME`, `add_to_FIELD`, `FIELD_of`,
#: `FIELD_to`, `FIELD_from_first` and `FIELD_from_second` depend on the class.
CALLS = {
    "send": "scatter pairs",
    "send_to": "scatter apply",
    "set_mask": "init scatter apply",
    "set_mask_of": "init scatter apply",
    "unset_mask": "apply",
    "needs_order": "scatter apply",
    "get_mask": "scatter gather apply receive_if",
    "get_mask_of": "scatter gather apply",
    "messages": "gather",
    "num_messages": "gather",
    "groups": "gather",
    "num_groups": "gather",
    "msg": "gather apply receive_if enough",
    "has_msg": "apply",
    "neighbor": "field init scatter gather apply",
    "num_neighbors": "field init scatter gather apply",
    "neighbor_of": "scatter gather apply",
    "num_neighbors_of": "scatter gather apply",
    "has_edge": "scatter gather apply",
    "common": "scatter gather apply",
    "for_common": "scatter gather apply",
    "hash": _ANYWHERE,
    "uniform": _ANYWHERE,
    "lane": "field arc init mask scatter pairs gather prefer apply receive_if enough priority "
    "pairs_within pairs_merge",
    "superstep": "field arc init scatter pairs gather prefer apply stop receive_if enough "
    "pairs_within pairs_merge",
}
#: What `pairs_merge` compares.
OF_GROUPS = ("distance", "radius")
#: The number of arguments of each function.
ARGUMENTS = {
    "send": 1, "send_to": 2, "set_mask_of": 1, "get_mask_of": 1, "neighbor": 1, "has_edge": 2,
    "neighbor_of": 2, "num_neighbors_of": 1, "common": 2, "for_common": 3, "hash": 1, "uniform": 1
}  # fmt: skip
#: The largest number of arguments of `uniform`.
MOST_KEYS = 8
PHASES = ("scatter", "gather", "apply")
#: The snippets that may read fields of other vertices, by `FIELD_of`.
READS_OTHERS = ("scatter", "gather", "prefer", "apply")
#: How the word begins by which apply adds to a field of any vertex.
ADD_TO = "add_to_"
#: Words of other languages -> how to write them.
FOREIGN = {"and": "&&", "or": "||", "not": "!", "True": "true", "False": "false", "None": "0"}
#: Functions of other languages, none of which is repeatable.
RANDOM = frozenset(("rand", "random", "rand_r", "drand48", "randint", "frand"))

#: Keywords and types of C, except OpenCL's vectors, and `real`.
C_WORDS = frozenset(
    """asm auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef typeof
    union unsigned void volatile while half bool true false kernel global local constant private
    read_only write_only read_write uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t
    event_t sampler_t image1d_t image2d_t image3d_t vec_step pipe complex imaginary real""".split()
)
VECTORS = frozenset(f"{c}{n}" for c in ("real", "half", *SCALARS.values()) for n in WIDTHS)
#: Macros of OpenCL C without a prefix of their own.
CONSTANTS = frozenset(
    """CHAR_BIT CHAR_MAX CHAR_MIN EMBEDDED_PROFILE HUGE_VAL HUGE_VALF INFINITY INT_MAX INT_MIN
    LONG_MAX LONG_MIN MAXFLOAT NAN NULL SCHAR_MAX SCHAR_MIN SHRT_MAX SHRT_MIN UCHAR_MAX UINT_MAX
    ULONG_MAX USHRT_MAX""".split()
)
#: How OpenCL's other macros begin.
CONSTANT_PREFIXES = tuple("ATOMIC_ CLK_ CL_ cl_khr_ DBL_ FLT_ FP_ HALF_ M_".split())
#: What the language itself uses.
LANGUAGE = frozenset((*CALLS, "v", "e", "p", "g", "prev", "agg"))
#: Attributes and arguments of every constructed program.
CONSTRUCTION = frozenset(("dtype", "initial", "self"))
#: Attributes of `Result`: a vertex field with such a name could not be read as an attribute.
RESULT = frozenset(
    "aggregates arc_fields communities converged delivery device dtype edges fields graph initial "
    "missing named numbering own_rows path plot save save_trace seconds state stopped supersteps "
    "time_type to_pandas to_parquet top trace types".split()
)
_NO_MACRO = C_WORDS | {"INFINITY", "NAN", "NULL", "defined", "u"} | LANGUAGE


def reserved(name: str) -> bool:
    """Whether a name already has a meaning in snippets, so that no macro or struct can have it."""
    return name in _NO_MACRO or name.startswith(("__", "gascl", "GASCL", "aggregate_", ADD_TO))


#: The endings of the words for the edge fields of the two arcs that `for_common` goes along.
FROM = ("_from_first", "_from_second")
#: The endings of all words that read an edge field of an arc to a neighbor.
TO = ("_to", *FROM)


def reads_field(word: str, vertex_fields: Container[str], edge_fields: Container[str]) -> bool:
    """Whether a word is `FIELD_of` for one of the vertex fields, or `FIELD_to`, `FIELD_from_first`
    or `FIELD_from_second` for one of the edge fields."""
    if word.endswith("_of"):
        return word.removesuffix("_of") in vertex_fields
    return any(word.endswith(ending) and word.removesuffix(ending) in edge_fields for ending in TO)


def words_to(edge_field: str) -> tuple[str, ...]:
    """The words that read an edge field of an arc to a neighbor."""
    return tuple(edge_field + ending for ending in TO)


def meaning(name: str) -> str:
    """What a name already is wherever C is written, so that no declaration or member can have it;
    "" if it is free."""
    if name in C_WORDS or name in VECTORS:
        return "a word of C"
    if name in CONSTANTS or name.startswith(CONSTANT_PREFIXES):
        return "a constant of OpenCL C"
    if name in CALLS:
        return "a word of the language"
    if name.startswith(("__", "gascl", "GASCL")):
        return "a name of gascl's own code"
    return ""
