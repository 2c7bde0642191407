"""Random statements of one snippet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from support.combiners import identity_of
from support.program_tree import (
    Aggregate,
    Aggregator,
    Assign,
    Bin,
    Cond,
    Const,
    Each,
    Expr,
    ForCommon,
    From,
    If,
    Make,
    Of,
    Reduce,
    Repeat,
    Return,
    Send,
    SetMask,
    Stmt,
    To,
    UnsetMask,
    Var,
)
from support.random_expressions import E, Scope, bounds_of, is_safe, scalars
from support.values import components, element, is_array, is_real, is_scalar, scalar_dtype


def summed_bounds(kind: str) -> tuple[int, int]:
    """What may be sent so that the sum of hundreds of messages fits the type."""
    low, high = bounds_of(kind)
    most = {"int8": 1, "uint8": 1, "int16": 40, "uint16": 80}.get(kind, high)
    return max(low, -most), min(high, most)


def sent_value(scope: Scope, program: dict[str, Any], real: str) -> Expr:
    """What is sent: within the bounds that the combiner bears, sometimes the identity itself."""
    kind, combine, identity = program["message"], program.get("combine"), program.get("identity")
    if combine in (None, "first"):
        return scope.stored(kind)
    if is_array(kind):
        return sent_array(scope, program, real)
    if scope.chance(15):
        if identity is None:
            return Const(identity_of(combine, scalar_dtype(kind, real)))
        return identity if isinstance(identity, Make) else Const(identity)
    if not is_scalar(kind):
        parts = []
        ops = program["ops"] or ("min",) * len(components(kind, program["structs"]))
        for (_, member_kind), op in zip(components(kind, program["structs"]), ops, strict=True):
            bounds = summed_bounds(member_kind) if op == "sum" else bounds_of(member_kind)
            parts.append(scope.fit(scope.expr(1), *bounds))
        return Make(kind, tuple(parts))
    if "settled" in program and scope.chance(25):
        return Const(program["settled"])
    if combine == "prod":
        unsigned = kind.startswith("u")
        one = Cond(scope.test(), Const(1), Const(scope.pick(-1, 0) if not unsigned else 0))
        few = Bin("<", scope.pick(*scope.leaves[:1]).x, Const(2))
        return Cond(few, Const(2), one) if scope.chance(50) else one
    return sent_scalar(scope, program, kind)


def sent_array(scope: Scope, program: dict[str, Any], real: str) -> Expr:
    """An array to send: a field as it stands, the identity, or a few components by turns."""
    kind, combine = program["message"], program["combine"]
    scalar, width = element(kind)
    alike = [n for n, f in program["fields"].items() if f.type == kind and is_safe(n)]
    if alike and combine not in ("sum", "prod") and scope.chance(60):
        name = scope.pick(*alike)
        return Of(name, scope.vertex(0)) if scope.others and scope.chance(30) else Var("v", name)
    if scope.chance(15):
        return scope.cycled(kind, [Const(identity_of(combine, scalar_dtype(scalar, real)))])
    if combine == "prod":
        parts: list[Expr] = [
            Cond(scope.test(), Const(1), Const(scope.pick(-1, 0, 2))) for _ in range(2)
        ]
    else:
        parts = [sent_scalar(scope, program, scalar) for _ in range(min(width, 3))]
    return scope.cycled(kind, parts)


def sent_scalar(scope: Scope, program: dict[str, Any], kind: str) -> Expr:
    """A number to send, or a component of an array."""
    combine = program["combine"]
    low, high = summed_bounds(kind) if combine == "sum" else bounds_of(kind)
    if "settled" in program and combine in ("min", "a < b ? a : b"):
        low = program["settled"]
    elif "settled" in program and combine in ("max", "a > b ? a : b"):
        high = program["settled"]
    e = scope.expr(2)
    if combine in ("or", "and", "a ^ b"):
        return scope.fit(scope.integer(e), low, high)
    return scope.fit(e, 0 if "%" in combine else low, high)


class Writer:
    """Draws the statements of one snippet: of `effects`, the more often the more often named."""

    def __init__(self, scope: Scope, program: dict[str, Any], effects: list[str], real: str):
        self.scope, self.program = scope, program
        self.effects, self.real = effects, real

    def block(self, most: int, depth: int = 1) -> tuple[Stmt, ...]:
        return tuple(self.statement(depth) for _ in range(self.scope.draw(st.integers(1, most))))

    def statement(self, depth: int) -> Stmt:
        scope = self.scope
        if depth > 0 and scope.chance(40):
            orelse = self.block(1, depth - 1) if scope.chance(40) else ()
            then = self.block(2, depth - 1)
            if scope.chance(12):
                then = (*then, Return())
            return If(scope.test(), then, orelse)
        if depth > 0 and scope.chance(8):
            return Repeat(scope.pick(2, 3), self.block(2, depth - 1))
        if depth > 0 and scope.adjacency and scope.chance(25):
            return self.for_common(depth - 1)
        return self.effect(scope.pick(*self.effects))

    def for_common(self, depth: int) -> Stmt:
        scope, inside = self.scope, [E(Var("", "w"), 0, 400)]
        for name, kind in scope.edge_fields.items():
            inside += [E(From(name, end), -9, 9, is_real(kind)) for end in ("first", "second")]
        leaves = scope.leaves + inside * (1 + len(scope.leaves) // 4)
        writer = Writer(replace(scope, leaves=leaves), self.program, self.effects, self.real)
        return ForCommon(scope.vertex(), scope.vertex(), writer.block(2, depth))

    def reduction(self) -> tuple[Stmt, ...]:
        """A loop over neighbors that reduces to a field of a number; none if there is no field."""
        scope = self.scope
        kinds = {n: kind for n, kind in scope.writable.items() if is_scalar(kind)}
        wide = [name for name in kinds if name.startswith("wide")]
        safe = [name for name in kinds if is_safe(name)]
        if not wide and not safe:
            return ()
        i = Var("", "i")
        inside = [E(Var("", "near"), 0, 400), E(i, 0, 1000)]
        inside += [E(To(name, i), -9, 9, is_real(kind)) for name, kind in scope.edge_fields.items()]
        for name, f in scope.others.items():
            of_near = Of(name, Var("", "near"))
            inside += scalars(of_near, f.type, scope.structs, is_safe(name)) * 2
        leaves = scope.leaves + inside * (1 + len(scope.leaves) // len(inside))
        turn = replace(scope, leaves=leaves)
        how = scope.pick(*["sum"] * 2 * bool(wide), *["min", "max", "any"] * bool(safe))
        name = scope.pick(*wide) if how == "sum" else scope.pick(*safe)
        bounds = (0, 100) if how == "sum" else bounds_of(kinds[name])
        value = turn.fit(turn.expr(), *bounds)
        if how == "any":
            how = "max" if is_real(kinds[name]) else how
            value = Const(scope.pick(0, 1, 7))
        assign = Assign(name, value, "+=" if how == "sum" else "=")
        loop: Stmt = Reduce(how, assign, turn.test())
        return (If(scope.test(), (loop,)),) if scope.chance(30) else (loop,)

    def effect(self, name: str) -> Stmt:
        scope = self.scope
        if name == "send":
            return Send(sent_value(scope, self.program, self.real))
        if name == "send_to":
            return Send(sent_value(scope, self.program, self.real), scope.vertex())
        if name == "set_mask":
            return SetMask()
        if name == "set_mask_of":
            return SetMask(scope.vertex())
        if name == "unset_mask":
            return UnsetMask()
        if name == "each":
            return self.each()
        if name == "aggregate":
            return self.aggregate(scope.pick(*self.program["aggregates"]))
        if name == "arc":
            name = scope.pick(*scope.arcs)
            return self.assign(name, scope.arcs[name], "e")
        name = scope.pick(*scope.writable)
        kind = scope.writable[name]
        if name.startswith("raw"):
            return Assign(name, Var("", "msg"))
        if name.startswith("wide"):
            return Assign(name, scope.fit(scope.expr(), 0, 100), "+=")
        return self.assign(name, kind, "v")

    def each(self) -> Stmt:
        """A loop over the components of an array, which may read others at the same index."""
        scope, k = self.scope, Var("", "k")
        arrays = {n: kind for n, kind in scope.writable.items() if is_array(kind) and is_safe(n)}
        name = scope.pick(*arrays)
        scalar, count = element(arrays[name])
        inside = [E(k, 0, count - 1)]
        for array in scope.arrays:
            inside.append(scope.item(array, k, element(array[1])[1] >= count))
        turn = replace(scope, leaves=scope.leaves + inside * (1 + len(scope.leaves) // len(inside)))
        return Each(name, turn.fit(turn.expr(), *bounds_of(scalar)))

    def assign(self, name: str, kind: str, space: str) -> Stmt:
        assert is_safe(name)
        scope = self.scope
        parts = components(kind, scope.structs)
        if parts and scope.chance(40):
            path, member_kind = scope.pick(*parts)
            value = scope.fit(scope.expr(1), *bounds_of(member_kind))
            return Assign(f"{name}.{path}", value, space=space)
        return Assign(name, scope.stored(kind), space=space)

    def aggregate(self, name: str) -> Stmt:
        kind, how, _ = Aggregator(*self.program["aggregates"][name])
        scope = self.scope
        if not is_scalar(kind):
            return Aggregate(name, scope.stored(kind))
        low, high = bounds_of(kind)
        return Aggregate(name, scope.fit(scope.expr(), 0 if "%" in how else low, high))
