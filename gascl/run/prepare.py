"""`prepare`: decides how a program runs on a graph and a device, each decision with its reason.

It is a function of data: it makes no OpenCL calls, and compiles nothing. `Engine.run` follows what
it returns, and `Engine.explain` shows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gascl.codegen import constants
from gascl.codegen.constants import VERY_LONG_ROW, long_row
from gascl.delivery.admission import (
    Demand,
    Parts,
    cut_refuses,
    demand_of,
    halo_refuses,
    local_refuses,
    why_together,
)
from gascl.delivery.cost import Size, costs_of, fits_one_launch
from gascl.delivery.delivery import Delivery
from gascl.delivery.device_facts import DeviceFacts
from gascl.delivery.exchanged_rows import exchanged_rows
from gascl.delivery.registry import Choice, choose, form_of
from gascl.delivery.run_layout import GRAPH, Extent, Key, RunLayout
from gascl.device_graph.buffers import (
    arcs_presorted,
    extent_of,
    is_symmetric,
    num_arcs,
    offset_type,
    shortage,
    too_large,
    too_many_to_sort,
)
from gascl.device_graph.device_arcs import DeviceOrder
from gascl.device_graph.stream import in_memory, in_parts, run_bytes
from gascl.graph.arcs import Arcs
from gascl.graph.graph import Graph
from gascl.graph.implicit_arcs import is_implicit
from gascl.graph.partition import Division, Part, senders_elsewhere, shares
from gascl.graph.reordering import Numbering
from gascl.graph.vertex_partition import VertexPartition
from gascl.language.program import VertexProgram
from gascl.language.reductions import Reduction, reductions
from gascl.language.spec import ProgramSpec
from gascl.language.traits import Traits
from gascl.run.plan import Source, Variant, source_of
from gascl.run.push_pull import largest_degree
from gascl.util.units import amount

#: Work-groups share loops instead of running all supersteps in one launch if the longest row is so
#: many times as long as must be: launches take as long as a work-item for some hundred neighbors.
LONG_FOR_LAUNCHES = 8
#: The most bytes of array parameters in constant memory: of the 64 KiB that OpenCL promises, the
#: rest is for the compiler's own constants.
MOST_CONSTANT = 48 << 10
#: Up to this many vertices and arcs, in all lanes, some hundred runs take less time than the
#: optimizer of a CPU's compiler.
SMALL = 2**9
#: The buffers of a rank's exchange with other hosts.
HALO = Key(GRAPH, "halo")


@dataclass(frozen=True)
class Setting:
    """The settings of an engine, for all of its runs.

    Attributes:
        deterministic, debug, seed: as in `Engine`.
        device_memory: the most bytes of the device that a run may take; None: all.
        host_memory: the bytes of the host that all ranks together may use; None: unknown.
        rank, ranks: which process of how many this is.
        apart: the processes do not share memory.
        partition: which process has which vertices; None: each has a range of them.
        spills: the data of vertices are in files.
    """

    deterministic: bool = True
    debug: bool = False
    seed: int = 0
    device_memory: int | None = None
    host_memory: int | None = None
    rank: int = 0
    ranks: int = 1
    apart: bool = False
    partition: VertexPartition | None = None
    spills: bool = False


@dataclass(frozen=True)
class Decision:
    """A decision and its reason, which is a clause."""

    chosen: bool
    why: str


@dataclass(frozen=True, eq=False)
class Prepared:
    """How a program runs on a graph and a device.

    Attributes:
        title: the name of the program for messages.
        edges: the arcs along which it scatters, "out", "in" or "both".
        traits: what its snippets do, without debug mode.
        atomic: how the device combines its messages atomically (`Atomics.method_of`).
        choice: the delivery, why, and why no other.
        renumbered: whether vertices have other numbers on the device.
        persistent: whether a persistent kernel runs all supersteps in one launch.
        shares: whether work-groups share the loops over neighbors in apply that only reduce.
        constant: whether array parameters are in constant memory; otherwise in global memory.
        numbered: these numbers and the arcs by them, or None.
        parts: why the device has only some of the arcs at a time; None: it has all.
        share: the part of the arcs that belongs to this process; None: all.
        cut: whether ranks share the segments of rows that are longer than an equal share.
        local: whether this process has only its own vertices and their halo.
        source: the text of the kernels.
        layout: the buffers with their types and sizes, and the arguments of kernels.
        sizes: the bytes of the device that each buffer takes.
        held: those of them that are not in files.
        halos: of each process, or of this one alone, how many vertices of others it has or
            receives the values of; 0 where these are all.
        short: why not all arcs of this process fit on the device at once; "" if they do.
        limit: the bytes of the device that the run may take.
    """

    title: str
    edges: str
    traits: Traits
    atomic: str
    choice: Choice
    renumbered: Decision
    numbered: tuple[Numbering, Arcs] | None
    persistent: Decision
    shares: Decision
    constant: Decision
    parts: Parts | None
    share: Division | None
    cut: Decision
    local: Decision
    source: Source
    layout: RunLayout
    sizes: Mapping[Key, int]
    held: Mapping[Key, int]
    halos: Sequence[int]
    short: str
    limit: int

    @property
    def numbering(self) -> Numbering | None:
        """How vertices are numbered on the device; None: as in the graph."""
        return self.numbered[0] if self.numbered else None

    @property
    def delivery(self) -> Delivery:
        return self.choice.delivery

    @property
    def streamed(self) -> int:
        """The number of parts in which the arcs of this process are streamed to the device; 1: all
        stay there."""
        return self.layout.extent.parts

    @property
    def placement(self) -> str:
        """Where the vertices and arcs are, in words."""
        words = "one device has all vertices and arcs"
        if self.share is not None:
            has = f"all vertices, since {self.local.why}, and"
            if self.local.chosen:
                vertices = f"{self.layout.extent.vertices:,} vertices"
                has = f"{vertices}, its own range and those that send to it, and"
            words = (
                f"rank {self.share.rank} of {self.share.ranks} has {has} the arcs that end in its "
                "own range of them"
            )
        if self.streamed > 1:
            words = f"the arcs come to the device in {self.streamed} parts, since {self.short}"
            words += f"; {self.share.ranks} ranks share them" if self.share is not None else ""
        words += f"; {amount(self.in_files)} of vertices are in files" if self.in_files else ""
        return words

    @property
    def in_files(self) -> int:
        """The bytes that are in files."""
        return sum(self.sizes.values()) - sum(self.held.values())

    def named_sizes(self) -> dict[str, int]:
        """The bytes of the device that each buffer takes, by its name."""
        names: dict[str, int] = {}
        for key, size in self.sizes.items():
            names[str(key)] = names.get(str(key), 0) + size
        return names


def prepare(
    program: VertexProgram,
    graph: Graph,
    device: DeviceFacts,
    setting: Setting = Setting(),
    delivery: str = "auto",
    ordered: str = "",
    *,
    presorted: bool | None = None,
    at_once: Prepared | None = None,
    stores: bool = True,
    why_whole: str = "",
) -> Prepared:
    """Decide how a program runs.

    Args:
        delivery: as in `Engine.run`.
        ordered: why messages must not be applied as they are sent; "" if they may be.
        presorted: the graph's file has the arcs of all ranks in order; None: find out.
        at_once: the same run with all arcs on the device at once, if they do not fit (its `short`
            says why); they are then streamed in parts.
        stores: as in `choose`.
        why_whole: why this process needs all vertices, whatever the program does; "" if not.

    Raises:
        ProgramError: the delivery cannot run the program.
        DeviceError: the device cannot do what the program needs, or has too little memory even
            for streamed arcs.
    """
    spec, direction, short = program.spec, program.spec.direction, at_once.short if at_once else ""
    offset, implicit = offset_type(graph, direction), is_implicit(graph)
    together = ordered or why_together(device, setting.debug, offset == "int64")
    given = program, device.atomics, device.fp64, setting.deterministic, together
    demand = demand_of(*given, setting.debug, device.group)
    traits = demand.traits
    parts = Parts(setting.ranks, short) if setting.ranks > 1 or short else None
    hub = largest_degree(graph, direction) if traits.scatters else 0
    of_graph = Size(graph.num_vertices, num_arcs(graph, direction), hub)
    costs = costs_of(program, demand, of_graph, device.kind == "GPU", device.units)
    choice = choose(program, demand, delivery, setting.debug, parts, costs, stores)
    form = form_of(choice.delivery, 1 if setting.debug else device.group, setting.ranks)
    choice = replace(choice, delivery=form)
    if presorted is None:
        presorted = arcs_presorted(graph, direction)
    renumbered, numbered = _numbering(graph, direction, demand, setting, presorted, bool(short))
    size = (graph.num_vertices + num_arcs(graph, direction)) * program.lanes
    alternates = spec.alternates and not is_symmetric(graph.directed, direction)
    if short:
        persistent = Decision(False, "the arcs come to the device in parts")
    elif alternates and traits.reads_arcs:
        persistent = Decision(False, "its edges alternate, and it reads arcs, degrees or neighbors")
    else:
        persistent = _persistent(program, choice.delivery, traits, device, setting, of_graph)
    loops = reductions(spec, program.dtype)
    least = long_row(device.group, any(loop.nests for loop in loops))
    least *= LONG_FOR_LAUNCHES if persistent.chosen else 1
    shares = _shares(loops, graph, choice.delivery, traits, device, setting, parts, least)
    if shares.chosen:
        persistent = Decision(False, "vertices with many neighbors apply in launches of their own")
    optimized = size > SMALL or not device.may_skip_optimizer
    # Otherwise a group combines the segments of a row one after the other, to the same result.
    apart = persistent.chosen or setting.debug or alternates or parts is not None
    apart |= traits.reads_singly and choice.delivery.stores  # its messages lie side by side
    able = choice.delivery.splits and traits.may_split and device.group > 1 and not apart
    splits = able and hub > VERY_LONG_ROW and costs.waits_for_row(choice.name)
    constant = _constant(program, device)
    local = decide_local(graph, traits, setting, why_whole)
    cut = _cut(graph, traits, choice.delivery, setting, of_graph, short)
    share = None
    if setting.ranks > 1:
        bounds = numbered[0].bounds if numbered else ()
        share = Division(setting.rank, setting.ranks, bounds=bounds)
        if traits.pairs:
            share = share.of_pairs(graph.num_vertices)
        if cut.chosen:
            share = share._replace(segment=constants.SEGMENT)
    limit = setting.device_memory or device.memory
    if implicit and device.kind == "CPU" and setting.host_memory is not None:
        limit = min(limit, setting.host_memory // setting.ranks)
    arcs: list[Arcs] = []  # of even and odd supersteps, if they are divided
    if share or short:
        arcs.append(numbered[1] if numbered else graph.arcs(direction))
        if alternates:
            reverse = {"out": "in", "in": "out"}[direction]
            arcs.append(arcs[0].transposed() if numbered else graph.arcs(reverse))
    vertices, own = graph.num_vertices, None
    if local.chosen and share:
        own = arcs[0].local(_own_part(arcs[0], share))
        vertices, offset = len(own.vertices), own.offset.name
    variant = Variant(
        *(setting.debug, setting.seed, persistent.chosen, renumbered.chosen or local.chosen),
        *(implicit, optimized, shares.chosen, splits, cut.chosen, constant.chosen),
    )
    source = source_of(program, device, choice.delivery, offset, variant)
    orders = [_own_offsets(each, share) for each in arcs] if own is None else [own.own_offsets]
    own_parts = [_own_part(each, share) for each in arcs] if share else None
    extent = _extent(graph, direction, device, source, own_parts, vertices)
    if share and own is None and traits.own_neighbors:
        part, begins = _own_part(arcs[0], share), arcs[0].out_offsets
        extent = replace(extent, own_arcs=int(begins[part.last] - begins[part.first]))
    if own is not None:
        extent = replace(extent, offset=offset, ids=len(own.halo) if implicit else None)
    layout, senders, halo = source.run_layout(spec, extent), 0, 0
    if share and setting.apart and not halo_refuses(traits):
        part = _own_part(arcs[0], share)
        senders = vertices - (part.last - part.first)
        if not local.chosen:
            own_arcs = arcs[0].part(part)
            senders = len(senders_elsewhere(own_arcs.into.ends, part, graph.num_vertices))
        rows = exchanged_rows(spec, traits, choice.delivery, layout.own)
        halo = _halo_bytes(senders, local.chosen, rows, layout)
    if at_once:
        layout_of = partial(source.run_layout, spec)
        room = limit - halo, at_once.sizes, setting.spills
        layout = in_parts(device, orders, layout_of, extent, *room)
    sizes = run_bytes(device, layout, spec.alternates) | ({HALO: halo} if halo else {})
    held = in_memory(layout, sizes, setting.spills)
    short = short or shortage(device, held, limit=None if limit == device.memory else limit)
    short = short or too_large(device, sizes)
    if short and stores and delivery == "auto" and choice.delivery.stores:
        return prepare(
            *(program, graph, device, setting),
            presorted=presorted,
            at_once=at_once,
            stores=False,
            why_whole=why_whole,
        )
    return Prepared(
        title=program.title(),
        edges=direction,
        traits=traits,
        atomic=demand.atomic,
        choice=choice,
        renumbered=renumbered,
        numbered=numbered,
        persistent=persistent,
        shares=shares,
        constant=constant,
        parts=parts,
        share=share,
        cut=cut,
        local=local,
        source=source,
        layout=layout,
        sizes=sizes,
        held=held,
        halos=(senders,),
        short=short,
        limit=limit,
    )


def _numbering(
    graph: Graph, direction: str, demand: Demand, setting: Setting, presorted: bool, streamed: bool
) -> tuple[Decision, tuple[Numbering, Arcs] | None]:
    """Whether vertices have other numbers on the device, and these numbers with the arcs."""
    if not demand.traits.renumbers:
        why = "the program does not gather along all arcs in every superstep, or depends on ids"
        return Decision(False, why), None
    if is_implicit(graph):
        return Decision(False, "the arcs are not stored, but made by a rule"), None
    if setting.debug:
        return Decision(False, "debug mode keeps the graph's own numbers"), None
    if setting.partition is not None:
        why = f"ranks have vertices by {setting.partition}"
        return Decision(True, why), setting.partition.numbered(direction)
    if presorted and too_many_to_sort(graph, direction, setting.host_memory):
        why = "the file has the arcs in order, and sorting them takes too much of the host's memory"
        return Decision(False, why), None
    if presorted and streamed:
        return Decision(False, "the file has the arcs in order, and they come part by part"), None
    if isinstance(graph.arcs(direction).into, DeviceOrder):
        return Decision(False, "the arcs of a quotient graph stay on the device, unchanged"), None
    numbered = graph.numbered(direction, setting.ranks)
    if numbered is None:
        return Decision(False, "with these degrees of the vertices, it would not pay"), None
    why = "every vertex gathers along all arcs, and those of few hubs are then close together"
    return Decision(True, why), numbered


def decide_local(graph: Graph, traits: Traits, setting: Setting, why_whole: str) -> Decision:
    """Whether this process has only its own vertices and their halo.

    Args:
        why_whole: as in `prepare`.
    """
    reasons = [
        (setting.ranks == 1, "there is one process"),
        (not setting.apart, "ranks share the memory of their host"),
        (setting.debug, "debug mode keeps the graph's own numbers"),
        (bool(why_whole), why_whole),
        (not graph.num_vertices, "there are none"),
    ]
    why = next((why for holds, why in reasons if holds), None) or local_refuses(traits)
    return Decision(not why, why or "other vertices are not read")


def _persistent(
    program: VertexProgram,
    delivery: Delivery,
    traits: Traits,
    device: DeviceFacts,
    setting: Setting,
    size: Size,
) -> Decision:
    """Whether a persistent kernel runs all supersteps in one launch."""
    refusal = delivery.refuses_persistent(traits)
    visited = f"all {(size.vertices + size.arcs) * traits.lanes:,} vertices and arcs"
    if traits.only_applies:
        visited = f"all {size.vertices * traits.lanes:,} vertices"
    reasons = [
        (refusal is not None, str(refusal)),
        (
            not (delivery.follows_frontier or delivery.in_one_launch)
            and not fits_one_launch(traits, size, device.kind),
            f"visiting {visited} takes longer than a launch",
        ),
        (not device.can_join, "work-groups of one launch cannot wait for each other here"),
        (program.converged is not None, "converged() is called after each superstep"),
        (setting.debug, "debug mode checks each superstep"),
        (setting.ranks > 1, "ranks exchange values after each superstep"),
    ]
    for holds, why in reasons:
        if holds:
            return Decision(False, why)
    return Decision(True, "work-groups of one launch can wait for each other on this device")


def _cut(
    graph: Graph,
    traits: Traits,
    delivery: Delivery,
    setting: Setting,
    size: Size,
    short: str,
) -> Decision:
    """Whether ranks share the rows that alone have more arcs than an equal share."""
    refusal, least = cut_refuses(traits, delivery.name), 2 * constants.SEGMENT
    reasons = [
        (setting.ranks == 1, "there is one process"),
        (size.hub * setting.ranks <= size.arcs, "no vertex has more arcs than an equal share"),
        (size.hub <= least, f"only rows of more than {least:,} arcs are cut"),
        (bool(short), "the arcs come to the device in parts"),
        (setting.debug, "debug mode shuffles the arcs of a row"),
        (graph._shared is not None, "ranks have read the edges by share"),
        (refusal is not None, str(refusal)),
    ]
    why = next((why for holds, why in reasons if holds), "")
    return Decision(not why, why or "messages are combined segment by segment")


def _shares(
    loops: Sequence[Reduction],
    graph: Graph,
    delivery: Delivery,
    traits: Traits,
    device: DeviceFacts,
    setting: Setting,
    parts: Parts | None,
    least: int,
) -> Decision:
    """Whether work-groups share loops over neighbors.

    Args:
        loops: those of apply that only reduce.
        least: the most neighbors with which it does not pay.
    """
    why = delivery.shares_no_loops(traits, device.group)
    if setting.debug:
        why = "debug mode runs each loop as it is written"
    elif parts is not None:
        why = "the device has only some of the arcs"
    elif not why and not loops:
        why = "no loop over neighbors only reduces"
    elif not why and degrees_of_rows(graph, traits.spec).max(initial=0) <= least:
        why = "no row is long enough"
    shared = "rows are long, and the turns of a loop may run at the same time"
    return Decision(not why, why or shared)


def _constant(program: VertexProgram, device: DeviceFacts) -> Decision:
    """Whether array parameters are in constant memory, which is fast where all work-items read the
    same number, but small."""
    arrays = program.spec.arrays.values()
    size = sum(each.resolve(program.dtype).itemsize for each in arrays)
    most = min(MOST_CONSTANT, device.constant_memory)
    if size > most:
        return Decision(False, f"they have {amount(size)}, and {amount(most)} fit constant memory")
    return Decision(True, f"{amount(size)} of the {amount(most)} there")


def degrees_of_rows(graph: Graph, spec: ProgramSpec) -> np.ndarray:
    """The number of neighbors of each vertex, as the snippets of a program see them; where edges
    alternate, in the supersteps in which there are more."""
    if spec.alternates:
        return np.maximum(graph.out_degree, graph.in_degree)
    degrees = {"out": "out_degree", "in": "in_degree", "both": "degree"}
    found: np.ndarray = getattr(graph, degrees[spec.edges])
    return found


def _own_offsets(arcs: Arcs, share: Division | None) -> np.ndarray:
    """Where the arcs of each receiver begin, of the receivers whose arcs this process has."""
    offsets = arcs.into.offsets
    if share is None:
        return offsets
    own = _own_part(arcs, share)
    return offsets[own.first : own.last + 1]


def _own_part(arcs: Arcs, share: Division) -> Part:
    """The part of this process."""
    return shares(arcs.into.offsets, share)[share.rank]


def _halo_bytes(senders: int, local: bool, rows: Sequence[Key], layout: RunLayout) -> int:
    """The bytes of the buffers in which a device gathers the rows that other ranks need, and puts
    those of its halo. Ranks exchange their needs when they run: here, the others are assumed to
    need as many of this one's vertices as it needs of theirs.

    Args:
        senders: the number of vertices of the halo.
        local: the device has only the rank's own vertices and its halo, which then needs no places.
        rows: the values of each vertex that are exchanged.
    """
    vertices = max(layout.extent.vertices, 1)
    width = max((layout.own[key].nbytes // vertices for key in rows), default=0)
    return senders * (width + (4 if local else 8))


def _extent(
    graph: Graph,
    direction: str,
    device: DeviceFacts,
    source: Source,
    own: Sequence[Part] | None,
    vertices: int,
) -> Extent:
    """The size of the run on this process; where edges alternate, with the larger number of arcs of
    even and of odd supersteps.

    Args:
        own: the part of this process, for even and for odd supersteps; None: it has all arcs.
        vertices: the number of vertices that it has.
    """
    arcs, lines = num_arcs(graph, direction), len(source.places) + 1
    size = source.group, source.block
    if own is None:
        symmetric = is_symmetric(graph.directed, direction)
        return extent_of(device, vertices, arcs, *size, lines, symmetric)
    most = max(part.num_arcs for part in own)
    extent = extent_of(device, vertices, most, *size, lines, all_arcs=arcs)
    return replace(
        extent,
        cut_rows=max(len(part.own_cuts) for part in own),
        segments=max(part.boxes(constants.SEGMENT) for part in own),
    )
