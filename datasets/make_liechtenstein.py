"""Make liechtenstein-roads.txt.gz: the roads of Liechtenstein for cars, from OpenStreetMap.

The map is tests/data/liechtenstein-2013-08-03.osm.bz2 in Debian's source of osm2pgsql. Fetch that
(it needs a 'deb-src' line among apt's sources) and give it, or the .osm.bz2 itself, to this script:

    apt-get source --download-only osm2pgsql=1.8.0+ds-1
    python datasets/make_liechtenstein.py osm2pgsql_1.8.0+ds.orig.tar.xz

A vertex is a place where roads meet or end, or where a two-way road becomes a one-way one; an arc
is the stretch of road between two such places, in a direction in which cars may take it; its weight
is its length along its bends, in whole meters, at least 1. The rules:

* ways with highway=motorway, trunk, primary, secondary, tertiary, their _link forms, unclassified,
  residential or living_street, but none that access, vehicle, motor_vehicle or motorcar closes
  ('no' or 'private');
* oneway=yes, -1 and no are obeyed; motorways and roundabouts are one-way unless they say otherwise;
* of two stretches between the same two vertices in the same direction the shorter is kept, and a
  stretch that ends where it began is left out;
* of what is left, the largest part in which every vertex can be reached from every other is kept.

Turn restrictions are not in the graph. A second file, liechtenstein-places.txt.gz, gives the
position of each vertex.
"""

import argparse
import bz2
import io
import math
import tarfile
import unicodedata
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
from _output import write_gzip

MAP = "liechtenstein-2013-08-03.osm.bz2"
TOWNS = ("city", "town", "village", "hamlet")
HIGHWAYS = {
    *("motorway", "trunk", "primary", "secondary", "tertiary"),
    *("motorway_link", "trunk_link", "primary_link", "secondary_link", "tertiary_link"),
    *("unclassified", "residential", "living_street"),
}
EARTH_RADIUS = 6_371_008.8  # meters, the mean radius
ORIGIN = """\
# Origin: OpenStreetMap of 3 August 2013, through
# {origin}.
# License: (c) OpenStreetMap contributors, https://www.openstreetmap.org/copyright
# This file is a database derived from OpenStreetMap, made available under the Open Database License
# (ODbL) 1.0, https://opendatacommons.org/licenses/odbl/1-0/. See README.md.
# Made by make_liechtenstein.py.
"""
HEADER = """\
# Roads of Liechtenstein for cars: a directed graph with weights.
# source<TAB>target<TAB>meters: from one crossing to the next, the way cars may go.
# A vertex is named TOWN:ROAD/ROAD after the nearest town or village and the roads that meet there,
# with '~2', '~3' ... where that is not enough.
# {vertices} vertices, {arcs} arcs; every vertex can be reached from every other.
"""
PLACES = """\
# Where the vertices of liechtenstein-roads.txt.gz are. Not a graph.
# vertex<TAB>latitude<TAB>longitude (WGS 84 degrees)
"""


def read_osm(data: bytes):
    """What an OpenStreetMap XML file has of nodes, towns and ways.

    Returns nodes {id: (latitude, longitude)}, towns [(latitude, longitude, name)] and ways
    [(id, tags, node ids)].
    """
    nodes: dict[int, tuple[float, float]] = {}
    towns: list[tuple[float, float, str]] = []
    ways: list[tuple[int, dict[str, str], list[int]]] = []
    for _, element in ElementTree.iterparse(io.BytesIO(data)):
        if element.tag not in ("node", "way"):
            continue
        tags = {tag.get("k"): tag.get("v") for tag in element.iter("tag")}
        if element.tag == "node":
            place = float(element.get("lat")), float(element.get("lon"))
            nodes[int(element.get("id"))] = place
            if tags.get("place") in TOWNS and "name" in tags:
                towns.append((*place, tags["name"]))
        else:
            refs = [int(nd.get("ref")) for nd in element.iter("nd")]
            ways.append((int(element.get("id")), tags, refs))
        element.clear()
    return nodes, towns, ways


def is_street(tags: dict[str, str]) -> bool:
    """Whether cars may use a way."""
    # The most special of these tags decides: motor_vehicle=yes opens what access=no closes.
    for key in ("motorcar", "motor_vehicle", "vehicle", "access"):
        if key in tags:
            if tags[key] in ("no", "private"):
                return False
            break
    return tags.get("highway") in HIGHWAYS and tags.get("area") != "yes"


def directions(tags: dict[str, str]) -> tuple[bool, bool]:
    """Whether a way may be driven in the order of its nodes, and against it."""
    oneway = tags.get("oneway")
    if oneway in ("yes", "true", "1"):
        return True, False
    if oneway in ("-1", "reverse"):
        return False, True
    if oneway is None and (
        tags.get("junction") in ("roundabout", "circular") or tags["highway"] == "motorway"
    ):
        return True, False
    return True, True


def distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Meters between two positions (haversine formula)."""
    south, north = math.radians(a[0]), math.radians(b[0])
    up, across = math.sin((north - south) / 2), math.sin(math.radians(b[1] - a[1]) / 2)
    return (
        2
        * EARTH_RADIUS
        * math.asin(math.sqrt(up * up + math.cos(south) * math.cos(north) * across * across))
    )


def contract(graph: nx.DiGraph) -> nx.DiGraph:
    """The same streets without the nodes at which nothing can be decided, such as bends."""

    def is_bend(node: int) -> bool:
        before, after = set(graph.pred[node]), set(graph.succ[node])
        if len(before | after) != 2 or node in after:
            return False
        # On the way through, in one direction or in both; not where a two-way street goes one-way.
        return before == after or (len(before) == len(after) == 1)

    result = nx.DiGraph()
    for start in graph:
        if is_bend(start):
            continue
        result.add_node(start)
        for step in graph.succ[start]:
            before, here, meters = start, step, graph[start][step]["meters"]
            while is_bend(here):
                (onward,) = set(graph.succ[here]) - {before}
                meters += graph[here][onward]["meters"]
                before, here = here, onward
            known = result.get_edge_data(start, here, {"meters": math.inf})
            if here != start and meters < known["meters"]:
                result.add_edge(start, here, meters=meters)
    return result


def word(name: str) -> str:
    """A name without blanks: some readers of edge lists split rows at any of them."""
    return "_".join(unicodedata.normalize("NFC", name).split())


def label_all(nodes: dict, towns: list, streets: dict[int, set[str]]) -> dict[int, str]:
    """A name for each of `nodes` (id: position), '~2' ... added where it is not unique."""
    labels, used = {}, defaultdict(int)
    for node, position in sorted(nodes.items()):
        town = min(towns, key=lambda town: (distance(position, town[:2]), town))[2]
        name = f"{word(town)}:{'/'.join(sorted(streets[node])) or 'unnamed'}"
        used[name] += 1
        labels[node] = name if used[name] == 1 else f"{name}~{used[name]}"
    return labels


def load_map(path: Path) -> tuple[bytes, str]:
    """The map's XML from Debian's tarball or from the .osm.bz2 itself, and where it was."""
    if not path.is_file():
        raise SystemExit(f"{path}: no such file; 'apt-get source' gets it, see --help")
    if not tarfile.is_tarfile(path):
        if path.suffix != ".bz2":
            raise SystemExit(f"{path.name}: neither a tarball nor an .osm.bz2 file")
        return bz2.decompress(path.read_bytes()), path.name
    with tarfile.open(path) as tarball:
        for member in tarball:
            if member.name.endswith(f"/{MAP}"):
                inside = member.name.partition("/")[2]
                data = bz2.decompress(tarball.extractfile(member).read())
                return data, f"{inside} in Debian's {path.name}"
    raise SystemExit(f"{path.name} has no {MAP}; is it the source of osm2pgsql 1.8.0?")


def main() -> None:
    """Read the command line and make the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("map", type=Path, help="osm2pgsql_1.8.0+ds.orig.tar.xz, or the .osm.bz2")
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).parent, help="folder (default: the script's)"
    )
    args = parser.parse_args()
    if not args.output.is_dir():
        raise SystemExit(f"{args.output}: no such folder")
    data, origin = load_map(args.map)
    nodes, towns, ways = read_osm(data)

    roads = nx.DiGraph()
    streets: dict[int, set[str]] = defaultdict(set)
    for _, tags, refs in sorted(ways, key=lambda way: way[0]):
        if not is_street(tags):
            continue
        forth, back = directions(tags)
        # An extract cuts ways at its border: what is outside has no position.
        for a, b in pairwise(refs):
            if a not in nodes or b not in nodes or a == b:
                continue
            meters = distance(nodes[a], nodes[b])
            if forth:
                roads.add_edge(a, b, meters=meters)
            if back:
                roads.add_edge(b, a, meters=meters)
            name = tags.get("name") or tags.get("ref")
            if name:
                streets[a].add(word(name))
                streets[b].add(word(name))
    if not roads or not towns:
        raise SystemExit(f"{args.map.name}: no roads for cars, or no town, in it")

    graph = contract(roads)
    # Between parts of equal size the lowest node decides, whatever order they come in.
    part = max(nx.strongly_connected_components(graph), key=lambda part: (len(part), -min(part)))
    graph = graph.subgraph(part)
    labels = label_all({node: nodes[node] for node in graph}, towns, streets)
    rows = sorted(
        (labels[a], labels[b], max(1, round(meters))) for a, b, meters in graph.edges(data="meters")
    )
    note = ORIGIN.format(origin=origin)
    header = HEADER.format(vertices=len(graph), arcs=len(rows)) + note
    write_gzip(
        args.output / "liechtenstein-roads.txt.gz",
        header + "".join(f"{a}\t{b}\t{meters}\n" for a, b, meters in rows),
        f"{len(graph)} vertices, {len(rows)} arcs",
    )
    places = sorted((labels[node], *nodes[node]) for node in graph)
    write_gzip(
        args.output / "liechtenstein-places.txt.gz",
        PLACES + note + "".join(f"{label}\t{y:.7f}\t{x:.7f}\n" for label, y, x in places),
        f"{len(places)} places",
    )


if __name__ == "__main__":
    main()
