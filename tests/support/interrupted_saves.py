"""Saves that a signal ends at a random moment: each file must be the old or the new one, whole.

For each kind of save a child process writes two versions by turns, over and over; the signal comes
at any moment of that, and what lies there is compared with both versions. By hand, for some kinds
or for all of them:

    python tests/support/interrupted_saves.py --times 200 [--signal SIGINT] [KIND ...]
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import os
import random
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from support.archives import tarred
from support.file_server import serving

from gascl import Graph, Result
from gascl.datasets import Dataset, fetch
from gascl.datasets.archive import unpack
from gascl.graphalytics.outputs import write_values
from gascl.results.trace import Step, Trace

EDGES = (15_000, 24_000)  # of the two versions


@dataclass(frozen=True)
class Kind:
    """A kind of save.

    Attributes:
        write: writes version 0 or 1.
        files: what it writes, relative to the folder.
        absent: whether a file may be missing, since `write` takes it away first.
        leaves: whether a signal that Python sees may leave more, to be gone on with.
    """

    write: Callable[[int], object]
    files: tuple[str, ...]
    absent: bool = False
    leaves: bool = False


def _graphs() -> list[Graph]:
    made = []
    for edges in EDGES:
        rng, vertices = np.random.default_rng(edges), np.arange(edges // 5)
        src, dst = rng.integers(0, len(vertices), (2, edges))
        # Each vertex has an edge, since some formats hold no others.
        src, dst = np.append(src, vertices), np.append(dst, np.roll(vertices, 1))
        weight = rng.integers(1, 9, len(src)).astype(np.int32)
        graph = Graph.from_edges(src, dst, duplicates="first", self_loops="drop", weight=weight)
        made.append(graph)
    return made


def _results(graphs: list[Graph]) -> list[Result]:
    made = []
    for graph in graphs:
        rank = np.random.default_rng(graph.num_edges).random(graph.num_vertices)
        fields = {"rank": rank, "place": rank.astype(np.float32).reshape(-1, 2).repeat(2, axis=0)}
        steps = [Step(i, i, graph.num_edges, {"change": i / 7}, 1e-6) for i in range(2000)]
        made.append(Result(graph, fields, 2000, True, "", Trace(steps), "a device", "pull"))
    return made


def _numpy_members(path: Path) -> bytes:
    """All arrays of an .npz whose bytes hold the time when it was written."""
    with np.load(path) as found:
        return b"".join(f"{n} {found[n].dtype}".encode() + found[n].tobytes() for n in found.files)


def _in_place(path: Path, text: bytes) -> None:
    """How files are not to be written: the proof that what is broken is seen."""
    with path.open("wb") as file:
        for at in range(0, len(text), 1000):
            file.write(text[at : at + 1000])
            file.flush()


def _kinds(folder: Path, servers: list[str]) -> dict[str, Kind]:
    graphs = _graphs()
    undirected = [
        Graph.from_edges(
            g.edge_src,
            g.edge_dst,
            directed=False,
            duplicates="first",
            weight=g.edge_fields["weight"],
        )
        for g in graphs
    ]
    points = [
        dataclasses.replace(
            g, vertex_fields={"coordinates": np.full((g.num_vertices, 2), g.num_edges)}
        )
        for g in graphs
    ]
    results = _results(graphs)
    text = [b"".join(b"%d %d\n" % (i, edges) for i in range(edges)) for edges in EDGES]
    kinds = {
        f"result {end}": Kind(lambda v, end=end: results[v].save(folder / f"r{end}"), (f"r{end}",))
        for end in (".csv", ".npz", ".parquet")
    }
    kinds["trace"] = Kind(lambda v: results[v].save_trace(folder / "t.json"), ("t.json",))
    for end in (
        *(".npz", ".txt", ".txt.gz", ".csv", ".csv.bz2", ".txt.xz", ".tsv.zst", ".mtx", ".wsg"),
        *(".gml", ".graphml", ".parquet", ".arrow"),
    ):
        kinds[f"graph {end}"] = Kind(
            lambda v, end=end: graphs[v].write(folder / f"g{end}"), (f"g{end}",)
        )
    kinds |= {
        "graph .graph": Kind(lambda v: undirected[v].write(folder / "g.graph"), ("g.graph",)),
        "graph SciPy's .npz": Kind(
            lambda v: graphs[v].write(folder / "s.npz", format="scipynpz"), ("s.npz",)
        ),
        "graph .gr and .co": Kind(lambda v: points[v].write(folder / "d.gr"), ("d.gr", "d.co")),
        "graph .properties": Kind(
            lambda v: graphs[v].write(folder / "a.properties"), ("a.properties", "a.v", "a.e")
        ),
        "graphalytics' values": Kind(
            lambda v: write_values(folder / "PR", graphs[v], results[v].rank), ("PR",)
        ),
        "dataset": Kind(
            lambda v: fetch(
                _dataset(f"{servers[v]}/s.txt", hashlib.sha256(_served(v)).hexdigest())
            ),
            ("star/star.txt",),
            leaves=True,
        ),
        "dataset, first": Kind(
            lambda v: _first(folder / "star", servers[v]),
            ("star/star.txt", "star/star.txt.sha256"),
            absent=True,
            leaves=True,
        ),
        "archive": Kind(
            lambda v: _unpacked(folder, v), ("new/s.txt", "new/more.txt"), absent=True, leaves=True
        ),
        "run --output": Kind(lambda v: _run(folder, v), ("o.csv",)),
        "in place": Kind(lambda v: _in_place(folder / "p.txt", text[v]), ("p.txt",)),
    }
    return kinds


def _served(version: int) -> bytes:
    return b"".join(b"%d %d\n" % (i, version) for i in range(40_000))


def _dataset(url: str, sha256: str | None) -> Dataset:
    return Dataset("star", "", "SNAP", 1, 1, True, url=url, file="star.txt", sha256=sha256)


def _first(folder: Path, server: str) -> None:
    """A download whose SHA-256 nobody knows, when there is none yet."""
    for name in ("star.txt.sha256", "star.txt"):
        (folder / name).unlink(missing_ok=True)
    fetch(_dataset(f"{server}/s.txt", None))


def _unpacked(folder: Path, version: int) -> None:
    archive, new, old = (folder / name for name in (f"{version}.tar", "new", "old"))
    if not archive.exists():
        archive.write_bytes(tarred(("s.txt", _served(version)), ("more.txt", b"%d\n" % version)))
    if new.exists():
        new.rename(old)
    shutil.rmtree(old, ignore_errors=True)
    unpack(archive, new)


def _run(folder: Path, version: int) -> None:
    """The command, on a device; a result large enough that much of the time goes into saving."""
    from gascl.cli.main import main

    graph = folder / "in.npz"
    if not graph.exists():
        Graph.from_edges(range(60_000), range(1, 60_001)).write(graph)
    set_ = ["--set", "supersteps=1", "--set", f"damping=0.{8 + version}", "--top", "0"]
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        code = main(["run", "PageRank", str(graph), *set_, "--output", str(folder / "o.csv")])
    assert code == 0, "the run fails"


def check(name: str, times: int, number: signal.Signals, seed: int = 0) -> Counter[str]:
    """Save and interrupt `times` times; how often what was there, and under "broken" what may not
    be: half a file, or a part file that a signal that Python sees has left."""
    counts: Counter[str] = Counter()
    rng = random.Random(f"{name} {seed}")
    with _servers() as servers, tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        os.environ["GASCL_DATA"] = made
        kind = _kinds(folder, servers)[name]
        versions = _in_child(lambda: _versions(kind, folder))
        before = set(folder.rglob("*"))
        for _ in range(times):
            _interrupt(kind, number, rng)
            found = [
                _content(folder / file) if (folder / file).exists() else b"" for file in kind.files
            ]
            which = set()
            for content, wanted in zip(found, zip(*versions, strict=True), strict=True):
                if content in wanted:
                    which.add(str(wanted.index(content)))
                elif kind.absent and not content:
                    which.add("absent")
                else:
                    which.add("broken")
            more = [] if kind.leaves else sorted(set(folder.rglob("*")) - before)
            if more and number != signal.SIGKILL:
                which.add("broken")
            counts["broken" if "broken" in which else " and ".join(sorted(which))] += 1
            counts["part files"] += len(more)
            for path in more:
                path.unlink()
    return counts


def _content(path: Path) -> bytes:
    if path.name != "r.npz":
        return hashlib.sha256(path.read_bytes()).digest()
    try:
        return hashlib.sha256(_numpy_members(path)).digest()
    except Exception as error:
        return repr(error).encode()


def _versions(kind: Kind, folder: Path) -> bytes:
    """Digests of each file in each version, which stay the same; 32 bytes each."""
    digests = []
    for version in (0, 1):
        if kind.absent and "star.txt" in kind.files[0]:
            text = _served(version)
            record = f"{hashlib.sha256(text).hexdigest()}  star.txt\n".encode()
            digests += [hashlib.sha256(each).digest() for each in (text, record)]
            continue
        kind.write(version)
        digests += [_content(folder / file) for file in kind.files]
    return b"".join(digests)


def _in_child(call: Callable[[], bytes]) -> list[list[bytes]]:
    """Its digests, by versions, found in a process of its own: a device may not be forked."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(write, call())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    digests = [found[at : at + 32] for at in range(0, len(found), 32)]
    assert digests and len(digests) % 2 == 0, "the versions can't be written"
    return [digests[: len(digests) // 2], digests[len(digests) // 2 :]]


def _interrupt(kind: Kind, number: signal.Signals, rng: random.Random) -> None:
    """Start a child that saves, and send it the signal at a moment of the next saves."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            kind.write(0)  # what is imported and built once
            began = time.perf_counter()
            kind.write(1)
            os.write(write, struct.pack("d", time.perf_counter() - began))
            while True:
                kind.write(0)
                kind.write(1)
        except KeyboardInterrupt:
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        took = struct.unpack("d", pipe.read(8))[0]
    time.sleep(rng.uniform(0, 3 * took))
    ended, status = 0, 0
    while not ended:  # Ctrl-C is lost where an object is being finalized: press it again
        os.kill(child, number)
        patience = time.monotonic() + 2 + 3 * took
        while not ended and time.monotonic() < patience:
            time.sleep(0.005)
            ended, status = os.waitpid(child, os.WNOHANG)
    right = os.WIFSIGNALED(status) if number == signal.SIGKILL else os.WEXITSTATUS(status) == 0
    assert right, f"the save itself failed: {status}"


@contextlib.contextmanager
def _servers() -> Iterator[list[str]]:
    """One for each version, in a process of their own: threads and forks don't go together."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        with contextlib.ExitStack() as stack:
            for version in (0, 1):
                server = stack.enter_context(serving())
                server.files["/s.txt"] = _served(version)
                os.write(write, f"{server.url('')}\n".encode())
            os.close(write)
            signal.pause()
    os.close(write)
    with os.fdopen(read) as pipe:
        urls = pipe.read().split()
    try:
        yield urls
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    names = list(_kinds(Path(), ["", ""]))
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(names)}")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--signal", default="SIGKILL", choices=["SIGKILL", "SIGINT"])
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    failed = False
    if given.signal == "SIGINT":  # at Ctrl-C it saves the partial result, which is a third version
        names.remove("run --output")
    for name in given.kinds or names:
        counts = check(name, given.times, signal.Signals[given.signal], given.seed)
        print(f"{name:22} {dict(sorted(counts.items()))}", flush=True)
        failed |= (counts["broken"] > 0) != (name == "in place")
    return failed


if __name__ == "__main__":
    sys.exit(main())
