"""Checks the initial vertex fields of a run, and the edge fields that it reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from gascl.delivery.run_layout import VERTEX
from gascl.device_graph.buffers import convert
from gascl.errors import GraphError, ProgramError
from gascl.graph.field_table import read_as
from gascl.graph.field_types import Bools, FieldType, Texts, Times
from gascl.graph.graph import Graph
from gascl.graph.validation import by_label
from gascl.language.combiners import MAX, MIN
from gascl.language.fields import (
    REQUIRED,
    EdgeField,
    Field,
    span,
    within,
)
from gascl.language.program import VertexProgram
from gascl.language.types import TIME, Type
from gascl.run.field_values import has_rest
from gascl.run.state import DeviceField, Inputs, State
from gascl.run.table_indices import check_indices
from gascl.run.times import counts, times_of
from gascl.user_messages import DOUBLE, Message, Option


def inputs(
    program: VertexProgram,
    graph: Graph,
    types: Mapping[str, Type],
    previous: State | None,
    debug: bool,
) -> Inputs:
    """The vertex fields that a run of a program is given, checked.

    Args:
        types: those of the vertex fields.

    Raises:
        ProgramError, GraphError: as `initial_values`, `check_prepared` and the program's `prepare`.
    """
    written = program.spec.written
    from_state = previous.names() if previous else ()
    initial: dict[str, np.ndarray] = {}
    notes: list[str] = []
    left = left_on_device(program, graph, types)
    if graph.vertex_fields:
        initial, notes = graph_values(program, graph, from_state)
    if initial or program.initial.keys() - left.keys():
        initial = initial_values(program, graph, types, initial, left)
    constructed = {*initial}
    program.prepare(graph, initial)
    if initial:
        check_prepared(program, graph, types, initial)
    # As for `init`: a field that the program writes continues from the State.
    for name in ({*initial} - constructed).intersection(from_state, written):
        del initial[name]
    read = {index.field for index in program.spec.field_indices}
    found = {n: np.asarray(field) for n, field in left.items() if n in read} if read else {}
    notes += check_indices(program, graph, {**initial, **found}, from_state)
    there = {*initial, *left, *from_state}
    missing = [name for name in program.spec.needed if name not in there]
    notes += [note for name in missing if (note := _missing(program, graph, name))]
    read_only = {}
    for name, values in initial.items():
        if name not in written and not has_rest(values):
            read_only[name] = values
    finite = not debug or begins_finite(
        program, graph, {**initial, **{n: np.asarray(f) for n, f in left.items()}}, previous
    )
    return Inputs(initial, left, read_only, notes, previous, finite)


def left_on_device(
    program: VertexProgram, graph: Graph, types: Mapping[str, Type]
) -> dict[str, DeviceField]:
    """The fields given at construction that can be copied on the device."""
    if type(program).prepare is not VertexProgram.prepare:
        return {}  # it gets arrays
    return {
        name: given
        for name, given in program.initial.items()
        if isinstance(given, DeviceField)
        and given.owner == VERTEX
        and given.state.graph.num_vertices == graph.num_vertices
        and given.fits(types[name], program.lanes)
    }


def begins_finite(
    program: VertexProgram, graph: Graph, initial: Mapping[str, np.ndarray], previous: State | None
) -> bool:
    """Whether a run begins without infinity, so that one in a field comes from an overflow.

    Infinity comes from a snippet that names it, from a parameter, an initial value or an edge
    field, or from min and max of nothing, where apply runs without messages or reads aggregates.
    """
    spec, snippets = program.spec, program.spec.snippets.values()
    read = set().union(*(s.reads("prev") for s in snippets))
    seen = [(a.combiner, a.resolve(program.dtype)) for n, a in spec.aggregates.items() if n in read]
    if spec.apply_on != "message" and spec.combiner is not None:
        seen.append((spec.combiner, spec.message_type(program.dtype)))
    of_nothing = any(combiner in (MIN, MAX) and type_.is_float for combiner, type_ in seen)
    if of_nothing or any(s.uses("INFINITY", "HUGE_VAL", "HUGE_VALF") for s in snippets):
        return False
    values = [getattr(program, name) for name, param in spec.params.items() if param.in_run]
    values += [field.init for field in spec.vertex_fields.values()]
    values += [field.init for field in spec.arc_fields.values()]
    values += [field.default for field in spec.edge_fields.values()]
    values += [graph.edge_fields[name] for name in spec.edge_fields if name in graph.edge_fields]
    kept = previous.fields() if previous else ()
    return not any(map(_has_infinity, (*values, *initial.values(), *kept)))


def _has_infinity(values: Any) -> bool:
    array = np.ma.getdata(values)
    if array.dtype.names:
        return any(_has_infinity(array[name]) for name in array.dtype.names)
    return array.dtype.kind == "f" and bool(np.isinf(array).any())


def check_edge_fields(
    program: VertexProgram, graph: Graph, types: Mapping[str, Type], left_out: Collection[str] = ()
) -> list[str]:
    """Check the edge fields that a program reads; returns warnings about those that are missing.

    Args:
        types: the type of each of them.
        left_out: those that are missing because the user wants the defaults.

    Raises:
        GraphError: a missing one has no default, the graph's values do not fit its type or
            range, or times have different units.
    """
    declared = program.spec.edge_fields
    times_of(program.spec, graph)
    notes = [_check_edge_field(program, graph, declared[n], type_) for n, type_ in types.items()]
    return [note for name, note in zip(types, notes, strict=True) if note and name not in left_out]


def _check_edge_field(
    program: VertexProgram, graph: Graph, field: EdgeField, type_: Type
) -> str | None:
    cls, name = type(program), field.name
    others = [f for _, f in read_as(graph.report, name) if f in graph.edge_fields]
    there = ", ".join(graph.edge_fields) or "none"
    if name in graph.edge_fields:
        _check_read(program, f"edge field {name!r}", graph.edge_types.get(name), field, type_)
        short, bounds = graph.edge_summary(name), (field.low, field.high)
        if not short.fits(type_.scalar):
            convert(graph.edge_fields[name], type_, f"edge field {name!r}", _wider(field, type_))
        ends = [] if short.least is None else [short.least, short.greatest]
        free = bounds == (None, None) and not field.finite
        if (short.finite or free) and all(within(end, *bounds) for end in ends):
            return None
        values = graph.edge_fields[name]
        right = within(values, *bounds) if bounds != (None, None) else np.ones(len(values), bool)
        wrong = np.flatnonzero(~(right & np.isfinite(values) if field.finite else right))
        if len(wrong):
            rules = [span(*bounds)] * (bounds != (None, None)) + ["finite"] * field.finite
            src, dst = (int(ends[wrong[0]]) for ends in (graph.edge_src, graph.edge_dst))
            error = GraphError(
                program.title(),
                f": {name} must be {' and '.join(rules)}, but edge {wrong[0]} "
                f"({graph.label_of(src)!r} to {graph.label_of(dst)!r}) has {values[wrong[0]]} "
                f"({len(wrong):,} such edge{'s' * (len(wrong) > 1)}): change or remove "
                f"{'these edges' if len(wrong) > 1 else 'it'}",
            )
            error.edge = int(wrong[0])
            raise error
    elif field.default is REQUIRED:
        own = not cls.__module__.startswith("gascl.")
        declare = ", or the declaration a default" if own else ""
        raise GraphError(
            "" if own else program.title() + ": ",
            f"the program reads {name}, but the graph has no such edge field (it has: {there}); "
            f"give the graph one, as by Graph.from_edges(..., {name}=...){declare}",
            _renaming(field, graph, others),
            place=cls.spec.source.place(name) if own else None,
        )
    elif graph.edge_fields and not field.optional:
        return Message(
            f"the graph has no edge field {name!r} (it has: {there}); "
            f"the default {field.default!r} is used for every edge",
            _renaming(field, graph, others),
        )
    elif others:
        return Message(
            f"the graph has no edge field {name!r}: the column {name!r} was read as {others[0]}; "
            "to use it, ",
            Option(name, others[0], "edge field"),
        )
    return None


def _check_read(
    program: VertexProgram, what: str, known: FieldType | None, field: Field, type_: Type
) -> None:
    """Raises GraphError if a program would compute with the codes of texts as with numbers, or with
    them or bools as with times.

    Args:
        what: what errors call the field.
        known: what the graph's values are.
        field, type_: what the program declares.
    """
    if field.type == TIME and isinstance(known, Texts | Bools):
        raise GraphError(
            program.title(),
            f": the graph's {what} is {known.name}, and the program reads points in time; convert "
            "it to times, as by pandas.to_datetime, or to numbers",
        )
    if not isinstance(known, Texts):
        return
    if not type_.is_float and not known.are_numbers:
        return
    some = (
        f"{what} is text, such as {known.values[0]!r}" if len(known.values) else f"{what} is text"
    )
    remedy = (
        "convert it to numbers before"
        if known.are_numbers
        else "an integer field would get the code of each text; or give the graph numbers"
    )
    raise GraphError(program.title(), f": the graph's {some}; {remedy}")


def _renaming(field: EdgeField, graph: Graph, others: Sequence[str]) -> str:
    """How to use a column of another name as the field, as the end of a message.

    Args:
        others: the fields as which columns of the field's name were read.
    """
    name, of_times = field.name, field.type == TIME
    if not graph.edge_fields:
        return ""
    other = next((n for n, kind in graph.edge_types.items() if isinstance(kind, Times)), "FIELD")
    other = other if of_times else "FIELD"
    if others:
        what, other = f"the column {name!r}, which was read as {others[0]}", others[0]
    else:
        what = f"another field as {name!r}"
    return Message(f"; to use {what}, ", Option(name, other, "edge field"))


def graph_values(
    program: VertexProgram, graph: Graph, kept: Collection[str] = ()
) -> tuple[dict[str, np.ndarray], list[str]]:
    """The graph's vertex fields that a program takes as initial values, and warnings about others.

    A field that no snippet writes is an input, like an edge field. A field that the program
    computes has initial values of its own: the graph's column is often the result of a run.

    Args:
        kept: the fields whose values come from a State.
    """
    spec = program.spec
    open_fields = [
        name
        for name in spec.vertex_fields
        if name not in kept
        and name not in program.initial
        and (program.outer_fields is None or name in program.outer_fields)
    ]
    found = [name for name in open_fields if name in graph.vertex_fields]
    inputs = [n for n in open_fields if n not in graph.vertex_fields and n not in spec.written]
    unread = {_stem(n): n for n in graph.vertex_fields if n not in spec.vertex_fields}
    notes = []
    for name in (n for n in inputs if _stem(n) in unread):
        other = unread[_stem(name)]
        give = f", or give {spec.name}({name}=graph.vertex_fields[{other!r}])"
        notes.append(
            f"the graph's vertex field {other!r} is not used, since the program reads {name!r}, "
            f"which the graph does not have; rename one of them{'' if program.run_by else give}"
        )
    for name in (n for n in found if n in spec.written):
        here = f"{spec.name}({name}=graph.vertex_fields[{name!r}]) starts from it"
        notes.append(
            f"the graph's vertex field {name!r} is not used, since the program computes its own "
            f"{name!r}{'' if program.run_by else f'; {here}'}"
        )
    return {n: graph.vertex_fields[n] for n in found if n not in spec.written}, notes


def _missing(program: VertexProgram, graph: Graph, name: str) -> str:
    """A warning that nothing gives the values of an input; "" if `graph_values` has one."""
    spec = program.spec
    private = program.outer_fields is not None and name not in program.outer_fields
    unread = [n for n in graph.vertex_fields if n not in spec.vertex_fields and not private]
    if _stem(name) in map(_stem, unread):
        return ""
    begins = spec.vertex_fields[name].init
    near = get_close_matches(name, unread, 1, 0.8)
    ways = [f"rename the graph's vertex field {near[0]!r}"] if near else []
    if private or not program.run_by:
        given = f"graph.vertex_fields[{near[0]!r}]" if near else "..."
        ways.append(f"give {spec.name}({name}={given})")
    if not near and not private:
        ways.append(f"give the graph a vertex field {name!r}")
    return (
        f"the program reads {name!r}, which nothing gives: it is {begins} at every vertex; "
        f"{' or '.join([*ways, f'declare it with init={begins}'])} if that is intended"
    )


def _stem(name: str) -> str:
    """A name in lower case and in the singular, without underscores and hyphens: names with one
    stem may be meant for each other."""
    bare = re.sub(r"[\W_]", "", name.lower())
    for ending, singular in (
        (r"ies$", "y"),
        (r"(?<=[sx])es$|(?<=[cs]h)es$", ""),
        (r"(?<!s)s$", ""),
    ):
        if re.search(ending, bare):
            return re.sub(ending, singular, bare)
    return bare


def initial_values(
    program: VertexProgram,
    graph: Graph,
    types: Mapping[str, Type],
    of_graph: Mapping[str, np.ndarray] | None = None,
    left: Container[str] = (),
) -> dict[str, Any]:
    """The vertex fields given at construction, and those of the graph, each in its field's type.

    Their shape is (V,), or with lanes (V, lanes), plus a dimension for the components of a vector.
    If a dict leaves out vertices, and only the device knows their initial values, it is a masked
    array.

    Args:
        of_graph: those of the graph to use, as `graph_values` returns them.
        left: those to leave out, since they are on the device.

    Raises:
        ProgramError: an array has the wrong shape, or a value does not fit the type.
        GraphError: there is no such vertex, or the graph's values do not fit.
    """
    arrays = {}
    of_graph = of_graph or {}
    for name, values in {**of_graph, **program.initial}.items():
        if name in left:
            continue
        given = by_label(values, graph)
        given = given.to_numpy() if hasattr(given, "to_numpy") else given
        if program.spec.vertex_fields[name].type == TIME:
            what = f"{type(program).__name__}: the initial {name!r}"
            known = graph.vertex_types.get(name) if name in of_graph else None
            if isinstance(known, Times):
                given = known.as_read(given)
            else:
                given = counts(given, times_of(program.spec, graph), what)
        type_ = types[name]
        tail = (type_.width,) if type_.width > 1 else ()
        lanes = (program.lanes,) if program.lanes > 1 else ()
        shape = (graph.num_vertices, *tail)
        if isinstance(given, Mapping):
            values = _with_rest(program, name, type_, shape, given, graph)
        elif name not in of_graph and _is_one(given, tail):
            values = np.full(shape, _one(program, name, type_, "", given), type_.scalar)
        elif type_.members and name not in of_graph:
            values = _struct_array(program, name, type_, given)
        else:
            values = _array(given)
        if name in of_graph:
            known = graph.vertex_types.get(name)
            _check_read(
                program, f"vertex field {name!r}", known, program.spec.vertex_fields[name], type_
            )
        if lanes and values.shape == shape:
            values = np.ma.repeat(values[:, None], program.lanes, axis=1)
        shape = (graph.num_vertices, *lanes, *tail)
        if values.shape != shape or values.dtype.kind not in ("V" if type_.members else "iuf"):
            what, remedy = f"{type(program).__name__}({name}=...): expected ", ""
            if name in of_graph:
                what = f"{program.title()}: the graph's vertex field {name!r} must have "
                remedy = f"; change it{_instead_of_graph(program, name)}"
            row = f", or {type_.width} numbers for every vertex" if tail else ""
            raise ProgramError(
                f"{what}{'values' if type_.members else 'numbers'} of shape {shape}, one per "
                f"vertex, or a single one{row}, or a dict from labels to values; got "
                f"{values.dtype}, {values.shape}{remedy}"
            )
        if not type_.members:
            remedy = _wider(program.spec.vertex_fields[name], type_)
            what = f"the initial {name!r}"
            if name in of_graph:
                what = f"{program.title()}: the graph's vertex field {name!r}"
                remedy = Message(remedy, _instead_of_graph(program, name))
            mask = np.ma.getmask(values)
            values = convert(np.ma.getdata(values), type_, what, remedy)
            values = values if mask is np.ma.nomask else np.ma.MaskedArray(values, mask)
        arrays[name] = values.copy()
    return arrays


def _instead_of_graph(program: VertexProgram, name: str) -> str:
    """How to start from other values than the graph's, in the middle of a remedy."""
    return f", give other values with {program.spec.name}({name}=...)"


def _with_rest(
    program: VertexProgram,
    name: str,
    type_: Type,
    shape: tuple[int, ...],
    given: Mapping[Any, Any],
    graph: Graph,
) -> np.ndarray:
    """The values in a dict from labels; all other vertices have the field's `rest` or its init."""
    field = program.spec.vertex_fields[name]
    rest = field.init if field.rest is None else field.rest
    of_device = isinstance(rest, str)
    values = np.full(shape, 0 if of_device or type_.members else rest, type_.scalar)
    unset = np.ones(len(values), bool)
    for label, value in given.items():
        at = graph.index_of(label)
        values[at] = _one(program, name, type_, f" for {label!r}", value)
        unset[at] = False
    if not of_device:
        return values
    masked = np.ma.MaskedArray(values)
    masked[unset] = np.ma.masked
    return masked


def _wider(field: Field, type_: Type) -> str:
    """What to do about a value that does not fit the type."""
    real = field.type == "real" and type_.scalar == np.float32
    return Message("give ", DOUBLE) if real else "declare another type"


def empty_field(type_: Type) -> np.ndarray:
    """A field of a graph without vertices."""
    return np.zeros((0, type_.width) if type_.width > 1 else 0, type_.scalar)


def check_prepared(
    program: VertexProgram, graph: Graph, types: Mapping[str, Type], initial: dict[str, Any]
) -> None:
    """Raise ProgramError if the program's `prepare` has made an initial field unusable."""
    for name, values in initial.items():
        if name not in types or name not in program.spec.vertex_fields:
            known = ", ".join(program.spec.vertex_fields)
            raise ProgramError(
                f"{type(program).__name__}.prepare added {name!r} to the initial fields; the "
                f"vertex fields are {known}"
            )
        type_ = types[name]
        lanes = (program.lanes,) if program.lanes > 1 else ()
        shape = (graph.num_vertices, *lanes, *((type_.width,) if type_.width > 1 else ()))
        kind, found = getattr(values, "dtype", type(values).__name__), getattr(values, "shape", "")
        if kind != type_.scalar or found != shape:
            raise ProgramError(
                f"{type(program).__name__}.prepare left {kind}, {found} as the initial {name!r}; "
                f"expected an array of {type_.scalar}, {shape}"
            )


def _is_one(given: Any, tail: tuple[int, ...]) -> bool:
    """Whether values that are given are one for all vertices: a number, a tuple, or a row, which
    has the shape `tail` of a vertex's value."""
    if isinstance(given, tuple):
        return True
    try:
        return np.shape(given) in ((), tail)
    except ValueError:  # of lists of different lengths
        return False


def _array(given: Any) -> np.ndarray:
    """What is given as an array: of objects, which are no numbers, if lists differ in length."""
    try:
        return np.asarray(given)
    except ValueError:
        return np.asarray(given, object)


def _one(program: VertexProgram, name: str, type_: Type, whose: str, value: Any) -> Any:
    """One vertex's initial value, of an array or a vector also a number for all its components;
    `whose`: " for LABEL", or "" if it is every vertex's."""
    if type_.members:
        try:
            return np.array(tuple(value), type_.scalar)
        except (TypeError, ValueError):
            one = None
    else:
        one = _array(value)
    shape = (type_.width,) if type_.width > 1 else ()
    if one is None or one.dtype.kind not in "iuf" or one.shape not in (shape, ()):
        wanted = f"a number or {type_.width} numbers" if shape else "a number"
        if type_.members:
            wanted = f"a tuple of its members ({', '.join(n for n, _ in type_.members)})"
        raise ProgramError(
            f"{type(program).__name__}({name}=...): {value!r}{whose} does not fit {name} "
            f"({program.spec.vertex_fields[name].type}): give {wanted}"
        )
    what = f"the initial {name!r}{whose}"
    return convert(np.full(shape or 1, one), type_, what).reshape(shape)


def _struct_array(program: VertexProgram, name: str, type_: Type, given: Any) -> np.ndarray:
    """A structured array in the type's layout; members are matched by name."""
    values = np.asarray(given)
    members = [n for n, _ in type_.members]
    if values.dtype.names is None or set(values.dtype.names) != set(members):
        raise ProgramError(
            f"{type(program).__name__}({name}=...): expected a structured array with the members "
            f"{', '.join(members)}; got {values.dtype}"
        )
    array = np.zeros(values.shape, type_.scalar)
    for member, inner in type_.members:
        part = values[member]
        if inner.width == 1:
            array[member] = convert(part, inner, f"the initial {name!r}, {member!r}")
        elif part.shape == array[member].shape:
            array[member] = part
        else:
            raise ProgramError(
                f"{type(program).__name__}({name}=...): its member {member!r} has {inner.width} "
                f"components; got an array of shape {part.shape}"
            )
    return array
