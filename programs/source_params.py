"""Where a search begins: at one source, or at several together."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl import Graph, ProgramError
from gascl.user_messages import Option, Placeholder


def with_source(
    program: Any, positional: tuple[Any, ...], values: dict[str, Any]
) -> dict[str, Any]:
    """The arguments of a program with the parameters `source` and `sources`: where the second is
    given, its first label stands for the first one.

    Args:
        positional: arguments without a name, which the constructor refuses.

    Raises:
        ProgramError: both are given or neither is, or `sources` is no list.
    """
    title, spec = program.title(), program.spec
    if values.get("sources") is None:
        misspelled = values.keys() - {*spec.params, *spec.edge_fields, *spec.vertex_fields}
        # The constructor reports misspelled and positional ones.
        if "source" not in values and not misspelled and not positional:
            raise ProgramError(
                title,
                ": parameter 'source' is required: give ",
                Option("source", Placeholder("..."), of="program"),
                ", or ",
                Option("sources", [Placeholder("...")], of="program"),
                " for several together",
            )
        return values
    if "source" in values:
        raise ProgramError(
            title,
            ": give ",
            Option("source", Placeholder("..."), of="program"),
            " or ",
            Option("sources", [Placeholder("...")], of="program"),
            ", not both",
        )
    try:
        sources = spec.params["sources"].convert(values["sources"])
    except ValueError as error:
        raise ProgramError(title, f": sources={values['sources']!r}: {error}") from None
    if not isinstance(sources, list):
        raise ProgramError(title, f": sources={sources}: expected a list of labels")
    return values | {"source": sources[0], "sources": sources}


def how_many(wanted: int | list[Any] | None, size: Any) -> int:
    """How many vertices a `param.vertices()` stands for, in a graph of this size."""
    if wanted is None:
        return size.num_vertices
    return len(wanted) if isinstance(wanted, list) else wanted


def begin_at_sources(
    program: Any, graph: Graph, initial: dict[str, np.ndarray], field: str, far: float
) -> None:
    """For `prepare`: where there are `sources`, `field` begins as 0 there, and elsewhere as `far`.

    Raises:
        GraphError: there is no such vertex.
    """
    if program.sources is not None:
        shape = (graph.num_vertices, program.lanes) if program.lanes > 1 else graph.num_vertices
        type_ = program.spec.vertex_fields[field].resolve(program.dtype)
        initial[field] = np.full(shape, far, type_.scalar)
        initial[field][graph.indices_of(program.sources)] = 0
