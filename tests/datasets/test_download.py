"""Datasets downloaded from a server of this machine, which cuts off and lies."""

import argparse
import gzip
import hashlib
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from support.archives import GOOD, TEXT, refused, tarred, zstandard
from support.file_server import serving

from gascl.cli import datasets_command as command
from gascl.datasets import REGISTRY, Dataset, catalog, fetch
from gascl.graph.graph import Graph

SHARED = Path(__file__).parents[3] / "shared" / "data"
SHA256 = hashlib.sha256(TEXT).hexdigest()


@pytest.fixture
def server():
    with serving() as running:
        running.files["/star.txt"] = TEXT
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache, and no waiting for further attempts."""
    monkeypatch.setenv("GASCL_DATA", str(tmp_path / "cache"))
    monkeypatch.setattr("gascl.datasets.cache.RETRIES", 0)
    return tmp_path / "cache"


@pytest.fixture
def star(server, monkeypatch):
    """A dataset "star" of the server, whose SHA-256 is known; call it for one with other traits."""

    def change(**traits):
        traits = {"url": server.url("/star.txt"), "sha256": SHA256, **traits}
        dataset = Dataset("star", "a star", "SNAP", 20_001, 20_000, True, **traits)
        monkeypatch.setattr(catalog, "REGISTRY", {**REGISTRY, "star": dataset})
        return dataset

    change()
    return change


def left(cache):
    """The names of all files in the cache."""
    return sorted(path.name for path in cache.rglob("*") if path.is_file())


def test_whole(star, server, cache):
    graph = Graph.dataset("star")
    assert (graph.num_vertices, graph.num_edges) == (20_001, 20_000)
    assert server.asked == ["/star.txt"]
    assert left(cache) == ["star.txt"]


def test_once_there_no_network_is_needed(star, server, cache):
    star(sha256=None)
    Graph.dataset("star")
    server.status = 500
    assert Graph.dataset("star").num_edges == 20_000
    assert len(server.asked) == 1
    assert left(cache) == ["star.txt", "star.txt.sha256"]


def test_cut_off(star, server, cache, monkeypatch):
    server.cuts = [1000]
    refused(["star", "1000 bytes read"], lambda: Graph.dataset("star"))
    assert left(cache) == []
    monkeypatch.setattr("gascl.datasets.cache.RETRIES", 1)
    server.cuts = [0]
    assert Graph.dataset("star").num_edges == 20_000
    assert left(cache) == ["star.txt"]


@pytest.mark.parametrize("announced", [None, 1000])
def test_another_hash_is_refused_and_removed(star, server, cache, announced):
    server.files = {"/star.txt": TEXT[:-1] + b"7"}
    server.announced = announced
    refused(["star", "SHA-256", SHA256, "deleted"], lambda: Graph.dataset("star"))
    assert left(cache) == []


def test_a_recorded_hash_must_stay(star, server, cache):
    star(sha256=None)
    Graph.dataset("star")
    record = cache / "star" / "star.txt.sha256"
    assert record.read_text() == f"{SHA256}  star.txt\n"  # as sha256sum writes it
    (cache / "star" / "star.txt").unlink()
    server.files["/star.txt"] = b"0 1\n"
    refused(["SHA-256", str(record), SHA256], lambda: Graph.dataset("star"))
    server.files["/star.txt"] = TEXT
    assert Graph.dataset("star").num_edges == 20_000


def test_a_damaged_file_is_downloaded_again(star, server, cache):
    star(sha256=None)
    Graph.dataset("star")
    (cache / "star" / "star.txt").write_bytes(TEXT[:-9])
    assert Graph.dataset("star").num_edges == 20_000
    assert len(server.asked) == 2


def test_a_file_put_there_by_hand_is_taken(star, server, cache):
    (cache / "star").mkdir(parents=True)
    (cache / "star" / "star.txt").write_bytes(TEXT)
    assert Graph.dataset("star").num_edges == 20_000
    assert server.asked == []


def test_not_found(star, server, cache):
    star(url=server.url("/gone.txt"))
    refused(["star", "404", "/gone.txt", str(cache)], lambda: Graph.dataset("star"))
    assert left(cache) == []


def test_a_server_in_trouble(star, server, cache):
    server.status = 503
    refused(["star", "503"], lambda: Graph.dataset("star"))
    assert left(cache) == []


def test_offline(star, cache):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    star(url=f"http://127.0.0.1:{port}/star.txt")
    words = ["star cannot be downloaded", str(port), "refused", "network", str(cache)]
    refused(words, lambda: Graph.dataset("star"))
    assert left(cache) == []


def test_a_silent_server(star, server, cache, monkeypatch):
    monkeypatch.setattr("gascl.datasets.cache.TIMEOUT", (0.2, 0.2))
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        star(url=f"http://127.0.0.1:{mute.getsockname()[1]}/star.txt")
        refused(["cannot be downloaded", "timed out"], lambda: Graph.dataset("star"))


def test_packed_bytes_are_kept_as_they_are(star, server, cache):
    """Some servers call a .gz file a packed encoding of the text; its hash is that of the file."""
    packed = gzip.compress(TEXT, mtime=0)
    server.encoding = "gzip"
    server.files["/star.txt.gz"] = packed
    star(url=server.url("/star.txt.gz"), sha256=hashlib.sha256(packed).hexdigest())
    assert Graph.dataset("star").num_edges == 20_000
    assert (cache / "star" / "star.txt.gz").read_bytes() == packed


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe\n", SHA256[1:].encode(), b"0" * 65])
def test_a_damaged_record(star, server, cache, capsys, content):
    star(sha256=None)
    Graph.dataset("star")
    record = cache / "star" / "star.txt.sha256"
    record.write_bytes(content)
    words = [f"{record} is damaged", "delete it and star.txt", "downloads the file again"]
    refused(words, lambda: Graph.dataset("star"))
    refused(words, lambda: gascl_datasets("star"))
    assert gascl_datasets() == 0  # the list
    record.unlink()
    (cache / "star" / "star.txt").unlink()
    assert Graph.dataset("star").num_edges == 20_000
    assert record.read_bytes() == f"{SHA256}  star.txt\n".encode()


def test_a_cache_that_cannot_be_written(star, cache):
    cache.write_text("a file")
    refused(["star", "GASCL_DATA"], lambda: Graph.dataset("star"))


def test_without_pooch(star, monkeypatch):
    monkeypatch.setattr("gascl.datasets.cache.find_spec", lambda name: None)
    refused(["star", "pooch", "`pip install pooch`"], lambda: Graph.dataset("star"))
    assert Graph.dataset("karate").num_edges == 78


def test_a_graph_that_differs_from_the_published_one_is_reported(star, server):
    star(sha256=None)
    server.files["/star.txt"] = b"0 1\n"
    graph = Graph.dataset("star")
    assert "published with 20,001 vertices and 20,000 edges; here 2 and 1" in graph.report[0]


def test_fetch_takes_a_dataset_of_one_s_own(server, cache):
    own = replace(REGISTRY["wiki-Vote"], url=server.url("/star.txt"), sha256=SHA256)
    assert fetch(own).read_bytes() == TEXT


# Archives


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("star.tar.gz", lambda: tarred(*GOOD[1:], mode="w:gz")),
        ("star.tar.xz", lambda: tarred(*GOOD[1:], mode="w:xz")),
        ("star.tar.zst", lambda: zstandard(tarred(*GOOD[1:]))),
    ],
)
def test_archives(star, server, cache, name, pack):
    server.files[f"/{name}"] = pack()
    star(url=server.url(f"/{name}"), sha256=None, member="star.txt")
    assert Graph.dataset("star").num_edges == 20_000
    server.status = 500
    assert Graph.dataset("star").num_edges == 20_000
    assert left(cache) == sorted([name, f"{name}.sha256", "star.txt", "star_sources.txt"])


def test_an_archive_without_the_file(star, server):
    server.files["/star.tar"] = tarred(("other.txt", TEXT))
    star(url=server.url("/star.tar"), sha256=None, member="star.txt")
    refused(["contains no file 'star.txt'"], lambda: Graph.dataset("star"))


@pytest.mark.parametrize(
    ("name", "copies"),
    [
        ("graphalytics-example-directed", "graphalytics/**/example-directed*"),
        ("graphalytics-example-undirected", "graphalytics/**/example-undirected*"),
        ("delaunay_n14", "mtx/delaunay_n14.mtx.gz"),
    ],
)
def test_archives_laid_out_as_the_collections_do(server, monkeypatch, name, copies):
    found = sorted(SHARED.glob(copies))
    if not found:
        pytest.skip(f"{SHARED / copies} is not there")
    members = []
    for path in found:
        data = path.read_bytes()
        plain = gzip.decompress(data) if path.suffix == ".gz" else data
        members.append((path.name.removesuffix(".gz"), plain))
    dataset = REGISTRY[name]
    if dataset.collection == "SuiteSparse":  # a folder, and often further matrices
        members = [(f"{name}/{file}", data) for file, data in members]
        members.append((f"{name}/{name}_coord.mtx", b""))
        packed = tarred(*members, mode="w:gz")
    else:
        packed = zstandard(tarred(*members))
    server.files[f"/{dataset.file_name}"] = packed
    changed = {**REGISTRY, name: replace(dataset, url=server.url(f"/{dataset.file_name}"))}
    monkeypatch.setattr(catalog, "REGISTRY", changed)
    graph = Graph.dataset(name)
    assert (graph.num_vertices, graph.num_edges) == (dataset.vertices, dataset.edges)
    assert graph.directed == dataset.directed


# The command


def test_the_command_downloads_and_prints_the_path(star, capsys, cache):
    star(sha256=None)
    assert gascl_datasets("star", "--download") == 0
    assert capsys.readouterr().out == f"{cache / 'star' / 'star.txt'}\n"
    assert gascl_datasets("star") == 0
    text = capsys.readouterr().out
    assert (
        f"{SHA256} (recorded from the first download)" in text and "not downloaded yet" not in text
    )


def gascl_datasets(*words):
    parser = argparse.ArgumentParser()
    command.options(parser.add_argument)
    return command.run(parser.parse_args(words))
