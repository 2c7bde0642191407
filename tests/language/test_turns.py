"""Which loops of apply a work-group can try out, in place on a GPU."""

import pytest

from gascl import VertexProgram, vertex
from gascl.language.turns import turns_of
from gascl.programs.connected_components import Hooked


def kept(body, before="int best = v.x;", loop="int i = 0; i < num_neighbors; ++i"):
    """The local variables that the loop sees; None: it cannot be continued."""

    class Looks(VertexProgram):
        x = vertex.int32(init="v.id")
        message, combine = "int32", "min"
        edges, order, apply_on = "both", "any", "all"
        functions = """
            struct pair { int a, b; };
            typedef int number;
            #define MORE int more = v.x
        """
        apply = f"{before} for ({loop}) {body} v.x = best;"

    turns = turns_of(Looks.spec, "float64")
    return None if turns is None else dict(turns.kept)


TAKES = "{ best = min(best, x_of(neighbor(i))); }"


def test_locals_of_numbers_are_kept():
    assert kept(TAKES) == {"best": "int"}
    several = "const int best0 = v.x; int best = best0, other; { float hidden = 1; } real sum = 0;"
    assert kept(TAKES, several) == {"best0": "int", "best": "int", "other": "int", "sum": "double"}
    forms = "int best = v.x; MORE; v.x = more; best += (1, 2); more++; --best; if (best) best = 1;"
    assert kept(TAKES, forms) == {"best": "int", "more": "int"}
    ends_early = "{ const int near = x_of(neighbor(i)); if (near < best) { best = near; break; } }"
    assert kept(ends_early, loop="long i = 0; best > 0 && i < num_neighbors; i++") == {
        "best": "int"
    }
    assert dict(turns_of(Hooked.spec, "float32").kept) == {
        "most": "int",
        "root": "int",
        "ends": "bool",
    }


@pytest.mark.parametrize(
    ("body", "given"),
    [
        (TAKES, {"before": "int best = v.x; float2 both = 0;"}),
        (TAKES, {"before": "int best = v.x; int some[4];"}),
        (TAKES, {"before": "int best = v.x; struct pair both;"}),
        (TAKES, {"before": "int best = v.x, *at = &best;"}),
        (TAKES, {"before": "int best = v.x; int volatile more = v.x;"}),
        (TAKES, {"before": "int const best = v.x;"}),
        (TAKES, {"before": "volatile int best = v.x;"}),
        (TAKES, {"before": "unsigned int best = v.x;"}),
        (TAKES, {"before": "int (best) = v.x;"}),
        (TAKES, {"before": "int best __attribute__((unused)) = v.x;"}),
        (TAKES, {"before": "number best = v.x;"}),
        (TAKES, {"before": "int best = v.x; number *at = &best;"}),
        (TAKES, {"before": "int best = v.x; number;"}),
        (TAKES, {"before": "__typeof__(v.x) best = v.x;"}),
        (TAKES, {"before": "__auto_type best = v.x;"}),
        (TAKES, {"before": "enum color { RED } more = RED; int best = v.x;"}),
        (TAKES, {"before": "struct { int a; } more = {1}; int best = v.x;"}),
        (TAKES, {"before": "int best = v.x; if (best)"}),  # in a branch
        (TAKES, {"before": "int best = neighbor(0);"}),  # looks elsewhere, too
        (TAKES, {"loop": "int i = 1; i < num_neighbors; ++i"}),
        (TAKES, {"loop": "int i = 0; i < num_neighbors; i += 2"}),
        (
            "{ if (i >= num_neighbors) break; best = min(best, x_of(neighbor(i))); }",
            {"loop": "int i = 0;; i += 1"},
        ),
        ("{ best = min(best, x_of(neighbor(i))); ++i; }", {}),
        ("{ best = min(best, x_of(neighbor(i))); (i)++; }", {}),
        (TAKES, {"loop": "int i = 0; ++i < num_neighbors; ++i"}),
        ("{ for (int k = 0; k < num_neighbors; ++k) best = min(best, neighbor(k)); }", {}),
        ("{ best = min(best, v.id); }", {}),  # looks at none
    ],
)
def test_other_loops_are_not_continued(body, given):
    assert kept(body, **given) is None


def test_what_is_continued_can_assign_to_constants_and_keeps_its_lines():
    turns = turns_of(Hooked.spec, "float32")
    assert turns.text.count("\n") == Hooked.spec.snippets["apply"].text.count("\n")
    assert "const" not in turns.text[: turns.text.index("GASCL_BEFORE_TURNS")]
