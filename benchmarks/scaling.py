"""A model of PageRank on R-MAT graphs of scale 30 to 34 on 8 to 256 devices, from measured rates.

    python benchmarks/scaling.py --update docs/internals/scale.md

See README.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from contenders import replace, table

from gascl import generators
from gascl.graph.partition import cut

MARK = "benchmarks/scaling.py"
#: Edges drawn for each vertex.
EDGES = 16
#: Seconds that gathering an arc takes on an H200 where no cache has the senders: R-MAT 26 with both
#: directions, 35.0 ms for 2.10 * 10^9 arcs (benchmarks/results/growth-h200.csv).
ARC = 16.6e-12
#: Bytes a second between an H200 and its host, measured (docs/scale.md).
LINK = 55e9
#: Bytes of a device's memory.
MEMORY = 141e9
#: Bytes of a vertex that PageRank takes, without what its arcs take (docs/library.md), and of an
#: arc; and bytes sent for a vertex.
VERTEX, INDEX, SENT = 32, 4, 4
#: The graphs in which senders are counted.
COUNTED = (20, 22)
SCALES, DEVICES = (30, 31, 32, 33, 34), (8, 32, 64, 128, 256)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--update", type=Path, help="the file to write the table into")
    given = parser.parse_args()
    smaller, larger = map(shares, COUNTED)
    counted = [
        [f"{devices}", f"{smaller[devices]:.3f}", f"{larger[devices]:.3f}"] for devices in DEVICES
    ]
    of = [f"of all vertices, R-MAT {scale}" for scale in COUNTED]
    text = table(["parts", *of], counted) + "\n\n" + modeled(larger)
    print(text)
    if given.update:
        replace(given.update, MARK, text)


def shares(scale: int) -> dict[int, float]:
    """Of all vertices, how many send to a part from another one; the mean of the parts."""
    graph = generators.rmat(scale, EDGES, seed=1)
    arcs = graph.arcs()
    found = {}
    for devices in DEVICES:
        outside = 0
        for part in cut(arcs.in_offsets, devices):
            senders = np.unique(arcs.in_sources[part.begin : part.end])
            outside += len(senders) - int(
                np.count_nonzero((senders >= part.first) & (senders < part.last))
            )
        found[devices] = outside / devices / graph.num_vertices
    return found


def modeled(shares: dict[int, float]) -> str:
    rows = []
    for scale in SCALES:
        vertices, arcs = 2**scale, EDGES * 2**scale
        for devices in DEVICES:
            share = shares[devices]
            whole = VERTEX * vertices + INDEX * arcs / devices
            lists = (VERTEX / devices + SENT * share) * vertices + INDEX * arcs / devices
            gather = ARC * arcs / devices
            if lists > MEMORY:
                continue
            fits = scale < 31 and whole <= MEMORY
            rows.append(
                [
                    *(f"{scale}", f"{devices}", f"{gather * 1e3:.0f}"),
                    *(dense(vertices, devices, whole) if fits else ["-"] * 3),
                    f"{SENT * share * vertices / 1e9:.2f}",
                    f"{(gather + SENT * share * vertices / LINK) * 1e3:.0f}",
                    f"{lists / 1e9:.0f}",
                ]
            )
    head = ["scale", "devices", "gather, ms", "sent, GB", "a superstep, ms", "memory, GB"]
    return table([*head, "named senders: sent, GB", "a superstep, ms", "memory, GB"], rows)


def dense(vertices: int, devices: int, memory: float) -> list[str]:
    sent = SENT * vertices * (1 - 1 / devices)
    gather = ARC * EDGES * vertices / devices
    return [f"{sent / 1e9:.2f}", f"{(gather + sent / LINK) * 1e3:.0f}", f"{memory / 1e9:.0f}"]


if __name__ == "__main__":
    main()
