"""The documentation's program for components in place, before and after, by several ways.

    PYTHONPATH=.:tests GASCL_DEVICE=NVIDIA python gpu_try.py [SCALE]
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import traceback

import numpy as np

BEGAN, MOST = time.time(), 150
VARIANTS = ["", "turns", "prefetch"]  # "": as on main

AP = """
    if (has_msg) {
        v.root = min(v.root, msg);
        set_mask();
        return;
    }
    int mine = v.root%s;
    FIND(mine);%s
    for (int i = 0; %sget_mask() && i < num_neighbors; ++i) {
        int other = neighbor(i);
        FIND(other);
        if (mine == other)
            continue;
        send_to(max(mine, other), min(mine, other));
        FIND(mine);
        FIND(other);%s
        if (mine != other)
            set_mask();
    }
    v.root = mine;
"""


def programs():
    from gascl import VertexProgram, vertex
    from gascl.programs import ConnectedComponents

    class Before(VertexProgram):
        root = vertex.int32(init="num_neighbors ? min(v.id, neighbor(0)) : v.id")
        message, combine, edges = "int32", "min", "both"
        order, apply_on = "any", "all"
        receive_if = "v.root == v.id"
        functions = "#define FIND(id) while (root_of(id) != (id)) id = root_of(id)"
        apply = AP % ("", "", "", "")

    class After(VertexProgram):
        root = vertex.int32(init="num_neighbors ? min(v.id, neighbor(0)) : v.id")
        message, combine, edges = "int32", "min", "both"
        order, apply_on = "any", "all"
        receive_if = "v.root == v.id"
        functions = "#define FIND(id) while (root_of(id) != (id)) id = root_of(id)"
        apply = AP % (
            ", most = max(g.hub, 0)", " FIND(most);", "mine != most && ", " FIND(most);"
        )

    return {
        "before": (Before, "root"), "after": (After, "root"),
        "bundled": (ConnectedComponents, "component"),
    }


def edges_of(name, scale):
    n = 1 << scale
    rng = np.random.default_rng(5)
    if name == "rmat":
        src = np.zeros(16 * n, np.int32)
        dst = np.zeros(16 * n, np.int32)
        for _ in range(scale):
            r = rng.random(16 * n, np.float32)
            src = 2 * src + (r >= 0.76)
            dst = 2 * dst + (((r >= 0.57) & (r < 0.76)) | (r >= 0.95))
        order = rng.permutation(n).astype(np.int32)
        return order[src], order[dst], n
    if name == "uniform":
        return *rng.integers(0, n, (2, 16 * n), np.int32), n
    if name == "star":
        return np.zeros(n, np.int32), np.arange(1, n + 1, dtype=np.int32), n + 1
    if name == "two stars":
        order = rng.permutation(n + n // 2 + 2).astype(np.int32)
        src = np.repeat([0, n + 1], [n, n // 2])
        dst = np.concatenate([np.arange(1, n + 1), np.arange(n + 2, n + n // 2 + 2)])
        return order[src], order[dst], len(order)
    side = 1000 if scale == 20 else 1 << scale // 2
    grid = np.arange(side * side, dtype=np.int32).reshape(side, side)
    return (
        np.concatenate([grid[:, :-1].ravel(), grid[:-1].ravel()]),
        np.concatenate([grid[:, 1:].ravel(), grid[1:].ravel()]),
        side * side,
    )


def make(folder, scale):
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    names = ["star", "two stars", "rmat", "uniform", "grid"]
    for name in names:
        src, dst, n = edges_of(name, scale)
        links = coo_array((np.ones(len(src), np.int8), (src, dst)), (n, n)).tocsr()
        _, labels = connected_components(links, directed=False)
        least = np.full(n, n)
        np.minimum.at(least, labels, np.arange(n))
        np.savez(f"{folder}/{name}.npz", src=src, dst=dst, n=n, least=least[labels])
    return names


def measure(variant, folder, scale, names):
    from gascl import Engine, Graph

    known = programs()
    for name in names:
        with np.load(f"{folder}/{name}.npz") as given:
            graph = Graph.from_edges(
                given["src"], given["dst"], num_vertices=int(given["n"]), directed=False
            )
            least = given["least"]
        engine = Engine(graph)
        ways = [(p, "auto") for p in known]
        if not variant:
            ways.append(("after", "push"))
        for program, delivery in ways:
            if time.time() - BEGAN > MOST - 15:
                print("out of time", flush=True)
                return
            make_one, field = known[program]
            wall, kernels, right = [], [], True
            try:
                for turn in range(4):
                    started = time.perf_counter()
                    result = engine.run(make_one(), delivery=delivery)
                    took = (time.perf_counter() - started) * 1e3
                    right &= bool(np.array_equal(result[field], least))
                    if turn:
                        wall.append(took)
                        kernels.append(sum(step.seconds for step in result.trace) * 1e3)
                    if turn and took > 4000:
                        break
                print(
                    f"{variant or 'main':9} {name:10} {program:8} {delivery:5} "
                    f"{'right' if right else 'WRONG'} whole run {np.median(wall or [took]):9.3f} ms,"
                    f" kernels {np.median(kernels or [0]):9.3f} ms, {result.delivery} "
                    f"{result.supersteps} {'; '.join(map(str, result.trace.notes))[:90]}",
                    flush=True,
                )
            except Exception as error:
                traceback.print_exc(limit=2)
                print(f"{variant or 'main':9} {name} {program}: {error!r}"[:300], flush=True)


def main():
    if sys.argv[1:2] == ["--measure"]:
        global BEGAN
        variant, folder, scale, BEGAN = json.loads(sys.argv[2])
        names = ["star", "two stars", "rmat", "uniform", "grid"]
        measure(variant, folder, scale, names)
        return
    scale = int(sys.argv[1]) if sys.argv[1:] else 20
    with tempfile.TemporaryDirectory() as folder:
        make(folder, scale)
        print(f"graphs made after {time.time() - BEGAN:.0f} s", flush=True)
        for variant in VARIANTS:
            left = MOST - (time.time() - BEGAN)
            given = json.dumps([variant, folder, scale, BEGAN])
            environment = os.environ | {"GASCL_TRY": variant}
            command = [sys.executable, __file__, "--measure", given]
            try:
                subprocess.run(command, env=environment, timeout=max(left, 1))
            except subprocess.TimeoutExpired:
                print(f"{variant or 'main'}: stopped", flush=True)
        print(f"{time.time() - BEGAN:.0f} s", flush=True)


if __name__ == "__main__":
    main()
