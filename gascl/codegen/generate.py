"""Generates the header of a program in OpenCL C: a pure function, testable without a device.

The header contains what the kernels in kernels/*.cl need from a program: structs, loads and stores
of exactly the fields that snippets use, the combiner, and the snippets as functions. `places` maps
each generated line to the user's, so that compiler messages can be translated for every driver
(NVIDIA's ignores `#line`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gascl.codegen.aggregators import write_aggregators, write_control
from gascl.codegen.combiner import write_combiner
from gascl.codegen.context import Context
from gascl.codegen.declarations import (
    write_arguments,
    write_arrays,
    write_layouts,
    write_message,
    write_params,
    write_structs,
    write_switches,
)
from gascl.codegen.groups import write_groups
from gascl.codegen.header import Header
from gascl.codegen.intrinsics import Calls
from gascl.codegen.pairs import Pairs
from gascl.codegen.phases import Phases
from gascl.codegen.reductions import Reductions
from gascl.codegen.source_writer import Text
from gascl.codegen.transactions import Transactions
from gascl.codegen.traps import Traps
from gascl.codegen.trials import Trials
from gascl.language.spec import ProgramSpec
from gascl.language.traits import Traits
from gascl.language.types import resolve


def generate(
    spec: ProgramSpec,
    *,
    real: str = "float32",
    choices: Mapping[str, str] | None = None,
    offset: str = "int32",
    fp64: bool = True,
    lanes: int = 1,
    debug: bool = False,
    numbered: bool = False,
    wide: bool = False,
    shares: bool = False,
    constant: bool = True,
    reorders: bool = False,
) -> Header:
    """The header of a program.

    Args:
        real: the type that `real` stands for, "float32" or "float64".
        choices: values of the compile-time parameters; for those not given, the defaults hold.
        offset: the type of arc offsets and edge ids, "int32" or "int64".
        fp64: whether the device has double precision; without it, float sums are float.
        lanes: the number of runs at once.
        debug: add traps for NaN, infinity, division by zero and indices.
        numbered: vertices have other numbers on the device than the user's.
        wide: ids of vertices have 64 bits.
        shares: as in `Traits`.
        constant: array parameters are in constant memory.
        reorders: aggregators add in an order that varies.
    """
    # No kernel has those that `solve` returns; memory is estimated for such a program, too.
    spec = replace(spec, aggregates={n: a for n, a in spec.aggregates.items() if a.op})
    traits = Traits.of(spec, lanes, debug, shares)
    given = resolve(offset, real), fp64, debug, numbered, wide, constant, reorders
    c = Context(spec, traits, real, choices or {}, *given)
    text = Text(c.as_arrays, strict=wide)
    traps = Traps(text, c)
    calls = Calls(text, c, traps)
    write_switches(text, c)
    write_structs(text, c)
    write_arrays(text, c)
    write_params(text, c)
    write_aggregators(text, c)
    write_control(text, c)
    write_message(text, c)
    text.struct(c.vertex)
    text.put(*["typedef struct gascl_held_row gascl_held_row;"] * traits.finds_common)
    text.struct(c.edge)
    transactions = Transactions(text, c)
    if c.packed_bytes:
        transactions.write_types()
    state, edge = write_arguments(text, c)
    traps.write_guards()
    if "functions" in spec.snippets:
        traps.functions(spec.snippets["functions"])
    write_combiner(text, c, traps)
    write_groups(text, c)
    text.put('#include "intrinsics.cl"', *['#include "common.cl"'] * traits.finds_common)
    text.put(*['#include "arc_messages.cl"'] * traits.keeps_by_arc, "")
    traps.write()
    calls.write()
    if c.in_place:
        text.put("#if GASCL_IN_PLACE")
        transactions.write_current()
        text.put("#endif", "")
    Phases(text, c, traps, calls, Reductions(text, c)).write()
    if c.packed_bytes:
        transactions.write()
        transactions.write_refusing(calls)
    if c.tries_orders:
        Trials(text, c).write()
    if traits.pairs:
        Pairs(text, c, traps, calls).write()
    write_layouts(text, c)
    return Header(
        text="\n".join(text.lines) + "\n",
        places=tuple(text.places),
        state=tuple(state),
        edge=tuple(edge),
        types=c.field_types,
        message=c.message,
        stored=c.stored,
        gathered=c.gathered,
        accumulator=c.accumulator,
        staged=c.staged,
        outbox_entry=c.outbox_entry,
        packed=c.packed_bytes,
        applied=c.applied.scalar,
        alone=c.alone,
        box=c.box.scalar,
        run=c.run,
        tables=c.tables.scalar if spec.arrays else np.dtype([]),
        tally=c.tally.scalar,
        control=c.control.scalar,
        outcome=c.outcome.scalar,
        other=c.other.scalar if traits.pairs else np.dtype([]),
        axes=c.place.width if traits.near else 0,
        node=c.node.scalar if traits.near else np.dtype([]),
        lanes=lanes,
        reals=tuple(c.reals),
    )
