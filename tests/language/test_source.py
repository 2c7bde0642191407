"""Errors show the user's file, line and text: at class definition and from the compiler."""

from __future__ import annotations

import functools
import importlib
import linecache
import pickle
import sys

import pytest

from gascl import Engine, Graph, ProgramError, VertexProgram, param, vertex
from gascl.errors import Place
from gascl.language.source import ClassSource
from gascl.run.plan import translate

HEAD = """from gascl import VertexProgram, edge, param, vertex

"""
#: Each is a file's text with a mistake on the line marked <<<; `wrong` is what stands there.
FILES = {
    "plain class": '''
class Wrong(VertexProgram):
    distance = vertex.real()
    message, combine = "real", "sum"
    scatter = "send(v.distance);"
    apply = """
        int twice = 2;
        v.distance = twice * WRONG; // <<<
    """
''',
    "inherited snippet": """
class Base(VertexProgram):
    distance = vertex.real()
    message, combine = "real", "sum"
    scatter = "send(v.distance);"
    apply = "v.distance = WRONG;"  # <<<

class Wrong(Base):
    limit = param.real(1)
""",
    "one line": """
class Wrong(VertexProgram):
    distance = vertex.real()
    message, combine = "real", "sum"
    scatter = "send(1);"
    apply = "v.distance = WRONG;"  # <<<
""",
    "argument of send": """
class Wrong(VertexProgram):
    distance = vertex.real()
    message, combine = "real", "sum"
    scatter = "send(WRONG);"  # <<<
""",
    "argument of send, second line": '''
class Wrong(VertexProgram):
    distance = vertex.real()
    message, combine = "real", "sum"
    scatter = """
        send(
            WRONG + // <<<
            1);
    """
''',
    "argument of an aggregator": """
from gascl import aggregate
class Wrong(VertexProgram):
    total = aggregate.real("sum")
    message, combine = "real", "sum"
    scatter = "send(1);"
    apply = "aggregate_total(WRONG);"  # <<<
""",
    "annotated": """
class Wrong(VertexProgram):
    distance = vertex.real()
    message, combine = "real", "sum"
    scatter: str = "send(1);"
    apply: str = "v.distance = WRONG;"  # <<<
""",
    "f-string": '''
def make(factor):
    class Wrong(VertexProgram):
        distance = vertex.real()
        message, combine = "real", "sum"
        scatter = "send(1);"
        apply = f"""
            int twice = {factor};
            v.distance = {factor} * WRONG; // <<<
        """
    return Wrong
Wrong = make(3)
''',
    "escapes": r'''
class Wrong(VertexProgram):
    distance = vertex.real()
    message, combine = "real", "sum"
    scatter = "send(1);"
    apply = """int a;\n int b;
        int c;
        v.distance = WRONG; // <<<
        """
''',
    "implicit concatenation": """
class Wrong(VertexProgram):
    distance = vertex.real()
    message, combine = "real", "sum"
    scatter = "send(1);"
    apply = (
        "int a = 1;\\n"
        "v.distance = WRONG;\\n"  # <<<
        "a = 2;"
    )
""",
    "tuple assignment": """
class Wrong(VertexProgram):
    distance = vertex.real()
    message, combine, identity = "real", "a + b + WRONG", "0"  # <<<
    scatter = "send(1);"
""",
    "tuple on several lines": """
class Wrong(VertexProgram):
    distance = vertex.real()
    message, combine, identity = (
        "real",
        "a + b",
        "WRONG",  # <<<
    )
    scatter = "send(1);"
""",
    "init of a field": """
class Wrong(VertexProgram):
    distance = vertex.real(init="WRONG + 1")  # <<<
    message, combine = "real", "sum"
    scatter = "send(1);"
""",
    "the second class of a name": """
class Wrong(VertexProgram):
    distance = vertex.real()

class Wrong(VertexProgram):
    distance = vertex.real()
    message, combine = "real", "sum"
    scatter = "send(1);"
    apply = "v.distance = WRONG;"  # <<<
""",
    "decorated": """
def keep(cls):
    return cls

@keep
@keep
class Wrong(
    VertexProgram,
):
    distance = vertex.real()
    message, combine = "real", "sum"
    scatter = "send(1);"
    apply = "v.distance = WRONG;"  # <<<
""",
}
#: What the name WRONG becomes: seen by the check of a class, and by the compiler only.
AT_DEFINITION = ("gascl_x", "names that start with gascl_ are reserved")
AT_BUILD = ("unheard", "use of undeclared identifier 'unheard'")  # like nothing of OpenCL


@functools.cache
def engine() -> Engine:
    return Engine(Graph.from_edges([0, 1], [1, 2]))


def execute(text: str, filename: str) -> type[VertexProgram]:
    names: dict = {"__name__": "my_program"}
    exec(compile(text, filename, "exec"), names)
    return names["Wrong"]


def build_error(cls: type[VertexProgram]) -> str:
    with pytest.raises(ProgramError) as caught:
        engine().run(cls())
    return str(caught.value)


def marked(text: str) -> tuple[int, str]:
    lines = text.split("\n")
    number = next(i for i, line in enumerate(lines, 1) if "<<<" in line)
    return number, lines[number - 1].strip()


@pytest.mark.parametrize("name", [n for n in FILES if n not in ("inherited snippet",)])
def test_errors_at_definition(tmp_path, name):
    text = HEAD + FILES[name].replace("WRONG", AT_DEFINITION[0])
    file = tmp_path / "my_program.py"
    file.write_text(text)
    with pytest.raises(ProgramError) as caught:
        execute(text, str(file))
    line, shown = marked(text)
    message = str(caught.value)
    assert message.split(" ")[0] == f"{file}:{line}:"
    assert AT_DEFINITION[1] in message
    assert message.endswith("\n    " + shown)


@pytest.mark.parametrize("name", FILES)
def test_errors_of_the_compiler(tmp_path, name):
    text = HEAD + FILES[name].replace("WRONG", AT_BUILD[0])
    file = tmp_path / "my_program.py"
    file.write_text(text)
    message = build_error(execute(text, str(file)))
    line, shown = marked(text)
    assert f"{file}:{line}: error: {AT_BUILD[1]}\n    {shown}" in message.split("\n", 1)[1]
    assert message.startswith("Wrong does not compile:\n")


def test_an_inherited_snippet_at_definition(tmp_path):
    """What was right in the base can be wrong in the subclass: the base's line is named."""
    text = (
        HEAD
        + """
class Base(VertexProgram):
    distance = vertex.real()
    message, combine = "real", "sum"
    scatter = "send(1);"
    apply = "v.distance = msg;"  # <<<

class Wrong(Base):
    distance = None
"""
    )
    file = tmp_path / "my_program.py"
    file.write_text(text)
    with pytest.raises(ProgramError) as caught:
        execute(text, str(file))
    assert str(caught.value).startswith(f"{file}:{marked(text)[0]}: Wrong: ")
    assert "v.distance" in str(caught.value)


SNIPPET = "\n    int a = 1;\n    v.x = unheard;\n"


def test_no_source_file():
    """`exec` of a text that is in no file: the snippet's own line is named."""
    text = HEAD + FILES["plain class"].replace("WRONG", "unheard")
    message = build_error(execute(text, "<nowhere>"))
    assert f"Wrong.apply:3: error: {AT_BUILD[1]}" in message
    with pytest.raises(ProgramError, match=r"^Wrong\.apply:3: Wrong: .*reserved$"):
        execute(text.replace("unheard", "gascl_x"), "<nowhere>")


def test_a_class_made_by_type():
    names = {
        "x": vertex.int32(),
        "message": "int32",
        "combine": "sum",
        "scatter": "send(1);",
        "apply": SNIPPET,
    }
    message = build_error(type("Made", (VertexProgram,), names))
    assert f"Made.apply:3: error: {AT_BUILD[1]}" in message
    with pytest.raises(ProgramError, match=r"^Made\.apply:3: Made: "):
        type("Made", (VertexProgram,), {**names, "apply": SNIPPET.replace("unheard", "gascl_x")})
    with pytest.raises(ProgramError, match=r"^Made\.edges: Made: edges must be 'out' or"):
        type("Made", (VertexProgram,), {**names, "apply": "", "edges": "inn"})


def test_an_ipython_cell():
    """Such a cell is in no file, but its lines are in linecache."""
    text = HEAD + FILES["plain class"].replace("WRONG", "unheard")
    cell = "<ipython-input-7-0123456789ab>"
    linecache.cache[cell] = (len(text), None, text.splitlines(True), cell)
    try:
        message = build_error(execute(text, cell))
        line, shown = marked(text)
        assert f"{cell}:{line}: error: {AT_BUILD[1]}\n    {shown}" in message
    finally:
        del linecache.cache[cell]


def test_a_snippet_in_a_variable(tmp_path):
    """Its lines are elsewhere: the assignment is named, and the snippet's own line."""
    text = HEAD + (
        f"BODY = {SNIPPET!r}\n"
        "class Wrong(VertexProgram):\n"
        "    x = vertex.int32()\n"
        "    message, combine = 'int32', 'sum'\n"
        "    scatter = 'send(1);'\n"
        "    apply = BODY  # <<<\n"
    )
    file = tmp_path / "my_program.py"
    file.write_text(text)
    message = build_error(execute(text, str(file)))
    assert f"{file}:{marked(text)[0]} (Wrong.apply:3): error: {AT_BUILD[1]}" in message


def test_a_module_that_was_edited_and_reloaded(tmp_path, monkeypatch):
    """Lines are those of the file as it is, not as it was at an earlier error."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    file = tmp_path / "edited_program.py"
    text = HEAD + FILES["one line"].replace("WRONG", "msg").replace("  # <<<", "")
    file.write_text(text)
    module = importlib.import_module("edited_program")
    text = "# one\n# two\n# three\n" + HEAD + FILES["one line"].replace("WRONG", "gascl_x")
    file.write_text(text)
    importlib.invalidate_caches()
    with pytest.raises(ProgramError) as caught:
        importlib.reload(module)
    line, shown = marked(text)
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert str(caught.value).endswith(shown)


# Logs of other drivers -----------------------------------------------------------------------


class Logged(VertexProgram):
    limit = param.real(1)


PLACES = [None, Place("my_program.py:14", "    v.x = distnce;"), Place("Logged.apply:2"), None]
LOGS = {
    "NVIDIA": """<kernel>:2:41: error: use of undeclared identifier 'distnce'
    v.x = distnce;
          ^
1 error generated.
""",
    "Intel": """Compilation started
1:2:11: error: use of undeclared identifier 'distnce'
    v.x = distnce;
          ^
Compilation failed
""",
    "Oclgrind": """1 error generated.
input.cl:2:11: error: use of undeclared identifier 'distnce'
    v.x = distnce;
          ^
""",
    "PoCL": """clBuildProgram failed: BUILD_PROGRAM_FAILURE

Build on <pyopencl.Device 'pthread' on 'Portable Computing Language' at 0x55>:

error: /root/.cache/pocl/kcache/tempfile_g2bNOe.cl:2:11: use of undeclared identifier 'distnce'
""",
    "PoCL, in a macro": "error: /tmp/t.cl:2:1 <Spelling=/tmp/t.cl:2:6>: "
    "use of undeclared identifier 'distnce'\n",
    "PoCL, in a macro, on another line": "error: /tmp/t.cl:2:1 <Spelling=/tmp/t.cl:3:6>: "
    "use of undeclared identifier 'distnce'\n",
    "with warnings": """<kernel>:3:5: warning: unused variable 'y'
warning: /tmp/t.cl:3:5: unused variable 'y'
<kernel>:2:41: error: use of undeclared identifier 'distnce'
<kernel>:3:1: note: 'distance' declared here
""",
}


@pytest.mark.parametrize("driver", LOGS)
def test_logs_of_drivers(driver):
    expected = "my_program.py:14: error: use of undeclared identifier 'distnce'\n    v.x = distnce;"
    if driver.endswith("another line"):  # the text stands where it is spelled
        expected = "Logged.apply:2: error: use of undeclared identifier 'distnce'"
    assert str(translate(LOGS[driver], PLACES, "Logged")) == f"Logged does not compile:\n{expected}"


def test_a_log_of_several_errors():
    log = "<k>:2:1: error: one\n<k>:2:1: error: one\n<k>:3:9: fatal error: two\n"
    assert str(translate(log, PLACES, "Logged")).splitlines()[1:] == [
        "my_program.py:14: error: one",
        "    v.x = distnce;",
        "Logged.apply:2: error: two",
    ]


def test_an_error_behind_the_users_lines_is_of_the_last():
    said = "Logged does not compile:\nLogged.apply:2: error: expected expression"
    assert str(translate("<k>:4:1: error: expected expression", PLACES, "Logged")) == said


@pytest.mark.parametrize("log", ["<k>:1:1: error: x", "<k>:99:1: error: x", "ptxas died", ""])
def test_a_log_without_a_line_of_the_user_is_shown_whole(log):
    message = str(translate(log, PLACES, "Logged"))
    assert message == f"Logged does not compile, and the compiler names none of its lines:\n{log}"


def test_class_source_of_a_file_that_is_no_python(tmp_path):
    file = tmp_path / "cell.txt"
    file.write_text("this is no python\n")
    names: dict = {"sys": sys}
    exec(compile("frame = sys._getframe()", str(file), "exec"), names)
    assert ClassSource.of("Wrong", names["frame"]) == ClassSource("Wrong")


def test_errors_carry_the_place_that_they_are_about(tmp_path):
    file = tmp_path / "mistaken.py"
    file.write_text(
        "from gascl import VertexProgram, vertex\n"
        "class Mistaken(VertexProgram):\n"
        "    x = vertex.int32()\n"
        "    apply = 'v.y = 1;'\n"
    )
    with pytest.raises(ProgramError) as caught:
        exec(compile(file.read_text(), str(file), "exec"), {"__name__": "mistaken"})
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (error.place.file, error.place.line) == (str(file), 4)
        assert error.place.text.strip() == "apply = 'v.y = 1;'"
        assert str(error).startswith(f"{file}:4: Mistaken: unknown v.y")
        assert str(error).endswith("\n    apply = 'v.y = 1;'")


def test_complaints_of_a_compiler():
    error = translate("<k>:4:1: error: expected expression", PLACES, "Logged")
    ((place, text),) = error.complaints
    assert str(error) == f"Logged does not compile:\n{place}: error: {text}" + (
        f"\n    {place.text.strip()}" if place.text else ""
    )
    assert text == "expected expression" and error.place is None
    assert translate("no line", PLACES, "Logged").complaints == ()
