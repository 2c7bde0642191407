"""How a run goes on from a kept State: what continues, and who starts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GasclError, ProgramError
from gascl.facts import Facts
from gascl.graph import Graph
from gascl.program import VertexProgram

if TYPE_CHECKING:
    from gascl.state import State


@dataclass(frozen=True)
class Start:
    """How a run begins.

    Attributes:
        resumes: as if it had never been interrupted: superstep, aggregates, messages and mask.
        mask: (V,) uint8, who scatters first; None: the program's own rule.
        kept_mask: those in the State's mask do, too.
    """

    resumes: bool = False
    mask: np.ndarray | None = None
    kept_mask: bool = False


def resolve_start(program: VertexProgram, graph: Graph, state: State | None, start: Any) -> Start:
    """What `run(program, state=state, start=start)` means.

    Raises:
        ProgramError: the program can't go on from that State on this graph.
        GasclError: the State is used up, or `start` makes no sense.
    """
    cls = type(program)
    masked = cls.scatter_on == "mask"
    named = start if isinstance(start, str) else None
    if named is not None and named not in ("mask", "changed"):
        raise GasclError(f"start is 'mask', 'changed' or an array of vertices, not {start!r}")
    if start is not None and not masked:
        raise ProgramError(f"{cls.__name__} scatters on all: start={start!r} has no meaning")
    if state is None:
        if named is not None:
            raise GasclError(f"start={named!r} goes on from a State: give state=result.state")
        return Start(mask=None if start is None else _mask(graph, start))
    state.check_unused()
    changed = graph is not state.graph and graph.fingerprint != state.graph.fingerprint
    if changed:
        _check_change(program, graph, state)
        if named is None and start is None and masked:
            named = "changed"
    elif cls.restart != "any":
        _check_edge_fields(cls, graph, state.graph)
    same = cls is state.program and program.lanes == state.lanes and state.resumable
    if same and cls.restart != "any" and program.parameter_values() != state.values:
        raise ProgramError(
            f"{cls.__name__} can't go on from that State: it was {state.values}, and is now "
            f"{program.parameter_values()}; run it without state="
        )
    own_mask = start is None or named == "mask"
    if own_mask and same and not changed:
        return Start(resumes=True)
    if state.pending:
        raise ProgramError(
            f"messages of {state.program.__name__} are under way in that State: only a run of "
            "the same program, on the same graph and mask, can deliver them"
        )
    if named == "mask":
        if not state.has_mask:
            raise ProgramError(f"start='mask': {state.program.__name__} left no mask")
        return Start(kept_mask=True)
    if named == "changed":
        if graph.change is None:
            raise GasclError("start='changed': the graph is none that with_edges made")
        # Those whom an unfinished run left in the mask are not done, either.
        unfinished = cls is state.program and state.has_mask
        return Start(mask=_marked(graph, graph.change.vertices), kept_mask=unfinished)
    return Start(mask=None if start is None else _mask(graph, start))


def _check_change(program: VertexProgram, graph: Graph, state: State) -> None:
    """Refuse a program for whose State this graph is another problem."""
    cls = type(program)
    if graph.num_vertices != state.graph.num_vertices:
        raise ProgramError(
            f"the State is of {state.graph.num_vertices:,} vertices and the graph has "
            f"{graph.num_vertices:,}: run without state="
        )
    if Facts.of(cls).arc_state:
        raise ProgramError(
            f"{cls.__name__} keeps state on arcs, and the graph's arcs have changed: run without "
            "state="
        )
    if cls.restart == "any":
        return
    change = graph.change
    direct = change is not None and change.before == state.graph.fingerprint
    if cls.restart == "added" and direct and change is not None and not change.removed:
        return
    why = {
        True: f"the change removed {change.removed if change else 0} edges",
        False: "the graph is not what one with_edges(...) made of the State's",
    }[direct]
    if cls.restart == "never":
        why = "what it finds depends on the graph it began with"
    else:
        why = f"it survives added edges only, and {why}"
    raise ProgramError(f"{cls.__name__} can't go on from that State: {why}; run it without state=")


def _check_edge_fields(cls: type[VertexProgram], graph: Graph, before: Graph) -> None:
    """Refuse where an edge field that the program reads has other values."""
    for name in cls.edge_fields:
        now, then = graph.edge_fields.get(name), before.edge_fields.get(name)
        if now is not then and (now is None or then is None or not np.array_equal(now, then)):
            raise ProgramError(
                f"{cls.__name__} can't go on from that State: the edge field {name!r} is another; "
                "run it without state="
            )


def _mask(graph: Graph, labels: Iterable[Any]) -> np.ndarray:
    try:
        vertices = list(labels.tolist() if isinstance(labels, np.ndarray) else labels)
    except TypeError:
        raise GasclError(f"start is an array or list of vertices, not {labels!r}") from None
    if vertices and all(isinstance(v, bool | np.bool_) for v in vertices):
        if len(vertices) != graph.num_vertices:
            raise GasclError(
                f"start has {len(vertices):,} bools, and the graph {graph.num_vertices:,} vertices"
            )
        return np.array(vertices, np.uint8)
    return _marked(graph, graph.indices_of(vertices))


def _marked(graph: Graph, vertices: np.ndarray) -> np.ndarray:
    mask = np.zeros(graph.num_vertices, np.uint8)
    mask[vertices] = 1
    return mask
