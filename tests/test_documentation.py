"""The examples in docs/programs.md and docs/architecture.md compute what they claim to; links and
tables of all pages. tests/docs runs the code of every page."""

from __future__ import annotations

import difflib
import importlib.util
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from support.samples import arcs_of, random_graph, to_networkx
from support.verifiers.widest_paths import verify as verify_widths

from gascl import Engine, Graph, programs
from gascl.delivery.registry import DELIVERIES
from gascl.errors import FormatError
from gascl.io import FORMATS
from gascl.programs import Katz, PageRank, ShortestPaths

TOP = Path(__file__).parents[1]
PAGE = TOP / "docs" / "programs.md"
PAGES = sorted(
    [*TOP.glob("*.md"), *(TOP / "docs").rglob("*.md"), *(TOP / "benchmarks").glob("*.md")]
)


def examples() -> dict[str, str]:
    """The complete examples, by their first line; the others are only parts of programs."""
    text = PAGE.read_text()
    found = re.finditer(r"^```python\n(from .*?)^```$", text, re.MULTILINE | re.DOTALL)
    return {f"line {text[: m.start()].count(chr(10)) + 2}": m[1] for m in found}


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> dict:
    """The names that all examples define; each example is in a file of its own, like a user's."""
    defined: dict = {"__name__": "page"}
    for where, text in examples().items():
        file = tmp_path_factory.mktemp("page") / f"{where.replace(' ', '_')}.py"
        file.write_text(text)
        exec(compile(text, str(file), "exec"), defined)
    return defined


@pytest.fixture(params=[True, False], ids=["directed", "undirected"])
def graph(request) -> Graph:
    return random_graph(3, directed=request.param, edges=80).simple()


def test_all_examples_are_found():
    assert len(examples()) == PAGE.read_text().count("```python\nfrom ") >= 8


def test_largest_label(page, graph):
    result = Engine(graph).run(page["LargestLabel"]())
    components = nx.connected_components(nx.Graph(to_networkx(graph)))
    expected = {v: max(c) for c in components for v in c}
    assert result.label.tolist() == [expected[v] for v in range(graph.num_vertices)]


def test_search(page, graph):
    source = int(graph.edge_src[0])
    result = Engine(graph).run(page["Search"](source=source))
    lengths = nx.single_source_shortest_path_length(to_networkx(graph), source)
    depth = [lengths.get(v, -1) for v in range(graph.num_vertices)]
    parents: dict[int, list[int]] = {}
    for u, v in arcs_of(graph):
        if depth[u] >= 0 and depth[v] == depth[u] + 1:
            parents.setdefault(v, []).append(u)
    assert result.depth.tolist() == depth
    assert result.parent.tolist() == [min(parents.get(v, [-1])) for v in range(graph.num_vertices)]


def test_reached_from(page, graph):
    sources = np.random.default_rng(0).permutation(graph.num_vertices)[:5].tolist()
    bits = np.zeros(graph.num_vertices, np.uint64)
    bits[sources] = [1, 2, 4, 8, 16]
    result = Engine(graph).run(page["ReachedFrom"](bits=bits, every=31))
    g, expected = to_networkx(graph), bits.tolist()
    for bit, source in enumerate(sources):
        for v in nx.descendants(g, source):
            expected[v] |= 1 << bit
    assert result.reached.tolist() == expected
    assert sum(expected) > sum(bits.tolist())


def test_widest_paths(page, graph):
    capacity = np.random.default_rng(2).integers(0, 50, graph.num_edges)
    wide = graph.with_edge_fields(capacity=capacity)
    program = page["WidestPaths"](source=int(graph.edge_src[0]))
    verify_widths(wide, Engine(wide).run(program), program)


def test_page_rank_near(page, graph):
    """What is missing of each rank is at most what is left over of all residuals."""
    source = int(graph.edge_src[0])
    program = page["PageRankNear"](source=source, dtype="float64")
    result = Engine(graph).run(program)
    n = graph.num_vertices
    steps = np.zeros((n, n))  # chances of a walk's steps; it ends where there is no arc
    for u, v in arcs_of(graph):
        steps[v, u] += 1
    steps /= np.maximum(steps.sum(0), 1)
    exact = 0.15 * np.linalg.solve(np.eye(n) - 0.85 * steps, np.arange(n) == source)
    missing = exact - result.rank
    assert result.residual.max() <= 1e-4
    assert missing.min() > -1e-12
    assert missing.max() <= result.residual.sum() < 64e-4
    assert np.abs(missing).max() < exact.max() / 10


def test_nearest(page, graph):
    marked = np.arange(graph.num_vertices) % 20 == 7
    result = Engine(graph).run(page["Nearest"](marked=marked.astype(int)))
    lengths = dict(nx.all_pairs_shortest_path_length(to_networkx(graph)))
    targets = np.flatnonzero(marked).tolist()
    for v, nearest in enumerate(result["nearest"].tolist()):
        reached = [(lengths[v][t], t) for t in targets if t in lengths[v]]
        assert nearest == min(reached, default=(np.inf, -1))


def test_median(page, graph):
    x = np.random.default_rng(0).random(graph.num_vertices).astype(np.float32)
    near: list[list[float]] = [[] for _ in x]
    for u, v in arcs_of(graph, "both"):
        near[v].append(x[u])
    expected = [sorted(n)[len(n) // 2] if n else own for n, own in zip(near, x, strict=True)]
    assert Engine(graph).run(page["Median"](x=x)).x.tolist() == expected


def test_majority_and_histogram(page, graph):
    kinds = np.random.default_rng(0).integers(0, 8, graph.num_vertices).astype(np.int32)
    counts = np.zeros((graph.num_vertices, 8), np.int64)
    for u, v in arcs_of(graph, "both"):
        counts[v, kinds[u]] += 1
    found = Engine(graph).run(page["Histogram"](type=kinds)).of_type
    np.testing.assert_array_equal(found, counts)
    own = np.arange(8) == kinds[:, None]
    expected = np.where(counts.sum(1) > 0, (2 * counts + own).argmax(1), kinds)
    majority = page["Majority"](type=kinds, weight=None)
    np.testing.assert_array_equal(Engine(graph).run(majority)["type"], expected)


def test_group_sizes(page, graph):
    group = np.random.default_rng(0).integers(0, 9, graph.num_vertices)
    result = Engine(graph).run(page["GroupSizes"](group=group))
    assert result.size.tolist() == np.bincount(group)[group].tolist()


def test_shared(page, graph):
    if graph.directed:  # a pair of opposite edges is two arcs to each of them
        graph = Graph.from_edges(*np.triu(graph.to_scipy().toarray(), 1).nonzero(), num_vertices=64)
    triangles = nx.triangles(nx.Graph(to_networkx(graph)))
    result = Engine(graph).run(page["Shared"]())
    assert result.between.tolist() == [2 * triangles[v] for v in range(graph.num_vertices)]


def test_differences(page, graph):
    result = Engine(graph).run(page["Differences"]())
    x = np.arange(graph.num_vertices) % 4
    src, dst = np.array(arcs_of(graph)).T
    last_sent = np.zeros(len(src), int)
    total, messages = np.zeros_like(x), []
    for _ in range(5):
        new = last_sent != x[src]
        messages.append(np.count_nonzero(new))
        last_sent = x[src]
        total = np.bincount(dst, last_sent, minlength=len(x)).astype(int)
        x = np.where(np.isin(np.arange(len(x)), dst[new]), total % 4, x)
    assert sum(messages) > 0 and result.x.tolist() == x.tolist()
    assert result.total.tolist() == total.tolist()
    assert [step.messages for step in result.trace] == messages
    assert sorted(result.arc_fields["last_sent"].tolist()) == sorted(last_sent.tolist())


def test_spread(page, graph):
    """Against NumPy, with a matrix of all pairs."""
    start = np.random.default_rng(0).random((graph.num_vertices, 3))
    result = Engine(graph).run(page["Spread"](place=start, supersteps=4, dtype="float64"))
    src, dst = np.array(arcs_of(graph)).T
    place = start.copy()
    for _ in range(4):
        d = place[:, None] - place[None]
        far = np.linalg.norm(d, axis=2) + 1e-6
        force = (d * (np.exp(-far) / far)[:, :, None]).sum(1)
        np.add.at(force, dst, place[src] - place[dst])
        place += 0.01 * force
    np.testing.assert_allclose(result.place, place, rtol=1e-6)
    assert np.abs(place - start).max() > 0.01


def test_the_delivery_of_the_architecture_page(graph, monkeypatch):
    page = PAGE.with_name("architecture.md").read_text()
    kernels, entry = (
        re.search(rf"^```{start}.*?^```$", page, re.MULTILINE | re.DOTALL)[0]
        for start in ("c\n", "py\nfrom gascl.delivery.buffers ")
    )
    kernels, entry = (block.partition("\n")[2].removesuffix("```") for block in (kernels, entry))
    defined = {"text": kernels}
    exec(compile(entry, "architecture.md", "exec"), defined)
    monkeypatch.setitem(DELIVERIES, "by_rows", defined["entry"])
    weight = np.random.default_rng(1).integers(1, 9, graph.num_edges)
    weighted = graph.with_edge_fields(weight=weight)
    engine = Engine(weighted)
    for program, field in ((ShortestPaths(source=0), "distance"), (PageRank(), "rank")):
        found, expected = (engine.run(program, delivery=d) for d in ("by_rows", "slots"))
        assert found.delivery == "by_rows"
        assert found.supersteps == expected.supersteps
        np.testing.assert_allclose(found[field], expected[field], rtol=1e-6)


def test_the_format_of_the_architecture_page(monkeypatch, tmp_path):
    page = PAGE.with_name("architecture.md").read_text("utf-8")
    blocks = re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (module,) = (block for block in blocks if "FORMAT = " in block)
    defined: dict = {}
    exec(compile(module, "architecture.md", "exec"), defined)
    monkeypatch.setitem(FORMATS, "pairs", defined["FORMAT"])
    (tmp_path / "g.pairs").write_text("#pairs\n0 1\n3 1\n")
    graph = Graph.read(tmp_path / "g.pairs")
    assert (graph.num_vertices, graph.directed) == (4, True)
    assert graph.edge_src.tolist() == [0, 3] and graph.edge_dst.tolist() == [1, 1]
    for text in ("0 x", "0 1 2", "0 -1"):
        (tmp_path / "wrong.pairs").write_text(f"#pairs\n{text}\n")
        with pytest.raises(FormatError, match=r"wrong\.pairs: "):
            Graph.read(tmp_path / "wrong.pairs")


def test_the_architecture_page_names_every_package_and_kernel_file():
    page = PAGE.with_name("architecture.md").read_text("utf-8")
    packages = {p.name for p in (TOP / "gascl").iterdir() if (p / "__init__.py").exists()}
    table = page.partition("## Packages\n")[2].partition("\n## ")[0]
    assert packages <= set(re.findall(r"`(\w+)/`", table))
    kernels = TOP / "gascl" / "codegen" / "kernels"
    section = page.partition("## The kernels\n")[2].partition("\n## ")[0]
    files = {path.relative_to(kernels).as_posix() for path in kernels.rglob("*.cl")}
    included = {
        name
        for file in files
        for name in re.findall(r'^#include "([\w./]+)"', (kernels / file).read_text(), re.M)
    }
    named = set(re.findall(r"\b[\w/]+\.(?:cl|h)\b", section))
    assert named == files | included, "name each kernel file in docs/architecture.md, The kernels"
    generated = set(re.findall(r"^\| `([\w.]+)` \|", section, re.M))
    assert generated == included - files


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    lines = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S).splitlines()
    titles = [line.lstrip("# ") for line in lines if re.match("#+ ", line)]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_links_lead_to_files_and_headings(page):
    text = re.sub(r"^```.*?^```$|`[^`]+`", "", page.read_text("utf-8"), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if link.startswith(("http:", "https:", "mailto:")):
            continue
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_files_that_are_named_exist(page):
    """Paths in backquotes, from the top of the repository, from gascl/ or among the kernels."""
    if page.name == "CHANGELOG.md":
        pytest.skip("it may name files of earlier versions")
    for path in re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:py|cl|md|toml))`", page.read_text("utf-8")):
        folders = (TOP, TOP / "gascl", TOP / "gascl" / "codegen" / "kernels", page.parent)
        assert "NAME" in path or any((folder / path).exists() for folder in folders), path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_tests_that_are_named_exist(page):
    """Files and folders, also in commands; NAME stands for one that the reader writes."""
    if page.name == "CHANGELOG.md":
        pytest.skip("it may name files of earlier versions")
    for path in re.findall(r"(?<![\w/])tests/[\w/]+(?:\.\w+)?", page.read_text("utf-8")):
        assert "NAME" in path or (TOP / path).exists(), path


# Tables of the programs --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tables():
    """The module docs/program_tables.py."""
    path = TOP / "docs" / "program_tables.py"
    spec = importlib.util.spec_from_file_location("program_tables", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_program_is_in_the_tables(tables):
    there = (TOP / "docs" / "library.md").read_text("utf-8")
    changes = difflib.unified_diff(there.splitlines(), tables.library(there).splitlines())
    missing = [line for line in changes if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert not missing, "run `make tables`:\n" + "\n".join(missing)


def test_what_a_program_inherits_is_in_the_table(tables):
    for cell in (tables.takes, tables.finds):
        assert "`community`" in cell(programs.Leiden), "which Louvain's docstring names"


def test_the_tables_get_rows_and_a_section(tables):
    there = (TOP / "docs" / "library.md").read_text("utf-8")
    row = next(line for line in there.splitlines() if line.startswith("| `Katz` | 1"))
    changed = there.replace(row + "\n", row.replace("Katz", "Gone") + "\n")
    changed = changed.replace("## Katz, WeightedKatz\n", "## WeightedKatz\n")
    changed = tables.library(changed)
    assert "| `Katz` | | | | | | not measured |\n" in changed and "Gone" not in changed
    assert f"## Katz\n\n{Katz.__doc__[:30]}" in changed
    assert tables.library(changed) == changed
