"""`uniform(seed, ...)`: in snippets and in NumPy the same bits, and those of SplitMix64."""

from __future__ import annotations

import numpy as np
import pytest
from support.case_subsets import one_in

import gascl
from gascl import Engine, Graph, ProgramError, VertexProgram, aggregate, param, vertex

IDS = np.arange(1000)
RING = Graph.from_edges(IDS, (IDS + 1) % 1000)
MASK = 2**64 - 1


def drawn(*words: int) -> int:
    """The 64 bits, in Python's integers: SplitMix64's step, once for each word."""
    x = 0
    for word in words:
        x = ((x ^ (word & MASK)) + 0x9E3779B97F4A7C15) & MASK
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
        x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
        x ^= x >> 31
    return x


class Draws(VertexProgram):
    """Wherever it may stand."""

    supersteps = param.supersteps(2)
    seed = param.uint64(0)
    first = vertex.real(init="uniform(p.seed)")
    second = vertex.real(init="uniform(p.seed, v.id)")
    nested = vertex.real(init="uniform(1, 2, 3, 4, 5, 6, 7, uniform(v.id, 9) * 1000)")
    sent = vertex.real()
    own = vertex.real()
    least = aggregate.real("min")
    functions = """
        #define COIN(side) (uniform(side, superstep) < 0.5f)
        real thrice(const int x) { return uniform(x, x + 1, x + 2); }
    """
    message, combine = "real", "max"
    scatter_on = apply_on = "all"
    scatter = "send(uniform(p.seed, e.src, e.dst, superstep));"
    apply = """
        v.sent = msg;
        v.own = COIN(v.id) ? thrice(v.id) : -thrice(v.id);
        aggregate_least(uniform(v.id));
    """


@pytest.mark.parametrize("dtype", one_in(2, ["float32", "float64"]))
@pytest.mark.parametrize(("seed", "debug"), [(0, False), (1, True), (2**64 - 1, False)])
def test_everywhere(dtype, seed, debug):
    result = Engine(RING, debug=debug).run(Draws(seed=seed, dtype=dtype))

    def numbers(*keys):
        return gascl.uniform(*keys, dtype=dtype)

    assert result.first.tolist() == [numbers(seed)] * 1000
    assert np.array_equal(result.second, numbers(seed, IDS))
    inner = numbers(IDS, 9) * np.dtype(dtype).type(1000)
    assert np.array_equal(result.nested, numbers(*range(1, 8), inner))
    assert np.array_equal(result.sent, numbers(seed, (IDS - 1) % 1000, IDS, 1))
    sign = np.where(numbers(IDS, 1) < 0.5, 1, -1)
    assert np.array_equal(result.own, sign * numbers(IDS, IDS + 1, IDS + 2))
    assert result.trace[0].aggregates["least"] == numbers(IDS).min()


#: Five values of each type.
VALUES = {
    **{f"int{n}": [0, 1, -1, 2 ** (n - 1) - 1, -(2 ** (n - 1))] for n in (8, 16, 32, 64)},
    **{f"uint{n}": [0, 1, 2, 2 ** (n - 1), 2**n - 1] for n in (8, 16, 32, 64)},
    "float32": [0.0, 1.75, 2.0**31, 2.0**63, 1e-30],
    "float64": [0.0, 1.75, 2.0**53 - 1, 2.0**63, 1e-300],
}


def test_every_type_of_argument():
    """As C converts it to 64 bits."""
    cls = type(
        "Types",
        (VertexProgram,),
        {
            "supersteps": param.supersteps(1),
            **{f"x_{name}": getattr(vertex, name)() for name in VALUES},
            **{f"drawn_{name}": vertex.float64() for name in VALUES},
            "apply_on": "all",
            "apply": "".join(f"v.drawn_{n} = uniform(7, v.x_{n});\n" for n in VALUES),
        },
    )
    x = {name: np.array(values, name) for name, values in VALUES.items()}
    program = cls(dtype="float64", **{f"x_{name}": values for name, values in x.items()})
    result = Engine(Graph.from_edges([], [], num_vertices=5)).run(program)
    for name, values in VALUES.items():
        found = result[f"drawn_{name}"]
        assert np.array_equal(found, gascl.uniform(7, x[name], dtype="float64")), name
        assert found.tolist() == [(drawn(7, int(v)) >> 11) / 2**53 for v in values], name


def test_the_bits():
    """Those of SplitMix64 with the seed 0: its first number (Vigna's splitmix64.c)."""
    assert drawn(0) == 0xE220A8397B1DCDAF
    for words in ((0,), (1, 2), (-1, 5, 2**63), (2**64 - 1,)):
        assert gascl.uniform(*words, dtype="float64") == (drawn(*words) >> 11) / 2**53
        single = gascl.uniform(*words)
        assert single == (drawn(*words) >> 40) / 2**24
        assert single.dtype == np.float32


def test_they_are_uniform():
    x = gascl.uniform(3, np.arange(1000)[:, None], np.arange(1000), dtype="float64")
    assert x.shape == (1000, 1000) and x.min() >= 0 and x.max() < 1
    assert abs(x.mean() - 0.5) < 0.002 and abs(x.var() - 1 / 12) < 0.001
    counts = np.bincount((x * 100).astype(int).ravel(), minlength=100)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 200  # chi-squared, 99 degrees: 1e-8
    for axis in (0, 1):
        correlation = np.corrcoef(np.roll(x, 1, axis).ravel(), x.ravel())[0, 1]
        assert abs(correlation) < 0.005


@pytest.mark.parametrize("wrong", ["a", -1.0, np.nan, np.inf, 2.0**64, 2**64, None, 1j])
def test_what_has_no_64_bits(wrong):
    with pytest.raises(ProgramError, match=r"uniform: .* cannot be converted to 64 bits"):
        gascl.uniform(1, wrong)


def test_another_dtype():
    with pytest.raises(ProgramError, match="uniform: dtype='int32': expected 'float32' or"):
        gascl.uniform(1, dtype="int32")


def test_too_few_or_many_arguments():
    for init, count in (("uniform()", 0), ("uniform(1, 2, 3, 4, 5, 6, 7, 8, 9)", 9)):
        with pytest.raises(ProgramError, match=f"uniform takes 1 to 8 arguments, not {count}"):
            type("Wrong", (VertexProgram,), {"x": vertex.real(init=init)})
    with pytest.raises(ProgramError, match="uniform takes 1 to 8 arguments, not 9"):
        gascl.uniform(*range(9))
