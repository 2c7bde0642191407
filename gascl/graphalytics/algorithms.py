"""The six algorithms of LDBC Graphalytics: the programs that compute them, their parameters from a
graph's properties, and the fields that are the output.

Iosup and others, "The LDBC Graphalytics Benchmark", specification 1.0.6, section 2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gascl.errors import FormatError, GraphError
from gascl.graph.graph import Graph
from gascl.graphalytics.validation import EXACT, NEAR, RENAMED, Rule
from gascl.io.text_lines import integer
from gascl.language.program import VertexProgram
from gascl.programs import (
    BreadthFirst,
    ConnectedComponents,
    LabelPropagation,
    LocalClustering,
    PageRank,
    ShortestPaths,
)
from gascl.run.engine import Engine
from gascl.util.progress import Progress

UNREACHABLE = 2**63 - 1  # the depth of unreachable vertices


@dataclass(frozen=True)
class Algorithm:
    """An algorithm that a graph's properties request, with its parameters.

    Attributes:
        name: as in the names of output files, such as "BFS".
        program: the program that computes it.
        field: the program's field that is the output.
        rule: decides whether an output agrees with the expected one.
    """

    name: str
    program: VertexProgram
    field: str
    rule: Rule

    @property
    def dtype(self) -> type:
        """The output's type: int64 or float64."""
        return np.float64 if self.rule is NEAR else np.int64

    def run(self, engine: Engine, progress: bool | Progress = False) -> np.ndarray:
        """The output, (V,): the values as the specification defines them, vertices by their ids.

        Raises:
            GasclError: the program refused the graph, or did not converge.
        """
        options: dict[str, Any] = {"progress": progress, "not_converged": "error"}
        values = engine.run(self.program, **options)[self.field]
        if self.field == "depth":
            return np.where(values < 0, UNREACHABLE, values.astype(np.int64))
        if self.dtype is np.int64 and engine.graph.labels is not None:  # values are vertices
            return engine.graph.labels[values].astype(np.int64)
        return values.astype(self.dtype)


def algorithms_of(path: Path, properties: Mapping[str, str]) -> list[Algorithm]:
    """The algorithms that properties request, in their order.

    Args:
        path: the properties' file, for errors.
        properties: as read by `gascl.io.graphalytics.read_properties`.

    Raises:
        FormatError: an algorithm is unknown, or a parameter is missing or invalid.
        ProgramError: a program refuses a parameter.
    """
    requested = _words(properties.get("algorithms", ""))
    parameters = _Parameters(path, properties)
    name = properties["name"]
    if Path(name).name != name:
        raise FormatError(f"{path}: the graph's name, {name!r}, cannot be a file name; rename it")
    if not requested:
        parameters.refuse("it requests no algorithm", f"algorithms = {', '.join(_MADE)}")
    for word in requested:
        if word not in _MADE:
            names = ", ".join(_MADE)
            raise FormatError(
                f"{path}: it requests the unknown algorithm {word!r}; known are {names}"
            )
    return [Algorithm(word.upper(), *_MADE[word](parameters)) for word in dict.fromkeys(requested)]


def fitted(graph: Graph, path: Path, properties: Mapping[str, str]) -> Graph:
    """The graph with its vertices in the order of their ids, since the smallest wins ties, and with
    only the edge field that is requested, as `weight`.

    Raises:
        FormatError: a source is not a vertex.
    """
    requested = _words(properties.get("algorithms", ""))
    for word in requested:
        key = f"{word}.source-vertex"
        if word in ("bfs", "sssp"):
            try:
                graph.index_of(int(properties[key]))
            except GraphError as error:
                raise FormatError(f"{path}: {key}: {error}; correct it") from None
    fields = {}
    if "sssp" in requested:
        fields["weight"] = graph.edge_fields[properties["sssp.weight-property"].strip()]
    ids = graph.labels
    assert ids is not None  # the format guarantees it
    if (ids[1:] > ids[:-1]).all():
        return replace(graph, edge_fields=fields)
    order = np.argsort(ids)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return replace(
        graph,
        labels=ids[order],
        src=place[graph.edge_src],
        dst=place[graph.edge_dst],
        edge_fields=fields,
        _label_index=None,
    )


@dataclass(frozen=True)
class _Parameters:
    """The properties, with checked access to the parameters."""

    path: Path
    properties: Mapping[str, str]

    def refuse(self, why: str, remedy: str) -> Any:
        name = self.properties.get("name", "NAME")
        raise FormatError(f"{self.path}: {why}; write 'graph.{name}.{remedy}'")

    def text(self, key: str, example: str) -> str:
        value = self.properties.get(key, "").strip()
        return value or self.refuse(f"there is no {key}", f"{key} = {example}")

    def whole(self, key: str, least: int | None = None) -> int:
        text = self.text(key, "1")
        value = integer(text)
        if value is None or (least is not None and value < least):
            what = "a 64-bit integer" if least is None else f"an integer from {least}"
            self.refuse(f"{key} is {text!r}, and must be {what}", f"{key} = 1")
        return value  # type: ignore[return-value]

    def share(self, key: str) -> float:
        text = self.text(key, "0.85")
        try:
            value = float(text)
        except ValueError:
            value = -1
        if not 0 <= value <= 1:
            self.refuse(f"{key} is {text!r}, and must be a number from 0 to 1", f"{key} = 0.85")
        return value

    def edge_field(self, key: str) -> str:
        names = _words(self.properties.get("edge-properties.names", ""), lower=False)
        name = self.text(key, (names or ["weight"])[0])
        if name not in names:
            listed = ", ".join(names) or "none"
            why = f"{key} is {name!r}, and the edge-properties.names are: {listed}"
            self.refuse(why, f"{key} = {(names or ['weight'])[0]}")
        return name


def _words(text: str, lower: bool = True) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    return [word.lower() for word in words] if lower else words


def _shortest_paths(parameters: _Parameters) -> tuple[VertexProgram, str, Rule]:
    parameters.edge_field("sssp.weight-property")
    source = parameters.whole("sssp.source-vertex")
    return ShortestPaths(source=source, dtype="float64"), "distance", NEAR


def _page_rank(parameters: _Parameters) -> tuple[VertexProgram, str, Rule]:
    damping = parameters.share("pr.damping-factor")
    supersteps = parameters.whole("pr.num-iterations", 0)
    return PageRank(damping=damping, supersteps=supersteps, dtype="float64"), "rank", NEAR


#: The name in the properties -> program, field and rule.
_MADE: dict[str, Callable[[_Parameters], tuple[VertexProgram, str, Rule]]] = {
    "bfs": lambda parameters: (
        BreadthFirst(source=parameters.whole("bfs.source-vertex")),
        "depth",
        EXACT,
    ),
    "cdlp": lambda parameters: (
        LabelPropagation(supersteps=parameters.whole("cdlp.max-iterations", 0)),
        "label",
        EXACT,
    ),
    "lcc": lambda parameters: (LocalClustering(dtype="float64"), "coefficient", NEAR),
    "pr": _page_rank,
    "sssp": _shortest_paths,
    "wcc": lambda parameters: (ConnectedComponents(), "component", RENAMED),
}
