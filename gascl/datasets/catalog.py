"""The catalog of datasets.

Vertices and edges are as published by each collection; for SuiteSparse they follow from the number
of entries, halved if the matrix is symmetric and has no diagonal. The sizes of Graphalytics' files
are those on its page. A SHA-256 is given only if at least two independent parties published the
same one; otherwise it is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from gascl.datasets.dataset import Dataset
from gascl.errors import GraphError

#: Collection -> the page with its contents, sources and terms of use.
COLLECTIONS = {
    "gascl": "datasets/README.md of gascl's repository, installed with it",
    "SNAP": "https://snap.stanford.edu/data/",
    "SuiteSparse": "https://sparse.tamu.edu/",
    "DIMACS": "http://www.diag.uniroma1.it/challenge9/",
    "Graphalytics": "https://ldbcouncil.org/benchmarks/graphalytics/",
    "GAP": "https://arxiv.org/abs/1508.03619, by way of https://sparse.tamu.edu/GAP",
}

UNDIRECTED = {"directed": False}
#: For a file that lists each undirected edge in both directions.
BOTH_WAYS = {"directed": False, "duplicates": "first"}


def find(name: str) -> Dataset:
    """The dataset with this name, whatever its case.

    Raises:
        GraphError: there is none; suggests the nearest name.
    """
    lower = {key.lower(): dataset for key, dataset in REGISTRY.items()}
    if name.lower() in lower:
        return lower[name.lower()]
    near = get_close_matches(name.lower(), lower, 1, 0.0)
    hint = f"did you mean {lower[near[0]].name!r}? " if near else ""
    raise GraphError(f"there is no dataset {name!r}; {hint}`gascl datasets` lists them")


def _ships(name: str, file: str, about: str, vertices: int, edges: int, **more: Any) -> Dataset:
    directed = more.get("read", {}).get("directed", True)
    return Dataset(name, about, "gascl", vertices, edges, directed, file=file, **more)


def _snap(
    name: str, path: str, about: str, vertices: int, edges: int, size: int | None, **more: Any
) -> Dataset:
    directed = more.get("read", {}).get("directed", True)
    url = f"https://snap.stanford.edu/data/{path}.txt.gz"
    return Dataset(name, about, "SNAP", vertices, edges, directed, size, url, **more)


def _suitesparse(
    path: str, about: str, vertices: int, edges: int, size: int | None = None, **more: Any
) -> Dataset:
    """A symmetric matrix (the file itself says so) unless `directed` is given."""
    group, name = path.split("/")
    collection = "GAP" if group == "GAP" else "SuiteSparse"
    directed = more.pop("directed", False)
    url = f"https://sparse.tamu.edu/MM/{path}.tar.gz"
    member = f"{name}.mtx"
    return Dataset(
        name, about, collection, vertices, edges, directed, size, url, member=member, **more
    )


def _road(
    part: str, about: str, vertices: int, edges: int, size: int, sha256: str | None = None
) -> Dataset:
    name = f"USA-road-d.{part}"
    url = f"https://www.diag.uniroma1.it/challenge9/data/USA-road-d/{name}.gr.gz"
    description = f"roads of {about}, with distances"
    return Dataset(name, description, "DIMACS", vertices, edges, True, size, url, sha256=sha256)


def _graphalytics(
    name: str, about: str, vertices: int, edges: int, mib: float, directed: bool = False
) -> Dataset:
    return Dataset(
        f"graphalytics-{name}",
        about,
        "Graphalytics",
        vertices,
        edges,
        directed,
        int(mib * (1 << 20)),
        f"https://datasets.ldbcouncil.org/graphalytics/{name}.tar.zst",
        member=f"{name}.e",
        read={"format": "graphalytics", "directed": directed},
    )


_ALL = (
    _ships(
        "debian-dependencies",
        "debian-dependencies.txt.gz",
        "which package of Debian 12 needs which",
        57_842,
        247_686,
        license="facts of packages that are free by Debian's guidelines",
    ),
    _ships(
        "liechtenstein-roads",
        "liechtenstein-roads.txt.gz",
        "roads of Liechtenstein for cars, in meters",
        1_608,
        3_856,
        license="Open Database License 1.0, (c) OpenStreetMap contributors",
    ),
    _ships(
        "wordnet-verbs",
        "wordnet-verbs.txt.gz",
        "English verbs that can mean the same",
        9_096,
        23_020,
        license="WordNet 3.0, (c) 2006 Princeton University",
        read=UNDIRECTED,
    ),
    _ships(
        "karate",
        "karate.mtx",
        "friendships in Zachary's karate club",
        34,
        78,
        license="BSD-3-Clause, (c) NetworkX Developers",
        read=UNDIRECTED,
    ),
    _snap(
        "ego-Facebook",
        "facebook_combined",
        "circles of friends on Facebook",
        4_039,
        88_234,
        218_576,
        sha256="125e84db872eeba443d270c70315c256b0af43a502fcfe51f50621166ad035d7",
        read=UNDIRECTED,
    ),
    _snap(
        "email-Eu-core",
        "email-Eu-core",
        "mail in a European research institution",
        1_005,
        25_571,
        79_754,
        sha256="4b47acdb80197b085fe63c819c357ae488131ee904ed93d1b219a68b0f9e245f",
    ),
    _snap(
        "ca-GrQc",
        "ca-GrQc",
        "co-authors in general relativity",
        5_242,
        14_496,
        109_261,
        sha256="a254442cdf5d684712578b630c2e0d7543518ab154ef2341cabb607572ce7230",
        read=BOTH_WAYS,
    ),
    _snap(
        "wiki-Vote",
        "wiki-Vote",
        "who voted on whom for Wikipedia administrator",
        7_115,
        103_689,
        290_000,
        sha256="7d3e53626e14b8b09fb3b396bece9d481ad606bd64ceab066349ff57d4ada7fc",
    ),
    _snap(
        "roadNet-CA",
        "roadNet-CA",
        "roads of California",
        1_965_206,
        2_766_607,
        None,
        sha256="383f7b14424530a9e25c392969a9c19dace32ebcfd141f0967a1433498c2acdd",
        read=BOTH_WAYS,
    ),
    _snap(
        "web-Google",
        "web-Google",
        "links between web pages, from Google's contest of 2002",
        875_713,
        5_105_039,
        21_168_784,
        sha256="bcac0af0471d749f4a8c010bca92b61cf2868a0570741de06892fc062f265ea6",
    ),
    _snap(
        "wiki-Talk",
        "wiki-Talk",
        "who wrote on whose talk page in Wikipedia",
        2_394_385,
        5_021_410,
        16_947_922,
    ),
    _snap(
        "soc-Pokec",
        "soc-pokec-relationships",
        "friendships in Slovakia's network Pokec",
        1_632_803,
        30_622_564,
        132_454_730,
    ),
    _snap(
        "soc-LiveJournal1",
        "soc-LiveJournal1",
        "friendships among LiveJournal's bloggers",
        4_847_571,
        68_993_773,
        259_619_239,
        sha256="d7bcd5a87b88c896c35fdb9611e804c3f4033c39b58c4c9ea3ba53c680d516d8",
    ),
    _snap(
        "com-Orkut",
        "bigdata/communities/com-orkut.ungraph",
        "friendships in Orkut",
        3_072_441,
        117_185_083,
        447_251_958,
        sha256="f73e33fb685f411a10c952f2ba3ea788380b91a17bc636e38da1a23f6c6b2bc6",
        read=UNDIRECTED,
    ),
    _suitesparse(
        "DIMACS10/delaunay_n14", "Delaunay triangulation of random points", 16_384, 49_122
    ),
    _suitesparse(
        "DIMACS10/delaunay_n20", "Delaunay triangulation of random points", 1_048_576, 3_145_686
    ),
    _suitesparse(
        "DIMACS10/road_usa",
        "roads of the USA, without lengths",
        23_947_347,
        28_854_312,
        113_000_000,
    ),
    _road(
        "NY",
        "New York City",
        264_346,
        733_846,
        3_667_907,
        "7b2446c7ffe6179efbc42af6812448e8cb782f12968ca2bb1d50d979343056d4",
    ),
    _road(
        "BAY",
        "the San Francisco Bay area",
        321_270,
        800_172,
        4_000_000,
        "630c4a96869b3ecdd631ceb0f63923fb954ee4c7c26d983863612e2c4442462e",
    ),
    _road("USA", "the whole USA", 23_947_347, 58_333_344, 351_265_214),
    _graphalytics("example-directed", "the specification's example", 10, 17, 0.001, True),
    _graphalytics("example-undirected", "the specification's example", 9, 12, 0.001),
    _graphalytics(
        "wiki-Talk", "who wrote on whose talk page", 2_394_385, 5_021_410, 34.9, directed=True
    ),
    _graphalytics(
        "cit-Patents", "which US patent cites which", 3_774_768, 16_518_947, 119.1, directed=True
    ),
    _graphalytics("kgs", "who played Go with whom", 832_247, 17_891_698, 65.7),
    _graphalytics("dota-league", "who played Dota with whom", 61_170, 50_870_313, 114.3),
    _graphalytics("datagen-7_5-fb", "friendships, generated", 633_432, 34_185_747, 162.3),
    _graphalytics("graph500-22", "Kronecker, as of Graph500", 2_396_657, 64_155_735, 202.4),
    _suitesparse("GAP/GAP-road", "roads of the USA, weighted", 23_947_347, 28_854_312),
    _suitesparse(
        "GAP/GAP-twitter",
        "who follows whom on Twitter, random weights",
        61_578_415,
        1_468_364_884,
        9_469_180_207,
        directed=True,
    ),
    _suitesparse(
        "GAP/GAP-web",
        "links between pages under .sk, random weights",
        50_636_151,
        1_930_292_948,
        directed=True,
    ),
    _suitesparse("GAP/GAP-kron", "Kronecker, scale 27, random weights", 134_217_726, 2_111_632_322),
    _suitesparse("GAP/GAP-urand", "uniform, scale 27, random weights", 134_217_728, 2_147_483_370),
)

REGISTRY: Mapping[str, Dataset] = {dataset.name: dataset for dataset in _ALL}
