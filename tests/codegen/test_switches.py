"""The table of switches (codegen/switches.py) has every one that kernels test, and no other."""

from __future__ import annotations

import re
from enum import IntEnum

import pytest
from support.golden_programs import GENERATED
from support.oclgrind import KERNELS

from gascl.codegen import constants, switches
from gascl.codegen.generate import generate

#: Every kernel file by its name, with continued lines joined and without comments.
FILES = {
    str(path.relative_to(KERNELS)): re.sub(r"//.*", "", path.read_text().replace("\\\n", " "))
    for path in KERNELS.rglob("*.cl")
}
BY_HOST = (
    *(switches.PROGRAM, switches.CELL, switches.DELIVERY, switches.SHAPE, switches.PATIENCE),
    *(switches.DEVICE, switches.ATOMICS, switches.SORTING, switches.TRIAL, switches.PROBE),
    switches.CONTRACTING,
)
HOST = set().union(*BY_HOST)
DERIVED = {name: file for file, names in switches.DERIVED.items() for name in names}
CONSTANTS = {
    *constants.of_run(message=4),
    *constants.of_lists(group=1),
    *constants.of_pairs(),
    *constants.of_persistent_kernel(),
    *constants.of_sorting(),
}


def defined(text: str) -> set[str]:
    return set(re.findall(r"^\s*#\s*define GASCL_(\w+)", text, re.MULTILINE))


def in_conditions() -> set[str]:
    """The names in the conditions of `#if`, `#elif`, `#ifdef` and `#ifndef`."""
    conditions = re.findall(
        r"^\s*#\s*(?:el)?if(?:n?def)?\b(.*)", "\n".join(FILES.values()), re.MULTILINE
    )
    return set(re.findall(r"\bGASCL_(\w+)", " ".join(conditions)))


def test_every_switch_that_kernels_test_is_in_the_table():
    assert in_conditions() <= HOST | DERIVED.keys() | CONSTANTS


def test_kernels_read_every_switch_and_constant_of_the_host():
    words = set(re.findall(r"\bGASCL_(\w+)", "\n".join(FILES.values())))
    # Members of an enum are read by name, or by the value that the host reads.
    unread = {"PROCESSOR", *constants.numbered("STOPPED_BY_", constants.Stop)}
    unread |= {*constants.numbered("", constants.Fault)}  # some are only in generated text
    unread |= {"TEAM_NEAR_ODD", "TEAM_FAR_OTHER"}  # the second of two lists, found by its number
    pasted = {
        f"{prefix}{name}"
        for macro, prefix in (("LENGTH", "LIST_"), ("READ_TEAM", "TEAM_"), ("TEAM", "TEAM_"))
        for name in re.findall(rf"\bGASCL_{macro}\((\w+)\)", "\n".join(FILES.values()))
    }
    # GASCL_POST(_next) makes it from its argument; the odd frontier follows the even one.
    pasted |= {"LIST_RECEIVERS_next"}
    assert (HOST | CONSTANTS) - words - pasted <= unread


def test_derived_switches_are_tested_and_defined_where_the_table_says():
    assert DERIVED.keys() <= in_conditions()
    for name, file in DERIVED.items():
        assert name in defined(FILES[file]), (name, file)


def test_no_kernel_file_defines_a_switch_or_constant_of_the_host():
    for file, text in FILES.items():
        assert not defined(text) & (HOST | CONSTANTS), file


@pytest.mark.parametrize("name", GENERATED)
def test_a_header_has_all_switches_of_the_program(name):
    program, options = GENERATED[name]
    assert switches.PROGRAM.keys() <= defined(generate(program.spec, **options).text)


@pytest.mark.parametrize("name", GENERATED)
def test_no_header_defines_a_constant_of_the_host(name):
    """The header of array messages redefined PIECE, by which frontiers are listed."""
    program, options = GENERATED[name]
    every = {
        *CONSTANTS,
        *constants.of_near_pairs(group=1, axes=3),
        *constants.of_shared_rows(group=8),
        *constants.of_queue(group=1),
        *constants.of_queue(group=8),
    }
    assert not defined(generate(program.spec, **options).text) & every


def test_a_name_that_is_not_in_the_table_is_refused():
    with pytest.raises(KeyError, match="MASKS: not in the table"):
        switches.defines(switches.PROGRAM, {"MASKS": 1})
    assert switches.options(switches.DEVICE, {"OCLGRIND": True}) == ["-DGASCL_OCLGRIND=1"]


@pytest.mark.parametrize("names", [constants.Team, constants.Phase, constants.ActiveList])
def test_the_numbers_of_words_phases_and_lists_are_consecutive(names: type[IntEnum]):
    """They are places in arrays, whose lengths follow from the last one."""
    assert [member.value for member in names] == list(range(len(names)))
