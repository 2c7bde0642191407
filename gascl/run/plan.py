"""Builds the kernels for a program and a delivery, and translates compiler messages."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import pyopencl as cl

from gascl.codegen import switches
from gascl.codegen.constants import CHUNK_ARCS, MOST_GROUPS, MOST_SEARCHERS
from gascl.codegen.declarations import BATCH_BYTES, COMPONENTS, HEAD_BYTES, LAYOUT, MOST_BATCH
from gascl.codegen.generate import generate
from gascl.codegen.header import Header
from gascl.delivery.assembly import assemble, by_component
from gascl.delivery.delivery import Delivery
from gascl.delivery.device_facts import DeviceFacts
from gascl.delivery.run_layout import Extent, RunLayout, run_layout
from gascl.delivery.sort_kernels import fitting_group
from gascl.errors import Complaint, DeviceError, Place, ProgramError
from gascl.language.program import VertexProgram
from gascl.language.spec import ProgramSpec
from gascl.language.traits import Traits
from gascl.opencl import fork_guard
from gascl.opencl.device import Device, built, cannot_build, kernel
from gascl.user_messages import Option

#: The number of arcs and rows in a block of a work-group (the best as measured on an H200).
BLOCK = 2048
#: The largest number of vertices in a tile of pairs.cl.
TILE = 256
#: How compiler messages start: PoCL `error: FILE:4:2: ...`, NVIDIA `<kernel>:4:2: error: ...`,
#: Intel `1:4:2: error: ...`, Oclgrind `input.cl:4:2: error: ...`. Inside a macro such as send(),
#: PoCL adds the place of the macro: `error: FILE:4:2 <Spelling=FILE:9:9>: ...`.
_COMPLAINT = re.compile(
    r"^(?:(?P<first>error|warning): )?[^\s:]*:(?P<line>\d+):"
    r"(?:\d+(?: <Spelling=[^:>]*:(?P<spelled>\d+):\d+>)?:)?"
    r" (?:(?:fatal )?(?P<second>error|warning): )?(?P<text>.*)$"
)


#: Up to this many vertices and arcs, a CPU runs a persistent kernel with one work-item:
#: synchronizing with others would cost more than they save.
ALONE = 2**15
#: The number of work-groups of a persistent kernel for each compute unit of a GPU; and of delivery
#: `asynchronous`, which waits for memory more often.
PERSISTENT_GROUPS, ASYNCHRONOUS_GROUPS = 4, 5
#: The number of built programs to keep for other classes with the same text, such as a notebook's
#: cell that is run again; and the number of plans to keep for each class.
PROGRAMS, PLANS = 64, 64


_Kept = TypeVar("_Kept")


class Kernels:
    """The kernels of a built program, created when first used. A kernel holds its arguments until
    it is enqueued, so concurrent runs need their own."""

    def __init__(self, program: Any):
        self._program = program
        self._kernels: dict[str, Any] = {}
        fork_guard.holds_opencl(self)

    def with_arguments(self, name: str, values: Sequence[Any]) -> Any:
        """A kernel with its arguments set."""
        if name not in self._kernels:
            with _building:
                made = kernel(self._program, name)
                if made.num_args != len(values):
                    raise DeviceError(
                        f"kernel {name} takes {made.num_args} arguments, and its launch gives "
                        f"{len(values)}: see how Launch counts STATE, EDGE and row blocks"
                    )
                # Otherwise pyopencl tests each argument for being a number.
                made.set_scalar_arg_dtypes([getattr(v, "dtype", None) for v in values])
            self._kernels[name] = made
        self._kernels[name].set_args(*values)
        return self._kernels[name]


@dataclass(eq=False)
class Source:
    """The OpenCL C of a program by a delivery, for devices with the same facts; needs no device.

    Attributes:
        header: the generated header, which also describes the kernels' arguments.
        text: the complete source text.
        places: for each line of the text, the user's line that it comes from, or None.
        group: the number of items in a work-group.
        block: the largest number of arcs, and of rows, in a block of a work-group.
        persistent: a persistent kernel runs all supersteps (kernels/persistent/).
        options: the compiler's options that depend on the program.
    """

    header: Header
    traits: Traits
    delivery: Delivery
    text: str
    places: list[Place | None]
    group: int
    block: int
    persistent: bool
    options: tuple[str, ...]
    _run_layouts: dict[Extent, RunLayout] = field(default_factory=dict)

    def run_layout(self, spec: ProgramSpec, extent: Extent) -> RunLayout:
        """The buffers of a run. They are kept, since working them out takes nearly as long as a run
        on a small graph."""
        found = self._run_layouts.get(extent)
        if found is None:
            if len(self._run_layouts) >= PLANS:  # there may be any number of graphs
                self._run_layouts.clear()
            program = spec, self.header, self.traits, self.delivery
            found = run_layout(*program, extent, self.persistent)
            self._run_layouts[extent] = found
        return found


class Plan:
    """The kernels of a source, built for a device; outlives graphs.

    Attributes:
        source: the source text; the plan has its attributes, too.
        program: the built pyopencl program.
        first, later: the launches of the first superstep, and of each other one.
        commits: the launches that commit the mask.
    """

    def __init__(self, source: Source, program: Any):
        self.source, self.program = source, program
        self.header, self.traits, self.delivery = source.header, source.traits, source.delivery
        self.places, self.persistent = source.places, source.persistent
        self.group, self.block = source.group, source.block
        delivery, traits = source.delivery, source.traits
        self.first = [each for each in delivery.launches if each.suits(traits, source.group)]
        self.later = [each for each in self.first if not (each.first_only and traits.fusable)]
        self.commits = [
            each for each in delivery.active.commits if each.suits(traits, source.group)
        ]
        self._idle: list[Kernels] = []
        fork_guard.holds_opencl(self)

    def persistent_groups(self, device: Device, vertices: int, arcs: int, parts: int) -> int:
        """The number of work-groups of the persistent kernel: as many as run at once, or some more,
        since a CPU's driver may give one thread several in a row; but none without a part of a
        superstep."""
        if device.is_cpu:
            groups = 1 if vertices + arcs <= ALONE else 4 * device.units
        else:
            groups = device.units * (
                ASYNCHRONOUS_GROUPS if self.delivery.queues else PERSISTENT_GROUPS
            )
        # Each has a tally of its own.
        return min(groups, parts, device.groups, MOST_GROUPS)

    @contextmanager
    def kernels(self) -> Iterator[Kernels]:
        """Kernels that no concurrent run uses. A run that fails does not return them."""
        try:
            kernels = self._idle.pop()
        except IndexError:
            kernels = Kernels(self.program)
        yield kernels
        self._idle.append(kernels)


def group_size(header: Header, device: DeviceFacts, shares: bool) -> tuple[int, int]:
    """The number of items in a work-group, and of arcs in a block.

    The device's choice is halved until a group's data takes at most half of the local memory: what
    it stages of each arc of a block; and a box per item and chunk of arcs, a tally per two items,
    or two counts per item. The other half has room for a word of lanes for each arc. What push.cl
    holds back is less than the messages of a block.

    Args:
        shares: the items of a group share each message, so that no message is staged
            (kernels/gather/group_components.cl).
    """
    group, block = device.group, BLOCK
    while shares and group > 1:
        heads = group * HEAD_BYTES
        of_items = max(group // 2 * header.tally.itemsize, 16 * group)
        if BATCH_BYTES + 8 * MOST_BATCH + heads + of_items <= device.local_memory:
            return group, block
        group //= 2
    while group > 1:
        shared = block * header.staged + 2
        boxes = max(group, block // CHUNK_ARCS) * header.box.itemsize
        shared += max(boxes, group // 2 * header.tally.itemsize, 16 * group)
        if 2 * shared <= device.local_memory:
            break
        group, block = (group, block // 2) if block > 4 * group else (group // 2, block)
    return group, block


def persistent_options(device: Device, queues: bool = False) -> list[str]:
    """The compiler's options for a persistent kernel; `queues`: that of delivery `asynchronous`.

    JOIN_POLLS says how often the first group of a GPU polls for groups that start with it. PATIENCE
    says how often a waiting group polls without progress before it leaves the team (CPU, after some
    milliseconds) or fails the run (GPU).
    """
    join_polls, patience = (0, 2**21) if device.is_cpu else (512 if queues else 64, 2**30)
    return [
        *switches.options(
            switches.PATIENCE, {"JOIN_POLLS": join_polls, "PATIENCE": f"{patience}UL"}
        ),
        # So that the groups of 256 items fit in a unit's 65,536 registers.
        *([f"-cl-nv-maxrregcount={48 if queues else 64}"] if device.is_nvidia else []),
    ]


def _shared_message_options(source: Source) -> list[str]:
    """NVIDIA's compiler gives a kernel with arrays in apply all 255 registers, so that one group
    fits in a compute unit: with half of them, the mean of 64 reals took 0.6 times the time."""
    shares = by_component(source.traits, source.delivery, source.group)
    return ["-cl-nv-maxrregcount=128"] if shares else []


def tile_size(header: Header, device: DeviceFacts) -> int:
    """The number of vertices in a tile of pairs.cl: what is read of them, and a mark for each, take
    at most half of the local memory."""
    tile = TILE
    while tile > 1 and 2 * tile * (header.other.itemsize + 1) > device.local_memory:
        tile //= 2
    return tile


#: The sources and plans of each class, by what they were made for, so that they can be
#: reused.
_sources: WeakKeyDictionary[type[VertexProgram], dict[Any, Source]] = WeakKeyDictionary()
_plans: WeakKeyDictionary[type[VertexProgram], dict[Any, Plan]] = WeakKeyDictionary()
#: Held while kernels are built: threads that need the same kernels build them once, and neither the
#: filters of `warnings` nor pyopencl's caches support several threads.
_building = threading.RLock()


@dataclass(frozen=True)
class Variant:
    """The form of a program's kernels.

    Attributes:
        debug: with traps, one work-item per row, and messages in an order that `seed` determines.
        persistent: a persistent kernel, instead of kernels for launches of each superstep.
        numbered: vertices have other numbers on the device than the user's.
        wide: ids of vertices have 64 bits.
        optimized: by the compiler.
        shares, splits, cuts: as in `Traits`.
        constant: array parameters are in constant memory.
    """

    debug: bool = False
    seed: int = 0
    persistent: bool = False
    numbered: bool = False
    wide: bool = False
    optimized: bool = True
    shares: bool = False
    splits: bool = False
    cuts: bool = False
    constant: bool = True


def key_of(program: VertexProgram) -> tuple[Any, ...]:
    """The properties of a program, besides its class, that decide its source and preparation."""
    choices = map(vars(program).__getitem__, program.spec.choice_params)
    return program.dtype, program.lanes, *choices


def _kept(kept: dict[Any, _Kept], key: Any, make: Callable[[], _Kept]) -> _Kept:
    """The value that is kept for a key, or is made now; at most `PLANS` are, since there may be
    any number of seeds."""
    found = kept.get(key)
    if found is None:
        with _building:
            found = kept.get(key)  # another thread may have made it meanwhile
            if found is None:
                found = make()
                if len(kept) == PLANS:
                    del kept[next(iter(kept))]
                kept[key] = found
    return found


def source_of(
    program: VertexProgram,
    device: DeviceFacts,
    delivery: Delivery,
    offset: str,
    variant: Variant = Variant(),
) -> Source:
    """The source of a program's kernels, which is kept for other runs.

    Args:
        offset: NumPy's name of the type of arc offsets.

    Raises:
        DeviceError: the program needs double precision, which the device lacks.
    """
    kept = _sources.setdefault(type(program), {})
    key = key_of(program), device, delivery, offset, variant
    return _kept(kept, key, lambda: _write(program, device, delivery, offset, variant))


def plan_of(program: VertexProgram, device: Device, source: Source) -> Plan:
    """The kernels of a source: built, or reused if this process has built them before. pyopencl
    and the drivers also cache compiled kernels on disk.

    Raises:
        ProgramError: a snippet does not compile; names the user's file and line.
        DeviceError: the device cannot build them.
    """
    kept = _plans.setdefault(type(program), {})
    return _kept(kept, (device, source), lambda: _build(program, device, source))


def _write(
    program: VertexProgram,
    device: DeviceFacts,
    delivery: Delivery,
    offset: str,
    variant: Variant,
) -> Source:
    header = generate(
        program.spec,
        real=program.dtype,
        choices=program.choices(),
        offset=offset,
        fp64=device.fp64,
        lanes=program.lanes,
        debug=variant.debug,
        numbered=variant.numbered,
        wide=variant.wide,
        shares=variant.shares,
        constant=variant.constant,
        reorders=delivery.active.lists_receivers,
    )
    of_variant = variant.debug, variant.shares, variant.splits, variant.cuts
    traits = Traits.of(program.spec, program.lanes, *of_variant)
    double = np.dtype("float64")
    doubles = [n for n, t in header.types.items() if double in t.scalars]
    of_messages = double in [*header.message.scalars, *header.gathered.scalars]
    if not device.fp64 and (doubles or of_messages):
        raise DeviceError(
            f"{device} has no double precision, which {program.spec.name} needs for "
            f"{', '.join(doubles) or 'its messages'}; use ",
            Option("dtype", "float32", of="program"),
            " or another device",
        )
    shares = by_component(traits, delivery, device.group)
    group, block = (1, BLOCK) if variant.debug else group_size(header, device, shares)
    if traits.near:  # the same groups sort the places
        room, group = device.local_memory, min(group, MOST_SEARCHERS)
        group = min(group, fitting_group(group, np.dtype(offset).itemsize, True, room))
    text, places = assemble(header, traits, delivery, group, variant.persistent)
    wide = doubles or of_messages or _double_params(program)
    shape: dict[str, object] = {"GROUP": group, "BLOCK": block, "LINES": len(places) + 1}
    if traits.pairs:
        shape["TILE"] = tile_size(header, device)
    if variant.debug:
        shape["SEED"] = f"{variant.seed}u"
    options = [
        *switches.options(switches.SHAPE, shape),
        *([] if variant.optimized else ["-cl-opt-disable"]),
        # Unless the program uses double, a literal such as 0.85 is a float.
        *([] if wide else ["-cl-single-precision-constant"]),
    ]
    kept = group, block, variant.persistent, tuple(options)
    return Source(header, traits, delivery, text, places, *kept)


def _combines_atomically(source: Source) -> bool:
    """Whether work-items combine messages in one place, or add to fields."""
    return source.delivery.has_inbox(source.traits) or bool(source.traits.spec.added_to)


def _build(program: VertexProgram, device: Device, source: Source) -> Plan:
    places = source.places
    # Oclgrind cannot run the builtin that prefetches.
    offers: dict[str, object] = {
        "PREFETCHES": device.is_cpu and not device.is_oclgrind,
        "OCLGRIND": device.is_oclgrind,
    }
    if device.processor:  # which pocl.py set
        offers["PROCESSOR"] = device.processor
    if device.is_nvidia and source.persistent:
        offers["INLINE_PTX"] = True
    options = [
        *source.options,
        *(persistent_options(device, source.delivery.queues) if source.persistent else []),
        *(_shared_message_options(source) if device.is_nvidia and not source.persistent else []),
        *switches.options(switches.DEVICE, offers),
        *(device.atomics.options() if _combines_atomically(source) else []),
        *(["-cl-fp32-correctly-rounded-divide-sqrt"] if _rounds(device) else []),
    ]
    try:
        return Plan(source, _built(source.text, tuple(options), device))
    except cl.RuntimeError as error:
        if LAYOUT in str(error):
            raise DeviceError(
                f"{device} and the host disagree on the layout of structs; please report this:\n"
                f"{error}"
            ) from None
        if not _blames_a_line(str(error)):
            raise cannot_build(device, error) from None
        grouping = program.spec.grouping
        members = grouping.names() if grouping else ()
        message = program.spec.message_type("float32") if program.spec.message else None
        sent = str(program.spec.message) if message and message.boxed else ""
        raise translate(str(error), places, program.spec.name, members, sent) from None


@lru_cache(PROGRAMS)
def _built(text: str, options: tuple[str, ...], device: Device) -> Any:
    """A program by its text: classes that differ only in their place in files share it."""
    return built(device, text, options)


def _double_params(program: VertexProgram) -> bool:
    params = program.spec.params.values()
    return any(p.resolve(program.dtype).scalar == "float64" for p in params)


def _rounds(device: Device) -> bool:
    """Whether float division can be correctly rounded (IEEE 754), so that devices agree."""
    config = device.cl.single_fp_config
    return bool(config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT)


def _blames_a_line(log: str) -> bool:
    """Whether a compiler's log reports an error at a line of the text."""
    found = (_COMPLAINT.match(line.strip()) for line in log.splitlines())
    return any("error" in (match["first"], match["second"]) for match in found if match)


def translate(
    log: str,
    places: Sequence[Place | None],
    program: str,
    members: Sequence[str] = (),
    sent: str = "",
) -> ProgramError:
    """The error for a compiler's log, with the user's lines instead of the generated ones.

    Args:
        members: those of a group of messages, if they are grouped by key.
        sent: the type of messages that are arrays.
    """
    complaints: list[Complaint] = []
    for line in log.splitlines():
        match = _COMPLAINT.match(line.strip())
        if not match or "warning" in (match["first"], match["second"]):
            continue
        # For a macro's argument, the spelling is the user's line; for its body, the expansion is.
        numbers = [int(n) for n in (match["spelled"], match["line"]) if n]
        # If an expression ends too early, compilers name the line after it.
        numbers += [numbers[-1] - 1]
        found = [places[n - 1] for n in numbers if 0 < n <= len(places)]
        place = next((p for p in found if p is not None), None)
        if place is not None and not match["text"].startswith("note:"):
            text = match["text"]
            no_array = "subscripted value is not" in text
            if COMPONENTS in text or (no_array and sent and "send" in (place.text or "send")):
                text = f"send takes an array of as many numbers as a message has, which is a {sent}"
            elif no_array:  # in debug mode also where C allows i[a]
                text += "; write the array before its index, a[i]"
            if members and "gascl_group'" in text:
                text += f"; a group of messages has the members {', '.join(members)}"
            complaints.append(Complaint(place, text))
    if not complaints:
        return ProgramError(
            f"{program} does not compile, and the compiler names none of its lines:\n{log}"
        )
    lines = [f"{program} does not compile:"]
    for place, text in dict.fromkeys(complaints):
        lines.append(f"{place}: error: {text}")
        lines += [f"    {place.text.strip()}"] if place.text else []
    error = ProgramError("\n".join(lines))
    error.complaints = tuple(dict.fromkeys(complaints))
    return error
