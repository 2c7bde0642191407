"""How well programs find communities, and how fast.

    python benchmarks/communities.py --data FOLDER                   # networks with known groups
    python benchmarks/communities.py --speed --rounds 3              # against C and NumPy
    python benchmarks/communities.py --vertices 4000 100000 --device NVIDIA

One or several of these at once; each prints a table in Markdown. See README.md.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from contenders import table

from gascl import Engine, Graph
from gascl.communities import adjusted_rand, mutual_information
from gascl.generators import lfr, stochastic_block_model
from gascl.programs import LabelPropagation, ParticleCommunities

#: The six networks of the paper: vertices, edges per vertex, and whether groups are few and large.
NETWORKS = [(n, per, few) for per, few in ((20, True), (10, False)) for n in (2000, 3000, 4000)]
#: The mixings of LFR networks for --data, and the first of their seeds. Networks of the seeds 100
#: and 101 decided how far edges' weights reach, and that the map equation chooses the scale.
MIXINGS, REPORTED = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7), 1
#: Supersteps after which positions are compared, and how far apart rounding may have moved them;
#: supersteps in a turn of the C programs; the required similarity of the final communities.
COMPARED, APART, TURN, ALIKE = 5, 2e-3, 10, 0.95
#: For --vertices: up to so many, runs with all pairs, too.
EXACT = 4000


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add = parser.add_argument
    add("--data", type=Path, help="a folder of NAME.gml with vertex field gt, and LFR folders")
    add("--seeds", type=int, default=10, help="for --data (default: 10)")
    add("--sizes", type=int, nargs="+", default=[1000], help="vertices of LFR networks for --data")
    add("--speed", action="store_true", help="2000 to 4000 vertices, 10 and 20 edges per vertex")
    add("--rounds", type=int, default=3, help="for --speed and --vertices (default: 3)")
    add("--vertices", type=int, nargs="*", default=[], help="one network of each size")
    add("--picture", type=Path, help="draw groups that split and merge into this file")
    add("--device", default=None, help="as in Engine(graph, device)")
    given = parser.parse_args()
    if not (given.data or given.speed or given.vertices or given.picture):
        parser.error("nothing to do: give --data, --speed, --vertices or --picture")
    return given


def main() -> None:
    given = options()
    device = Engine(Graph.from_edges([0], [1]), given.device).device
    print(f"Device: {device}.\n")
    if given.data:
        quality(given.data, given.sizes, given.seeds, given.device)
    if given.speed:
        speed(given.rounds, given.device)
    if given.vertices:
        large(given.vertices, given.rounds, given.device)
    if given.picture:
        picture(given.picture, given.device)


# Quality.


def known(folder: Path) -> dict[str, tuple[Graph, np.ndarray]]:
    """Name -> a simple graph and the true group of each vertex."""
    found = {}
    for file in sorted(folder.glob("*.gml")):
        graph = Graph.read(file)
        if "gt" in graph.vertex_fields:
            found[file.stem] = graph.simple(undirected=True), np.asarray(graph.vertex_fields["gt"])
    for file in sorted(folder.glob("*/network.dat*")):
        graph = Graph.read(file, directed=False).simple()
        groups = np.loadtxt(file.parent / "community.dat", dtype=np.int64)
        at = graph.indices_of(groups[:, 0])
        truth = np.empty(graph.num_vertices, np.int64)
        truth[at] = groups[:, 1]
        found[file.parent.name.partition("max")[0]] = graph, truth
    if not found:
        sys.exit(f"{folder} has neither *.gml with a vertex field gt nor */network.dat")
    return found


def planted(seed: int, sizes: list[int]) -> dict[str, tuple[Graph, np.ndarray]]:
    """Networks with planted groups, others for each seed: LFR's, and many small groups."""
    found = {}
    for vertices, mixing in itertools.product(sizes, MIXINGS):
        graph = lfr(
            vertices,
            average_degree=20,
            max_degree=50,
            mixing=mixing,
            min_community=20,
            max_community=100,
            seed=seed,
        )
        found[f"LFR {vertices:,}, mixing {mixing}"] = graph
    size, count = 20, 100
    inside, outside = 8 / (size - 1), 6 / (size * (count - 1))
    found[f"{count} groups of {size}"] = stochastic_block_model(
        [size] * count, (inside, outside), seed=seed
    )
    return {
        name: (graph.simple(), np.asarray(graph.vertex_fields["community"]))
        for name, graph in found.items()
    }


def quality(folder: Path, sizes: list[int], seeds: int, device: Any) -> None:
    """Compare methods. Each seed also renumbers the vertices, so that their order cannot matter.

    Particles far away repel as groups in networks of more than 1,000 vertices.
    """
    import igraph
    import leidenalg

    def particles(graph: Graph, seed: int) -> np.ndarray:
        program = ParticleCommunities(seed=seed, error=0.1 * (graph.num_vertices > 1000))
        result = Engine(graph, device).run(program, max_supersteps=3000, not_converged="ignore")
        if "community" not in result.fields:  # nearly at rest
            there = ParticleCommunities(seed=seed, supersteps=0, position=result.position)
            result = Engine(graph, device).run(there)
        return result.community

    def propagation(graph: Graph, seed: int) -> np.ndarray:
        return Engine(graph, device).run(LabelPropagation(supersteps=30)).label

    def leiden(graph: Graph, seed: int) -> np.ndarray:
        ends = np.stack([graph.edge_src, graph.edge_dst], axis=1).tolist()
        made = igraph.Graph(graph.num_vertices, ends)
        partition = leidenalg.ModularityVertexPartition
        return np.array(leidenalg.find_partition(made, partition, seed=seed).membership)

    methods: dict[str, Callable] = {
        "particles": particles,
        "leidenalg": leiden,
        "label propagation": propagation,
    }
    head = ["network", "groups"]
    head += [f"{name}: {what}" for name in methods for what in ("ARI", "NMI", "groups")]
    networks = known(folder)
    seeds_of = {name: [(graph, truth)] * seeds for name, (graph, truth) in networks.items()}
    drawn = [planted(REPORTED + seed, sizes) for seed in range(seeds)]
    seeds_of |= {name: [each[name] for each in drawn] for name in drawn[0]}
    lines, means = [], []
    for name, every in seeds_of.items():
        groups = np.mean([len(np.unique(truth)) for _, truth in every])
        line, both = [name, f"{groups:.0f}"], []
        for method in methods.values():
            scores = []
            for seed, (graph, truth) in enumerate(every):
                n = graph.num_vertices
                order = np.random.default_rng(seed).permutation(n)
                ends = order[graph.edge_src], order[graph.edge_dst]
                found = method(Graph.from_edges(*ends, num_vertices=n, directed=False), seed)[order]
                scores.append(
                    (
                        adjusted_rand(found, truth),
                        mutual_information(found, truth),
                        len(np.unique(found)),
                    )
                )
            columns = np.transpose(scores)
            line += [f"{column.mean():.2f} ± {column.std():.2f}" for column in columns[:2]]
            line.append(f"{columns[2].mean():.0f}")
            both.append(columns[:2].mean())
        means.append(both)
        lines.append(line)
        print("| " + " | ".join(line) + " |", file=sys.stderr, flush=True)
    print(f"Mean and standard deviation of {seeds} seeds.\n\n{table(head, lines)}\n")
    for method, mean in zip(methods, np.mean(means, axis=0), strict=True):
        print(f"{method}: {mean:.3f}, the mean of ARI and NMI over all networks")
    print(flush=True)


# Speed.


def network(vertices: int, per_vertex: int, few: bool) -> Graph:
    """An LFR network with groups of known sizes."""
    sizes = (vertices // 12, vertices // 5) if few else (20, 60)
    return lfr(
        vertices,
        average_degree=2 * per_vertex,
        max_degree=5 * per_vertex,
        mixing=0.2,
        min_community=sizes[0],
        max_community=sizes[1],
        seed=1,
    )


def start(vertices: int) -> np.ndarray:
    drawn = np.random.RandomState(0).uniform(-1, 1, (vertices, 3))
    return (drawn * vertices**0.25 / 2).astype(np.float32)


class InNumPy:
    """The model with the V x V matrix, computed in blocks of rows, in float32."""

    def __init__(self, graph: Graph):
        self.adjacent = np.zeros((graph.num_vertices, graph.num_vertices), bool)
        self.adjacent[graph.edge_src, graph.edge_dst] = True
        self.adjacent |= self.adjacent.T
        self.degree = np.maximum(self.adjacent.sum(1, dtype=np.float32), 1)

    def run(self, p: ParticleCommunities, supersteps: int, dtype: Any = np.float32) -> np.ndarray:
        position = start(len(self.degree)).astype(dtype)
        kept, steady = np.zeros_like(position), np.zeros(len(position), dtype)
        for _ in range(supersteps):
            velocity = np.empty_like(position)
            for i in range(0, len(position), 512):
                rows = slice(i, i + 512)
                away = position[rows, :, None] - position.T[None]
                far = np.sqrt(np.einsum("ijk,ijk->ik", away, away) + dtype(p.softening**2))
                push = np.where(self.adjacent[rows], -p.alpha, p.beta * np.exp(-p.gamma * far))
                force = np.einsum("ijk,ik->ij", away, (push / far).astype(dtype))
                velocity[rows] = force / self.degree[rows, None]
            steady = np.where(np.einsum("ij,ij->i", velocity, kept) > 0, steady + 1, 0)
            kept = velocity + np.minimum(steady / (steady + 3), 0.9)[:, None].astype(dtype) * kept
            reaches = p.step * p.gamma * np.linalg.norm(kept, axis=1)[:, None]
            kept /= np.maximum(reaches, 1).astype(dtype)
            position += dtype(p.step) * kept
        return position


class Values(ctypes.Structure):
    """The struct `values` of communities.c."""

    names = ("alpha", "beta", "gamma", "softening", "step", "tolerance")
    _fields_ = [(name, ctypes.c_float) for name in names]


class InC:
    """communities.c, compiled by gcc with these flags."""

    def __init__(self, folder: str, flags: str):
        library = Path(folder) / f"{len(flags)}.so"
        source = Path(__file__).with_name("communities.c")
        command = ["gcc", *flags.split(), "-shared", "-fPIC", str(source), "-o", str(library)]
        subprocess.run([*command, "-lm"], check=True)
        self.to_rest = ctypes.CDLL(str(library)).to_rest
        pointer = ctypes.c_void_p
        self.to_rest.argtypes = [ctypes.c_int, *[pointer] * 5, Values, ctypes.c_int]

    def run(self, graph: Graph, p: ParticleCommunities, most: int) -> tuple[int, np.ndarray]:
        arcs = graph.arcs("out")
        offsets, ends = (
            np.ascontiguousarray(a, np.int32) for a in (arcs.out_offsets, arcs.out_targets)
        )
        position = np.ascontiguousarray(start(graph.num_vertices).T)
        arrays = [a.ctypes.data for a in (offsets, ends, *position)]
        values = Values(*(getattr(p, name) for name in Values.names))
        return self.to_rest(graph.num_vertices, *arrays, values, most), position.T


def speed(rounds: int, device: Any) -> None:
    """Run the contenders alternately; first check each against NumPy in float64."""
    program = ParticleCommunities()
    with tempfile.TemporaryDirectory() as folder:
        contenders: dict[str, InC] = {}
        if shutil.which("gcc"):
            for flags in ("-O3", "-O3 -march=native -ffast-math"):
                contenders[f"C, {flags}"] = InC(folder, flags)
        else:
            print("gcc is not installed: C is left out.\n")
        head = ["vertices", "edges", "supersteps", "gascl, s", "pairs/s", "whole call, s"]
        head += [f"{name}, s" for name in contenders] + ["NumPy, s"]
        head += [f"{name} / gascl" for name in [*contenders, "NumPy"]] + ["ARI"]
        lines = []
        for vertices, per_vertex, few in NETWORKS:
            graph = network(vertices, per_vertex, few)
            lines.append(one_network(graph, program, contenders, rounds, device))
            print("| " + " | ".join(lines[-1]) + " |", file=sys.stderr, flush=True)
    print(f"Time to convergence, medians of {rounds} rounds.\n\n{table(head, lines)}\n", flush=True)


def one_network(
    graph: Graph,
    program: ParticleCommunities,
    contenders: dict[str, InC],
    rounds: int,
    device: Any,
) -> list[str]:
    engine, numpy = Engine(graph, device), InNumPy(graph)
    expected = numpy.run(program, COMPARED, np.float64)
    values = {"supersteps": COMPARED, "position": start(graph.num_vertices)}
    agree("gascl", engine.run(ParticleCommunities(**values)).position, expected)
    agree("NumPy", numpy.run(program, COMPARED), expected)
    for name, contender in contenders.items():
        agree(name, contender.run(graph, program, COMPARED)[1], expected)
    result = engine.run(program)
    supersteps, _ = moving(result)
    for name, contender in list(contenders.items())[-1:]:  # only the fastest, until it converges
        needed, position = contender.run(graph, program, 100_000)
        there = ParticleCommunities(position=position, supersteps=0)
        alike = adjusted_rand(engine.run(there).community, result.community)
        if alike < ALIKE:
            sys.exit(f"refused: {name} ends after {needed} with other communities: {alike:.3f}")
    seconds: dict[str, list[float]] = {n: [] for n in ("gascl", "whole", *contenders, "NumPy")}
    for _ in range(rounds):
        took, result = timed(lambda: engine.run(program))
        seconds["gascl"].append(moving(result)[1])
        seconds["whole"].append(took)
        for name, contender in contenders.items():
            took, _ = timed(lambda c=contender: c.run(graph, program, TURN))
            seconds[name].append(took / TURN * supersteps)
        took, _ = timed(lambda: numpy.run(program, COMPARED))
        seconds["NumPy"].append(took / COMPARED * supersteps)
    median = {name: float(np.median(times)) for name, times in seconds.items()}
    pairs = graph.num_vertices * (graph.num_vertices - 1) * supersteps
    line = [f"{graph.num_vertices:,}", f"{graph.num_edges:,}", str(supersteps)]
    line += [f"{median['gascl']:.3f}", f"{pairs / median['gascl']:.2e}", f"{median['whole']:.3f}"]
    line += [f"{median[name]:.2f}" for name in (*contenders, "NumPy")]
    for name in (*contenders, "NumPy"):
        ratios = np.array(seconds[name]) / seconds["gascl"]
        line.append(f"{np.median(ratios):.1f}")
    truth = graph.vertex_fields["community"]
    return [*line, f"{adjusted_rand(truth, result.community):.3f}"]


def moving(result: Any) -> tuple[int, float]:
    """The supersteps in which particles moved, and their seconds; others find communities."""
    steps = [step for step in result.trace if step.program in ("Particles", "NearAndFar")]
    return len(steps), sum(step.seconds for step in steps)


def agree(name: str, position: np.ndarray, expected: np.ndarray) -> None:
    worst = float(np.abs(position - expected).max())
    if not worst < APART:
        sys.exit(f"refused: {name} is {worst:.1e} away from NumPy in float64, more than {APART}")


def timed(run: Callable) -> tuple[float, Any]:
    started = time.perf_counter()
    found = run()
    return time.perf_counter() - started, found


def large(sizes: list[int], rounds: int, device: Any) -> None:
    """LFR networks with 8 edges per vertex, in groups of 20 to 200, from the start and continued
    after 1 % of the edges were replaced; also exact up to EXACT vertices."""
    head = ["vertices", "`error`", "edges replaced", "supersteps until rest", "their kernels, s"]
    lines = []
    for vertices in sizes:
        groups = {"min_community": 20, "max_community": 200}
        graph = lfr(vertices, average_degree=16, max_degree=50, mixing=0.3, seed=1, **groups)
        engine, changed = Engine(graph, device), Engine(replaced(graph, 0.01), device)
        for error in [0.0, 0.1] if vertices <= EXACT else [0.1]:
            cold, warm = [], []
            for _ in range(1 + rounds):  # the first builds the kernels
                cold.append(timed(partial(run, engine, error, keep_state=True)))
                warm.append(timed(partial(run, changed, error, state=cold[-1][1].state)))
            for name, runs in (("none", cold), ("1 %", warm)):
                took, result = sorted(runs[1:], key=lambda each: each[0])[rounds // 2]
                supersteps, rest = moving(result)
                ari = adjusted_rand(graph.vertex_fields["community"], result.community)
                line = [f"{vertices:,}", f"{error:g}", name, str(supersteps), f"{rest:.3f}"]
                lines.append([*line, str(result.supersteps), f"{took:.2f}", f"{ari:.3f}"])
    head += ["all supersteps", "the whole call, s", "ARI"]
    print(table(head, lines) + "\n", flush=True)


def run(engine: Engine, error: float, **options: Any) -> Any:
    result = engine.run(ParticleCommunities(error=error), **options)
    np.asarray(result.community)  # which is then on the host
    return result


def replaced(graph: Graph, part: float) -> Graph:
    """A graph in which such a part of the edges were replaced by random ones."""
    rng = np.random.default_rng(2)
    gone = rng.choice(graph.num_edges, round(part * graph.num_edges), replace=False)
    new = rng.integers(0, graph.num_vertices, (len(gone), 2))
    old = zip(graph.edge_src[gone].tolist(), graph.edge_dst[gone].tolist(), strict=True)
    return graph.with_edges(add=new.tolist(), remove=list(old))


def picture(file: Path, device: Any) -> None:
    """Draw the block model of the tests, whose groups split and merge over twenty steps."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
    from support.block_model import changing

    from gascl.communities.pictures import history
    from gascl.communities.tracking import track

    moments = list(track(changing(), device=device))
    for moment in moments:
        print(*moment.events, sep="\n", end="\n" if moment.events else "")
    history(moments)[0].figure.savefig(file, dpi=70)


if __name__ == "__main__":
    main()
