import os, sys, time, statistics as st, warnings

sys.path.insert(0, "benchmarks")
warnings.simplefilter("ignore")
import numpy as np, pyopencl as cl
import gascl
from gascl import Engine, Graph
from gascl.programs import BreadthFirst, ConnectedComponents, PageRank
import gascl.programs.connected_components as cc
import gascl.run.plan as plan, gascl.run.state as state_, gascl.run.engine as engine_, gascl.run.launcher as la
import gascl.run.supersteps as ss, gascl.opencl.device as dev

T0 = time.time()
LIMIT = float(os.environ.get("LIMIT", 92))
SCALE = int(os.environ.get("SCALE", 22))
say = lambda *a: print(f"{time.time() - T0:5.1f}", *a, flush=True)
ms = lambda t: f"{1e3 * st.median(t):.3f} ({1e3 * min(t):.3f})"
GROUP = int(os.environ.get("GROUP", 0))
k = Engine(Graph.dataset("karate"))
D = k.device
if GROUP:
    D = dev.Device(D.cl, group=GROUP)
Eng = (lambda g: Engine(g, D)) if GROUP else Engine
k = Eng(Graph.dataset("karate"))
say(D, sys.version.split()[0])
GEN = """
ulong mix(ulong z){ z += 0x9e3779b97f4a7c15ul; z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul; z = (z ^ z >> 27) * 0x94d049bb133111ebul; return z ^ z >> 31; }
__kernel void rmat(int scale, ulong seed, __global const int *p, __global int *s, __global int *d) {
    long i = get_global_id(0); int a = 0, b = 0;
    for (int l = 0; l < scale; ++l) { uint r = (uint)(mix(i * 64 + l + (seed << 50)) >> 32);
        int h = r >= (uint)(0.76 * 4294967296.0), w = (r >= (uint)(0.57 * 4294967296.0) && !h) || r >= (uint)(0.95 * 4294967296.0);
        a = a << 1 | h; b = b << 1 | w; }
    s[i] = p[a]; d[i] = p[b]; }
__kernel void uni(int scale, ulong seed, __global const int *p, __global int *s, __global int *d) {
    long i = get_global_id(0); s[i] = i >> 4; d[i] = mix(i + (seed << 50)) >> (64 - scale); }
"""


def drawn(kind, scale):
    prog = cl.Program(D.context, GEN).build()
    n, m = 1 << scale, 16 << scale
    perm = np.random.default_rng(3).permutation(n).astype(np.int32)
    P = D.upload(perm)
    out = [D.reserve(4 * m) for _ in range(2)]
    getattr(prog, kind)(D.queue, (m,), None, np.int32(scale), np.uint64(1), P, *out)
    s, d = np.empty(m, np.int32), np.empty(m, np.int32)
    cl.enqueue_copy(D.queue, s, out[0])
    cl.enqueue_copy(D.queue, d, out[1])
    for b in out:
        b.release()
    return Graph.from_edges(s, d, num_vertices=n, directed=False)


def lists(s, t, n):
    return Graph.from_edges(s.astype(np.int32), t.astype(np.int32), num_vertices=n, directed=False)


def grid(side):
    i = np.arange(side * side, dtype=np.int32).reshape(side, side)
    return lists(
        np.concatenate([i[:, :-1].ravel(), i[:-1].ravel()]),
        np.concatenate([i[:, 1:].ravel(), i[1:].ravel()]),
        side * side,
    )


def path(n, mixed=True):
    p = np.random.default_rng(2).permutation(n) if mixed else np.arange(n)
    return lists(p[:-1], p[1:], n)


def small(n):
    i = np.arange(n)
    i = i[i % 4 != 3]
    return lists(i, i + 1, n)


def star(n):
    i = np.arange(1, n)
    return lists(i * 0, i, n)


built, PATCH = plan._built, [None]


def patched(text, options, device):
    for old, new in PATCH[0] or ():
        assert old in text, old[:80]
        text = text.replace(old, new)
    return built(text, options, device)


plan._built = patched


def warm(e, p, n=15):
    r = e.run(p)
    r = e.run(p)
    t = []
    for _ in range(n):
        a = time.perf_counter()
        r = e.run(p)
        t.append(time.perf_counter() - a)
    ker = [sum(x.seconds for s in e.run(p).trace for x in s.kernels) for _ in range(3)]
    return r, t, min(ker)


LOG, DEPTH = [], [0]


def wrapped(owner, name, label=None):
    old = getattr(owner, name)
    label = label or name

    def f(*a, **kw):
        s = time.perf_counter()
        DEPTH[0] += 1
        try:
            return old(*a, **kw)
        finally:
            DEPTH[0] -= 1
            LOG.append((s, DEPTH[0], label, time.perf_counter()))

    setattr(owner, name, f)
    return owner, name, old


def timeline(e, p, n=60):
    for _ in range(5):
        e.run(p)
    saved = [
        wrapped(*x)
        for x in (
            (engine_.Engine, "_prepare"),
            (engine_, "inputs"),
            (engine_.State, "__init__", "State"),
            (state_.State, "_allocate"),
            (dev.Device, "release"),
            (dev.Device, "allocate"),
            (state_.State, "_send"),
            (ss.Loop, "__init__", "Loop"),
            (engine_.Engine, "_long_run"),
            (ss.Loop, "run"),
            (ss.Loop, "_fill"),
            (ss.Loop, "_launch_persistent"),
            (la.Launcher, "_arguments"),
            (plan.Kernels, "with_arguments"),
            (cl, "enqueue_nd_range_kernel"),
            (cl, "enqueue_copy"),
            (cl, "enqueue_fill_buffer"),
            (la, "wait"),
            (la.Launcher, "read"),
            (ss.Loop, "_add"),
            (state_.State, "end"),
            (engine_, "ResultFields"),
            (engine_, "Result"),
            (engine_.Engine, "_supersteps"),
            (engine_.Engine, "_run_one"),
            (engine_.Engine, "_form"),
        )
    ]
    rows, r = [], None
    for _ in range(n):
        LOG.clear()
        a = time.perf_counter()
        r = e.run(p)
        b = time.perf_counter()
        rows.append((b - a, sorted((s - a, d, l, f - a) for s, d, l, f in LOG)))
    for owner, name, old in saved:
        setattr(owner, name, old)
    rows.sort(key=lambda x: x[0])
    total, row = rows[n // 2]
    print(f"  timeline {total * 1e6:.0f} us")
    alike = [x[1] for x in rows if [q[1:3] for q in x[1]] == [q[1:3] for q in row]]
    for j, q in enumerate(row):
        print(
            "  " + "  " * q[1],
            q[2],
            f"{st.median(x[j][0] for x in alike) * 1e6:.0f}-{st.median(x[j][3] for x in alike) * 1e6:.0f}",
        )
