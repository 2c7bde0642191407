"""Pictures as one HTML file for browsers; in that of a graph, one can zoom and search."""

from __future__ import annotations

import base64
import json
from functools import cached_property
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.drawing.bundles import tints
from gascl.drawing.edges import bends, has_arrows, plain_style
from gascl.errors import GasclError
from gascl.util.atomic_file import check_writable, new_file
from gascl.util.paths import checked_path

if TYPE_CHECKING:
    from gascl.drawing.picture import Look

#: The most vertices and edges: a browser draws them again at each move, and the file has the
#: edges of discs, too, since it shows the neighbors of a vertex.
VERTICES, EDGES = 200_000, 500_000


class Page:
    """A picture for browsers, as one HTML file. A notebook shows it.

    The file needs no other file and no network: its script is a part of gascl, and uses no library.

    Args:
        template: the file in which the data are put: a package and a name.
        data: what its script calls `data`.
        about: what it shows, for repr.
    """

    def __init__(self, template: tuple[str, str], data: dict[str, Any], about: str):
        self._template, self._data, self._about = template, data, about

    def __repr__(self) -> str:
        return f"Page({self._about})"

    def save(self, path: str | Path) -> None:
        """Write it as .html.

        An existing file is replaced only when the new one is complete.

        Raises:
            GasclError: the name has another ending.
            FormatError: the file cannot be written; an existing one is unchanged.
        """
        path = checked_path(path)
        if path.suffix != ".html":
            raise GasclError(f"{path}: the name of an interactive page must end in .html")
        check_writable(path)
        with new_file(path) as file:
            file.write(self.html.encode())

    @cached_property
    def html(self) -> str:
        """The page."""
        package, name = self._template
        template = files(package).joinpath(name).read_text("utf-8")
        # In a script, "<" could end it.
        data = json.dumps(self._data, separators=(",", ":"), allow_nan=False)
        return template.replace("/*DATA*/", data.replace("<", "\\u003c"))

    def _repr_html_(self) -> str:
        style = "width:100%;height:520px;border:1px solid #ddd"
        return f'<iframe srcdoc="{escape(self.html)}" style="{style}"></iframe>'


def graph_page(look: Look, at: np.ndarray, radius: np.ndarray) -> Page:
    """A picture of a graph: zoom with the wheel, move by dragging, point at a vertex to see its
    label, its value and its neighbors, search for labels.

    Args:
        at: (V, 2), and
        radius: (V,) or one number: of the vertices, in points.
    """
    graph, count, bundles = look.graph, look.graph.num_vertices, look.discs
    if count > VERTICES or graph.num_edges > EDGES:
        raise GasclError(
            f"the graph has {count:,} vertices and {graph.num_edges:,} edges, and "
            f"a page shows up to {VERTICES:,} and {EDGES:,}: draw a part of it, "
            "graph.subgraph([...]), or leave out interactive"
        )
    edges = look.edges
    width, opacity = plain_style(graph.num_edges)
    data: dict[str, Any] = {
        "at": packed(at * [1, -1]),
        "radius": packed(np.broadcast_to(radius, count)),
        "color": hexes(look.colors.rgba(count)),
        "labels": look.texts or list(map(str, graph.labels_of(np.arange(count)).tolist())),
        "named": bool(look.texts),
        "arrows": has_arrows(graph),
        "src": packed(graph.edge_src, "<i4"),
        "dst": packed(graph.edge_dst, "<i4"),
        "width": width,
        "edgeColor": f"rgba(51,51,51,{opacity:.2f})",
        "legends": [
            _legend(colors) for colors in (look.colors, edges.colors) if colors is not None
        ],
        "about": f"{count:,} vertices, {graph.num_edges:,} edges",
        "values": _texts(look.colors),
    }
    bend = bends(graph)
    if bend.any():
        data["bend"] = packed(bend)
    if edges.width is not None:
        data["widths"] = packed(np.broadcast_to(edges.width, graph.num_edges))
    if edges.colors is not None:
        data["edgeColors"] = hexes(edges.colors.rgba(graph.num_edges))
    if edges.texts:
        data["edgeLabels"] = list(edges.texts)
    if bundles is not None:
        # The discs are in the units of the layout: so is the difference of two vertices.
        unit, shift = _transform(bundles.at, at)
        strong = np.sqrt(bundles.many / bundles.many.max(initial=1))
        data["discs"] = packed((bundles.center * unit + shift) * [1, -1])
        data["tints"] = hexes(tints(bundles, look.colors.rgba(count)))
        data["discRadius"] = packed(bundles.radius * unit)
        data["bundles"] = bundles.ends.ravel().tolist()
        data["strength"] = np.round(strong, 4).tolist()
        data["about"] = bundles.caption(graph)
    about = f"{count:,} vertices, {graph.num_edges:,} edges"
    return Page(("gascl.drawing", "page.html"), data, about)


def _transform(before: np.ndarray, after: np.ndarray) -> tuple[float, np.ndarray]:
    """The scale and the shift that lead from some positions to others."""
    span = np.ptp(before, axis=0)
    axis = int(span.argmax())
    unit = float(np.ptp(after[:, axis]) / span[axis]) if span[axis] else 1.0
    return unit, after[0] - unit * before[0]


def packed(values: Any, dtype: str = "<f4") -> str:
    """The numbers, one after the other, in base 64."""
    return base64.b64encode(np.ascontiguousarray(values, dtype).tobytes()).decode()


def hexes(colors: np.ndarray) -> dict[str, Any]:
    """Each color once, and which one each has."""
    rgb = np.rint(colors[:, :3] * 255).astype(np.int64)
    keys, which = np.unique((rgb << [16, 8, 0]).sum(axis=1), return_inverse=True)
    return {"of": packed(which, "<i4"), "colors": [f"#{key:06x}" for key in keys.tolist()]}


def _texts(colors: Any) -> list[str] | None:
    """What a vertex's color stands for."""
    if colors.kind == "one":
        return None
    values = colors.style["c"]
    if colors.kind == "category":
        names = [*colors.names, "", ""]
        beyond = len(colors.names)
        texts = [names[place] if place < beyond else "" for place in values.tolist()]
    else:
        texts = [colors.text(value, 6) for value in values.tolist()]
    title = colors.title or "value"
    return [f"{title}: {text}" if text else "" for text in texts]


def _legend(colors: Any) -> dict[str, Any] | None:
    """A legend: categories with their colors, or the ends of a scale."""
    from matplotlib.colors import to_hex

    title = colors.title or ""
    if colors.kind == "category":
        shades = [to_hex(color) for color in colors.legend_colors()]
        return {"title": title, "names": list(colors.names), "colors": shades}
    if colors.kind == "number":
        norm, cmap = colors.style["norm"], colors.style["cmap"]
        ends = [colors.text(norm.vmin, 4), colors.text(norm.vmax, 4)]
        scale = [to_hex(cmap(share)) for share in np.linspace(0, 1, 9)]
        return {"title": title, "ends": ends, "scale": scale}
    return None
