"""The catalog of datasets, in catalog.csv.

Vertices and edges are as published by each collection; for SuiteSparse they follow from the number
of entries, halved if the matrix is symmetric and has no diagonal. The sizes of Graphalytics' files
are those on its page. A SHA-256 is given only if at least two independent parties published the
same one. The column `file` is the file's name, or the part of its address in URLS; `kind` says
whether edges are directed, undirected, or undirected and listed in both directions.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
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
#: Collection -> the address of a file. What it does not name ships with gascl.
URLS = {
    "SNAP": "https://snap.stanford.edu/data/{}.txt.gz",
    "SuiteSparse": "https://sparse.tamu.edu/MM/{}.tar.gz",
    "DIMACS": "https://www.diag.uniroma1.it/challenge9/data/USA-road-d/{}.gr.gz",
    "Graphalytics": "https://datasets.ldbcouncil.org/graphalytics/{}.tar.zst",
    "GAP": "https://sparse.tamu.edu/MM/{}.tar.gz",
}
#: Collection of archives -> the file to read in one, by the last part of its name.
MEMBERS = {"SuiteSparse": "{}.mtx", "Graphalytics": "{}.e", "GAP": "{}.mtx"}
#: Kind of edges -> the options to read a list of edges, which does not say it.
READ: dict[str, dict[str, Any]] = {
    "directed": {},
    "undirected": {"directed": False},
    "both ways": {"directed": False, "duplicates": "first"},
}


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


def _datasets() -> Iterator[Dataset]:
    with Path(__file__).with_name("catalog.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        collection, directed = row["collection"], row["kind"] == "directed"
        read = READ[row["kind"]] if collection in ("gascl", "SNAP") else {}
        if collection == "Graphalytics":
            read = {"format": "graphalytics", "directed": directed}
        url = URLS.get(collection, "").format(row["file"])
        yield Dataset(
            row["name"],
            row["about"],
            collection,
            int(row["vertices"]),
            int(row["edges"]),
            directed,
            int(row["size"]) if row["size"] else None,
            url,
            file="" if url else row["file"],
            sha256=row["sha256"] or None,
            member=MEMBERS.get(collection, "").format(row["file"].rpartition("/")[2]),
            license=row["license"],
            read=read,
        )


REGISTRY: Mapping[str, Dataset] = {dataset.name: dataset for dataset in _datasets()}
