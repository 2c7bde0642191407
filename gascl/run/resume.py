"""Decides how a run continues from a kept State, and which vertices scatter first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gascl.errors import GasclError, ProgramError
from gascl.graph.delta import Change
from gascl.graph.graph import Graph
from gascl.graph.lazy import held
from gascl.graph.remote_field import RemoteField, hash_of_field
from gascl.language.fields import REQUIRED, EdgeField
from gascl.language.program import VertexProgram
from gascl.language.traits import Traits
from gascl.run.state import State


@dataclass(frozen=True)
class Start:
    """How a run starts.

    Attributes:
        resumes: it continues the earlier run: superstep, aggregates, messages and mask are kept.
        mask: (V,) uint8, which vertices scatter first; None: the program's own rule.
        kept_mask: the vertices in the State's mask scatter first, too.
    """

    resumes: bool = False
    mask: np.ndarray | None = None
    kept_mask: bool = False


def resolve_start(program: VertexProgram, graph: Graph, state: State | None, start: Any) -> Start:
    """How `run(program, state=state, start=start)` starts.

    Raises:
        ProgramError: the program cannot continue from that State on this graph.
        GasclError: the State is used up, or `start` is invalid.
    """
    cls = type(program)
    masked = cls.spec.scatter_on == "mask"
    named = start if isinstance(start, str) else None
    if named is not None and named not in ("mask", "changed"):
        raise GasclError(f"start must be 'mask', 'changed' or an array of vertices, not {start!r}")
    if start is not None and not masked:
        raise ProgramError(
            f"{cls.__name__} scatters on all vertices: start={start!r} has no effect"
        )
    if state is None:
        if named is not None:
            raise GasclError(f"start={named!r} needs a State: give state=result.state")
        return Start(mask=None if start is None else _mask(graph, start))
    state.check_unused()
    same_edges = graph is state.graph or graph.fingerprint == state.graph.fingerprint
    if not same_edges:
        _check_change(program, graph, state)
        if named is None and start is None and masked:
            named = "changed"
    other = _other_field(program, graph, state.graph)
    if other and cls.spec.restart != "any":
        raise ProgramError(
            f"{cls.__name__} cannot continue from that State: the values of the edge field "
            f"{other!r} have changed; run it without state="
        )
    same = cls is state.program and program.lanes == state.lanes and state.resumable
    if same and cls.spec.restart != "any" and program.parameter_values() != state.values:
        raise ProgramError(
            f"{cls.__name__} cannot continue from that State: its parameters were {state.values} "
            f"and are now {program.parameter_values()}; run it without state="
        )
    own_mask = start is None or named == "mask"
    if own_mask and same and same_edges and not other:
        return Start(resumes=True)
    if state.pending:
        raise ProgramError(
            f"that State has pending messages of {state.program.__name__}: only a run of the same "
            "program, with the same graph and mask, can deliver them"
        )
    if named == "mask":
        if not state.has_mask:
            raise ProgramError(f"start='mask': the State of {state.program.__name__} has no mask")
        return Start(kept_mask=True)
    if named == "changed":
        vertices = _changed(graph, state.graph, same_edges, other)
        # The vertices that an unfinished run left in the mask must scatter, too.
        unfinished = cls is state.program and state.has_mask
        return Start(mask=_marked(graph, vertices), kept_mask=unfinished)
    return Start(mask=None if start is None else _mask(graph, start))


def _check_change(program: VertexProgram, graph: Graph, state: State) -> None:
    """Raise ProgramError if the program cannot continue on a graph whose edges have changed."""
    cls = type(program)
    if graph.num_vertices != state.graph.num_vertices:
        raise ProgramError(
            f"the State is for {state.graph.num_vertices:,} vertices, but the graph has "
            f"{graph.num_vertices:,}: run without state="
        )
    if Traits.of(cls.spec).arc_state:
        raise ProgramError(
            f"{cls.__name__} keeps state on arcs, and the graph's arcs have changed: run without "
            "state="
        )
    if cls.spec.restart == "any":
        return
    change = _direct(graph, state.graph)
    if cls.spec.restart == "added" and change is not None and not change.removed:
        return
    if cls.spec.restart == "never":
        why = "its result depends on the graph that it started with"
    else:
        removed = f"edges were removed ({change.removed if change else 0:,})"
        other = "the graph was not made from the State's graph by a single with_edges(...)"
        why = f"only added edges are allowed, and {removed if change else other}"
    raise ProgramError(
        f"{cls.__name__} cannot continue from that State: {why}; run it without state="
    )


def _direct(graph: Graph, before: Graph) -> Change | None:
    """The change that made `graph` from `before`, if it was a single one."""
    change = graph.change
    return change if change is not None and change.before == before.fingerprint else None


def _changed(graph: Graph, before: Graph, same_edges: bool, other: str) -> np.ndarray:
    """The vertices that scatter first with start='changed'.

    Raises:
        GasclError: the graph does not record everything that has changed.
    """
    if graph.change is None:
        raise GasclError("start='changed': the graph was not made by with_edges")
    why = f"the values of its edge field {other!r} have changed" if other else ""
    if not same_edges and _direct(graph, before) is None:
        why = "it was not made from the State's graph by a single with_edges(...)"
    if why:
        raise GasclError(
            f"start='changed': the graph does not record everything that has changed: {why}; give "
            "the vertices that scatter first as start=[...], or run without state="
        )
    return graph.change.vertices


def _other_field(program: VertexProgram, graph: Graph, before: Graph) -> str:
    """The first edge field whose values, as the program reads them, have changed; "" if none has.

    If edges were added to `before` or removed, the values of the edges that stayed are compared. If
    it is an unrelated graph, there is nothing to compare.
    """
    if graph is before:
        return ""
    change = None
    if graph.fingerprint != before.fingerprint:
        change = _direct(graph, before)
        if change is None:
            return ""
    for name, field in program.spec.edge_fields.items():
        held_now, held_then = (held(g.edge_fields).get(name) for g in (graph, before))
        if isinstance(held_now, RemoteField) or isinstance(held_then, RemoteField):
            if held_now is not None and held_then is not None and _differ(held_now, held_then):
                return name
            continue
        type_ = field.resolve(program.dtype).scalar
        now, then = (_as_read(g, field, type_) for g in (graph, before))
        if now is None or then is None:
            continue  # one of the graphs lacks the field: the run will report it
        if change is not None:
            now, then = now[: len(now) - change.added], np.delete(then, change.gone)
        if not np.array_equal(now, then, equal_nan=True):
            return name
    return ""


def _differ(now: Any, then: Any) -> bool:
    """Whether the values of an edge field differ, which may be in all ranks."""
    return now is not then and hash_of_field(now) != hash_of_field(then)


def _as_read(graph: Graph, field: EdgeField, type_: np.dtype) -> np.ndarray | None:
    """(E,) an edge field as the program reads it; None if the graph lacks it."""
    values = graph.edge_fields.get(field.name)
    if values is None:
        if field.default is REQUIRED:
            return None
        return np.broadcast_to(np.asarray(field.default, type_), graph.num_edges)
    with np.errstate(all="ignore"):  # values that do not fit are refused elsewhere
        return values.astype(type_, copy=False)


def _mask(graph: Graph, labels: Iterable[Any]) -> np.ndarray:
    try:
        vertices = list(labels.tolist() if isinstance(labels, np.ndarray) else labels)
    except TypeError:
        raise GasclError(f"start must be an array or list of vertices, not {labels!r}") from None
    if vertices and all(isinstance(v, bool | np.bool_) for v in vertices):
        if len(vertices) != graph.num_vertices:
            raise GasclError(
                f"start has {len(vertices):,} bools, but the graph has {graph.num_vertices:,} "
                "vertices"
            )
        return np.array(vertices, np.uint8)
    return _marked(graph, graph.indices_of(vertices))


def _marked(graph: Graph, vertices: np.ndarray) -> np.ndarray:
    mask = np.zeros(graph.num_vertices, np.uint8)
    mask[vertices] = 1
    return mask
