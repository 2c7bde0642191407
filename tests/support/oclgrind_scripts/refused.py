"""Programs that stop with an error, in which Oclgrind must find no other fault."""

from support.oclgrind_scripts.workload import HUB, V

from gascl import GasclError, ProgramError, VertexProgram, param, vertex


class Overflow(VertexProgram):
    supersteps = param.supersteps(1)
    heard = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = "all"
    scatter = "send(1 << 28);"
    apply = "v.heard = msg;"


class OverflowOfOneArc(Overflow):
    scatter = "send(1 << 30); if (v.id % 2) send(1 << 30);"


class OverflowOfProduct(Overflow):
    heard = vertex.int64()
    message, combine = "int64", "prod"
    scatter = "send(1L << 40);"


class FaultInScatter(VertexProgram):
    heard = vertex.int32()
    message, combine = "int32", "sum"
    scatter = "set_mask_of(v.id + g.num_vertices); send(1);"
    apply = "v.heard = msg;"


class FaultInApply(FaultInScatter):
    scatter = "if (get_mask_of(-1 - v.id)) send(2); send(1);"
    apply = "v.heard = msg + get_mask_of(1L << 40); set_mask_of(-1L << 40);"


class PostedAstray(FaultInScatter):
    scatter = "send_to(v.id == 5 ? -1 : v.id, 1);"


class ReadAstray(FaultInScatter):
    scatter = "send(heard_of(v.id - 1));"
    apply = "v.heard = heard_of(1L << 40);"


class NoNeighbor(FaultInScatter):
    scatter = "send(neighbor(num_neighbors));"


class Twice(VertexProgram):
    x = vertex.int32()
    message = "int32"
    scatter = "send(1); if (v.id == 5) send(2);"
    gather = "msg = messages[0];"
    apply = "v.x = msg;"


REFUSED = [
    (Overflow, GasclError, f"vertex {HUB} overflowed int32"),
    (OverflowOfOneArc, GasclError, "overflowed int32"),
    (OverflowOfProduct, GasclError, "overflowed int64"),
    (FaultInScatter, ProgramError, f"an id that is not in 0 ... {V - 1}"),
    (FaultInApply, ProgramError, f"an id that is not in 0 ... {V - 1}"),
    (PostedAstray, ProgramError, f"vertex 5 used an id that is not in 0 ... {V - 1}"),
    (ReadAstray, ProgramError, f"vertex 0 used an id that is not in 0 ... {V - 1}"),
    (NoNeighbor, ProgramError, "vertex 0 used neighbor(i) or FIELD_to(i) with an i that is not "),
    (Twice, ProgramError, "vertex 5 sent twice along one arc"),
]


class Beyond(Twice):
    scatter = "send(1);"
    gather = "msg = messages[num_messages];"


class Trapped(VertexProgram):
    x = vertex.real(init="v.id * 13 % 17")
    heard = vertex.int32()
    supersteps = param.supersteps(3)
    message, combine = "real", "min"
    scatter_on = "all"
    scatter = "if (v.x < 9) send(v.x - 1);"


class ByZero(Trapped):
    apply = "v.heard = 1 / (v.id - 7);"


class NotANumber(Trapped):
    apply = "v.x = log(-1 - msg);"


class Infinite(Trapped):
    apply = "v.x = 1e30f; v.x *= 1e30f;"


#: Under debug.
TRAPPED = [
    (Beyond, "vertex 0 read messages[i] or groups[i] with an i that is not in"),
    (ByZero, "vertex 7 divided by zero"),
    (NotANumber, "computed NaN"),
    (Infinite, "made a finite value infinite"),
]
