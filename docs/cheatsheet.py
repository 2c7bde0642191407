"""Writes docs/cheatsheet.md, the language on one page: `python docs/cheatsheet.py`.

The words, where they are allowed, their arguments and the defaults come from the code; only their
meanings are written here. A word without a meaning here, or a meaning without a word, is an error,
and a test fails as long as this script would change the page.
"""

from __future__ import annotations

from pathlib import Path

from gascl import VertexProgram
from gascl.language.combiners import NAMED
from gascl.language.fields import Aggregate
from gascl.language.keywords import (
    CALLS,
    EDGE_MEMBERS,
    GRAPH_MEMBERS,
    MOST_KEYS,
    READS,
    VERTEX_MEMBERS,
)
from gascl.language.types import SCALARS, WIDTHS

PAGE = Path(__file__).with_name("cheatsheet.md")

DECLARATIONS = {
    "vertex.real(init=...)": "state of a vertex, or an input if no snippet writes it",
    "vertex.real(64)": "an array of 64 numbers: `v.NAME[k]`",
    "edge.real(default=1)": "an edge field of the graph, read only",
    "arc.real(init=...)": "state of an arc, which scatter reads and writes",
    "param.real(0.85, low=0, high=1)": "a number given at construction",
    "param.vertex()": "a vertex, by its label",
    "param.vertices()": "None, a number of vertices to draw, or a list of labels, for `solve`",
    "param.time()": "a point in time, for fields `vertex.time()` and `edge.time()`",
    "param.flag(True)": "True or False",
    'param.choice("spread", "ignore")': "a word, tested as `p.NAME == NAME_spread`",
    "param.tolerance(1e-6)": "a bound for `stop`",
    "param.supersteps(10)": "how many supersteps to run",
    "param.array((16, 32))": "an array given at construction: `p.NAME[i][j]`",
    'aggregate.real("sum")': "a value to which all vertices contribute by `aggregate_NAME(x)`",
    'struct([("near", "real"), ("id", "int32")])': "a class attribute: a C struct of that name",
}

#: Attributes of a class: what they say.
ATTRIBUTES = {
    "message": "the type of messages",
    "combine": "how messages to a vertex are combined",
    "prefer": "which of two groups of messages, `a` and `b`, counts, with `combine = by_key(...)`",
    "identity": "what `msg` is without a message, for an expression over a and b",
    "mask": "which vertices scatter first; by default all, or those that `init` puts in",
    "init": "snippet: runs once for each vertex",
    "scatter": "snippet: runs once for each arc of a vertex that scatters",
    "pairs": "snippet: runs for every pair of vertices, `u` to `v`",
    "pairs_at": "the field with the places of vertices",
    "pairs_within": "the largest distance of a pair",
    "pairs_merge": "which groups of vertices send as one, over `distance` and `radius`",
    "gather": "snippet: reads messages one by one instead of `combine`, or groups",
    "gathered": "the type of `msg`, for `gather`; by default that of messages",
    "apply": "snippet: runs for a vertex when messages have arrived",
    "receive_if": "which messages a vertex wants",
    "enough": "when no further message can change `msg`",
    "priority": "which vertices scatter first, the lowest values",
    "delta": "the width of a bucket of priorities; by default gascl chooses it",
    "functions": "C functions and macros for all snippets",
    "stop": "when the run ends, over `agg`, `prev`, `p`, `g` and `superstep`",
    "scatter_on": '`"mask"` or `"all"`: which vertices scatter',
    "apply_on": '`"message"`, `"mask"` or `"all"`: which vertices run apply',
    "edges": '`"out"`, `"in"`, `"both"` or `"alternate"`: along which arcs',
    "lanes": "how many runs at once; or pass a list for a parameter",
    "restart": '`"any"`, `"added"` or `"never"`: whether a run may continue on a changed graph',
    "ends": '`"mask"`, or `"stop"`: continue with an empty mask',
    "order": '`"supersteps"`, or `"any"`: the result does not depend on the order of messages',
}

#: Methods in Python.
METHODS = {
    "prepare": ("(self, graph, initial)", "refuses a graph, or adds initial values, before a run"),
    "converged": ("(self, step)", "whether the run ends; slower than `stop`"),
    "in_any_order": ("(self)", 'a program with `order = "any"` that may be run instead'),
    "solve": ("(self, stages)", "runs other programs, instead of snippets"),
}

#: Words of snippets: their arguments and what they do.
WORDS = {
    "send": ("(x)", "sends a message along this arc"),
    "send_to": ("(id, x)", "sends a message to any vertex"),
    "set_mask": ("()", "this vertex scatters next"),
    "set_mask_of": ("(id)", "that vertex scatters next"),
    "unset_mask": ("()", "cancels `set_mask`"),
    "needs_order": ("()", 'with `order = "any"`: the run begins again, in supersteps'),
    "get_mask": ("()", "whether this vertex scatters in this superstep"),
    "get_mask_of": ("(id)", "whether that vertex scatters in this superstep"),
    "messages": ("[i]", "a single message"),
    "num_messages": ("", "the number of messages"),
    "groups": ("[i]", "the messages with one key: the key, combined values and `count`"),
    "num_groups": ("", "the number of groups"),
    "msg": ("", "the combined message; gather assigns it"),
    "has_msg": ("", "whether there was a message"),
    "neighbor": ("(i)", "the vertex at the other end of the i-th arc"),
    "num_neighbors": ("", "the number of arcs of this vertex"),
    "neighbor_of": ("(id, i)", "a neighbor of that vertex"),
    "num_neighbors_of": ("(id)", "the number of its arcs"),
    "has_edge": ("(a, b)", "whether an arc leads from a to b"),
    "common": ("(a, b)", "the number of common neighbors of two vertices"),
    "for_common": ("(w, a, b)", "a loop over common neighbors: w is the id of each"),
    "hash": ("(x)", "a number of 32 bits"),
    "uniform": ("(seed, ...)", f"a repeatable number in [0, 1); up to {MOST_KEYS} arguments"),
    "lane": ("", "the number of this run, of several at once"),
    "superstep": ("", "the number of this superstep, from 0"),
}

#: Words that depend on the names of fields and aggregators.
NAMED_WORDS = {
    "FIELD_of(id)": (
        "scatter gather prefer apply",
        "a vertex field of any vertex, as it was when the phase began",
    ),
    "FIELD_to(i)": ("scatter gather apply", "an edge field of the arc to `neighbor(i)`"),
    "FIELD_from_first(w)": (
        "scatter gather apply",
        "in `for_common(w, a, b)`: an edge field of the arc from a to w",
    ),
    "FIELD_from_second(w)": (
        "scatter gather apply",
        "in `for_common(w, a, b)`: an edge field of the arc from b to w",
    ),
    "add_to_FIELD(id, x)": ("apply", "adds x to an int64 field of any vertex"),
    "aggregate_NAME(x)": ("init apply", "adds x to an aggregator"),
}

SPACES = {
    "v": ("FIELD", VERTEX_MEMBERS, "the vertex"),
    "u": ("FIELD", VERTEX_MEMBERS, "the other vertex of a pair"),
    "e": ("FIELD", EDGE_MEMBERS, "the arc"),
    "p": ("NAME", (), "parameters"),
    "g": ("", GRAPH_MEMBERS, "the graph"),
    "prev": ("NAME", (), "aggregators after the previous superstep"),
    "agg": ("NAME", (), "aggregators after this superstep"),
}

EXAMPLE = '''
from gascl import Engine, Graph, VertexProgram, edge, param, vertex


class ShortestPaths(VertexProgram):
    source = param.vertex()
    distance = vertex.real(init="v.id == p.source ? 0 : INFINITY")
    weight = edge.real(default=1)

    message, combine = "real", "min"
    mask = "v.id == p.source"
    scatter = "send(v.distance + e.weight);"
    apply = """
        if (msg < v.distance) {
            v.distance = msg;
            set_mask();
        }
    """


graph = Graph.dataset("liechtenstein-roads")
result = Engine(graph).run(ShortestPaths(source="Vaduz:Landstrasse/Neugasse"))
print(result.top("distance", 3, largest=False))
'''


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n".replace("|  |", "| |") for cells in lines)


def code(words: str) -> str:
    return ", ".join(f"`{word}`" for word in words.split())


def attributes() -> list[list[str]]:
    of_gascl = ("run_by", "outer_fields", "spec", "_declared", "_wide", "__signature__", *METHODS)
    known = [name for name in VertexProgram.__annotations__ if name not in of_gascl]
    assert {*known} == ATTRIBUTES.keys(), {*known} ^ ATTRIBUTES.keys()
    defaults = {name: vars(VertexProgram)[name] for name in known}
    return [
        [f"`{name}`", f"`{defaults[name]!r}`" if defaults[name] else "", about]
        for name, about in ATTRIBUTES.items()
    ]


def words() -> list[list[str]]:
    assert WORDS.keys() == CALLS.keys(), WORDS.keys() ^ CALLS.keys()
    everywhere = max(CALLS.values(), key=len)
    rows = [
        [
            f"`{name}{arguments}`",
            "everywhere" if CALLS[name] == everywhere else code(CALLS[name]),
            about,
        ]
        for name, (arguments, about) in WORDS.items()
    ]
    return rows + [
        [f"`{name}`", code(where), about] for name, (where, about) in NAMED_WORDS.items()
    ]


def spaces() -> list[list[str]]:
    used = {space for spaces in READS.values() for space in spaces.split()} - {"superstep"}
    assert used == SPACES.keys(), used ^ SPACES.keys()
    return [
        [
            ", ".join([f"`{name}.{own}`"] * bool(own) + [f"`{name}.{each}`" for each in members]),
            about,
            code(" ".join(snippet for snippet, read in READS.items() if name in read.split())),
        ]
        for name, (own, members, about) in SPACES.items()
    ]


def page() -> str:
    combiners = ", ".join(f'`"{name}"`' for name in NAMED)
    operations = ", ".join(f'`"{name}"`' for name in Aggregate.OPS)
    types = ", ".join(f"`{name}`" for name in SCALARS)
    widths = ", ".join(map(str, sorted(WIDTHS)))
    rows = [[f"`{declared}`", about] for declared, about in DECLARATIONS.items()]
    methods = [[f"`def {name}{given}`", about] for name, (given, about) in METHODS.items()]
    return f"""# Cheatsheet

This page has the language of vertex programs at a glance. [Vertex programs](programs.md) explains
it, and the [tutorial](tutorial.md) introduces it. `docs/cheatsheet.py` writes this page.

```python
{EXAMPLE.strip()}
```

**A superstep**: each vertex in the mask runs `scatter` for each of its arcs, which sends messages.
The messages to a vertex are combined (or read by `gather`). Each vertex that got a message runs
`apply`, and is in the next mask if it calls `set_mask()`. The run ends when the mask is empty, when
`stop` is true, or after the requested number of supersteps.

## Declarations

{table(["declaration", "meaning"], rows)}
- **Types**: `real` (the run's `dtype`) and
  {types}.
- **Other types**, except for parameters and edge fields: vectors of {widths} numbers, such as
  `real4` or `int2`; arrays, such as `real(64)` (but not for aggregators); structs; and `vertex`.
  Fields may also be of type `time`.
- **Operations of aggregators**: {operations}, or an expression over `a` and `b`
  with its `identity=`.

## Attributes of a class

{table(["attribute", "default", "meaning"], attributes())}
**Combiners**: {combiners},
an expression over `a` and `b`, or `by_key("label", weight="sum")`.

{table(["method", "what it does"], methods)}
## Names in snippets

{table(["name", "meaning", "readable in"], spaces())}
Here, `field` and `arc` are the `init=` of a vertex field and of an arc field. Fields of `v` are
written in `init` and `apply`, and arc fields of `e` in `scatter`.

{table(["word", "allowed in", "what it does"], words())}
## Running

| Python | shell | what it does |
|---|---|---|
| `Engine(graph).run(P(source=0))` | `gascl run file.py:P GRAPH --set source=0` | a run |
| `Engine(graph, debug=True)` | `--debug` | stops at NaN, overflow, division by zero, bad indices |
| `Engine(graph, device="NVIDIA")` | `--device NVIDIA` | chooses the device |
| `graph.where(edges="minutes < 30")` | `--where "minutes < 30"` | edges that match |
| `graph.where(vertices="age > 30")` | `--where-vertices "age > 30"` | vertices, edges among them |
| `graph.between("2024-05-01", "2024-06-01")` | `--between 2024-05-01 2024-06-01` | a span of time |
| `graph.with_vertex_fields(age={{"ann": 35}})` | `--vertices people.csv` | columns of vertices |
| `P(dtype="float64")` | `--set dtype=float64` | double precision |
| `engine.explain(P())` | `gascl explain file.py:P GRAPH` | describes a run in advance |
| `result.top("x", 10)` | `--top 10` | the vertices with the largest values |
| `result.communities()` | `--top 10` | groups of vertices, each with its size and hub |
| `result.communities(levels=True)` | `--field levels` | the same by each of several numbers |
| `result.save("out.csv")` | `--output out.csv` | writes the fields |
| `gascl.draw(result, color="x")` | `gascl draw GRAPH --program file.py:P` | a picture |
| `P.spec` | `gascl kernel file.py:P` | the declarations; the generated OpenCL C |
"""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
