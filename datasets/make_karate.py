"""Make karate.mtx: the friendships in Zachary's karate club, from NetworkX.

    pip install networkx
    python datasets/make_karate.py

A vertex is a member of the club, an edge a friendship outside of it; the club fell apart into two
while it was watched. Vertex i of NetworkX is row and column i + 1 of the matrix, as Matrix Market
counts from 1; gascl and SciPy read it as i again.
"""

import argparse
from pathlib import Path

import networkx as nx

HEADER = """\
%%MatrixMarket matrix coordinate pattern symmetric
% Zachary's karate club: an undirected graph without weights, each edge once (lower triangle).
% {vertices} vertices, {edges} edges.
% Origin: networkx.karate_club_graph(). W. W. Zachary, An information flow model for conflict and
% fission in small groups, Journal of Anthropological Research 33 (1977), 452-473.
% License: as part of NetworkX, BSD-3-Clause, Copyright (c) 2004-2025, NetworkX Developers, Aric
% Hagberg <hagberg@lanl.gov>, Dan Schult <dschult@colgate.edu>, Pieter Swart <swart@lanl.gov>. The
% license's text is in README.md. Made by make_karate.py.
% Of the two clubs after the split, these went to that of Mr. Hi (vertex 0, row 1), by row number:
% {hi}
% and these to the Officer's (vertex 33, row 34):
% {officer}
"""


def main() -> None:
    """Read the command line and make the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).with_name("karate.mtx"),
        help="file to write (default: %(default)s)",
    )
    args = parser.parse_args()

    graph = nx.karate_club_graph()
    club = graph.nodes(data="club")
    header = HEADER.format(
        vertices=len(graph),
        edges=graph.number_of_edges(),
        hi=" ".join(str(v + 1) for v, name in club if name == "Mr. Hi"),
        officer=" ".join(str(v + 1) for v, name in club if name == "Officer"),
    )
    # By column, then row; the lower triangle, as the format asks of a symmetric matrix.
    entries = sorted((min(edge), max(edge)) for edge in graph.edges)
    lines = [f"{len(graph)} {len(graph)} {len(entries)}"]
    lines += [f"{row + 1} {column + 1}" for column, row in entries]
    args.output.write_text(header + "\n".join(lines) + "\n", encoding="ascii", newline="\n")
    print(f"{args.output.name}: {len(graph)} vertices, {len(entries)} edges")


if __name__ == "__main__":
    main()
