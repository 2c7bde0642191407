"""Graphs whose edges are generated in chunks, so that they need not all be in memory."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias

import numpy as np

from gascl.errors import GraphError
from gascl.generators.builder import (
    Weights,
    check_room,
    check_stored,
    graph_of,
    reported,
    weights_of,
)
from gascl.graph.graph import Graph
from gascl.graph.implicit_arcs import Rule, implicit_graph
from gascl.graph.validation import Duplicates, SelfLoops
from gascl.io.outofcore.spool import EdgeSpool, Spooled
from gascl.util.progress import Progress, showing
from gascl.util.units import amount

P = ParamSpec("P")
Chunks: TypeAlias = Iterator[tuple[np.ndarray, np.ndarray]]

CHUNK = 1 << 20  # the approximate number of edges in a chunk


@dataclass(frozen=True)
class Recipe:
    """The output of a generator, as parameters and a function that yields edges; an `EdgeSource`.

    Attributes:
        about: the generator's name and its parameters, for the report.
        num_edges: the number of edges before the policies are applied.
        chunks: yields the edges in order, in chunks of int32 (n,) sources and targets; its argument
            is the spool that they go into, or None for memory.
        table: the least number of bytes of memory that generating edges takes besides.
        bytes_an_edge: bytes that a graph takes while it is built in memory, without weights.
        progress: show how many edges have been generated in memory.
        into, out: rules for the same arcs, by receiver and by sender (undirected: None), if there
            are any and the edges are not to be stored.
    """

    about: str
    num_vertices: int
    num_edges: int
    chunks: Callable[[EdgeSpool | None], Chunks]
    seed: int
    directed: bool = False
    weights: Weights = None
    duplicates: Duplicates = "keep"
    self_loops: SelfLoops = "keep"
    table: int = 0
    bytes_an_edge: int = 8
    progress: bool | Progress = False
    into: Rule | None = None
    out: Rule | None = None

    def graph(self) -> Graph:
        """The graph, in memory.

        Raises:
            GraphError: it does not fit.
        """
        if self.into is not None:
            report = [*reported(self.about, self.seed, None), "edges: not stored, by a rule"]
            size = self.num_vertices, self.num_edges
            return implicit_graph(report[0], *size, self.into, self.out, report)
        check_stored(self.name, self.num_vertices)
        each = self.bytes_an_edge + (0 if self.weights is None else 4)
        check_room(self.num_edges, self.num_vertices, each)
        src, dst = (np.empty(self.num_edges, np.int32) for _ in range(2))
        with showing(self.progress) as shown:
            if shown:
                shown.begin(self.name, self.num_edges, "edges")
            begin = 0
            for tails, heads in self.chunks(None):
                end = begin + len(tails)
                src[begin:end], dst[begin:end] = tails, heads
                begin = end
                if shown:
                    shown.at(end)
        return graph_of(
            self.about,
            src,
            dst,
            self.num_vertices,
            seed=self.seed,
            directed=self.directed,
            weights=self.weights,
            duplicates=self.duplicates,
            self_loops=self.self_loops,
        )

    # Outside of memory

    numbered = True

    @property
    def name(self) -> str:
        """The generator's name."""
        return self.about.partition(",")[0]

    @property
    def doing(self) -> str:
        """The operation shown while edges are spooled: the generator's name."""
        return self.name

    def check(self, folder: Path, room: int) -> None:
        """Raises GraphError if memory or the disk have too little room, or ids of 32 bits."""
        check_stored(self.name, self.num_vertices)
        if self.table > room:
            raise GraphError(
                f"{self.name} needs {amount(self.table)} of memory for {self.num_vertices:,} "
                f"vertices and {self.num_edges:,} edges, {amount(self.table - room)} more than "
                "--memory leaves it; give as much more"
            )
        # For the spool and the file.
        need = 2 * self.num_edges * (8 if self.weights is None else 12)
        free = shutil.disk_usage(folder.parent).free
        free += sum(file.stat().st_size for file in folder.glob("*"))  # of an interrupted run
        if need > free:
            raise GraphError(
                f"{self.num_edges:,} edges need {amount(need)} in {folder.parent} while they are "
                f"written, and {amount(free)} are free; make room, or ask for fewer"
            )

    def identity(self) -> dict[str, Any]:
        """The values that determine the edges: the report's lines and the size."""
        return {
            "recipe": reported(self.about, self.seed, self.weights),
            "size": [self.num_vertices, self.num_edges, self.directed],
        }

    def spool(self, spool: EdgeSpool) -> Spooled:
        """Fill a spool with the edges."""
        spool.vertices = True
        none = np.empty(0, np.int32)  # so that the weights are there even without edges
        for src, dst in chain([(none, none)], self.chunks(spool)):
            fields = {}
            if self.weights is not None:
                fields["weight"] = weights_of(self.seed, self.weights, len(src), spool.rows)
            spool.take(src, dst, fields)
        report = reported(self.about, self.seed, self.weights)
        return Spooled(self.directed, report, num_vertices=self.num_vertices)


#: The generator's name -> the function that returns its recipe, with the same arguments.
RECIPES: dict[str, Callable[..., Recipe]] = {}


def has_rule(recipe: Callable[..., Recipe]) -> bool:
    """Whether its edges need not be stored."""
    return "stored" in inspect.signature(recipe).parameters


def generator(recipe: Callable[P, Recipe]) -> Callable[P, Graph]:
    """A generator of graphs in memory, from a function that returns a recipe."""
    RECIPES[recipe.__name__] = recipe

    @wraps(recipe)
    def generate(*args: P.args, **kwargs: P.kwargs) -> Graph:
        if "stored" in kwargs and not has_rule(recipe):
            rules = " and ".join(name for name, each in RECIPES.items() if has_rule(each))
            raise GraphError(
                f"stored={kwargs['stored']!r}: the edges of {recipe.__name__} are always stored; "
                f"a rule can make those of {rules}"
            )
        return recipe(*args, **kwargs).graph()

    generate.__annotations__ = {**recipe.__annotations__, "return": "Graph"}
    signature = inspect.signature(recipe).replace(return_annotation="Graph")
    generate.__signature__ = signature  # type: ignore[attr-defined]
    return generate
