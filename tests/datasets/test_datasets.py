"""Datasets by name: what ships, what is known of the others, and the list of them all."""

import argparse
import hashlib
import warnings
from pathlib import Path
from urllib.parse import urlsplit

import networkx as nx
import pytest
from support.archives import refused

from gascl.cli import datasets_command as command
from gascl.datasets import REGISTRY, find
from gascl.datasets.catalog import COLLECTIONS
from gascl.errors import GasclError, GraphError
from gascl.graph.graph import Graph

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv("GASCL_DATA", str(tmp_path / "cache"))
    return tmp_path / "cache"


# What there is


@pytest.mark.parametrize("name", [name for name, d in REGISTRY.items() if d.ships])
def test_shipped_ones_read_as_published(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = Graph.dataset(name)
    dataset = REGISTRY[name]
    assert (graph.num_vertices, graph.num_edges) == (dataset.vertices, dataset.edges)
    assert graph.directed == dataset.directed
    assert "; here" not in graph.report[0]


@pytest.mark.parametrize("name", [name for name, d in REGISTRY.items() if d.ships])
def test_files_of_shipped_ones_say_whether_they_are_directed(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = Graph.read(Path(__file__).parents[2] / "datasets" / REGISTRY[name].file)
    assert graph.directed == REGISTRY[name].directed


def test_the_karate_club_is_that_of_networkx():
    ours = Graph.dataset("karate")
    theirs = nx.karate_club_graph()
    pairs = zip(ours.edge_src.tolist(), ours.edge_dst.tolist(), strict=True)
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in theirs.edges}


def test_entries_are_whole():
    for name, dataset in REGISTRY.items():
        assert name == dataset.name and dataset.collection in COLLECTIONS
        assert 0 < dataset.vertices < 2**31 and dataset.edges > 0
        if dataset.ships:
            assert dataset.license
            continue
        url = urlsplit(dataset.url)
        assert url.scheme == "https" and "." in url.netloc and dataset.file_name
        assert bool(dataset.member) == (".tar" in dataset.file_name)
        if dataset.sha256:
            assert len(bytes.fromhex(dataset.sha256)) == 32


@pytest.mark.parametrize(
    ("name", "copy"),
    [("USA-road-d.NY", "dimacs/USA-road-d.NY.gr.gz")],
)
def test_a_known_hash_is_that_of_a_true_copy(name, copy):
    if not (SHARED / copy).exists():
        pytest.skip(f"{SHARED / copy} is not there")
    assert hashlib.sha256((SHARED / copy).read_bytes()).hexdigest() == REGISTRY[name].sha256


@pytest.mark.parametrize(
    ("name", "copy"),
    [
        ("ego-Facebook", "edgelist/ego-Facebook.txt.gz"),
        ("email-Eu-core", "edgelist/email-Eu-core.txt"),
        ("ca-GrQc", "edgelist/ca-GrQc.txt.gz"),
        ("wiki-Vote", "edgelist/wiki-Vote.txt.gz"),
    ],
)
def test_read_options_give_the_published_counts(name, copy):
    if not (SHARED / copy).exists():
        pytest.skip(f"{SHARED / copy} is not there")
    dataset = REGISTRY[name]
    graph = Graph.read(SHARED / copy, **dataset.read)
    assert (graph.num_vertices, graph.num_edges) == (dataset.vertices, dataset.edges)
    assert graph.directed == dataset.directed


def test_an_unknown_name_gets_the_nearest():
    refused(["'wiki-vot'", "'wiki-Vote'", "gascl datasets"], lambda: find("wiki-vot"), GraphError)
    refused(["'nope'", "did you mean"], lambda: Graph.dataset("nope"), GraphError)


def test_capitals_do_not_count():
    assert find("WIKI-vote") is REGISTRY["wiki-Vote"]


def test_read_options_come_before_the_dataset_s_own(capsys):
    graph = Graph.dataset("wordnet-verbs", directed=True, report=True)
    assert graph.directed
    assert "dataset wordnet-verbs" in capsys.readouterr().out


# The command


def gascl_datasets(*words):
    parser = argparse.ArgumentParser()
    command.options(parser.add_argument)
    return command.run(parser.parse_args(words))


def test_the_list_has_all(capsys):
    assert gascl_datasets() == 0
    lines = capsys.readouterr().out.splitlines()
    for name, dataset in REGISTRY.items():
        line = next(line for line in lines if line.split()[:1] == [name])
        assert f"{dataset.vertices:,}" in line and f"{dataset.edges:,}" in line
        assert ("  included  " in line) == dataset.ships


def test_one_with_all_that_is_known(capsys, cache):
    dataset = REGISTRY["wiki-Vote"]
    assert gascl_datasets("wiki-vote") == 0
    text = capsys.readouterr().out
    for word in (dataset.url, dataset.sha256, "7,115", str(cache), "not downloaded yet"):
        assert word in text
    assert gascl_datasets("soc-Pokec") == 0
    assert "the first download's is recorded" in capsys.readouterr().out
    assert gascl_datasets("--long") == 0
    assert capsys.readouterr().out.count("  from: ") == len(REGISTRY)


def test_a_wrong_name_is_one_error():
    refused(["'nope'"], lambda: gascl_datasets("nope"), GraphError)


def test_download_needs_a_name():
    refused(["--download", "NAME"], lambda: gascl_datasets("--download"), GasclError)
