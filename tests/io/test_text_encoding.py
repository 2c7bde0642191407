"""Text is UTF-8, whatever the locale says: a process whose locale knows ASCII only."""

import json
import os
import subprocess
import sys

PROGRAM = '''
from gascl import VertexProgram, vertex

class Counted(VertexProgram):
    """Zählt, wie viele da sind: 数."""

    count = vertex.int32(init="1")  # für alle
    message, combine = "int32", "sum"
    mask = "v.count == 1"
    scatter = "send(1); // größer"
    apply = "v.count += msg;"
'''
#: Text that this process reads or writes by its locale is an error, and not only where it differs.
START = """
import json, sys, warnings
warnings.filterwarnings("error", category=EncodingWarning, module="gascl")
from gascl.cli.main import main
for command in json.loads(sys.argv[1]):
    if code := main(command):
        sys.exit(code)
"""


def gascl_in_ascii(folder, *commands):
    """What a process prints that runs the commands, each a tuple of arguments."""
    environment = os.environ | {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONWARNDEFAULTENCODING": "1",
        "GASCL_DATA": str(folder / "cache"),
    }
    ran = subprocess.run(
        [sys.executable, "-c", START, json.dumps(commands, default=str)],
        env=environment,
        cwd=folder,
        capture_output=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode("ascii")


def test_a_run(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "graph.txt").write_text("Zürich Genève\nGenève 東京\n", encoding="utf-8")
    written = ("--output", "out.csv", "--trace", "trace.json")
    said = gascl_in_ascii(tmp_path, ("run", "program.py:Counted", "graph.txt", *written))
    assert "\\u6771\\u4eac" in said  # a terminal of ASCII shows escapes
    content = (tmp_path / "out.csv").read_bytes()
    assert content == "vertex,count\nGenève,2\nZürich,1\n東京,2\n".encode()
    assert b"\r" not in (tmp_path / "trace.json").read_bytes()


#: Files that a graph is converted to, and back.
NAMES = ["b.csv", "b.txt.gz", "b.gml", "b.graphml", "b.parquet", "b.npz"]


def test_conversions(tmp_path):
    texts, commands = {}, []
    for name in NAMES:
        text = '# gascl: directed, 3 vertices, 2 edges\nsource,target\nZürich,"a b"\n"a b",東京\n'
        if name == "b.txt.gz":
            text = text.replace('"a b"', "é")
        texts[name] = text.encode()
        folder = tmp_path / name[2:]
        folder.mkdir()
        (folder / "a.csv").write_bytes(texts[name])
        commands.append(("convert", folder / "a.csv", folder / name))
        commands.append(("convert", folder / name, folder / "c.csv"))
    gascl_in_ascii(tmp_path, *commands)
    for name, text in texts.items():
        assert (tmp_path / name[2:] / "c.csv").read_bytes() == text, name
