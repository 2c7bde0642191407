from bench_tmp import *
import small_programs as sp, graphs
import gascl.run.plan as plan
from gascl.programs import MaximalIndependentSet
OLDV = open('bench_votes_old.txt').read(); NEWV = open('gascl/codegen/kernels/outbox/votes_group.cl').read()
def part(t, a, b): i = t.index(a); return t[i:t.index(b, i)]
PARTS = {n: (part(NEWV, *x), part(OLDV, *x)) for n, x in dict(copy=('static int gascl_copy_votes', '// Counts the votes whose'), count=('static void gascl_count_range', '// How many of the votes'), guess=('static gascl_group gascl_elect_together', 'static void gascl_gather(')).items()}
OLDG = open('bench_grouped_old.txt').read(); NEWG = open('gascl/codegen/kernels/outbox/grouped_group.cl').read()
GROUPED = [(part(NEWG, '// Reads what an item has next', '// Fetches sorted messages'), part(OLDG, '// A pass of a radix sort', '// Fetches sorted messages'))]
MAJ = (('all new', {}, None), ('old', {}, [*PARTS.values()]), ('copy only', {}, [PARTS['count'], PARTS['guess']]), ('count only', {}, [PARTS['copy'], PARTS['guess']]), ('guess only', {}, [PARTS['copy'], PARTS['count']]), ('copy, guess', {}, [PARTS['count']]))
GRP = (('new', {}, None), ('old', {}, GROUPED))
VOLATILE = [('packing.word = words[is ? id : 0];\n#else', 'packing.word = *(volatile __global const gascl_packed *)&words[is ? id : 0];\n#else')]
def fresh(cls, name, old=False, **body):
    made = type(cls)(name, (cls,), {'__doc__': cls.__doc__, **body})
    if old: made.spec = made._declared
    return made
def each_ms(e, p, n=6):
    out, ker = [], []
    for _ in range(n + 1):
        r = e.run(p); out.append(sum(s.seconds for s in r.trace) / max(r.supersteps, 1))
    steps = list(r.trace); kinds = {}
    for x in steps[len(steps) // 2].kernels: kinds[x.name.replace('gascl_', '')] = round(x.seconds * 1e3, 4)
    return r, f'{st.median(out[1:])*1e3:.4f} ms', kinds
def kinds(name, ed):
    L = sp.Links(ed); e = Eng(ed.graph())
    truth = {}
    for label, cls, ref, variants in (('gather sum', sp.GatherSum, sp.gather, (('combined', {}, None), ('as written', {'old': True}, None))),
        ('majority', sp.MajorityVote, sp.majority_vote, MAJ),
        ('weighted vote', sp.WeightedVote, sp.weighted_vote, GRP), ('histogram', sp.Histogram, sp.histogram, GRP)):
        if time.time() - T0 > LIMIT: say('no time'); return
        try: want = ref(L)
        except Exception as x: say(label, 'no reference', repr(x)[:200]); want = None
        for v, how, patch in variants:
            PATCH[0] = patch
            try:
                p = fresh(cls, cls.__name__ + v.replace(' ', ''), **how)()
                r, t, k = each_ms(e, p)
                ok = want is None or all(np.array_equal(np.asarray(r.fields[n]).ravel(), np.asarray(w).ravel()) for n, w in want.items())
                say(name, label, v, t, r.delivery, 'ok' if ok else 'WRONG', k)
            except Exception as x: say(name, label, v, 'FAILED', repr(x)[:300])
            PATCH[0] = None
def cc(name, g, reps=4):
    e = Eng(g); r, t, ker = warm(e, ConnectedComponents(), 15)
    c = np.asarray(r.component); s, d = np.asarray(g.edge_src), np.asarray(g.edge_dst)
    assert (c[s] == c[d]).all() and (c[c] == c).all() and (c <= np.arange(len(c))).all(); s = d = None
    same = all(np.array_equal(np.asarray(e.run(ConnectedComponents()).component), c) for _ in range(reps))
    say('cc', name, 'wall', ms(t), 'kernels', f'{ker*1e3:.3f}', r.delivery, 'same' if same else 'DIFFERS', [f'{sum(x.seconds for x in s.kernels)*1e6:.0f}' for s in r.trace][:8])
def mis(name, g):
    e = Eng(g); first = None
    for v, patch in (('plain', None), ('volatile', VOLATILE)):
        PATCH[0] = patch
        cls = fresh(MaximalIndependentSet, 'MIS' + v)
        if hasattr(MaximalIndependentSet, 'in_any_order'):
            inner = type(MaximalIndependentSet().in_any_order())
            own = fresh(inner, 'Inner' + v)
            cls = fresh(MaximalIndependentSet, 'MIS' + v, in_any_order=lambda self: own(dtype=self.dtype))
        r, t, ker = warm(e, cls(), 8); PATCH[0] = None
        x = np.asarray(next(iter(r.fields.values()))); first = x if first is None else first
        say('mis', name, v, 'wall', ms(t), 'kernels', f'{ker*1e3:.3f}', r.delivery, r.supersteps, 'ok' if np.array_equal(x, first) else 'WRONG')
scale = min(SCALE, 20)
kinds('star', graphs.made(f'star{scale}', None) if scale == 20 else graphs.SHAPES['star'](scale))
from gascl.programs import SpanningForest
g = drawn('rmat', scale); w = (1 + np.arange(g.num_edges) * 7919 % 255).astype(np.float32)
for name, h in (('weights', g.with_edge_fields(weight=w)), ('none', g)):
    e = Eng(h); r = e.run(SpanningForest()); t, reads = [], []
    for _ in range(8):
        a = time.perf_counter(); r = e.run(SpanningForest()); b = time.perf_counter(); m = np.asarray(r.arc_fields['member']); c = time.perf_counter(); tr = np.asarray(r.tree); t.append(b - a); reads.append(c - b)
    say('forest', name, 'wall', ms(t), 'reading member', ms(reads), 'arcs', int(m.sum()), 'trees', len(np.unique(tr)), 'vertices', g.num_vertices, {k: round(v * 1e3, 1) for k, v in r.seconds.items()}, len(r.trace), 'kernels', round(1e3 * sum(x.seconds for s in r.trace for x in s.kernels), 2))
    assert m.sum() == 2 * (g.num_vertices - len(np.unique(tr)))
import cProfile, pstats
pr = cProfile.Profile(); pr.enable(); [e.run(SpanningForest()) for _ in range(3)]; pr.disable(); pstats.Stats(pr).sort_stats('tottime').print_stats(14)
g = e = h = None
g = drawn('rmat', SCALE); cc('rmat', g, 16); say('bfs', ms(warm(Eng(g), BreadthFirst(source=int(np.argmax(g.out_degree))), 30)[1])); g = None
cc('uniform', drawn('uni', SCALE), 16)
for name, g in (('grid', grid(3000 if SCALE == 22 else 300)), ('path', path(2**(SCALE - 2))), ('straight', path(2**(SCALE - 2), False)), ('small', small(2**(SCALE - 1))), ('star', star(2**(SCALE - 2)))): cc(name, g, 16)
kinds('kron20' , graphs.rmat(scale).undirected()) if time.time() - T0 < LIMIT - 25 else None
if SCALE == 22 and time.time() - T0 < LIMIT - 20: cc('rmat24', drawn('rmat', 24), 4)
say('end')
