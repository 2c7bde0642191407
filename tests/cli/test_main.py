"""The command's frame: help, wrong usage, errors, warnings, Ctrl-C, pipes."""

import os
import subprocess
import sys
from typing import get_args

import pytest
from support.command_line import HOPS, KARATE, start

import gascl
from gascl.cli import format_names, graph_options
from gascl.cli.main import COMMANDS, main
from gascl.graph import validation
from gascl.io.files import PACKED


def test_help_imports_no_slow_modules():
    code = (
        "import sys\nfrom gascl.cli.main import main\n"
        "try:\n    main(['run', '--help'])\n"
        "except SystemExit as e:\n    assert e.code == 0\n"
        "heavy = {'pyopencl', 'scipy', 'numpy', 'pyarrow', 'networkx'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: gascl run")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_help_has_an_example(capsys, command):
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"] if command else ["--help"])
    assert caught.value.code == 0
    assert f"\n  gascl {command or 'run'}" in capsys.readouterr().out


def test_version(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"gascl {gascl.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["run"],
        ["run", "PageRank"],
        ["run", "PageRank", "g", "--set", "damping"],
        ["run", "PageRank", "g", "--set", "=1"],
        ["run", "PageRank", "g", "--top", "-1"],
        ["run", "PageRank", "g", "--top", "1.5"],
        ["run", "PageRank", "g", "--max-supersteps", "many"],
        ["run", "PageRank", "g", "--duplicates", "lose"],
        ["info"],
        ["info", "g", "--option", "columns"],
        ["info", "g", "--option", "=1"],
        ["convert"],
        ["convert", "a"],
        ["convert", "a", "b", "--format", "edgelist"],
        ["devices", "all"],
    ],
)
def test_wrong_usage_is_2(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: gascl" in capsys.readouterr().err


def test_policies_are_those_of_the_graph():
    assert get_args(validation.Duplicates) == graph_options.DUPLICATES
    assert get_args(validation.SelfLoops) == graph_options.SELF_LOOPS


def test_help_names_the_compressions_that_there_are():
    assert set(format_names.COMPRESSIONS) == set(PACKED)


def test_no_such_graph(gascl_):
    for command in (["run", "PageRank"], ["info"]):
        expected = "gascl: error: missing.txt: there is no such file; check the path\n"
        assert gascl_(*command, "missing.txt") == (1, "", expected)


@pytest.mark.parametrize(("rank", "said"), [("0", "gascl: interrupted\n"), ("1", "")])
def test_ctrl_c_comes_to_all_ranks_and_one_says_so(gascl_, monkeypatch, rank, said):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setenv("PMI_SIZE", "2")
    monkeypatch.setenv("PMI_RANK", rank)
    monkeypatch.setattr("gascl.cli.run_command.communicator", interrupted)
    assert gascl_("run", "PageRank", KARATE) == (130, "", said)


def test_ctrl_c_while_reading(gascl_, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(gascl.Graph, "read", interrupted)
    assert gascl_("info", KARATE) == (130, "", "gascl: interrupted\n")


def test_warnings_are_lines(gascl_, write, small):
    text = HOPS + (
        "    def prepare(self, graph, initial):\n"
        "        import warnings\n"
        "        warnings.warn('mind the gap')\n"
    )
    code, _, err = gascl_("run", f"{write('warns.py', text)}:Hops", small, "--set", "source=a")
    assert (code, err) == (0, "gascl: warning: mind the gap\n")


@pytest.mark.parametrize("command", [["kernel", "PageRank"], ["run", "PageRank", KARATE]])
def test_a_closed_pipe_is_quiet_and_the_output_is_written(tmp_path, command):
    path = tmp_path / "out.csv"
    options = ["--output", path] if command[0] == "run" else []
    process = start(*command, *options)
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(timeout=60), err) == (0, "")
    assert not options or len(path.read_text().splitlines()) == 1 + 34


def test_a_label_that_the_terminal_cannot_show(write):
    path = write("g.txt", "")
    path.write_text("ž a\n", encoding="utf-8")
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    process = start("run", "PageRank", path, env=environment)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "\\u017e" in out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["info", "a.txt", "--colums", "0,1"], "; did you mean --option columns=...?"),
        (["info", "a.txt", "--memry"], "; did you mean --memory?"),
        (["run", "PageRank", "a.txt", "--devise=3"], "; did you mean --device?"),
        (["datasets", "--donwload", "karate"], "; did you mean --download?"),
        (["info", "a.txt", "b.txt", "--zzz"], "arguments: b.txt --zzz\n"),
    ],
)
def test_unknown_options_name_the_nearest(capsys, arguments, hint):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert hint in err and "usage: gascl " + arguments[0] in err


def test_a_url_is_refused(gascl_):
    code, _, err = gascl_("info", "https://example.org/a.txt")
    assert code == 1 and err.count("\n") == 1
    assert "https://example.org/a.txt is a URL" in err
