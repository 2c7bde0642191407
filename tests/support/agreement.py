"""The engine against the oracle: every delivery of a program on every graph, bit for bit."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest
from support.admission import ANY_ORDER, DELIVERIES, expected_deliveries, fits_a_word
from support.oracle import Outcome, PlainGraph, run
from support.program_text import build, listing
from support.program_tree import Program
from support.random_cases import ENOUGH, Case

#: The two shapes of a work-group: an item of its own (on a GPU, as many as the device is given),
#: and eight items.
GROUPS = (1, 8)


def in_turn(cases: Iterable[Any], by: int = 1) -> list[Any]:
    """Parameters (case, device), the device being the fixture: one case in `by` in one of the two
    shapes of a work-group by turns, and all in both if slow tests are run."""
    return [
        pytest.param(
            case,
            group,
            id=f"{case if isinstance(case, str) else repr(case)}-group{group}",
            marks=[] if not rest and group == GROUPS[turn % 2] else pytest.mark.slow,
        )
        for number, case in enumerate(cases)
        for turn, rest in [divmod(number, by)]
        for group in GROUPS
    ]


#: The parts into which the deliveries of a test are divided; each case runs one by default.
PARTS = range(4)


def in_parts(cases: Iterable[Any], turn: int = 2, by: int = 1) -> list[Any]:
    """Parameters (case, device, part), the device being the fixture: one case in `by` in one of the
    two shapes of a work-group and by one `part_of` its deliveries, by turns; all in both and by all
    if slow tests are run. `turn` of these cases in a row go by the same part; with 1, a part has a
    shape of its own, so that cases of one program take half as many builds."""
    return [
        pytest.param(
            case,
            group,
            part,
            id=f"{case}-group{group}-part{part}",
            marks=[] if not rest and (group, part) == usual else pytest.mark.slow,
        )
        for place, case in enumerate(cases)
        for number, rest in [divmod(place, by)]
        for usual in [(GROUPS[number % 2], PARTS[number // turn % len(PARTS)])]
        for group in GROUPS
        for part in PARTS
    ]


def part_of(deliveries: Iterable[str], part: int | None) -> list[str]:
    """One of the `PARTS` of the deliveries, in alphabetical order; all of them without a part.
    Where there are fewer deliveries than parts, each part has one."""
    names = sorted(deliveries)
    if part is None or not names:
        return names
    return names[part % len(names) :: len(PARTS)]


def find_device(group: int) -> Any:
    """The device of GASCL_DEVICE, else the first CPU, else the first device, in groups of so many
    items."""
    cl = pytest.importorskip("pyopencl")
    from gascl.opencl.device import Device
    from gascl.opencl.device_choice import find

    # First, since the loader lists platforms once, and gascl tells it of drivers that pip installs.
    named = find().cl if os.environ.get("GASCL_DEVICE") else None
    try:
        found = [d for p in cl.get_platforms() for d in p.get_devices()]
    except cl.Error as error:
        pytest.skip(f"no OpenCL platform: {error}")
    if not found:
        pytest.skip("no OpenCL device")
    cpus = [d for d in found if d.type & cl.device_type.CPU]
    chosen = named or (cpus or found)[0]
    own = group == 1 and not chosen.type & cl.device_type.CPU
    return Device(chosen, group=0 if own else group)


def find_joining_device(group: int = 1) -> Any:
    """As `find_device`; skips the test where work-groups of one launch cannot wait for each
    other."""
    device = find_device(group)
    if not device.facts.can_join:
        pytest.skip("work-groups of one launch cannot wait for each other here")
    return device


def by_launches(device: Any) -> Any:
    """The same device, as one that runs no persistent kernel."""
    launches = type("Launches", (type(device),), {"can_join": False})
    return launches(device.cl, device.group)


def gascl_graph(graph: PlainGraph, vertex_fields: Mapping[str, Any] | None = None) -> Any:
    from gascl import Graph

    ends = np.array(graph.edges, np.int64).reshape(-1, 2)
    return Graph.from_edges(
        ends[:, 0],
        ends[:, 1],
        num_vertices=graph.num_vertices,
        directed=graph.directed,
        vertex_fields=vertex_fields,
        **{name: np.asarray(values) for name, values in graph.fields.items()},
    )


def flat(value: Any) -> list[Any]:
    """The numbers of a scalar, vector or struct; NaN as text, which equals itself."""
    if isinstance(value, np.void):
        return [x for name in value.dtype.names for x in flat(value[name])]
    if isinstance(value, np.ndarray | tuple | list):
        return [x for part in value for x in flat(part)]
    number = value.item() if isinstance(value, np.generic) else value
    return ["NaN" if isinstance(number, float) and math.isnan(number) else number]


def member(values: np.ndarray, path: str) -> np.ndarray:
    """A scalar of structs, by its path: ("p.x")."""
    name, _, inner = path.partition(".")
    if not inner:
        return values[name]
    if inner.startswith("["):
        return values[name][..., int(inner[1:-1])]
    return values[name][..., "xyzw".index(inner) if len(inner) == 1 else int(inner[1:], 16)]


def same_array(values: np.ndarray, expected: np.ndarray, where: str) -> None:
    if expected.dtype.names:
        assert values.dtype.names, where
        pairs = [(member(values, path), expected[path]) for path in expected.dtype.names]
    else:
        pairs = [(values, expected)]
    for one, other in pairs:
        assert (one.dtype, one.shape) == (other.dtype, other.shape), where
        assert one.tolist() == other.tolist(), where


def mask_of(result: Any) -> list[int] | None:
    """Who would scatter next or waits to, by a State that was kept; None without a mask."""
    from gascl.run.state import MASK

    if not result.state.has_mask:
        return None
    return [int(x > 0) for x in result.state.saved()[str(MASK)].ravel()]


def same(result: Any, outcome: Outcome, where: str) -> None:
    """Assert that the engine's result is the oracle's, of every field and superstep, and so is what
    a run from its State would begin with, if it was kept."""
    if result.delivery not in ANY_ORDER:  # which have no supersteps
        same_trace(result, outcome, where)
    for name, values in outcome.fields.items():
        same_array(result[name], values, f"{name}, {where}")
    for name, values in outcome.arc_fields.items():
        same_array(result.arc_fields[name], values, f"{name}, {where}")
    assert result.converged == outcome.converged, where
    if result._state is not None:  # it was kept
        assert mask_of(result) in (None, outcome.mask), where


def same_trace(result: Any, outcome: Outcome, where: str) -> None:
    steps = [(s.superstep, s.active, s.messages) for s in outcome.trace]
    assert [(s.superstep, s.active, s.messages) for s in result.trace] == steps, where
    for step, expected in zip(result.trace, outcome.trace, strict=True):
        for name, value in expected.aggregates.items():
            got = step.aggregates[name]
            assert flat(got) == flat(value), f"{name} of superstep {step.superstep}, {where}"
    assert result.supersteps == outcome.supersteps, where


def without_supersteps(program: Program, instance: Any, device: Any, debug: bool) -> set[str]:
    """The delivery without supersteps that must take a program, on a device that can run it:
    `asynchronous`, or where all vertices apply `in_place`.

    gascl itself says so: more programs than those that are known to be simple enough may do.
    """
    if program.order != "any" or debug:
        return set()
    from support.admitting_deliveries import admitted

    taken = {"asynchronous", "in_place"}.intersection(admitted(instance, device))
    assert taken <= {"in_place" if program.apply_on == "all" else "asynchronous"}
    if device.can_join and device.is_cpu and device.group == 1:
        assert taken or not fits_a_word(program, instance.dtype, instance.lanes)
    return taken


def lanes_of(program: Program, params: Mapping[str, Any]) -> int:
    """Of a run with these parameters: lists have a value for each lane."""
    lists = [len(value) for value in params.values() if isinstance(value, list)]
    return lists[0] if lists else program.lanes or 1


def check(
    device: Any,
    program: Program,
    plain: Iterable[PlainGraph],
    most: int | None = 6,
    *,
    cls: Any = None,
    dtype: str = "float32",
    given: Any = None,
    debug: bool = False,
    part: int | None = None,
    **params: Any,
) -> None:
    """Every delivery of a program on every graph, at most so many supersteps (None: to its end).

    `given(graph)` are fields passed as arrays; with `debug`, no field may become infinite; with a
    `part`, only some of the deliveries that take the program run it, see `part_of`. Where floats
    are added up, both with and without `deterministic`: the sums are exact, so that the
    result is one in whatever order.
    """
    from gascl import Engine, ProgramError

    cls, limit = cls or build(program), most or ENOUGH
    lanes = lanes_of(program, params)
    refused: set[str] = {*DELIVERIES, "auto"}
    for deterministic in (True, False):
        admitted = expected_deliveries(program, dtype, deterministic, lanes)
        if admitted != {"serial"}:
            admitted |= {"auto"}
        if not deterministic and not refused & admitted:
            break  # nothing new
        for number, graph in enumerate(plain):
            fields = given(graph) if given else {}
            outcome = run(
                program, graph, dtype=dtype, params=params, given=fields, max_supersteps=limit
            )
            # Of every other graph, the inputs are its own vertex fields.
            inputs = cls.spec.types.inputs if number % 2 else ()
            columns = {n: v for n, v in fields.items() if n in inputs and np.ndim(v)}
            engine = Engine(
                gascl_graph(graph, columns),
                device,
                deterministic=deterministic,
                debug=debug,
                seed=most or 0,
            )
            passed = {n: v for n, v in fields.items() if n not in columns}
            instance = cls(dtype=dtype, **params, **passed)
            admitted |= without_supersteps(program, instance, device, debug)
            if debug and program.order == "any":
                admitted |= {"random"}
            reasons: dict[str, str] = {}  # why it stopped, by delivery
            able = refused & admitted
            if device.group == 8:
                able -= {"serial"}  # one work-item, whatever the group
            for delivery in [*part_of(able, part), *sorted(refused - admitted)]:
                options = {"max_supersteps": most, "not_converged": "ignore", "delivery": delivery}
                options["keep_state"] = True
                if delivery in admitted:
                    where = f"{delivery} on {graph}, {params}\n{listing(program)}"
                    result = engine.run(instance, **options)
                    same(result, outcome, where)
                    reasons[delivery] = result.stopped
                    assert len({*reasons.values()}) == 1, f"{reasons}, {where}"
                else:
                    why = "deterministic" if delivery == "auto" else f"{delivery}' cannot run"
                    with pytest.raises(ProgramError, match=why):
                        engine.run(instance, **options)
        refused -= admitted  # those that took it need not do so again


def check_case(device: Any, case: Case, debug: bool = False, part: int | None = None) -> None:
    options: dict[str, Any] = {"dtype": case.dtype, "given": case.given, "debug": debug}
    options["part"] = part
    check(device, case.program, case.plain, case.most, **options, **dict(case.params))
