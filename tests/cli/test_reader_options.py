"""--option NAME=VALUE: what a text becomes."""

import argparse

import pytest

from gascl.cli.reader_options import reader_option


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("NONE", None),
        ("7", 7),
        ("-7", -7),
        ("+7", 7),
        ("0.5", 0.5),
        (".5", 0.5),
        ("-1e-3", -1e-3),
        ("2.", 2.0),
        ("from,to,cost", ["from", "to", "cost"]),
        ("0,2", [0, 2]),
        ("a,1,none,2.5", ["a", 1, None, 2.5]),
        ("cost,", ["cost"]),
        ("", ""),
        (",", ","),
        (";", ";"),
        ("a,,b", "a,,b"),
        ("inf", "inf"),
        ("nan", "nan"),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        ("'7'", "7"),
        ('"a,b"', "a,b"),
        ("'true'", "true"),
        ("'1','2'", ["1", "2"]),
        ("a=b", "a=b"),
        ("truth", "truth"),
    ],
)
def test_values(text, value):
    name, parsed = reader_option(f"columns={text}")
    assert name == "columns"
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize("text", ["", "columns", "=1", "a b=1", "1=2"])
def test_no_name_or_no_value(text):
    with pytest.raises(argparse.ArgumentTypeError, match=r"expected NAME=VALUE, not "):
        reader_option(text)
