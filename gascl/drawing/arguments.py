"""What the arguments of a picture name: fields, arrays, colors, sizes, labels and positions."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Container, Iterable, Mapping
from difflib import get_close_matches
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from gascl.drawing.colors import CATEGORIES, Colors, colors_for, one, text_of
from gascl.drawing.edges import EdgeLook, widths_of
from gascl.errors import GasclError
from gascl.graph.field_table import FieldTable
from gascl.graph.field_types import Texts, Times, cells, coded
from gascl.graph.graph import Graph
from gascl.language.program import VertexProgram
from gascl.language.types import VERTEX
from gascl.programs import ForceLayout
from gascl.results.result import GROUPS, Result
from gascl.results.snapshot import Snapshot
from gascl.run.engine import Engine
from gascl.user_messages import Option

#: Labels are drawn for up to so many vertices unless they are asked for.
LABELED = 60
#: What can be drawn.
Drawn: TypeAlias = Graph | Result | Snapshot


def graph_of(what: Drawn) -> Graph:
    return what if isinstance(what, Graph) else what.graph


def fields_of(what: Drawn) -> Mapping[str, Any]:
    """The vertex fields that can be named; a Result's are read from the device when looked up."""
    if isinstance(what, Graph):
        return what.vertex_fields
    return ChainMap(what.fields, what.graph.vertex_fields)  # type: ignore[arg-type]


def _field(what: Drawn, name: str, argument: str) -> np.ndarray:
    fields = fields_of(what)
    if name not in fields:
        raise no_field(argument, name, fields, edges=graph_of(what).edge_fields)
    values: np.ndarray = fields[name]
    return values


def check_names(programs: Iterable[type[VertexProgram]], graph: Graph, **arguments: Any) -> None:
    """Raise GasclError, before a run, if an argument of `draw` names no field that there can be.

    Args:
        programs: those whose fields there will be.
        arguments: by name: `color`, `size` or `position`.
    """
    known = dict.fromkeys(chain(*(cls.spec.vertex_fields for cls in programs), graph.vertex_fields))
    for argument, name in arguments.items():
        if _names(argument, name) and name not in known:
            raise no_field(argument, name, known, edges=graph.edge_fields)


def _names(argument: str, given: Any) -> bool:
    """Whether an argument can only be the name of a field."""
    return isinstance(given, str) and not (argument == "color" and is_color(given))


def no_field(
    argument: str,
    name: str,
    known: Iterable[str],
    of: str = "vertex",
    color: bool | None = None,
    edges: Container[str] = (),
) -> GasclError:
    """The error for an argument that names no field of vertices or edges.

    Args:
        edges: for an argument about vertices, the fields of edges.
    """
    known = list(known)
    near = get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    if name in edges and argument in ("color", "labels"):
        hint = f", but a field of edges: give edge_{argument}={name!r}"
    colors = argument == "color" if color is None else color
    article = "an" if of == "edge" else "a"
    available = ", ".join(known) or "none"
    what = f" is not {article} {of} field{' or a color of matplotlib' if colors else ''}{hint}"
    return GasclError(Option(argument, name), f"{what} (available fields: {available})")


def _values(what: Drawn, given: Any, argument: str, texts: bool = False) -> np.ndarray:
    """(V,): a number, or perhaps a text or time, per vertex."""
    graph = graph_of(what)
    values = _field(what, given, argument) if isinstance(given, str) else np.asarray(given)
    column = isinstance(given, str) and (isinstance(what, Graph) or given not in what.fields)
    if column:
        values = _column(graph.vertices, given, argument, texts)
    if values.shape != (graph.num_vertices,) or values.dtype.kind not in _kinds(texts):
        array = f"graph.vertex_fields[{given!r}]" if column else f"result.{given}"
        component = f"; give one of its components, as {argument}={array}[:, 0]"
        raise GasclError(
            f"{argument} must have one {'value' if texts else 'number'} per vertex, shape "
            f"({graph.num_vertices},), not {values.dtype} of shape {values.shape}"
            f"{component if values.ndim == 2 and isinstance(given, str) else ''}"
        )
    return values


def _column(table: FieldTable, name: str, argument: str, texts: bool) -> np.ndarray:
    """A column: texts, times or bools as such, unless there must be numbers.

    Raises:
        GasclError: there must be, and it has texts or times, of which programs read codes.
    """
    kind = table.types.get(name)
    if isinstance(kind, Texts | Times) and not texts:
        numbers = [n for n in table.fields if not isinstance(table.types.get(n), Texts | Times)]
        known = ", ".join(numbers) or "none"
        says = f" is a field of {kind.name}s, not of numbers (fields of numbers: {known})"
        raise GasclError(Option(argument, name), says)
    return table[name]


def _kinds(texts: bool) -> str:
    return "biufUOM" if texts else "biuf"


def color_of(what: Drawn, given: Any) -> Any:
    """None, a color of matplotlib, or numbers, texts or times, (V,)."""
    if given is None:
        return None
    named = isinstance(given, str) and given in fields_of(what)
    return given if not named and is_color(given) else _values(what, given, "color", texts=True)


def colors_of(what: Drawn, given: Any, values: Any, cmap: Any) -> Colors:
    """The colors of vertices.

    Args:
        given: the argument of `draw`.
        values: as `color_of` returns them; or (pictures, V).
    """
    if not isinstance(values, np.ndarray):
        return one(values or "C0")
    name = given if isinstance(given, str) else None
    own = not isinstance(what, Graph) and name in what.fields
    if name and not own and (shades := _shades(graph_of(what).vertices, name, cmap)):
        return shades
    options: dict[str, Any] = {"grouped": name in GROUPS, "ordered": own}
    if own and isinstance(what, Result) and what.types.get(name or "") == VERTEX:
        options |= {"grouped": True, "names": what.graph.labels_of}
    return colors_for(values, title=name, cmap=cmap, **options)


def _shades(table: FieldTable, name: str, cmap: Any) -> Colors | None:
    """The colors of ordered categories, which have shades in their order; None of anything else,
    or if they are too many for a legend."""
    kind = table.types.get(name)
    if not isinstance(kind, Texts) or not kind.ordered or len(kind.values) > CATEGORIES:
        return None
    texts, codes = kind.values, np.asarray(table.fields[name])
    return colors_for(codes, title=name, cmap=cmap, ordered=True, names=texts.take)


def is_color(given: Any) -> bool:
    """Whether it is a color of matplotlib, for all vertices."""
    from matplotlib.colors import is_color_like

    return bool(is_color_like(given) and np.ndim(given) == 0)


def size_of(what: Drawn, given: Any) -> Any:
    """None, an area for all vertices, or numbers, (V,), to which the areas are in proportion."""
    if given is None or (np.ndim(given) == 0 and not isinstance(given, str)):
        return given
    values = _values(what, given, "size").astype(np.float64)
    _check_all(np.isfinite(values) & (values >= 0), values, "size", "0 or more", graph_of(what))
    return values


def _check_all(right: np.ndarray, values: np.ndarray, name: str, rule: str, graph: Graph) -> None:
    """Raise GasclError about the first vertex whose values are not right; `right`: bool (V,)."""
    if not right.all():
        at = int(np.argmin(right))
        raise GasclError(
            f"{name} must be finite{rule and f' and {rule}'} for every vertex, and vertex "
            f"{graph.label_of(at)!r} has {values[at]}"
        )


def texts_of(what: Drawn, labels: Any) -> list[str]:
    """The labels to be drawn; none, or one per vertex."""
    graph = graph_of(what)
    if isinstance(labels, str) or np.ndim(labels):
        return [text_of(value) for value in _values(what, labels, "labels", texts=True).tolist()]
    if labels not in (None, True, False):
        raise GasclError(
            f"labels must be True, False, or the name of a vertex field or an array, not {labels!r}"
        )
    if labels is None:
        labels = graph.num_vertices <= LABELED
    return [str(graph.label_of(i)) for i in range(graph.num_vertices)] if labels else []


def positions_of(what: Drawn, given: Any, seed: int, device: Any) -> np.ndarray:
    """(V, 2): where the vertices are."""
    graph = graph_of(what)
    if given is None:
        computed: np.ndarray = Engine(graph, device).run(ForceLayout(seed=seed)).position
        return computed
    if isinstance(given, list | tuple) and len(given) == 2 and isinstance(given[0], str):
        values = np.stack([_values(what, name, "position") for name in given], axis=1)
    else:
        values = _field(what, given, "position") if isinstance(given, str) else np.asarray(given)
    if values.shape != (graph.num_vertices, 2) or values.dtype.kind not in _kinds(False):
        raise GasclError(
            f"position must have two numbers per vertex, shape ({graph.num_vertices}, 2), not "
            f"{values.dtype} of shape {values.shape}"
        )
    _check_all(np.isfinite(values).all(axis=1), values, "position", "", graph)
    return values


def edges_of(graph: Graph, width: Any, color: Any, labels: Any, cmap: Any) -> EdgeLook:
    """What the edges look like."""
    colors: Colors | None = None
    if color is not None:
        if is_color(color) and color not in graph.edge_fields:
            colors = one(color)
        else:
            name = color if isinstance(color, str) else None
            values = _edge_values(graph, color, "edge_color", texts=True)
            colors = _shades(graph.edges, name, cmap) if name else None
            colors = colors or colors_for(values, title=name, cmap=cmap)
    if width is not None and (isinstance(width, str) or np.ndim(width)):
        values = _edge_values(graph, width, "edge_width").astype(np.float64)
        if not np.all(np.isfinite(values) & (values >= 0)):
            raise GasclError("edge_width must be finite and 0 or more for every edge")
        width = widths_of(values)
    return EdgeLook(width, colors, () if labels is None else _edge_texts(graph, labels))


def _edge_texts(graph: Graph, given: Any) -> tuple[str, ...]:
    """(E,): what to write on the edges; "" where there is no value."""
    values = _edge_values(graph, given, "edge_labels", texts=True)
    times = coded(values) if values.dtype.kind == "M" else None
    if times and times.type:
        zoned = graph.edge_types.get(given) if isinstance(given, str) else None
        values = _short_times(cells(times.values, zoned or times.type))
    found = values.tolist()
    return tuple(f"{v:.4g}" if isinstance(v, float) and v == v else text_of(v) for v in found)


#: What all times as text may have at the end without saying anything: fractions, seconds, midnight.
_ZEROS = r"\.0+$", r"(?<=T\d\d:\d\d):00$", r"T00:00$"


def _short_times(texts: np.ndarray) -> np.ndarray:
    """Times as text without what all have in common: the zeros at the end, and the date."""
    zone = "Z" if any(text.endswith("Z") for text in texts) else ""
    short = [text.removesuffix("Z") for text in texts]
    for zeros in _ZEROS:
        if all(re.search(zeros, text) for text in short if text):
            short = [re.sub(zeros, "", text) for text in short]
    has_time = any("T" in text for text in short)
    if has_time and len({text[:10] for text in short if text}) == 1:
        short = [text[11:] for text in short]
    zone *= has_time
    return np.array([text and text.replace("T", " ") + zone for text in short], object)


def _edge_values(graph: Graph, given: Any, argument: str, texts: bool = False) -> np.ndarray:
    """(E,): a number, or perhaps a text or time, per edge."""
    fields = graph.edge_fields
    if isinstance(given, str) and given not in fields:
        raise _no_edge_field(argument, given, fields)
    values: np.ndarray = np.asarray(fields[given] if isinstance(given, str) else given)
    if isinstance(given, str):
        values = _column(graph.edges, given, argument, texts)
    if values.shape != (graph.num_edges,) or values.dtype.kind not in _kinds(texts):
        raise GasclError(
            f"{argument} must have one {'value' if texts else 'number'} per edge, shape "
            f"({graph.num_edges},), not {values.dtype} of shape {values.shape}"
        )
    return values


def check_edge_names(graph: Graph, **arguments: Any) -> None:
    """Raise GasclError, before a run, if an argument of `draw` names no field of edges."""
    for argument, name in arguments.items():
        color = argument == "edge_color" and is_color(name)
        if isinstance(name, str) and name not in graph.edge_fields and not color:
            raise _no_edge_field(argument, name, graph.edge_fields)


def _no_edge_field(argument: str, name: str, fields: Iterable[str]) -> GasclError:
    return no_field(argument, name, fields, "edge", argument == "edge_color")
