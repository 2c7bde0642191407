from bench_tmp import *
import small_programs as sp, graphs
import gascl.run.plan as plan
from gascl.programs import MaximalIndependentSet
OLDV = open('bench_votes_old.txt').read(); NEWV = open('gascl/codegen/kernels/outbox/votes_group.cl').read()
def part(t, a, b): i = t.index(a); return t[i:t.index(b, i)]
VOTES = [(part(NEWV, 'static int gascl_copy_votes', '// Counts the votes whose'), part(OLDV, 'static int gascl_copy_votes', '// Counts the votes whose')),
         (part(NEWV, 'static void gascl_count_range', '// How many of the votes'), part(OLDV, 'static void gascl_count_range', '// How many of the votes')),
         (part(NEWV, 'static gascl_group gascl_elect_together', 'static void gascl_gather('), part(OLDV, 'static gascl_group gascl_elect_together', 'static void gascl_gather('))]
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
        ('majority', sp.MajorityVote, sp.majority_vote, (('new', {}, None), ('old', {}, VOTES))),
        ('weighted vote', sp.WeightedVote, sp.weighted_vote, (('now', {}, None),)), ('histogram', sp.Histogram, sp.histogram, (('now', {}, None),)), ('second', sp.GatherSecond, sp.gather_second, (('now', {}, None),))):
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
for name, g in (('rmat20', drawn('rmat', scale)), ('grid', grid(1000 if scale == 20 else 50))):
    try: mis(name, g)
    except Exception as x: say('mis FAILED', repr(x)[:300])
g = drawn('rmat', SCALE); cc('rmat', g, 16); say('bfs', ms(warm(Eng(g), BreadthFirst(source=int(np.argmax(g.out_degree))), 30)[1])); g = None
cc('uniform', drawn('uni', SCALE), 16)
for name, g in (('grid', grid(3000 if SCALE == 22 else 300)), ('path', path(2**(SCALE - 2))), ('straight', path(2**(SCALE - 2), False)), ('small', small(2**(SCALE - 1))), ('star', star(2**(SCALE - 2)))): cc(name, g, 16)
kinds('kron20' , graphs.rmat(scale).undirected()) if time.time() - T0 < LIMIT - 25 else None
if SCALE == 22 and time.time() - T0 < LIMIT - 20: cc('rmat24', drawn('rmat', 24), 4)
say('end')
