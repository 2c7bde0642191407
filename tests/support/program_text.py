"""Program trees as the C snippets and class bodies that gascl compiles."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from support.combiners import literal
from support.gather_snippets import FORMS
from support.program_tree import (
    WORDS,
    Aggregate,
    Assign,
    Bin,
    Clamp,
    Common,
    Cond,
    Const,
    Each,
    Entry,
    Expr,
    ForCommon,
    From,
    GetMask,
    Grouping,
    HasEdge,
    Hash,
    If,
    Is,
    Item,
    Make,
    Member,
    Neighbor,
    Of,
    Program,
    Reduce,
    Repeat,
    Return,
    Send,
    Stmt,
    To,
    ToInt,
    Uniform,
    UnsetMask,
    Var,
    Vertex,
    kind_of,
)
from support.values import c_name, element, is_array, is_scalar, is_vector

# C would turn a signed operand beside one of these into an unsigned one: they are read as `long`.
UNSIGNED = {"uint32": "(long){}", "uint64": "(long)min({}, (ulong)LONG_MAX)"}
WRAP = "int wrap(int x, int n) { x = x % n; return x < 0 ? x + n : x; }"
EXTREMES = {-(2**31): "INT_MIN", -(2**63): "LONG_MIN", 2**64 - 1: "ULONG_MAX"}


def constant(value: int | float) -> str:
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    if int(value) in EXTREMES:
        return f"({EXTREMES[int(value)]})"
    text = repr(value)
    if isinstance(value, int) and value >= 2**31:
        text += "L"
    return f"({text})" if text.startswith("-") else text


def bare(program: Program, x: Expr) -> str:
    """A variable or member as it stands, without a cast."""
    if isinstance(x, Var):
        return f"{x.space}.{x.name}" if x.space else x.name
    if isinstance(x, Of):
        return f"{x.name}_of({c_expr(program, x.of)})"
    if isinstance(x, Item):
        length, index = element(kind_of(program, x.x))[1], c_expr(program, x.index)
        return f"{bare(program, x.x)}[{index if x.plain else f'wrap({index}, {length})'}]"
    assert isinstance(x, Member)
    return selected(f"{bare(program, x.x)}.{x.path}")


def selected(text: str) -> str:
    """A value and the path to a scalar in it as C writes them: a.x[0] of "a.x.[0]"."""
    return text.replace(".[", "[")


def c_expr(program: Program, x: Expr) -> str:
    def text(y: Expr) -> str:
        return c_expr(program, y)

    if isinstance(x, Const):
        return constant(x.value)
    if isinstance(x, Entry):
        lengths = np.shape(program.tables[x.name][1])
        at = zip(x.indices, lengths, strict=True)
        of = "".join(f"[wrap({text(i)}, {length})]" for i, length in at)
        return UNSIGNED.get(kind_of(program, x), "{}").format(f"p.{x.name}{of}")
    if isinstance(x, Var | Member | Of | Item):
        return UNSIGNED.get(kind_of(program, x), "{}").format(bare(program, x))
    if isinstance(x, Bin):
        if isinstance(x.b, Const) and x.b.value == 2**64 - 1:  # which c_expr would cut on the left
            return f"({bare(program, x.a)} {x.op} ULONG_MAX)"
        a, b = text(x.a), text(x.b)
        if x.op in ("min", "max"):
            return f"{x.op}((long)({a}), (long)({b}))"
        if x.op in ("fmin", "fmax"):
            return f"{x.op}((real)({a}), (real)({b}))"
        return f"({a} {x.op} {b})"
    if isinstance(x, Cond):
        return f"({text(x.test)} ? {text(x.then)} : {text(x.orelse)})"
    if isinstance(x, Clamp):
        cast, name = ("(real)", "fm") if x.real else ("(long)", "m")
        low, high = cast + constant(x.low), cast + constant(x.high)
        return f"{name}in({name}ax({cast}({text(x.x)}), {low}), {high})"
    if isinstance(x, Vertex):
        return f"wrap({text(x.x)}, g.num_vertices)"
    if isinstance(x, ToInt):
        return f"(int)({text(x.x)})"
    if isinstance(x, Make):
        return literal(x.kind, program.structs, [text(part) for part in x.parts])
    if isinstance(x, Neighbor) and x.of is not None:
        of, count = text(x.of), f"num_neighbors_of({text(x.of)})"
        return f"({count} ? neighbor_of({of}, wrap({text(x.i)}, {count})) : {of})"
    if isinstance(x, Neighbor):
        return f"(num_neighbors ? neighbor(wrap({text(x.i)}, num_neighbors)) : v.id)"
    if isinstance(x, HasEdge):
        return f"has_edge({text(x.a)}, {text(x.b)})"
    if isinstance(x, Common):
        return f"common({text(x.a)}, {text(x.b)})"
    if isinstance(x, From):
        return UNSIGNED.get(kind_of(program, x), "{}").format(f"{x.name}_from_{x.end}(w)")
    if isinstance(x, To):
        known = f"{x.name}_to(wrap({text(x.i)}, num_neighbors))"
        return f"(num_neighbors ? {UNSIGNED.get(kind_of(program, x), '{}').format(known)} : 0)"
    if isinstance(x, Hash):
        return f"(int)(hash((uint)({text(x.x)})) % 1000)"
    if isinstance(x, Uniform):
        return f"(int)(uniform({', '.join(text(key) for key in x.keys)}) * 64)"
    if isinstance(x, Is):
        return f"(p.{x.name} == {x.name}_{x.word})"
    assert isinstance(x, GetMask)
    return "get_mask()" if x.of is None else f"get_mask_of({text(x.of)})"


def c_block(program: Program, block: tuple[Stmt, ...], indent: str = "    ") -> str:
    def text(x: Expr) -> str:
        return c_expr(program, x)

    lines = []
    for s in block:
        if isinstance(s, If):
            lines.append(f"{indent}if ({text(s.test)}) {{")
            lines.append(c_block(program, s.then, indent + "    "))
            if s.orelse:
                lines.append(f"{indent}}} else {{")
                lines.append(c_block(program, s.orelse, indent + "    "))
            lines.append(f"{indent}}}")
            continue
        if isinstance(s, Repeat):
            lines.append(f"{indent}for (int turn = 0; turn < {s.times}; ++turn) {{")
            lines += [c_block(program, s.block, indent + "    "), f"{indent}}}"]
            continue
        if isinstance(s, ForCommon):
            lines.append(f"{indent}for_common(w, {text(s.a)}, {text(s.b)}) {{")
            lines += [c_block(program, s.block, indent + "    "), f"{indent}}}"]
            continue
        if isinstance(s, Reduce):
            lines += [indent + line for line in c_reduction(program, s)]
            continue
        if isinstance(s, Each):
            count = element(program.fields[s.name].type)[1]
            lines.append(f"{indent}for (int k = 0; k < {count}; ++k)")
            lines.append(f"{indent}    v.{s.name}[k] = {text(s.value)};")
            continue
        if isinstance(s, Assign | Send) and (of_array := c_of_array(program, s)):
            lines.append(indent + of_array)
            continue
        if isinstance(s, Assign):
            # The message may be an extreme value of uint64, which c_expr would cut.
            value = "msg" if s.value == Var("", "msg") else text(s.value)
            line = selected(f"{s.space}.{s.name} {s.op} {value}")
        elif isinstance(s, Send):
            value = text(s.value)
            line = f"send({value})" if s.to is None else f"send_to({text(s.to)}, {value})"
        elif isinstance(s, Aggregate):
            line = f"aggregate_{s.name}({text(s.value)})"
        elif isinstance(s, UnsetMask | Return):
            line = "unset_mask()" if isinstance(s, UnsetMask) else "return"
        else:
            line = "set_mask()" if s.of is None else f"set_mask_of({text(s.of)})"
        lines.append(f"{indent}{line};")
    return "\n".join(lines)


def c_of_array(program: Program, s: Assign | Send) -> str:
    """An array that is made and then sent or assigned, or a message that is assigned; "" of
    anything else."""
    made = s.value
    if isinstance(made, Make) and is_array(made.kind):
        scalar, count = element(made.kind)
        parts = ", ".join(c_expr(program, part) for part in made.parts)
        declared = f"const {c_name(scalar)} made[{count}] = {{{parts}}};"
        if isinstance(s, Send):
            return f"{{ {declared} send(made); }}"
    elif isinstance(s, Assign) and made == Var("", "msg") and is_array(program.msg_type):
        declared, count = "", element(program.msg_type)[1]
    else:
        return ""
    to, value = f"{s.space}.{s.name}[at]", f"{'made' if declared else 'msg'}[at]"
    return f"{{ {declared} for (int at = 0; at < {count}; ++at) {to} = {value}; }}"


def c_reduction(program: Program, s: Reduce) -> list[str]:
    name, value = s.assign.name, c_expr(program, s.assign.value)
    kind = c_name(program.fields[name].type)
    lines = [
        "for (int i = 0; i < num_neighbors; ++i) {",
        "    const int near = neighbor(i);",
    ]
    if s.how == "any":
        lines.append(f"    if ({c_expr(program, s.test)}) {{ v.{name} = {value}; break; }}")
    elif s.how == "sum":
        lines.append(f"    if ({c_expr(program, s.test)})\n        v.{name} += {value};")
    else:
        sign = "<" if s.how == "min" else ">"
        lines.append(f"    if (!{c_expr(program, s.test)})\n        continue;")
        lines.append(f"    const {kind} found = {value};")
        lines.append(f"    if (found {sign} v.{name})\n        v.{name} = found;")
    return [*lines, "}"]


def c_gather(program: Program) -> str:
    gather = program.gather
    assert gather
    words = {
        "M": c_name(program.message),
        "T": "real" if gather.real else "long",
        "key": f"({c_expr(program, gather.item)})",
    }
    result = c_expr(program, gather.result)
    if program.grouping is not None:
        return c_groups(words["key"]) + f"    msg = {result};\n"
    return f"{FORMS[gather.form].text.format(**words)}    msg = {result};\n"


def c_groups(key: str) -> str:
    """A loop over groups, the result of which depends on their order."""
    each = f"((long){_of_group(key, 'groups[i]')} % 1009 + 1009)"
    loop = "for (int i = 0; i < num_groups; i++)"
    step = f"found = (found * 3 + {each}) % 1009;"
    return f"\n    long found = num_groups;\n    {loop}\n        {step}\n"


def c_prefer(program: Program, grouping: Grouping) -> str:
    if grouping.score is None:
        return "a.count > b.count"
    score = f"({c_expr(program, grouping.score)})"
    if len(score) % 2:
        return _of_group(score, "a")
    return f"{_of_group(score, 'a')} > {_of_group(score, 'b')}"


def _of_group(text: str, group: str) -> str:
    """C text about `item`, about a group in its place."""
    return re.sub(r"\bitem\b", group, text)


def c_identity(program: Program, identity: Any) -> str:
    return c_expr(program, identity if isinstance(identity, Make) else Const(identity))


def texts(program: Program) -> dict[str, str]:
    """Every part of the class body that is text: snippets, expressions and choices."""
    body = {"message": program.message}
    if program.combine is not None:
        body["combine"] = program.combine
    if program.identity is not None:
        body["identity"] = c_identity(program, program.identity)
    if program.grouping is not None and program.gather is None:
        body["prefer"] = c_prefer(program, program.grouping)
    elif program.gathered is not None:
        body["gathered"] = program.gathered
    body |= {
        "scatter_on": program.scatter_on,
        "apply_on": program.apply_on,
        "edges": program.edges,
        "ends": program.ends,
    }
    if program.order != "supersteps":
        body["order"] = program.order
    if program.pairs_at is not None:
        body["pairs_at"] = program.pairs_at
    if program.mask is not None:
        body["mask"] = c_expr(program, program.mask)
    for name in ("stop", "receive_if", "enough", "priority", "pairs_within"):
        if (rule := getattr(program, name)) is not None:
            body[name] = c_expr(program, rule)
    for name in ("init", "scatter", "pairs", "apply"):
        if block := getattr(program, name):
            body[name] = "\n" + c_block(program, block) + "\n"
    if program.gather is not None:
        body["gather"] = c_gather(program)
    fields = [*program.fields.values(), *program.arc_fields.values()]
    inits = [c_expr(program, f.init) for f in fields]
    if any("wrap(" in text for text in [*body.values(), *inits]):
        body["functions"] = WRAP
    return body


def declarations(program: Program) -> list[tuple[str, str, str, dict[str, Any]]]:
    """(name, namespace, type, arguments) of every declared field and aggregator, in order."""
    found: list[tuple[str, str, str, dict[str, Any]]] = []
    for space, fields in (("vertex", program.fields), ("arc", program.arc_fields)):
        found += [(n, space, f.type, {"init": c_expr(program, f.init)}) for n, f in fields.items()]
    for name, (kind, default) in program.edge_fields.items():
        found.append((name, "edge", kind, {} if default is None else {"default": default}))
    for name, (kind, default) in program.params.items():
        given: dict[str, Any] = {"default": bool(default) if kind == "flag" else default}
        found.append((name, "param", kind, {} if kind == "choice" else given))
    for name, (kind, numbers) in program.tables.items():
        given = {"shape": np.shape(numbers), "type": kind, "default": numbers}
        found.append((name, "param", "array", given))
    for name in program.aggregates:
        aggregator = program.aggregator(name)
        arguments = {"op": aggregator.how}
        if aggregator.identity is not None:
            arguments["identity"] = c_identity(program, aggregator.identity)
        found.append((name, "aggregate", aggregator.type, arguments))
    return found


def namespace(program: Program) -> dict[str, Any]:
    """The body of the program's class."""
    import gascl

    structs = {name: gascl.struct(list(members)) for name, members in program.structs.items()}
    body: dict[str, Any] = {**structs, **texts(program)}
    if program.grouping is not None:
        body["combine"] = gascl.by_key(program.grouping.key, **dict(program.grouping.values))
    for word in ("message", "gathered"):
        if body.get(word) in program.structs:
            body[word] = structs[body[word]]
    for name, space, kind, arguments in declarations(program):
        declare = getattr(gascl, space)
        if kind == "array":
            body[name] = declare.array(**arguments)
        elif kind in ("choice", "flag"):
            words = WORDS if kind == "choice" else ()
            body[name] = getattr(declare, kind)(*words, **arguments)
        elif is_array(kind):
            scalar, count = element(kind)
            body[name] = getattr(declare, scalar)(count, **arguments)
        elif is_scalar(kind) or is_vector(kind):
            body[name] = getattr(declare, kind)(**arguments)
        elif space == "aggregate":
            body[name] = declare.struct(body[kind], arguments["op"], identity=arguments["identity"])
        else:
            body[name] = declare.struct(body[kind], **arguments)
    if program.lanes is not None:
        body["lanes"] = program.lanes
    if program.delta is not None:
        body["delta"] = program.delta
    if program.has_supersteps:
        body["supersteps"] = gascl.param.supersteps(default=program.supersteps)
    if program.converged is not None:
        rule = program.converged
        body["converged"] = lambda self, step: rule(step)
    return body


def build(program: Program) -> Any:
    """The VertexProgram subclass."""
    from gascl import VertexProgram

    return type("Random", (VertexProgram,), namespace(program))


def listing(program: Program) -> str:
    """The program as one would have typed it, for the reader of a failure."""
    lines = ["class Random(VertexProgram):"]
    for name, members in program.structs.items():
        lines.append(f"    {name} = struct({list(members)!r})")
    for name, space, kind, given in declarations(program):
        arguments = [f"{word}={value!r}" for word, value in given.items()]
        arguments += [repr(word) for word in WORDS] if kind == "choice" else []
        if kind in program.structs:
            arguments, kind = [kind, *arguments], "struct"
        elif is_array(kind):
            kind, count = element(kind)
            arguments = [str(count), *arguments]
        lines.append(f"    {name} = {space}.{kind}({', '.join(arguments)})")
    if program.lanes is not None:
        lines.append(f"    lanes = {program.lanes}")
    if program.delta is not None:
        lines.append(f"    delta = {program.delta}")
    if program.has_supersteps:
        lines.append(f"    supersteps = param.supersteps(default={program.supersteps})")
    if program.converged is not None:
        lines.append("    converged = ...  # see the tree")
    if program.grouping is not None:
        of = program.grouping
        lines.append(f"    combine = by_key({of.key!r}, **{dict(of.values)!r})")
    for name, text in texts(program).items():
        if name in ("message", "gathered") and text in program.structs:
            lines.append(f"    {name} = {text}")
        else:
            lines.append(f'    {name} = """{text}"""' if "\n" in text else f"    {name} = {text!r}")
    return "\n".join(lines)
