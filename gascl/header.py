"""The declarations of a generated header: the structs and arguments that host and device share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from gascl.atomics import definitions
from gascl.facts import Facts
from gascl.fields import Aggregate, ChoiceParam, SuperstepsParam
from gascl.program import VertexProgram
from gascl.snippet import Snippet
from gascl.source import Place
from gascl.types import Type, resolve, struct_dtype

#: What stands in `Header.state` for arguments that depend on the delivery.
MASKS, INBOX = "MASKS", "INBOX"

#: No two arguments of a kernel overlap, unless both are only read. Unless the compiler knows, it
#: reads all anew after a write: a superstep of PageRank on an H200 then takes twice as long.
_APART = "*restrict "


@dataclass
class Header:
    """The generated text and what the host must know to feed it.

    Attributes:
        text: OpenCL C.
        places: for each line of the text, the user's line it came from, or None.
        state: names of the arguments behind GASCL_STATE, in order.
        edge: names of the arguments behind GASCL_EDGE, in order: what snippets read of `e`.
        types: type of every vertex, edge and arc field.
        message, gathered: type of a message, and of what a gather snippet makes of them.
        accumulator: type in which messages are combined.
        box, run, tally, control: layout of the structs that host and device share.
        layouts: sizes and offsets of the user's structs, as the device must have them.
        lanes: how many runs at once.
    """

    text: str = ""
    places: list[Place | None] = field(default_factory=list)
    state: list[str] = field(default_factory=list)
    edge: list[str] = field(default_factory=list)
    types: dict[str, Type] = field(default_factory=dict)
    message: Type = field(default_factory=lambda: resolve("uint8", "float32"))
    gathered: Type = field(default_factory=lambda: resolve("uint8", "float32"))
    accumulator: Type = field(default_factory=lambda: resolve("uint8", "float32"))
    box: np.dtype = field(default_factory=lambda: np.dtype([]))
    run: np.dtype = field(default_factory=lambda: np.dtype([]))
    tally: np.dtype = field(default_factory=lambda: np.dtype([]))
    control: np.dtype = field(default_factory=lambda: np.dtype([]))
    layouts: list[int] = field(default_factory=list)
    lanes: int = 1


class Declarations:
    """Writes what a program declares: structs, arguments of kernels; a line at a time."""

    def __init__(
        self,
        program: type[VertexProgram],
        real: str,
        choices: dict[str, str],
        offset: str,
        fp64: bool,
        lanes: int,
        debug: bool,
    ):
        self.program, self.real, self.choices, self.fp64 = program, real, choices, fp64
        self.offset, self.debug = resolve(offset, real), debug
        self.facts = Facts.of(program, lanes, debug)
        self.header = Header(lanes=lanes)
        self.lines: list[str] = []

    def put(self, *lines: str) -> None:
        for line in lines:
            self.lines.append(line)
            self.header.places.append(None)

    def verbatim(self, snippet: Snippet, text: str | None = None) -> None:
        """The snippet's own lines, each remembering where the user wrote it."""
        for i, line in enumerate((snippet.text if text is None else text).split("\n")):
            self.lines.append(line)
            self.header.places.append(snippet.place(i))

    def expression(self, before: str, snippet: Snippet, after: str) -> None:
        self.put(before)
        self.verbatim(snippet)
        self.put(after)

    def _struct(self, name: str, members: Iterable[tuple[str, Type]]) -> Type:
        """A struct that host and device lay out alike."""
        members = tuple(members) or (
            ("gascl_unused", resolve("int32", "")),
        )  # C knows no empty one
        self.put("typedef struct {", *(f"    {t.c} {n};" for n, t in members), f"}} {name};", "")
        return Type(name, struct_dtype(members), 1, members)

    def _macro(self, head: str, *statements: str) -> None:
        """A macro, where a function would need one version for each kind of memory."""
        lines = [f"#define {head}", "    do {", *(f"        {text};" for text in statements)]
        self.put(*(f"{line} \\" for line in lines), "    } while (0)", "")

    def _copier(self, type_: Type) -> None:
        """GASCL_COPY_..., which copies a struct of ours a member at a time, to and from any memory.

        NVIDIA's compiler garbles whole ones that have structs or vectors in them.
        """
        ours = [f"gascl_{n}" for n in ("sums", "tally", "aggregates")]
        self._macro(
            f"{_copier_of(type_)}(gascl_to, gascl_from)",
            *(
                f"{_copier_of(t)}((gascl_to).{n}, (gascl_from).{n})"
                if t.c in ours
                else f"(gascl_to).{n} = (gascl_from).{n}"
                for n, t in type_.members
            ),
        )

    def declare(self) -> None:
        self._preamble()
        self._structs()
        self._params()
        self._aggregates()
        self._control()
        self._message()
        self._vertex()
        self._edge()
        self._arguments()

    def _preamble(self) -> None:
        program, facts = self.program, self.facts
        c = resolve("real", self.real).c
        self.put(
            f"// {program.__name__} with real = {c}: generated by gascl.",
            "#pragma OPENCL FP_CONTRACT OFF",
            f"typedef {c} real;",
            *(f"typedef {c}{n} real{n};" for n in (2, 3, 4, 8, 16) if self._mentions(f"real{n}")),
            f"typedef {self.offset.c} gascl_offset;",
            f"#define GASCL_SCATTER_ALL {int(program.scatter_on == 'all')}",
            f"#define GASCL_APPLY_ALL {int(program.apply_on == 'all')}",
            f"#define GASCL_MASKED {int(facts.masked)}",
            f"#define GASCL_MARKS {int(facts.marks)}",
            f"#define GASCL_EVERY_ARC_SENDS {int(facts.every_arc_sends)}",
            f"#define GASCL_FUSED {int(facts.fusable)}",
            f"#define GASCL_OVERFLOWS {int(facts.overflows)}",
            f"#define GASCL_CAN_FAIL {int(facts.overflows or facts.checks or self.debug)}",
            f"#define GASCL_SINGLE {int(facts.single)}",
            f"#define GASCL_POSTS_AHEAD {int(facts.posts_ahead)}",
            f"#define GASCL_ARC_STATE {int(facts.arc_state)}",
            f"#define GASCL_SNAPSHOTS {int(bool(facts.snapshots))}",
            f"#define GASCL_DEBUG {int(self.debug)}",
            f"#define GASCL_LANES {self.header.lanes}",
            *(
                ["#define GASCL_LANE , const int gascl_lane", "#define GASCL_LANE_ON , gascl_lane"]
                if self.header.lanes > 1
                else ["enum { gascl_lane = 0 };", "#define GASCL_LANE", "#define GASCL_LANE_ON"]
            ),
            "",
        )

    def _mentions(self, type_name: str) -> bool:
        program = self.program
        state = (*program.vertex_fields.values(), *program.arc_fields.values())
        declared = [f.type for f in (*state, *program.aggregates.values())]
        members = [t for s in program.structs.values() for _, t in s.members]
        texts = " ".join(s.text for s in program.snippets.values())
        return type_name in [*declared, *members, program.message] or type_name in texts

    def _structs(self) -> None:
        """The user's structs by every name the class gives them, and their layout by the device."""
        names: dict[tuple[tuple[str, str], ...], str] = {}
        offsets = []
        for name, declared in self.program.structs.items():
            if declared.members in names:
                self.put(f"typedef {names[declared.members]} {name};", "")
                continue
            names[declared.members] = name
            type_ = resolve(declared, self.real)
            self._struct(name, type_.members)
            self.header.layouts.append(type_.itemsize)
            offsets.append(f"    *sizes++ = sizeof({name});")
            for member, _ in type_.members:
                self.header.layouts.append(type_.scalar.fields[member][1])  # type: ignore[index]
                offset = f"(__private char *)&{name}_.{member} - (__private char *)&{name}_"
                offsets.append(f"    *sizes++ = (int)({offset});")
            offsets.insert(0, f"    {name} {name}_;")
        self.put("static void gascl_layouts(__global int *sizes) {", *offsets, "}", "")

    def _params(self) -> None:
        given = [p for p in self.program.params.values() if not isinstance(p, SuperstepsParam)]
        plain = [(p.name, p.resolve(self.real)) for p in given if not isinstance(p, ChoiceParam)]
        chosen = [p for p in given if isinstance(p, ChoiceParam)]
        lanes = self.header.lanes
        for param in chosen:
            words = ", ".join(f"{param.name}_{w}" for w in param.words)
            self.put(f"enum {{ {words} }};")
        int32, int64 = resolve("int32", ""), resolve("int64", "")
        params = self._struct("gascl_params", [*plain, *((p.name, int32) for p in chosen)])
        counts = [("num_vertices", int32), ("num_edges", int64)]
        graph = self._struct("gascl_graph", counts)
        # One run's parameters for each lane: a multiple of all alignments keeps both sides agreed.
        size = params.itemsize * lanes
        tail = -size % 16
        self.put(
            "typedef struct {",
            f"    gascl_params params[{lanes}];",
            *([f"    uchar gascl_middle[{tail}];"] if tail else []),
            "    gascl_graph graph;",
            "} gascl_run;",
            "",
        )
        self.put(
            "static gascl_params gascl_read_params(__global const gascl_run *gascl_given",
            "        GASCL_LANE) {",
            "    gascl_params params = gascl_given->params[gascl_lane];",
        )
        for param in chosen:
            word = self.choices.get(param.name, param.default)
            self.put(f"    params.{param.name} = {param.name}_{word};")
        self.put("    return params;", "}", "")
        widest = max(params.alignment, graph.alignment)
        end = size + tail + graph.itemsize
        self.header.run = np.dtype(
            {
                "names": ["params", "graph"],
                "formats": [(params.scalar, (lanes,)), graph.scalar],
                "offsets": [0, size + tail],
                "itemsize": -(-end // widest) * widest,
            }
        )

    def _aggregates(self) -> None:
        """Accumulators, which groups keep apart and add up, and what snippets see of them."""
        program = self.program
        sums = {n: a.accumulator(self.real, self.fp64) for n, a in program.aggregates.items()}
        seen = dict(sums)  # a mean's accumulator is as wide as the mean
        means = [n for n, a in program.aggregates.items() if a.op == "mean"]
        sums.update({f"{n}_": resolve("int64", "") for n in means})
        self.seen = self._struct("gascl_aggregates", seen.items())
        kept = self._struct("gascl_sums", sums.items())
        members = [("messages", resolve("int64", "")), ("sums", kept)]
        self.tally = self._struct("gascl_tally", members)
        self.header.tally = self.tally.scalar
        for name, aggregator in program.aggregates.items():
            self._aggregate(name, aggregator, sums[name])
        for type_ in (self.seen, kept, self.tally):
            self._copier(type_)
        counts = [f"{n}_" for n in means]
        self._macro(
            "GASCL_ZERO_TALLY(gascl_all)",
            "(gascl_all).messages = 0",
            *(f"(gascl_all).sums.{n} = gascl_none_of_{n}()" for n in program.aggregates),
            *(f"(gascl_all).sums.{n} = 0" for n in counts),
        )
        both = "(gascl_all).sums.{0}, (gascl_more).sums.{0}"
        self._macro(
            "GASCL_ADD_TALLY(gascl_all, gascl_more)",
            "(gascl_all).messages += (gascl_more).messages",
            *(
                f"(gascl_all).sums.{n} = gascl_merge_of_{n}({both.format(n)})"
                for n in program.aggregates
            ),
            *(f"(gascl_all).sums.{n} += (gascl_more).sums.{n}" for n in counts),
        )
        over = " / (gascl_all).sums.{}_"  # of none: NaN
        means_of = {n: over.format(n) if n in means else "" for n in seen}
        self._macro(
            "GASCL_SETTLE(gascl_seen, gascl_all)",
            *(f"(gascl_seen).{n} = (gascl_all).sums.{n}{mean}" for n, mean in means_of.items()),
            *([] if seen else ["(gascl_seen).gascl_unused = 0"]),
        )

    def _aggregate(self, name: str, aggregator: Aggregate, type_: Type) -> None:
        """What an aggregator begins with, how two of it merge, and how a value is added."""
        op, c = aggregator.op, type_.c
        start = {"min": type_.highest, "max": type_.lowest}.get(op, lambda: "0")()
        none, merge = [f"    return {start};"], ["    return a + b;"]
        if op in ("min", "max"):
            merge = [f"    return {extreme(op, type_, 'a', 'b')};"]
        self.put(f"static {c} gascl_none_of_{name}(void) {{")
        if aggregator.is_custom:
            self.expression("    return (", self.program.snippets[f"{name}.identity"], "    );")
        else:
            self.put(*none)
        self.put("}", "", f"static {c} gascl_merge_of_{name}(const {c} a, const {c} b) {{")
        if aggregator.is_custom:
            self.expression("    return (", self.program.snippets[f"{name}.combine"], "    );")
        else:
            self.put(*merge)
        added = "1" if op == "count" else "x"
        taken = aggregator.resolve(self.real).c if op == "count" else c
        self.put(
            "}",
            "",
            f"static void gascl_aggregate_{name}(gascl_tally *all, const {taken} x) {{",
            f"    all->sums.{name} = gascl_merge_of_{name}(all->sums.{name}, {added});",
            *([f"    ++all->sums.{name}_;"] if op == "mean" else []),
            "}",
            "",
        )

    def _control(self) -> None:
        """The loop's own state, kept on the device so that it can stop without the host.

        The last counts are of the frontier's pieces and of the lists behind push.
        """
        counts = ("active", "next_active", "next_arcs")
        numbers = (
            *("superstep", "stopped", "overflow", "fault", "under_way"),
            *("frontier", "frontier_next", "listed", "touched", "touched_next"),
        )
        int32, int64 = resolve("int32", ""), resolve("int64", "")
        control = self._struct(
            "gascl_control",
            [
                *((n, int64) for n in counts),
                ("tally", self.tally),
                ("aggregates", self.seen),
                *((n, int32) for n in numbers),
            ],
        )
        self._copier(control)
        self.header.control = control.scalar

    def _message(self) -> None:
        program, header = self.program, self.header
        if program.message is not None:
            header.message = resolve(program.message, self.real)
        header.accumulator = accumulator_of(program, self.real, self.fp64)
        header.gathered = header.message
        if program.gathered is not None:
            header.gathered = resolve(program.gathered, self.real)
        wide = header.accumulator != header.message
        self.put(
            f"typedef {header.message.c} gascl_message;",
            f"typedef {header.gathered.c} gascl_gathered;",
            f"typedef {header.accumulator.c} gascl_accumulator;",
            # A struct can't be cast, not even to itself.
            f"#define GASCL_TO_MESSAGE(x) {'(gascl_message)(x)' if wide else '(x)'}",
            # Where messages are read singly or there are none, nothing is combined in a cell.
            *definitions(program.combine or "or", header.accumulator),
            f"#define GASCL_WRAPS {int(self.facts.overflows and header.message.itemsize == 8)}",
        )
        members = [("combined", header.accumulator), ("count", resolve("uint32", self.real))]
        if self.facts.overflows:
            members.append(("overflow", resolve("int32", self.real)))
        self.put("// Messages combined into one, and how many they were.")
        header.box = self._struct("gascl_box", members).scalar

    def _vertex(self) -> None:
        fields = [(n, f.resolve(self.real)) for n, f in self.program.vertex_fields.items()]
        self.header.types.update(fields)
        mentioned = set().union(*(s.reads("v") for s in self.program.snippets.values()))
        self.degrees = [d for d in ("in_degree", "out_degree") if d in mentioned]
        ids = [(n, resolve("int32", "")) for n in ("id", *self.degrees)]
        self._struct("gascl_vertex", [*ids, *fields])

    def _edge(self) -> None:
        """Of `e`, only what snippets mention."""
        program = self.program
        arcs = program.arc_fields if self.facts.arc_state else {}
        snippets = [program.snippets.get("scatter")]
        snippets += [program.snippets.get(f"{n}.init") for n in arcs]
        read = set().union(*(s.reads("e") for s in snippets if s is not None))
        fields = [(n, f.resolve(self.real)) for n, f in program.edge_fields.items() if n in read]
        self.arcs = {n: f.resolve(self.real) for n, f in arcs.items()}
        self.header.types.update([*fields, *self.arcs.items()])
        self.header.edge = [n for n in ("id", "reversed") if n in read] + [n for n, _ in fields]
        plain = {"id": self.offset, "reversed": resolve("uint8", ""), **dict(fields)}
        self.edge_types = {n: t.c for n, t in plain.items()}
        members = [(n, resolve("int32", "")) for n in ("src", "dst")]
        members += [(n, plain[n]) for n in self.header.edge]
        self._struct("gascl_edge", [*members, *self.arcs.items()])

    def _arguments(self) -> None:
        formal = {
            "run": "__global const gascl_run *gascl_run_",
            "control": "__global gascl_control *gascl_control_",
        }
        if self.facts.checks or self.debug:
            formal["faults"] = "__global int *gascl_faults"
        for degree in self.degrees:
            formal[degree] = f"__global const int *gascl_{degree}"
        for name in self.program.vertex_fields:
            formal[f"v.{name}"] = f"__global {self.header.types[name].c} *gascl_v_{name}"
        for name in self.facts.snapshots:
            formal[f"old.{name}"] = f"__global {self.header.types[name].c} *gascl_old_{name}"
        if self.facts.adjacent:
            formal["out_offsets"] = "__global const gascl_offset *gascl_offsets"
            formal["out_targets"] = "__global const int *gascl_targets"
        self.header.state = [*formal, MASKS, INBOX]
        edge = [f"__global const {self.edge_types[n]} *gascl_e_{n}" for n in self.header.edge]
        edge += [f"__global {t.c} *gascl_a_{n}" for n, t in self.arcs.items()]
        self.header.edge += [f"a.{n}" for n in self.arcs]
        marks = ["__global uchar *gascl_marks"] if self.facts.marks else []
        dense = ["__global uchar *gascl_mask", "__global uchar *gascl_next", *marks]
        sparse = ["__global uint *gascl_flags", "__global int *gascl_listed"]
        ahead = ("", "_next") if self.facts.posts_ahead else ("",)
        inbox = [
            f"__global {c} *gascl_{name}{when}"
            for when in ahead
            for c, name in (("gascl_cell", "inbox"), ("uint", "arrived"), ("int", "wraps"))
        ]
        touched = [f"__global int *gascl_touched{when}" for when in ahead]
        self.put("// Arguments of every kernel, and of those that visit arcs; then passed on.")
        if self.facts.masked:
            self.put("#if GASCL_SPARSE", *_arguments("MASKS", sparse, ", "), "#else")
            self.put(*_arguments("MASKS", dense, ", "), "#endif")
        else:
            self.put(*_arguments("MASKS", [], ", "))
        self.put("#if GASCL_INBOX && GASCL_SPARSE")
        self.put(*_arguments("INBOX_STATE", [*inbox, *touched], ", "), "#elif GASCL_INBOX")
        self.put(*_arguments("INBOX_STATE", inbox, ", "), "#else")
        self.put(*_arguments("INBOX_STATE", [], ", "), "#endif")
        names = ", ".join(text.split("*")[-1] for text in formal.values())
        self.put(
            f"#define GASCL_STATE {', '.join(formal.values()).replace('*', _APART)} "
            "GASCL_MASKS GASCL_INBOX_STATE",
            f"#define GASCL_STATE_ON {names} GASCL_MASKS_ON GASCL_INBOX_STATE_ON",
            *_arguments("EDGE", edge, ", "),
            "",
        )


def _copier_of(type_: Type) -> str:
    return f"GASCL_COPY_{type_.c.removeprefix('gascl_').upper()}"


def _arguments(name: str, formal: list[str], comma: str) -> list[str]:
    """GASCL_name, the arguments as a function declares them, and GASCL_name_ON, passed on."""
    names = [text.split("*")[-1] for text in formal]
    declared = [text.replace("*", _APART) for text in formal]
    return [
        f"#define GASCL_{name} {''.join(comma + text for text in declared)}".rstrip(),
        f"#define GASCL_{name}_ON {''.join(comma + name for name in names)}".rstrip(),
    ]


def accumulator_of(program: type[VertexProgram], real: str, fp64: bool) -> Type:
    """The type in which a program's messages are combined, which may be wider than they are."""
    if program.message is None:
        return resolve("uint8", real)
    message = resolve(program.message, real)
    if program.combine in ("sum", "prod") and not message.is_float:
        # Wide enough that up to 2^32 messages of 32 bits can't overflow a sum.
        return resolve("uint64" if message.scalar.kind == "u" else "int64", real)
    if program.combine == "sum" and message.c == "float" and fp64:
        # In float, a hub's sum of 3 million equal messages is 3 % off.
        return resolve("float64", real)
    return message


def extreme(op: str, type_: Type, a: str, b: str) -> str:
    """min or max of a and b; NaN wins, as in NumPy."""
    sign = "<" if op == "min" else ">"
    nan = f" || {b} != {b}" if type_.is_float else ""
    return f"{b} {sign} {a}{nan} ? {b} : {a}"
