"""`gascl run`: what it prints and writes; expected values come from NetworkX and SciPy."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import signal
import sys
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra
from support.command_line import (
    DEBIAN,
    ENDLESS,
    HOPS,
    KARATE,
    ROADS,
    first_supersteps,
    read_with_networkx,
    start,
    table,
)

import gascl
from gascl.cli.main import main
from gascl.cli.run_command import OUTPUTS
from gascl.util.progress import Progress


def ranks_by_scipy(path):
    """PageRank by NetworkX's definition; NetworkX takes seconds to read the edges."""
    number: dict[str, int] = {}
    with gzip.open(path, "rt") as file:
        words = (word for line in file if not line.startswith("#") for word in line.split())
        ends = np.array([number.setdefault(word, len(number)) for word in words]).reshape(-1, 2)
    count = len(number)
    degree = np.bincount(ends[:, 0], minlength=count)
    ones = np.ones(len(ends))
    arcs = coo_matrix((ones / degree[ends[:, 0]], ends.T), (count, count)).tocsr().T
    rank = np.full(count, 1 / count)
    for _ in range(200):
        rank = 0.15 / count + 0.85 * (arcs @ rank + rank[degree == 0].sum() / count)
    return dict(zip(number, rank.tolist(), strict=True))


def test_page_rank_prints_names_ranks_supersteps_why_and_device(gascl_):
    code, out, err = gascl_(
        "run", "PageRank", DEBIAN, "--set", "dtype=float64", "--set", "tolerance=1e-12"
    )
    ranks = ranks_by_scipy(DEBIAN)
    best = sorted(ranks.items(), key=lambda item: -item[1])[:10]
    header, rows = table(out)
    assert (code, err) == (0, "")
    assert header == ("vertex", "rank")
    assert [label for label, _ in rows] == [label for label, _ in best]
    assert [float(value) for _, value in rows] == pytest.approx([r for _, r in best], rel=1e-5)
    assert "graph: 57,842 vertices, 247,686 edges, directed" in out
    assert "read as directed, since the file does not say; --undirected" in out
    assert "edge list: rows" not in out  # the rest of the reader's report
    assert re.search(
        r"^PageRank: \d+ supersteps; stop is true: agg.change < p.tolerance$", out, re.M
    )
    assert re.search(r"^device: \S.*\); time: [\d.]+ s$", out, re.M)


def test_columns_of_the_table_are_aligned(gascl_, small):
    _, out, _ = gascl_("run", "ShortestPaths", small, "--set", "source=a")
    lines = out.split("\n\n")[1].splitlines()
    assert lines == [
        "vertex  distance",
        "c              5",
        "b              2",
        "a              0",
        "(2 vertices with infinity or NaN not shown)",
    ]


def test_of_groups_their_sizes_and_hubs(gascl_, tmp_path):
    """Two communities of five that one edge joins, one of three, and a vertex by itself."""
    parts = [range(5), range(5, 10), range(10, 13)]
    edges = [(a, b) for part in parts for a in part for b in part if a < b] + [(4, 5), (13, 13)]
    path = tmp_path / "cliques.txt"
    path.write_text("".join(f"{a} {b}\n" for a, b in edges))
    given = ("run", "Louvain", path, "--undirected")
    assert table(gascl_(*given)[1]) == (
        ("community", "vertices", "hub"),
        [("0", "5", "4"), ("1", "5", "5"), ("2", "3", "10"), ("3", "1", "13")],
    )
    _, out, _ = gascl_(*given, "--smallest", 1)
    assert table(out)[1] == [("3", "1", "13")] and "(3 more groups not shown)" in out
    _, out, _ = gascl_("run", "ConnectedComponents", path, "--undirected")
    assert table(out) == (
        ("component", "vertices", "hub"), [("0", "10", "4"), ("10", "3", "10"), ("13", "1", "13")]
    )  # fmt: skip


def cliques(tmp_path):
    """Two cliques of five that one edge joins."""
    parts = range(5), range(5, 10)
    edges = [(a, b) for part in parts for a in part for b in part if a < b] + [(4, 5)]
    path = tmp_path / "cliques.txt"
    path.write_text("".join(f"{a} {b}\n" for a, b in edges))
    return path


def test_groups_by_each_of_several_numbers(gascl_, write, small):
    """a and b are together by the first number, all but e by the second one."""
    levels = 'levels = vertex.int2(init="(int2)(v.id / 2, v.id / 4)")'
    text = HOPS.replace("place = vertex.real2()", levels)
    given = "run", f"{write('hops.py', text)}:Hops", small, "--set", "source=a"
    code, out, err = gascl_(*given, "--field", "levels", "--top", 2)
    assert (code, err) == (0, "")
    first, second = out.split("\n\n")[1:3]
    assert first.split("\n") == [
        "levels_0  vertices  hub",
        "0                2  b",
        "1                2  c",
        "(1 more group not shown)",
    ]
    assert second.strip("\n").split("\n") == [
        "levels_1  vertices  hub",
        "0                4  b",
        "1                1  e",
    ]
    _, out, _ = gascl_(*given, "--field", "levels", "--smallest", 1)
    assert [part.split()[3:6] for part in out.split("\n\n")[1:3]] == [
        ["2", "1", "e"],
        ["1", "1", "e"],
    ]
    code, _, err = gascl_(*given, "--field", "levels", "--path", "b")
    assert code == 1 and "--field levels: vectors and structs have no order" in err


def test_levels_of_communities(gascl_, tmp_path):
    """They are those that the file has."""
    path, output = cliques(tmp_path), tmp_path / "a.csv"
    given = "run", "ParticleCommunities", path, "--undirected", "--output", output
    code, out, err = gascl_(*given, "--field", "levels")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(output.open(newline="")))
    for level in range(5):
        sizes = Counter(row[f"levels_{level}"] for row in rows)
        shown = re.search(rf"^levels_{level} .*\n((?:.+\n)+)", out, re.M)[1].splitlines()
        assert [line.split()[:2] for line in shown] == [
            [group, str(size)] for group, size in sizes.most_common()
        ]


def test_a_list_of_resolutions_is_a_run_for_each(gascl_, tmp_path):
    """At 0.001 all are together, at 1 the cliques are apart, at 20 all vertices are."""
    path = cliques(tmp_path)
    given = "run", "Leiden", path, "--undirected", "--top", 2, "--set", "resolution=0.001,1,20"
    code, out, err = gascl_(*given, "--output", tmp_path / "a.csv")
    assert (code, err) == (0, "")
    parts = re.split(r"^resolution=(.*)", out, flags=re.M)
    assert parts[1::2] == ["0.001", "1.0", "20.0"]
    header = ("community", "vertices", "hub")
    assert [table(part) for part in parts[2::2]] == [
        (header, [("0", "10", "4")]),
        (header, [("0", "5", "4"), ("1", "5", "5")]),
        (header, [("0", "1", "0"), ("1", "1", "1")]),
    ]
    assert "(8 more groups not shown)" in parts[6]
    # 20 of 21 edges are within, and both halves have half of the ends.
    assert f"modularity: {20 / 21 - 2 * 0.5**2:.6g}\n" in parts[4]
    rows = list(csv.DictReader((tmp_path / "a.csv").open(newline="")))
    assert [row["community_0"] for row in rows] == ["0"] * 10
    assert [row["community_1"] for row in rows] == ["0"] * 5 + ["1"] * 5
    assert [row["community_2"] for row in rows] == [str(v) for v in range(10)]


def test_lists_of_other_programs(gascl_, tmp_path):
    """On a cycle, all ranks are the same, whatever the damping."""
    (tmp_path / "cycle.txt").write_text("0 1\n1 2\n2 3\n3 0\n")
    given = "run", "PageRank", tmp_path / "cycle.txt", "--set", "dtype=float64"
    code, out, _ = gascl_(*given, "--set", "damping=0.5,0.85", "--directed", "--smallest", 1)
    parts = re.split(r"^damping=(.*)", out, flags=re.M)
    assert (code, parts[1::2]) == (0, ["0.5", "0.85"])
    assert [table(part)[1] for part in parts[2::2]] == [[("0", "0.25")]] * 2


def test_a_run_begins_with_the_communities_of_a_file(gascl_, tmp_path):
    """In Louvain, none leaves a community of all; those that the file leaves out are not in it."""
    given = "run", "Louvain", cliques(tmp_path), "--undirected"
    before = tmp_path / "before.csv"
    before.write_text("vertex,community\n" + "".join(f"{v},3\n" for v in range(10)))
    _, out, _ = gascl_(*given, "--set", f"community=@{before}")
    assert table(out)[1] == [("0", "10", "4")]
    before.write_text("vertex,community\n" + "".join(f"{v},0\n" for v in range(5)))
    _, out, _ = gascl_(*given, "--set", f"community=@{before}", "--output", tmp_path / "a.csv")
    assert table(out)[1] == [("0", "5", "4"), ("1", "5", "5")]
    _, again, _ = gascl_(*given, "--set", f"community=@{tmp_path / 'a.csv'}")
    assert table(again) == table(out)


def test_every_format_of_output_holds_what_scipy_finds(gascl_, tmp_path):
    graph = read_with_networkx(ROADS)
    names = sorted(graph)
    source = names[17]
    matrix = nx.to_scipy_sparse_array(graph, names)
    # SciPy before 1.15 takes no other indices.
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    expected = dijkstra(matrix, indices=17)
    for suffix in OUTPUTS:
        path = tmp_path / f"out{suffix}"
        code, out, _ = gascl_(
            "run", "ShortestPaths", ROADS, "--set", f"source={source}", "--output", path
        )
        assert code == 0
        if suffix == ".csv":
            rows = list(csv.DictReader(path.open(newline="")))
            columns = {n: [row[n] for row in rows] for n in rows[0]}
        elif suffix == ".npz":
            columns = np.load(path)
        else:
            columns = pytest.importorskip("pyarrow.parquet").read_table(path).to_pydict()
        assert list(columns["vertex"]) == names
        # Sums of meters below 2^24 are exact in float32.
        np.testing.assert_array_equal(np.array(columns["distance"], float), expected)
        assert "parent" in columns
    farthest = sorted(zip(-expected, names, strict=True))[:10]
    assert table(out)[1] == [(name, f"{-d:.0f}") for d, name in farthest]


def test_data_of_vertices_in_files(gascl_, small, tmp_path):
    run = "run", "PageRank", small
    assert table(gascl_(*run, "--spill", tmp_path)[1]) == table(gascl_(*run)[1])
    code, _, err = gascl_(*run, "--spill", tmp_path / "none")
    assert code == 1 and f"--spill {tmp_path / 'none'}: name a folder that can be written" in err


def test_trace_has_an_entry_a_superstep(gascl_, small, tmp_path):
    path = tmp_path / "trace.json"
    gascl_("run", "ShortestPaths", small, "--set=source=a", "--delivery=push", "--trace", path)
    trace = json.loads(path.read_text())
    # a reaches b, b reaches c, c has no arc.
    assert [(s["active"], s["messages"]) for s in trace["trace"]] == [(1, 1), (1, 1), (1, 0)]
    assert trace["supersteps"] == 3
    assert trace["converged"] is True


def test_top_k(gascl_, small):
    for k, shown in ((2, 2), (100, 3)):
        _, out, _ = gascl_("run", "ShortestPaths", small, "--set", "source=a", "--top", k)
        assert len(table(out)[1]) == shown
    _, out, _ = gascl_("run", "ShortestPaths", small, "--set", "source=a", "--top", 0)
    assert "distance" not in out


@pytest.mark.parametrize(
    ("options", "distance"),
    [
        ((), {"a": "0", "b": "2"}),
        (("--duplicates", "sum"), {"a": "0", "b": "9"}),
        (("--duplicates", "first"), {"a": "0", "b": "7"}),
        (("--undirected",), {"a": "0", "b": "2", "c": "1"}),
    ],
)
def test_policies_and_undirected(gascl_, write, options, distance):
    path = write("graph.txt", "a b 7\na b 2\nc a 1\nc c 1\n")
    _, out, _ = gascl_("run", "ShortestPaths", path, "--set", "source=a", *options)
    assert dict(table(out)[1]) == distance


def test_a_delivery_by_name_and_a_device_by_index_and_name(gascl_):
    first = str(gascl.devices()[0])
    outs = []
    for delivery in ("auto", "slots", "edges"):
        device = 0 if delivery == "auto" else first.upper()
        options = ["--delivery", delivery, "--device", device, "--top", 5, "--verbose"]
        if delivery == "edges":
            code, _, err = gascl_("run", "PageRank", KARATE, *options)
            assert code == 1
            assert "cannot run PageRank: " in err
            assert "deterministic=False" in err
            options.append("--nondeterministic")
        code, out, _ = gascl_("run", "PageRank", KARATE, *options)
        assert code == 0
        assert f"device: {first}" in out
        assert delivery == "auto" or f"delivery: {delivery}\n" in out
        assert "  Matrix Market: pattern, symmetric\n" in out
        times = r"^time: read [\d.]+ s, build [\d.]+ s, upload [\d.]+ s, supersteps [\d.]+ s$"
        assert re.search(times, out, re.M)
        outs.append(table(out))
    assert all(out == outs[0] for out in outs)


def test_debug_names_the_line_of_a_division_by_zero(gascl_, write):
    program = HOPS.replace("v.hops = superstep + 1;", "v.hops = 1 / superstep;")
    program = program.replace("    place = vertex.real2()\n", "")  # vectors are not guarded
    file, graph = write("hops.py", program), write("g.txt", "a b\nb c\n")
    options = ["run", f"{file}:Hops", graph, "--set", "source=a"]
    code, _, err = gascl_(*options, "--debug")
    line = next(i for i, x in enumerate(program.split("\n"), 1) if "1 / superstep" in x)
    assert code == 1
    assert f"{file}:{line}: Hops: vertex 'b' divided by zero, in superstep 0" in err
    assert "v.hops = 1 / superstep;" in err


def test_not_converged_is_3_and_all_is_printed_and_written(gascl_, tmp_path):
    path = tmp_path / "ranks.csv"
    code, out, err = gascl_(
        "run", "PageRank", KARATE, "--max-supersteps", 2, "--output", path, "--top", 4
    )
    assert code == 3
    warning, why = "gascl: warning: PageRank did not converge: ", "before it converged\n"
    assert err == f"{warning}reached --max-supersteps 2 {why}"
    assert len(table(out)[1]) == 4
    assert "PageRank: 2 supersteps; reached --max-supersteps 2 before it converged" in out
    assert len(path.read_text().splitlines()) == 1 + 34


def test_a_field_that_was_not_computed_is_reported(gascl_, tmp_path):
    path = tmp_path / "out.csv"
    options = ["--max-supersteps", 22, "--output", path]
    code, out, err = gascl_("run", "ParticleCommunities", KARATE, *options)
    assert code == 3
    assert "did not converge: reached --max-supersteps 22 in Particles" in err
    assert "`community` is not computed yet: the run ended too early\n" in out
    assert path.read_text().splitlines()[0] == "vertex,position_0,position_1,position_2"


def test_a_requested_number_of_supersteps_counts_as_converged(gascl_):
    code, out, err = gascl_("run", "PageRank", KARATE, "--set", "supersteps=2")
    assert (code, err) == (0, "")
    assert "PageRank: 2 supersteps; ran the requested 2 supersteps" in out


def test_numbers_of_the_whole_graph(gascl_):
    given = ("--set", "source=33", "--set", "epsilon=1")
    code, out, _ = gascl_("run", "LocalCommunity", KARATE, *given)
    assert code == 0 and "\nconductance: 1\n" in out  # no set is larger than the source
    _, out, _ = gascl_("run", "PageRank", KARATE)
    assert "change:" not in out


def test_empty_graph(gascl_, write, tmp_path):
    path = tmp_path / "out.csv"
    code, out, _ = gascl_("run", "PageRank", write("empty.txt", "# none\n"), "--output", path)
    assert code == 0
    assert "PageRank: 0 supersteps; the graph has no vertices" in out
    assert path.read_text() == "vertex,rank\n"


def test_the_first_scalar_that_apply_writes_is_printed(gascl_, write, small):
    program = f"{write('hops.py', HOPS)}:Hops"
    _, out, _ = gascl_("run", program, small, "--set", "source=a")
    assert table(out)[0] == ("vertex", "hops")
    assert table(out)[1] == [("c", "2"), ("b", "1"), ("a", "0"), ("d", "-1"), ("e", "-1")]
    _, out, _ = gascl_("run", program, small, "--set", "source=b", "--field", "seen")
    assert table(out)[0] == ("vertex", "seen")
    assert table(out)[1][0] == ("b", "1")
    code, out, err = gascl_("run", program, "missing.txt", "--set", "source=b", "--field", "place")
    assert (code, out) == (1, "")
    assert err == "gascl: error: --field place: vectors and structs have no order; use --output\n"
    code, out, err = gascl_("run", program, "missing.txt", "--set", "source=b", "--field", "hop")
    assert "no vertex field 'hop'; did you mean 'hops'? Known: seen, place, hops" in err


def test_a_program_of_vectors_only_has_no_table(gascl_, write, small):
    text = HOPS.replace("int32(init", "int2(init").replace("v.hops < 0", "v.hops.x < 0")
    path = write("hops.py", text)
    code, out, _ = gascl_("run", f"{path}:Hops", small, "--set", "source=a")
    assert code == 0
    assert "\n\n" not in out


def test_a_struct_is_not_printed(gascl_, write, small):
    text = HOPS.replace("    place =", '    Pair = struct([("x", "int32")])\n    place =')
    text = text.replace("vertex.real2()", "vertex.struct(Pair)").replace(
        "import ", "import struct, "
    )
    text = text.replace("v.hops = superstep + 1;", "v.hops = superstep + 1; v.place.x = 1;")
    program = f"{write('hops.py', text)}:Hops"
    code, out, err = gascl_("run", program, small, "--set", "source=a")
    assert (code, err, table(out)[0]) == (0, "", ("vertex", "hops"))
    code, _, err = gascl_("run", program, small, "--set", "source=a", "--field", "place")
    assert code == 1 and "--field place: vectors and structs have no order" in err


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
def test_ctrl_c_in_a_program_that_runs_others(write, tmp_path):
    text = ENDLESS + (
        "\nclass Whole(VertexProgram):\n    late = vertex.int32()\n    count = vertex.int32()\n\n"
        "    def solve(self, stages):\n        return {'late': stages.run(Endless()).count}\n"
    )
    program, path = f"{write('endless.py', text)}:Whole", tmp_path / "out.csv"
    options = ["--output", path, "--max-supersteps", 10**9]
    process = start("run", program, write("g.txt", "1 2\n2 1\n"), *options)
    try:
        first_supersteps(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err and "`late` is not computed yet: the run ended too early\n" in out
    count = re.search(r"Whole: ([\d,]+) supersteps; interrupted by Ctrl-C", out)[1].replace(",", "")
    assert table(out) == (("vertex", "count"), [("1", count), ("2", count)])
    assert path.read_text().splitlines() == ["vertex,count", f"1,{count}", f"2,{count}"]


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
def test_ctrl_c_prints_and_writes_the_partial_result(write, tmp_path):
    program, graph = f"{write('endless.py', ENDLESS)}:Endless", write("g.txt", "1 2\n2 1\n")
    path = tmp_path / "out.csv"
    process = start("run", program, graph, "--output", path, "--max-supersteps", 10**9)
    try:
        line = first_supersteps(process)
        assert re.fullmatch(
            r"gascl: Endless: \d+ supersteps \[00:\d\d, .* supersteps/s, 2 active, 2 messages]\n",
            line,
        )
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    supersteps = re.search(r"Endless: ([\d,]+) supersteps; interrupted by Ctrl-C", out)[1]
    supersteps = int(supersteps.replace(",", ""))
    assert (
        f"gascl: warning: interrupted after {supersteps} supersteps; the result is partial" in err
    )
    assert "Traceback" not in err
    assert table(out)[1] == [("1", str(supersteps)), ("2", str(supersteps))]
    assert path.read_text().splitlines() == ["vertex,count", f"1,{supersteps}", f"2,{supersteps}"]


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
def test_a_run_resumes_after_ctrl_c(write, gascl_, tmp_path):
    program, graph = f"{write('endless.py', ENDLESS)}:Endless", write("g.txt", "1 2\n2 1\n")
    options = ["--checkpoint", tmp_path / "run.ckpt", "--every", "1h"]
    process = start("run", program, graph, *options, "--resume", "--max-supersteps", 10**9)
    try:
        first_supersteps(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    done = int(re.search(r"Endless: ([\d,]+) supersteps; inter", out)[1].replace(",", ""))
    again = f"to resume, run it again with --checkpoint {tmp_path / 'run.ckpt'} --resume"
    assert f"interrupted after {done} supersteps; {again}; the result is partial" in err
    code, out, err = gascl_("run", program, graph, *options)
    assert code == 1 and "run.ckpt exists already: give --resume to resume from it" in err
    more = ["--resume", "--max-supersteps", done + 5]
    code, out, err = gascl_("run", program, graph, *options, *more)
    assert code == 3 and table(out)[1] == [("1", str(done + 5)), ("2", str(done + 5))]
    assert f"Endless: {done + 5:,} supersteps; reached --max-supersteps" in out


MINUTES = "from,to,name,minutes,km\na,b,x,1,2\nb,c,y,1,2\na,c,z,5,1\n"


def test_which_column_is_the_weight(gascl_, tmp_path):
    """By way of b it is 2 minutes and 4 kilometers to c, otherwise 5 and 1."""
    path = tmp_path / "roads.csv"
    path.write_text(MINUTES)
    for name, expected in (("minutes", "2"), ("km", "1")):
        code, out, err = gascl_(
            *("run", "ShortestPaths", path, "--set", "source=a", "--weight", name)
        )
        assert (code, err) == (0, "") and dict(table(out)[1])["c"] == expected
        assert f"('{name}') read as edge field weight" in out
    code, _, err = gascl_("run", "PageRank", path, "--weight", "hours")
    assert code == 1 and "the header has no column 'hours'" in err
    code, out, _ = gascl_("convert", path, tmp_path / "roads.npz", "--weight", "km")
    assert code == 0 and gascl.Graph.read(tmp_path / "roads.npz").edge_fields["weight"].sum() == 5
    several = tmp_path / "several.npz"
    fields = {"minutes": [1.0, 1, 5], "km": [2, 2, 1]}
    gascl.Graph.from_edges([0, 1, 0], [1, 2, 2], **fields).write(several)
    _, out, _ = gascl_("run", "ShortestPaths", several, "--set", "source=0", "--set", "weight=km")
    assert dict(table(out)[1])["2"] == "1"


def test_results_of_arcs(gascl_, small, tmp_path):
    code, _, _ = gascl_("run", "TrussNumber", small, "--arcs", tmp_path / "arcs.csv")
    rows = list(csv.DictReader((tmp_path / "arcs.csv").open(newline="")))
    assert code == 0 and list(rows[0]) == ["source", "target", "edge", "truss"]
    assert {row["truss"] for row in rows} <= {"0", "2", "3"}
    code, out, err = gascl_("run", "TrussNumber", small, "--arcs", "-")
    assert (code, out) == (0, (tmp_path / "arcs.csv").read_text()) and "TrussNumber: " in err
    code, out, _ = gascl_("run", "TrussNumber", small, "--trace", "-")
    assert code == 0 and json.loads(out)["converged"]
    code, _, err = gascl_("run", "PageRank", small, "--arcs", tmp_path / "no.csv")
    assert code == 1 and "PageRank has no arc fields: leave out --arcs" in err


def test_vertices_are_printed_and_written_as_labels(gascl_, tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text(MINUTES)
    code, out, _ = gascl_(
        *("run", "BreadthFirst", path, "--set", "source=a", "--field", "parent"),
        *("--output", tmp_path / "out.csv"),
    )
    assert code == 0 and table(out)[1] == [("b", "a"), ("c", "a")]
    assert "(1 vertex with no parent not shown)" in out
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines == ["vertex,depth,parent", "a,0,", "b,1,a", "c,1,a"]


def test_a_path(gascl_, write):
    path = write("roads.txt", "a b 2\na c 9\nb c 3\nd e 4\n")
    start = ("run", "ShortestPaths", path, "--set", "source=a")
    code, out, err = gascl_(*start, "--path", "c")
    assert (code, err) == (0, "")
    assert out.split("\n\n")[1].splitlines() == [
        "path to c:",
        "vertex  distance",
        "a              0",
        "b              2",
        "c              5",
    ]
    assert out.count("vertex  distance") == 1, "the largest values only with --top"
    _, out, _ = gascl_(*start, "--path", "c", "--field", "parent", "--top", "1")
    assert out.split("\n\n")[2].splitlines()[2:] == [
        "vertex  parent",
        "a         None",
        "b            a",
        "c            b",
    ]
    _, out, _ = gascl_(*start, "--path", "c", "--path", "b")
    shown = [part.strip().splitlines() for part in out.split("\n\n") if "path to" in part]
    assert [(lines[0], len(lines)) for lines in shown] == [("path to c:", 5), ("path to b:", 4)]
    code, out, _ = gascl_(*start, "--path", "e")
    assert code == 0 and "there is no path to 'e': it has no 'parent'" in out
    code, out, err = gascl_(*start, "--path", "x")
    assert code == 1 and "no vertex has the label 'x'" in err
    assert "supersteps" not in out, "refused before the run"


def test_ranks_after_the_first_are_silent_without_mpi4py(gascl_, monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", None)
    monkeypatch.setenv("PMI_SIZE", "2")
    for rank, said in (("0", "a run on several MPI ranks needs mpi4py"), ("1", "")):
        monkeypatch.setenv("PMI_RANK", rank)
        code, out, err = gascl_("run", "PageRank", "karate")
        assert (code, out) == (1, "") and said in err and bool(said) == bool(err)


def test_none_and_labels_with_commas(gascl_, write):
    path = write("people.csv", 'from,to,weight\n"Doe, J.",Ann,5\nAnn,"Roe, R.",7\n')
    nearest = ("--smallest", "3", "--set", 'sources=["Doe, J.", "Ann"]')
    for none in ("none", "None"):
        code, out, err = gascl_("run", "Distances", path, *nearest, "--set", f"weight={none}")
        assert (code, err) == (0, "")
        rows = [line.rsplit(maxsplit=1) for line in out.split("\n\n")[1].splitlines()]
        assert sorted(rows[1:]) == [["Ann", "0"], ["Doe, J.", "0"], ["Roe, R.", "1"]]
    _, out, _ = gascl_("run", "Distances", path, *nearest, "--set", "cutoff=none")
    assert re.search(r"^Roe, R\. +7$", out, re.M)
    none = write("none.txt", "none a\n")
    assert gascl_("run", "BreadthFirst", none, "--set", "source=none")[0] == 0, "a label"


def test_weights_that_are_not_read_are_noted(gascl_, small, write):
    note = "gascl: note: {0} does not read this graph's weights; Weighted{0} does\n"
    for name in ("PageRank", "Closeness"):
        code, _, err = gascl_("run", name, small)
        assert (code, err) == (0, note.format(name))
    for name in ("WeightedPageRank", "ConnectedComponents", "LocalClustering"):
        assert gascl_("run", name, small)[::2] == (0, "")
    assert gascl_("run", "PageRank", write("ones.txt", "a b 1\nb c 1\n"))[::2] == (0, "")
    assert gascl_("run", "PageRank", KARATE)[::2] == (0, "")


def test_an_error_of_the_users_code_shows_no_lines_from_inside(monkeypatch, write, small):
    monkeypatch.setattr(Progress, "LINES", Progress.LINES)  # which ENDLESS changes in this process
    text = ENDLESS.replace('stop = "superstep < 0"', "converged = lambda self, step: 1 / 0")
    program = f"{write('broken.py', text)}:Endless"
    with pytest.raises(ZeroDivisionError) as caught:
        main(["run", program, str(small)])
    assert [each.path.name for each in caught.traceback][-2:] == ["main.py", "broken.py"]
