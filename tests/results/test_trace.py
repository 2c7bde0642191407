"""The trace of a run: as a table, as a picture, and as a timeline that Perfetto opens."""

from __future__ import annotations

import json
import math
import pickle
import sys

import numpy as np
import pytest
from support.samples import random_graph

from gascl import Engine, GasclError, Result
from gascl.programs import BreadthFirst, CoreNumber, PageRank
from gascl.results.bottleneck import Bottleneck, Hint
from gascl.results.trace import KernelTime, Phase, Step, Trace

PROGRAMS = [
    PageRank(supersteps=5),
    PageRank(),
    BreadthFirst(source=0),
    BreadthFirst(source=[0, 1]),
    CoreNumber(),
]


def run(program, **options) -> Result:
    return Engine(random_graph(1, directed=True)).run(program, **options)


def made(count: int = 3) -> Trace:
    return Trace([Step(i, 10 - i, i, {"change": 0.5**i}, 1e-3, "pull") for i in range(count)])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: repr(p)[:30])
@pytest.mark.parametrize("watched", [False, True])
def test_times_of_kernels(program, watched):
    """They add up to a step's time, and follow one another."""
    trace = run(program, callback=(lambda step: None) if watched else None).trace
    begins = [kernel.begin for step in trace for kernel in step.kernels]
    assert all(step.kernels and step.seconds > 0 for step in trace)
    assert begins == sorted(begins)
    for step in trace:
        assert step.seconds == pytest.approx(sum(kernel.seconds for kernel in step.kernels))
        assert all(kernel.name.startswith("gascl_") for kernel in step.kernels)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: repr(p)[:30])
def test_phases(program):
    result = run(program)
    phases = result.trace.phases
    assert {phase.name for phase in phases} == {"build", "upload", "supersteps"}
    begins = [phase.begin for phase in phases]
    assert begins == sorted(begins) and phases[0].first == 0
    for name in ("build", "upload", "supersteps"):
        total = sum(phase.seconds for phase in phases if phase.name == name)
        assert result.seconds[name] == pytest.approx(total)
    again = pickle.loads(pickle.dumps(result.trace))
    assert again == result.trace and again.phases == phases


def test_a_step_shows_no_kernels():
    many = repr(Trace([Step(i, 1, 2, {}, 0.5) for i in range(1000)]))
    assert many.count("Step(") == 15 and "superstep=9, " in many and "superstep=999, " in many
    assert repr(Step(0, 1, 2, {}, 0.5, kernels=(KernelTime("k", 0.0, 0.5),))) == (
        "Step(superstep=0, active=1, messages=2, aggregates={}, seconds=0.5, delivery='', why='', "
        "estimate=0.0, program='')"
    )


def test_print_shows_a_table():
    assert str(made(2)).splitlines() == [
        "superstep  active  messages  seconds  estimate  delivery  why  agg.change",
        "        0      10         0    0.001         0  pull                    1",
        "        1       9         1    0.001         0  pull                  0.5",
    ]
    many = str(made(1000)).splitlines()
    assert len(many) == 1 + 10 + 1 + 5 and set(many[11]) == {".", " "}
    assert str(Trace()) == "superstep  active  messages  seconds  estimate  delivery  why"


SLOW = Bottleneck("one work-item loops over 64,000 neighbors", "send them", 0.017)


def waited(number: int, *ms: float) -> Step:
    kernels = tuple(KernelTime(f"k{i}", 0.0, each / 1e3) for i, each in enumerate(ms))
    return Step(number, 1, 2, {}, sum(ms) / 1e3, kernels=kernels, bottlenecks=(SLOW,))


def test_a_hint_names_what_supersteps_have_waited_for():
    trace = Trace([waited(0, 0.1, 15.0), waited(1, 0.2, 17.3), waited(2, 0.1, 0.1)])
    (hint,) = trace.hints()
    assert hint == Hint(SLOW, 1, pytest.approx(0.0173), pytest.approx(0.0175), 2)
    text = (
        "superstep 1: 17.3 of 17.5 ms, and in 1 more: one work-item loops over 64,000 neighbors; "
        "send them"
    )
    assert str(hint) == text and str(trace).endswith("\n" + text)
    assert text in trace._repr_html_() and text not in repr(trace)
    assert pickle.loads(pickle.dumps(trace)).hints() == [hint]


@pytest.mark.parametrize(
    "ms",
    [
        [0.1, 0.1],  # the vertex with many neighbors did not apply
        [15.0, 15.5, 15.0],  # other kernels took longer together
        [0.1, 90.0],  # the kernel had more to do
        [],  # of another rank
    ],
)
def test_no_hint_where_it_was_not_the_bottleneck(ms):
    trace = Trace([waited(0, *ms)])
    assert not trace.hints() and len(str(trace).splitlines()) == 2


def test_steps_of_a_run_know_its_bottlenecks(tmp_path, monkeypatch):
    """As on a GPU: an estimate is all that is missing on a CPU."""
    from gascl.run import loaded_program

    monkeypatch.setattr(loaded_program, "by_one_item", lambda *_: (SLOW,))
    result = run(BreadthFirst(source=0))
    assert all(step.bottlenecks == (SLOW,) for step in result.trace)
    result.save_trace(tmp_path / "trace.json")
    saved = json.loads((tmp_path / "trace.json").read_text())
    assert saved["hints"] == [] and "bottlenecks" not in saved["trace"][0]
    stages = run(CoreNumber())
    assert any(step.bottlenecks for step in stages.trace)


def check_timeline(events: list[dict]) -> None:
    """The rules of the Trace Event Format for the events that there are: complete ones (X),
    counters (C) and metadata (M); and complete events of a thread are nested or apart."""
    spans: dict[tuple, list] = {}
    for event in events:
        assert isinstance(event["name"], str) and event["ph"] in "XCM"
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name")
            assert isinstance(event["args"]["name"], str)
            continue
        assert math.isfinite(event["ts"]) and event["ts"] >= -1
        if event["ph"] == "C":
            assert all(isinstance(value, int | float) for value in event["args"].values())
            continue
        assert math.isfinite(event["dur"]) and event["dur"] >= 0
        span = event["ts"], event["ts"] + event["dur"]
        spans.setdefault((event["pid"], event["tid"]), []).append(span)
    for found in spans.values():
        ends: list[float] = []
        for begin, end in sorted(found, key=lambda span: (span[0], -span[1])):
            while ends and ends[-1] <= begin + 0.5:  # microseconds
                ends.pop()
            assert not ends or end <= ends[-1] + 0.5, "spans of a thread overlap"
            ends.append(end)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: repr(p)[:30])
def test_a_saved_trace_is_a_timeline(program, tmp_path):
    result = run(program)
    result.save_trace(tmp_path / "trace.json")
    saved = json.loads((tmp_path / "trace.json").read_text())
    assert len(saved["trace"]) == result.supersteps
    events = saved["traceEvents"]
    check_timeline(events)
    spent = [event for event in events if event["ph"] == "X"]
    by = {kind: [e for e in spent if e["cat"] == kind] for kind in ("host", "superstep", "kernel")}
    assert [e["name"] for e in by["host"]] == [phase.name for phase in result.trace.phases]
    assert [e["name"] for e in by["superstep"]] == [
        f"superstep {i}" for i in range(result.supersteps)
    ]
    kernels = sum(step.seconds for step in result.trace)
    assert sum(e["dur"] for e in by["kernel"]) == pytest.approx(kernels * 1e6)
    # Each run's first kernel begins with its phase.
    phases = [e["ts"] for e in by["host"] if e["name"] == "supersteps" and e["dur"]]
    begins = [e["ts"] for e in by["superstep"]]
    assert phases[0] == pytest.approx(begins[0], abs=1)
    assert np.abs(np.subtract.outer(phases, begins)).min(axis=1).max() <= 1
    counters = [e["args"] for e in events if e["ph"] == "C"]
    assert counters[0] == {"active": result.trace[0].active}


def test_a_trace_without_kernels_is_a_timeline_too():
    trace = made()
    trace.phases = [Phase("supersteps", 100.0, 0.003)]
    events = trace.events()
    check_timeline(events)
    begins = [event["ts"] for event in events if event.get("cat") == "superstep"]
    assert begins == pytest.approx([0, 1000, 2000])
    check_timeline(Trace().events())


def test_as_a_table():
    pytest.importorskip("pandas", reason="tables need pandas")
    frame = made().to_pandas()
    assert frame.index.name == "superstep" and frame.index.tolist() == [0, 1, 2]
    names = ["active", "messages", "seconds", "estimate", "delivery", "why", "agg.change"]
    assert frame.columns.tolist() == names
    assert frame["active"].tolist() == [10, 9, 8]
    assert frame["agg.change"].tolist() == [1, 0.5, 0.25]
    stages = run(CoreNumber()).trace.to_pandas()
    assert stages.columns[0] == "program" and len(set(stages["program"])) > 0
    assert len(Trace().to_pandas()) == 0


def test_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(GasclError, match="needs pandas: `pip install pandas`"):
        made().to_pandas()


def test_in_a_notebook():
    html = made()._repr_html_()
    assert html.count("<tr>") == 4 and "<th>agg.change</th>" in html and ">0.25</td>" in html
    long = made(1000)._repr_html_()
    assert long.count("<tr>") == 1 + 10 + 1 + 5 and "<td>⋮</td>" in long
    assert "1,000 supersteps" in long and ">999</td>" in long
    odd = Trace([Step(0, 1, 1, {}, 0.0, "pull", "2 < 3")])._repr_html_()
    assert "<td>2 &lt; 3</td>" in odd
