from bench_tmp import *

OLD = cc.Hooked.__dict__
BASE = cc.Hooked.spec
FUN = """
        #define IS_ROOT(id) (component_of(id) == (id))
        #define FOLLOW(id) for (int i = 0, up; i < 12 && (up = component_of(id)) != id; ++i) id = up
"""
P1 = """
        if (has_msg) {
            v.component = min(v.component, msg);
            set_mask();
            return;
        }
        int most = component_of(g.hub), root = v.component;
        FOLLOW(most);
        for (int i = 0, up; i < 12 && root != most && (up = component_of(root)) != root; ++i)
            root = up;
        if (get_mask()) {
            for (int k = 0; root != most && k < num_neighbors; ++k) {
                int theirs = component_of(neighbor(k));
                FOLLOW(theirs);
                if (root != theirs) {
                    send_to(max(root, theirs), min(root, theirs));
                    FOLLOW(root);
                    FOLLOW(theirs);
                    if (root != theirs) {
                        set_mask();
                        break;
                    }
                }
                FOLLOW(most);
            }
        }
        v.component = root;
        if (%s)
            set_mask();
"""
ROOT = "!IS_ROOT(root)"
P1t = P1 % ROOT
# the hub's root is known to be one
P2t = P1t.replace(
    "FOLLOW(most);\n        for",
    "int above = most;\n        for (int i = 0; i < 12 && (above = component_of(most)) != most; ++i)\n            most = above;\n        for",
    1,
).replace(ROOT, "root == most ? above != most : !IS_ROOT(root)")
# v's own neighbor only where it is not in the hub's tree by one look
K1 = [
    (
        "packing.word = *(volatile __global const gascl_packed *)&words[is ? id : 0];",
        "packing.word = words[is ? id : 0];",
    )
]
OLDSHARE = """    GASCL_FOR_SHARE(id, gascl_run_->graph.num_vertices, 4096) {
        const bool waited = GASCL_WAITS_NOW(id);
        if (waited) {
            GASCL_WAITS_NOW(id) = 0;
            gascl_fence();
        }
        waiting += gascl_apply_in_place((int)id, waited, tally, GASCL_STATE_ON);
    }
"""


def batch(n):
    return [
        (
            OLDSHARE,
            """    const int all = gascl_run_->graph.num_vertices, step = team.groups * GASCL_GROUP;
    for (long from = (long)team.rank * GASCL_GROUP + get_local_id(0); from < all; from += (long)step * AT_ONCE) {
        uint waited = 0;
        _Pragma("unroll") for (int k = 0; k < AT_ONCE; ++k)
            if (from + (long)k * step < all)
                waited |= (uint)(GASCL_WAITS_NOW(from + (long)k * step) != 0) << k;
        for (int k = 0; k < AT_ONCE; ++k)
            if (waited >> k & 1)
                GASCL_WAITS_NOW(from + (long)k * step) = 0;
        if (waited)
            gascl_fence();
        for (int k = 0; k < AT_ONCE; ++k)
            if (from + (long)k * step < all)
                waiting += gascl_apply_in_place((int)(from + (long)k * step), waited >> k & 1, tally, GASCL_STATE_ON);
    }
""".replace("AT_ONCE", str(n)),
        )
    ]


NOFENCE = [(OLDSHARE, OLDSHARE.replace("gascl_fence();", ""))]
P0 = cc.Hooked.apply if isinstance(vars(cc.Hooked).get("apply"), str) else None


def made(name, text):
    body = dict(
        component=gascl.vertex.vertex(init="num_neighbors ? min(v.id, neighbor(0)) : v.id"),
        message="vertex",
        combine="min",
        order="any",
        edges="both",
        apply_on="all",
        receive_if="v.component == v.id",
        functions=FUN,
        apply=text,
    )
    hooked = type("H" + name, (gascl.VertexProgram,), body)
    return type("C" + name, (cc.ConnectedComponents,), {"in_any_order": lambda self: hooked()})


import inspect, re

P0 = re.search(r'apply = """(.*?)"""', inspect.getsource(cc.Hooked), re.S).group(1)
V = {
    "P0": (P0, []),
    "P0 plain": (P0, K1),
    "P0 batch8": (P0, batch(8)),
    "P0 nofence": (P0, NOFENCE),
    "P1": (P1t, []),
    "P1 plain": (P1t, K1),
    "P2": (P2t, []),
    "P2 plain": (P2t, K1),
    "P2 batch4": (P2t, batch(4)),
    "P2 batch8": (P2t, batch(8)),
    "P2 plain batch8": (P2t, K1 + batch(8)),
    "P2 plain batch16": (P2t, K1 + batch(16)),
    "P2 nofence": (P2t, NOFENCE),
}
CLASSES = {n: made(re.sub(r"\W", "_", n), t) for n, (t, _) in V.items()}


def components(name, g, which):
    e = Eng(g)
    first = None
    for v in which:
        if time.time() - T0 > LIMIT:
            say("no time", name, v)
            break
        PATCH[0] = V[v][1]
        try:
            r, t, ker = warm(e, CLASSES[v](), 12)
        except Exception as x:
            say(name, v, "FAILED", repr(x)[:300])
            continue
        finally:
            PATCH[0] = None
        c = np.asarray(r.component)
        if first is None:
            first = c
            s, d = np.asarray(g.edge_src), np.asarray(g.edge_dst)
            assert (c[s] == c[d]).all() and (c[c] == c).all() and (c <= np.arange(len(c))).all()
            s = d = None
        good = "ok" if np.array_equal(c, first) else "WRONG"
        say(
            name,
            v,
            "wall",
            ms(t),
            "kernels",
            f"{ker * 1e3:.3f}",
            good,
            r.delivery,
            [f"{sum(x.seconds for x in s.kernels) * 1e6:.0f}" for s in r.trace][:8],
        )


say("karate bfs", ms(warm(k, BreadthFirst(source=1), 100)[1]))
timeline(k, BreadthFirst(source=1))
g = drawn("rmat", SCALE)
say("rmat", g.num_vertices, g.num_arcs)
e = Eng(g)
hub = int(np.argmax(g.out_degree))
p = BreadthFirst(source=hub)
r, t, ker = warm(e, p, 40)
say("rmat bfs wall", ms(t), "kernels", f"{ker * 1e3:.3f}", len(r.trace))
timeline(e, p)
state_._IDLE = 2**50
r, t, ker = warm(e, p, 40)
say("rmat bfs, all kept: wall", ms(t), "kernels", f"{ker * 1e3:.3f}")
timeline(e, p)
state_._IDLE = 2**18
e = None
components("rmat", g, [*V])
g = None
components(
    "uniform",
    drawn("uni", SCALE),
    ["P0", "P0 plain", "P2", "P2 plain", "P2 batch8", "P2 plain batch8", "P2 nofence"],
)
for name, g in (
    ("grid", grid(3000 if SCALE == 22 else 300)),
    ("path", path(2 ** (SCALE - 2))),
    ("straight", path(2 ** (SCALE - 2), False)),
    ("small", small(2 ** (SCALE - 1))),
    ("star", star(2 ** (SCALE - 2))),
):
    components(name, g, ["P0", "P2", "P2 plain", "P2 plain batch8", "P2 batch8"])
if SCALE == 22 and time.time() - T0 < LIMIT - 30:
    g = drawn("rmat", 24)
    say("rmat24", g.num_vertices, g.num_arcs)
    components("rmat24", g, ["P0", "P2", "P2 plain", "P2 plain batch8"])
say("end")
