"""`gascl check`: findings with their lines, and exit codes."""

from __future__ import annotations

import re

import pytest
from support.command_line import HOPS

CLEAN = HOPS.replace("    place = vertex.real2()\n", "")
WRONG = CLEAN.replace("v.hops = superstep + 1;", "v.hops = superstep + one;")
UNKNOWN = CLEAN.replace("v.hops < 0", "v.hop < 0")


def findings(out: str) -> list[str]:
    """The lines that an editor reads; the last one is for people."""
    *lines, last = out.splitlines()
    assert re.fullmatch(r"\d+ programs? on .+: \d+ errors? and \d+ warnings?", last)
    for line in lines:
        assert re.match(r"[^:]+:\d+: (error|warning): .", line), line
    return lines


def test_a_file_without_findings(gascl_, write):
    code, out, err = gascl_("check", write("hops.py", CLEAN))
    assert (code, err) == (0, "") and findings(out) == []
    assert out.startswith("1 program on ") and out.endswith(": 0 errors and 0 warnings\n")


def test_warnings_and_strict(gascl_, write):
    path = write("hops.py", HOPS)
    code, out, err = gascl_("check", path)
    (line,) = findings(out)
    number = HOPS.splitlines().index("    place = vertex.real2()") + 1
    assert line == (
        f"{path}:{number}: warning: Hops: vertex field 'place' is not used: no snippet reads or "
        "writes v.place; remove it"
    )
    assert (code, err) == (0, "")
    assert gascl_("check", "--strict", path)[0] == 1
    assert gascl_("check", "--strict", write("clean.py", CLEAN))[0] == 0


def test_what_does_not_compile(gascl_, write):
    path = write("hops.py", WRONG)
    code, out, err = gascl_("check", path)
    number = 1 + next(i for i, line in enumerate(WRONG.splitlines()) if "+ one" in line)
    lines = findings(out)
    assert (code, err) == (1, "")
    assert len(lines) == len(set(lines)), "once, not by each delivery"
    assert any(
        line.startswith(f"{path}:{number}: error: Hops: ") and "one" in line for line in lines
    )


def test_every_class_is_compiled_by_every_delivery(gascl_, write, monkeypatch):
    from gascl.run import plan

    built, real = [], plan.plan_of

    def plan_of(program, device, source):
        built.append((type(program).__name__, source.delivery.name))
        return real(program, device, source)

    monkeypatch.setattr(plan, "plan_of", plan_of)
    text = CLEAN + CLEAN.replace("class Hops", "class Other")
    text += "from gascl.programs import PageRank\nclass Ranks(PageRank):\n    pass\n"
    text += "class Stages(VertexProgram):\n    hops = vertex.int32()\n"
    text += "    def solve(self, stages):\n        return {}\n"
    code, out, _ = gascl_("check", write("two.py", text))
    assert code == 0 and out.startswith("4 programs on ")
    takes = {"slots", "pull", "outbox", "push", "frontier", "reached", "edges", "serial"}
    assert {name for each, name in built if each == "Hops"} == takes
    assert {name for each, name in built if each == "Other"} == takes
    assert {name for each, name in built if each == "Ranks"} == {
        "slots",
        "pull",
        "outbox",
        "serial",
    }
    assert {each for each, _ in built} == {"Hops", "Other", "Ranks"}, "not those of other files"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (UNKNOWN, 15, "Hops: unknown v.hop; did you mean v.hops?"),
        ("x = 1\ny = (\n", 2, "'(' was never closed"),
        ("x = 1\nimport nowhere_at_all\n", 2, "ModuleNotFoundError: No module named"),
    ],
)
def test_errors_that_end_the_file(gascl_, write, text, line, words):
    path = write("wrong.py", text)
    code, out, err = gascl_("check", path)
    (shown,) = findings(out)
    assert (code, err) == (1, "")
    assert shown.startswith(f"{path}:{line}: error: {words}")


def test_classes_before_an_error_are_checked_too(gascl_, write):
    path = write("both.py", HOPS + UNKNOWN)
    code, out, _ = gascl_("check", path)
    assert code == 1
    assert [line.split(": ")[1] for line in findings(out)] == ["warning", "error"]


def test_several_files_as_the_user_names_them(gascl_, write, monkeypatch, tmp_path):
    write("one.py", HOPS)
    write("two.py", UNKNOWN)
    monkeypatch.chdir(tmp_path)
    code, out, _ = gascl_("check", "one.py", "two.py")
    assert code == 1
    assert [line.split(":")[0] for line in findings(out)] == ["one.py", "two.py"]


def test_a_program_with_an_init_of_its_own(gascl_, write):
    text = CLEAN + "    def __init__(self, place):\n        super().__init__(source=place)\n"
    assert gascl_("check", write("own.py", text))[0] == 0


def test_files_that_are_none(gascl_, write):
    code, out, err = gascl_("check", "nothing.py")
    assert (code, out) == (1, "") and "nothing.py: there is no such file; check the path" in err
    code, out, _ = gascl_("check", write("notes.txt", "hello"))
    assert code == 1 and "must end in .py" in out
    code, out, err = gascl_("check", write("least.py", LEAST), write("graph.txt", "0 1"))
    assert code == 1 and "graph.txt: the name of a program's file must end in .py" in err
    assert err.strip().endswith("if this is a graph: gascl check PROGRAM GRAPH --order")
    code, out, err = gascl_("check", f"{write('least.py', LEAST)}:Least")
    assert code == 1 and "least.py:Least: give the file alone, whose classes are all" in err
    empty = write("empty.py", "")
    code, out, err = gascl_("check", empty)
    assert (code, out) == (1, "") and "empty.py: there is no vertex program, a class derived" in err
    code, out, err = gascl_("check", empty.parent)
    assert code == 1 and f"is a folder; name its files, such as {empty.parent}/*.py" in err


LEAST = '''
from gascl import VertexProgram, vertex


class Least(VertexProgram):
    """The least id that leads to each vertex."""

    label = vertex.int32(init="v.id")
    message, combine = "int32", "min"
    order = "any"
    scatter = "send(v.label);"
    apply = "if (msg < v.label) { v.label = msg; set_mask(); }"


class First(Least):
    """Takes what comes first."""

    taken = vertex.int8()
    order = "any"
    apply = "if (!v.taken) { v.taken = 1; v.label = msg; set_mask(); }"


class Slow(Least):
    order = "supersteps"


class Both(Slow):
    def in_any_order(self):
        return Least()


class Neither(Slow):
    def in_any_order(self):
        return None
'''


def test_the_order_of_messages(gascl_, write, monkeypatch):
    from gascl.cli import check_command

    monkeypatch.setattr(check_command, "SCHEDULES", 2)
    path = write("least.py", LEAST)
    edges = "".join(f"{a} {b}\n" for a in range(9) for b in (a * 4 % 9, (a * 5 + 1) % 9))
    graph = write("graph.txt", edges)
    code, out, err = gascl_("check", f"{path}:Least", graph, "--order")
    same = "Least: by the random schedule of seed={}, the fields are the same"
    assert (code, out.splitlines(), err) == (0, [same.format(seed) for seed in range(2)], "")
    code, out, err = gascl_("check", f"{path}:First", graph, "--order")
    line = 1 + max(i for i, text in enumerate(LEAST.splitlines()) if 'order = "any"' in text)
    assert (code, err) == (1, "")
    assert out.startswith(
        f"{path}:{line}: error: First: order = 'any' does not hold: field 'label'"
    )
    code, out, err = gascl_("check", f"{path}:Slow", graph, "--order")
    assert code == 1 and "Slow runs in supersteps alone: it has neither order = 'any' nor" in err
    code, out, _ = gascl_("check", f"{path}:Both", graph, "--order")
    same = same.replace("Least", "Both")
    assert (code, out.splitlines()) == (0, [same.format(seed) for seed in range(2)])
    code, out, err = gascl_("check", f"{path}:Neither", graph, "--order")
    assert code == 1 and "its in_any_order returns None for these values" in err
    with pytest.raises(SystemExit) as ended:
        gascl_("check", path, "--order")
    assert ended.value.code == 2
