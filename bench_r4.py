from bench_tmp import *
import inspect, re
NOW = re.search(r'apply = """(.*?)"""', inspect.getsource(cc.Hooked), re.S).group(1)
FUN = cc.Hooked._declared.snippets['apply'] and '''
        #define IS_ROOT(id) (component_of(id) == (id))
        #define FOLLOW(id) for (int i = 0, up; i < 12 && (up = component_of(id)) != id; ++i) id = up
'''
EARLY = NOW[:NOW.index('        int most')] + """        int most = component_of(max(g.hub, 0)), root = v.component;
        FOLLOW(most);
        for (int i = 0, up; i < 12 && root != most && (up = component_of(root)) != root; ++i)
            root = up;
""" + NOW[NOW.index('        for (int k = 0; root'):]
OLD = '''
        if (has_msg) {
            v.component = min(v.component, msg);
            set_mask();
            return;
        }
        int root = v.component;
        FOLLOW(root);
        if (get_mask()) {
            for (int k = 0; k < num_neighbors; ++k) {
                int most = component_of(g.hub), theirs = component_of(neighbor(k));
                FOLLOW(most);
                if (root == most)
                    break;
                FOLLOW(theirs);
                if (root == theirs)
                    continue;
                send_to(max(root, theirs), min(root, theirs));
                FOLLOW(root);
                FOLLOW(theirs);
                if (root != theirs) {  // not yet
                    set_mask();
                    break;
                }
            }
        }
        v.component = root;
        if (!IS_ROOT(root))
            set_mask();
'''
phases = open('gascl/codegen/kernels/in_place/phases.cl').read()
i = phases.index('// So many vertices of an item apply between'); j = phases.index('#endif\n\nstatic GASCL_INLINE void gascl_run_phase')
VOL = [('packing.word = words[is ? id : 0];', 'packing.word = *(volatile __global const gascl_packed *)&words[is ? id : 0];')]
KERNEL = VOL + [(phases[i:j], '''static int gascl_apply_share(const gascl_team team, gascl_tally *tally, GASCL_STATE) {
    int waiting = 0;
    GASCL_FOR_SHARE(id, gascl_run_->graph.num_vertices, 4096) {
        const bool waited = GASCL_WAITS_NOW(id);
        if (waited) {
            GASCL_WAITS_NOW(id) = 0;
            gascl_fence();
        }
        waiting += gascl_apply_in_place((int)id, waited, tally, GASCL_STATE_ON);
    }
    return waiting;
}
''')]
V = {'before': (OLD, KERNEL), 'now': (NOW, None), 'early': (EARLY, None)}
def made(name, text):
    body = dict(component=gascl.vertex.vertex(init="num_neighbors ? min(v.id, neighbor(0)) : v.id"), message="vertex", combine="min", order="any",
                edges="both", apply_on="all", receive_if="v.component == v.id", functions=FUN, apply=text)
    hooked = type('H' + name, (gascl.VertexProgram,), body)
    return type('C' + name, (cc.ConnectedComponents,), {'in_any_order': lambda self: hooked()})
C = {n: made(n, t)() for n, (t, _) in V.items()}
def components(name, g, rounds=3, n=12):
    e = Eng(g); first = None; times = {v: [] for v in V}; kers = {v: [] for v in V}; last = {}
    for q in range(rounds):
        for v in V:
            PATCH[0] = V[v][1]
            try: r, t, ker = warm(e, C[v], n)
            except Exception as x: say(name, v, 'FAILED', repr(x)[:300]); continue
            finally: PATCH[0] = None
            times[v].append(st.median(t)); kers[v].append(ker); last[v] = r
            c = np.asarray(r.component)
            if first is None:
                first = c; s, d = np.asarray(g.edge_src), np.asarray(g.edge_dst)
                assert (c[s] == c[d]).all() and (c[c] == c).all() and (c <= np.arange(len(c))).all(); s = d = None
            if not np.array_equal(c, first): say(name, v, 'WRONG')
    for v in V:
        if v in last: say(name, v, 'wall medians', [round(1e3 * x, 3) for x in times[v]], 'kernels', [round(1e3 * x, 3) for x in kers[v]], last[v].delivery, [f'{sum(x.seconds for x in s.kernels)*1e6:.0f}' for s in last[v].trace][:8])
g = drawn('rmat', SCALE); say('rmat'); components('rmat', g, 4); g = None
components('uniform', drawn('uni', SCALE))
components('grid', grid(3000 if SCALE == 22 else 300))
for name, g in (('path', path(2**(SCALE - 2))), ('straight', path(2**(SCALE - 2), False)), ('small', small(2**(SCALE - 1))), ('star', star(2**(SCALE - 2)))): components(name, g, 2)
if SCALE == 22: components('rmat24', drawn('rmat', 24), 2, 6)
say('end')
