"""gascl's programs against other libraries, every answer verified: one table.

    python benchmarks/bench.py --gap gapbs --csv benchmarks/results/cpu.csv
    python benchmarks/bench.py --only bfs,sssp --graphs kron --scale 14 --rounds 3
    python benchmarks/bench.py --gpu --cache /tmp/graphs --csv benchmarks/results/gpu.csv
    python benchmarks/bench.py --growth --scales 16-22 --csv benchmarks/results/growth.csv

See README.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from contenders import all_cores, limit_threads

KEYS = (
    *("bfs", "sssp", "components", "triangles", "coreness"),
    *("strong", "labels", "clustering", "pagerank"),
)
#: Components are last: they need another graph.
GPU_KEYS = (
    *("pagerank", "hand", "first", "again-pagerank", "again-sssp"),
    *("bfs", "sssp", "lanes", "components"),
)


def options(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--gpu", action="store_true", help="the table of one GPU, gascl alone")
    what.add_argument("--growth", action="store_true", help="time and memory against the scale")
    what.add_argument("--turn", type=int, metavar="SCALE", help=argparse.SUPPRESS)
    parser.add_argument(
        "--only", type=listed, help=f"of {', '.join(KEYS)}; with --gpu of {', '.join(GPU_KEYS)}"
    )
    parser.add_argument(
        "--graphs",
        type=listed,
        help="of kron, uniform, grid, rmat; with --gpu rmat22 (any scale), uniform22, grid3000",
    )
    parser.add_argument("--scale", type=int, default=20, help="2**scale vertices (default: 20)")
    parser.add_argument(
        "--scales", type=span, default=span("16-22"), help="with --growth (default: 16-22)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds of turns (default: 5)")
    parser.add_argument(
        "--slow",
        type=float,
        default=30,
        help="what takes more seconds runs only once (default: 30)",
    )
    parser.add_argument("--device", help="as in Engine(graph, device); default: PoCL, or a GPU")
    parser.add_argument(
        "--threads",
        type=int,
        help="threads of each contender on a CPU (default: 2; with --growth --device all cores)",
    )
    parser.add_argument("--gap", type=Path, help="a checkout of the GAP Benchmark Suite")
    parser.add_argument("--cache", type=Path, help="the folder for graphs (default: a temporary)")
    parser.add_argument("--csv", type=Path, help="the file for the results; other rows stay")
    parser.add_argument("--update", type=Path, help="the page to write the table into")
    parser.add_argument("--picture", type=Path, help="with --growth, the .png file to draw")
    given = parser.parse_args(argv)
    known = GPU_KEYS if given.gpu else KEYS
    if given.threads is None:
        given.threads = all_cores() if given.growth and given.device else 2
    unknown = [key for key in given.only or () if key not in known]
    if unknown:
        parser.error(f"--only {unknown[0]}: there are {', '.join(known)}")
    if given.gpu:
        given.only = [key for key in GPU_KEYS if key in (given.only or GPU_KEYS)]
    return given


def listed(text: str) -> list[str]:
    return text.split(",")


def span(text: str) -> list[int]:
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def main(argv: list[str] | None = None) -> None:
    given = options(argv)
    if not (given.gpu or given.device):
        given.device = "pthread"  # PoCL
    if not given.gpu:
        limit_threads(given.threads)
    # Their imports start libraries with threads.
    if given.gpu:
        import gpu as table
    elif given.growth or given.turn is not None:
        import growth as table
    else:
        import cpu as table
    table.main(given)


if __name__ == "__main__":
    main()
