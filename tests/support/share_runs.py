"""What each rank of a run does in tests/distributed/test_ranks.py, where ranks share searches."""

from __future__ import annotations

import os
import sys
import time
import warnings
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from support.bundled import verifier_of
from support.rank_calls import call

from gascl import (
    Engine,
    GasclError,
    Graph,
    Interrupted,
    NotConverged,
    ProgramError,
    RankError,
    VertexProgram,
    generators,
    param,
    vertex,
)
from gascl.programs import (
    Betweenness,
    BreadthFirst,
    Closeness,
    Eccentricity,
    EdgeBetweenness,
    HarmonicCloseness,
    Neighborhoods,
    WeightedBetweenness,
    WeightedCloseness,
    WeightedEccentricity,
    WeightedEdgeBetweenness,
    WeightedHarmonicCloseness,
)

COMM = MPI.COMM_WORLD


def verify(graph: Graph, result: Any, program: VertexProgram) -> None:
    """By other libraries; and it is the same in all ranks, bit for bit."""
    verifier_of(type(program).__name__).verify(graph, result, program)
    same_in_all(result)


def same_in_all(result: Any) -> None:
    fields = {**result.fields, **result.arc_fields}
    about = (
        {name: (values.dtype, values.tobytes()) for name, values in fields.items()},
        [(s.superstep, s.program, s.active, s.messages, s.aggregates) for s in result.trace],
        (result.supersteps, result.converged, result.stopped, result.missing),
        (result.delivery, result.numbering, result.aggregates, result.types),
    )
    for other in COMM.allgather(about):
        assert other == about
    assert [s.superstep for s in result.trace] == list(range(result.supersteps))


def bundled(kind: str) -> None:
    """Programs that search from many vertices."""
    web = generators.rmat(*((6, 3) if kind == "weighted" else (9, 6)), seed=4)
    weight = np.random.default_rng(1).integers(1, 4, web.num_edges)
    ends = web.edge_src, web.edge_dst
    graphs = [
        Graph.from_edges(*ends, weight=weight, directed=directed, duplicates="first")
        for directed in ((True,) if kind == "few" else (True, False))
    ]
    programs: list[VertexProgram] = {
        "few": [Betweenness(sources=21, endpoints=True), Closeness()],
        "plain": [
            Betweenness(sources=21, endpoints=True),
            EdgeBetweenness(sources=8),
            Closeness(),
            HarmonicCloseness(sources=65),  # two words, of which one has a single source
            Eccentricity(targets=300, seed=3),
            Neighborhoods(hops=2),
        ],
        "weighted": [
            WeightedBetweenness(),
            WeightedEdgeBetweenness(sources=9),
            WeightedCloseness(sources=13),
            WeightedHarmonicCloseness(),
            WeightedEccentricity(),
        ],
    }[kind]
    for graph in graphs:
        engine, alone = Engine(graph, comm=COMM), Engine(graph)
        for program in programs:
            found, by_one = engine.run(program), alone.run(program)
            verify(graph, found, program)
            for name in by_one.fields:
                if by_one[name].dtype.kind == "i":
                    assert found[name].tolist() == by_one[name].tolist()
            again = engine.run(program)
            for name in found.fields:
                assert again[name].tobytes() == found[name].tobytes()


class Reach(VertexProgram):
    """As that of docs/programs.md, and which items each rank has done."""

    sources = param.vertices()
    count = vertex.int32()

    def __init__(self, **values: Any):
        super().__init__(**values)
        self.done: list[list[int]] = []

    def solve(self, stages: Any) -> dict[str, np.ndarray]:
        assert not stages.has_state
        found = stages.share(stages.vertices(self.sources), self.reached)
        assert not stages.has_state
        return found

    def reached(self, stages: Any, sources: list[int]) -> dict[str, Any]:
        self.done.append(sources)
        count = 0
        for source in sources:
            count = count + (stages.run(self.search(source), fresh=True).depth >= 0)
        return {"count": count}

    def search(self, source: int) -> VertexProgram:
        return BreadthFirst(source=source)


def own() -> None:
    """A user's program, and who does what."""
    graph = generators.rmat(6, seed=1)
    engine, alone = Engine(graph, comm=COMM), Engine(graph)
    size, rank = COMM.size, COMM.rank
    for sources in ([5, 3, 60, 1, 0, 9, 2], [4]):
        by_one = alone.run(Reach(sources=sources))
        expected = sum(alone.run(BreadthFirst(source=s)).depth >= 0 for s in sources)
        together = {"max_supersteps": 1000}, {"callback": lambda step: None}
        for options, memory, by_rank in (
            ({}, None, True),
            *((each, None, False) for each in together),
            ({}, alone_needs(graph) - 1, False),  # all arcs do not fit
        ):
            program = Reach(sources=sources)
            found = Engine(graph, comm=COMM, device_memory=memory).run(program, **options)
            assert found.count.tolist() == expected.tolist() == by_one.count.tolist()
            same_in_all(found)
            assert found.supersteps == by_one.supersteps and found.converged
            assert found.stopped == by_one.stopped
            if by_rank:
                assert program.done == ([sources[rank::size]] if rank < len(sources) else [])
            else:
                assert program.done[-1] == sources
            assert len(found.trace.phases) >= 3 or not program.done
        counts = [sorted((s.active, s.messages) for s in r.trace) for r in (found, by_one)]
        assert counts[0] == counts[1]
    stopped = engine.run(Reach(sources=9), max_supersteps=7, not_converged="ignore")
    assert (stopped.supersteps, stopped.converged) == (7, False)
    same_in_all(stopped)


def alone_needs(graph: Graph) -> int:
    """The bytes that breadth-first search takes with all arcs on the device."""
    low, high = 0, 2**30
    while low < high:
        most = (low + high) // 2
        result = Engine(graph, device_memory=most)
        try:
            whole = not any("parts" in s.why for s in result.run(BreadthFirst(source=0)).trace)
        except GasclError:
            whole = False
        low, high = (low, most) if whole else (most + 1, high)
    return low


class Odd(Reach):
    """Goes wrong in the share that has source 1."""

    how = param.choice("names", "shapes", "raises", "outer", "none", "text", "presses", "dies")

    def solve(self, stages: Any) -> dict[str, np.ndarray]:
        self.outer = stages
        return super().solve(stages)

    def reached(self, stages: Any, sources: list[int]) -> dict[str, Any]:
        if 1 not in sources:
            if self.how in ("raises", "presses"):
                time.sleep(0.5)  # the other one goes wrong at the beginning
                began = len(self.done)
                for source in 1000 * sources:
                    self.done.append([source])
                    stages.run(self.search(source), fresh=True)
                raise AssertionError(f"was not called off after {began}")
            return super().reached(stages, sources)
        if self.how == "dies":
            os._exit(3)
        if self.how == "presses":
            raise KeyboardInterrupt
        if self.how == "raises":
            raise ValueError("no more of this")
        if self.how == "outer":
            self.outer.run(self.search(1))
        found = super().reached(stages, sources)["count"]
        return {
            "names": {"counts": found},
            "shapes": {"count": found[:3]},
            "none": None,
            "text": {"count": found.astype(str)},
        }[str(self.how)]


def wrong() -> None:
    """An error in one rank ends all, and each reports it."""
    engine = Engine(generators.rmat(6, seed=1), comm=COMM)
    own = 1 in list(range(5))[COMM.rank :: COMM.size]
    for how, message in (
        ("names", r"arrays of the shapes \{'counts': \(64,\)\} in rank 1, and .* in rank 0"),
        ("shapes", r"arrays of the shapes \{'count': \(3,\)\} in rank 1"),
        ("outer", "share passes a Stages to the function"),
        ("none", "the function of share must return a dict of arrays, not None"),
        ("text", "returned 'count' of type .*: only numbers can be combined"),
    ):
        kind = ProgramError if own or how in ("names", "shapes") else RankError
        with pytest.raises(kind, match=f"Odd: .*{message}"):
            engine.run(Odd(sources=[0, 1, 2, 3, 4], how=how))
    with pytest.raises(ValueError if own else RankError, match="no more of this"):
        engine.run(Odd(sources=[0, 1, 2, 3, 4], how="raises"))
    with pytest.raises(Interrupted) as caught:
        engine.run(Odd(sources=[0, 1, 2, 3, 4], how="presses"))
    assert caught.value.result.missing == ("count",)
    same_in_all(caught.value.result)
    with pytest.raises(ProgramError, match="there is nothing to share: the list of items is empty"):
        engine.run(Nothing())
    assert engine.run(Reach(sources=[0, 1])).converged  # all is as before


class Nothing(Reach):
    def solve(self, stages: Any) -> dict[str, np.ndarray]:
        return stages.share([], self.reached)


def dies() -> None:
    """A rank that dies ends all."""
    Engine(generators.rmat(6, seed=1), comm=COMM).run(Odd(sources=[0, 1, 2], how="dies"))


class Long(Reach):
    """From the source 1 it never ends."""

    def search(self, source: int) -> VertexProgram:
        return Back() if source == 1 else BreadthFirst(source=source)


class Back(VertexProgram):
    """Goes to and fro."""

    depth = vertex.int32()
    supersteps = param.supersteps()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    apply = "v.depth = 1 - v.depth;"
    stop = "superstep < 0"


def unending() -> None:
    """The result tells of a run that would never end."""
    engine = Engine(generators.rmat(5, seed=1), comm=COMM)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = engine.run(Long(sources=[0, 1, 2]))
    assert any(issubclass(each.category, NotConverged) for each in caught)
    assert not found.converged and "Back" in found.stopped
    same_in_all(found)


if __name__ == "__main__":
    warnings.filterwarnings("ignore", ".*no edge field")
    call(globals(), sys.argv[1:])
    print(f"done {COMM.rank}", flush=True)
