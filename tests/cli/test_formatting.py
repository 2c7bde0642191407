"""Numbers as commands print them."""

import numpy as np
import pytest

from gascl.cli.formatting import number, span
from gascl.util.units import amount


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        (2**60, str(2**60)),
        (-1.0, "-1"),
        (1234567.0, "1234567"),
        (0.161441234, "0.161441"),
        (1e-9, "1e-09"),
        (1e30, "1e+30"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (9_999, "9,999 bytes"),
        (10_240, "10.0 KiB"),
        (1_000 * 2**10, "1.0 MiB"),
        (1_234 * 2**20, "1.2 GiB"),
        (5_000 * 2**30, "5,000.0 GiB"),
    ],
)
def test_sizes(count, text):
    assert amount(count) == text


def test_spans():
    nan, inf = float("nan"), float("inf")
    assert span(np.array([3, 1, 2])) == "1 to 3"
    assert span(np.array([[0.5, 2.0], [1.0, -4.0]])) == "-4 to 2"
    assert span(np.array([nan, 1.5, inf, -2.0, nan])) == "-2 to 1.5, 2 NaN, 1 infinite"
    assert span(np.array([-inf, 1.0], np.float32)) == "1 to 1, 1 infinite"
    assert span(np.array([nan])) == "no finite value, 1 NaN"
