"""The kernels that sort or contract arcs, and permute or add up values, on a device; pure
functions."""

from __future__ import annotations

from gascl.codegen import constants
from gascl.codegen.constants import DIGIT_BITS, KEYS_PER_ITEM
from gascl.codegen.switches import CONTRACTING, SORTING, defines
from gascl.delivery.assembly import Assembly

#: The least number of items in a work-group that sorts; a multiple of that of digits.
LEAST_GROUP = 64
#: OpenCL C's types: of indices, by NumPy's name, and of values, by their bytes.
_OFFSETS = {"int32": "int", "int64": "long"}
VALUES = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}


def fitting_group(group: int, offset: int, places: bool, memory: int) -> int:
    """The number of items in a work-group that sorts: LEAST_GROUP, or more if local memory has room
    for their keys, up to those of the device's other kernels.

    Args:
        group: the number of items in a work-group of the other kernels, a power of two.
        offset: the bytes of an offset.
        places: as for `sorting`.
        memory: the local memory in bytes.
    """
    digits = 1 << DIGIT_BITS
    while group > LEAST_GROUP:
        # With the padding against bank conflicts.
        tile = group * (KEYS_PER_ITEM + 1) * (8 + offset * places)
        if tile + 2 * digits * group + offset * (group + digits) <= memory:
            break
        group //= 2
    return max(group, LEAST_GROUP)


def sorting(offset: str, group: int, places: bool) -> str:
    """OpenCL C of the kernels `gascl_sort_...`.

    Args:
        offset: "int32" or "int64", which holds the number of pairs.
        group: the number of items in a work-group, a power of two.
        places: also move the original index of each pair.
    """
    text = Assembly({})
    switches = {"OFFSET": _OFFSETS[offset], "GROUP": group, "PLACES": places}
    lines = [*constants.defines(constants.of_sorting()), *defines(SORTING, switches)]
    text.put("\n".join([*lines, "typedef GASCL_OFFSET gascl_offset;"]))
    text.include("sort_arcs.cl")
    return str(text)


def contracting(
    offset: str,
    arc: str,
    group: int,
    *,
    weighted: bool,
    floats: bool,
    halves: bool,
    oclgrind: bool = False,
) -> str:
    """OpenCL C of the kernels `gascl_contract_...`, and of those that sort if a work-group has
    several items.

    Args:
        offset: "int32" or "int64", which holds the number of slots of hash tables.
        arc: the same for the number of arcs.
        group: as in `sorting`, or 1.
        weighted, floats, halves, oclgrind: as in the table of switches.
    """
    text = Assembly({})
    switches = {"OFFSET": _OFFSETS[offset], "GROUP": group, "PLACES": True}
    shape = {"ARC": _OFFSETS[arc], "WEIGHTED": weighted, "FLOATS": floats, "HALVES": halves}
    shape |= {"LONG_SLOTS": offset == "int64", "OCLGRIND": oclgrind}
    lines = [*constants.defines(constants.of_sorting()), *defines(SORTING, switches)]
    text.put("\n".join([*lines, *defines(CONTRACTING, shape)]))
    text.include("contract/item.cl" if group == 1 else "contract/group.cl")
    return str(text)


def gathering(offset: str, size: int) -> str:
    """OpenCL C of the kernels `gascl_gather_values` and `gascl_put_rows`.

    Args:
        offset: "int32" or "int64", the type of indices.
        size: the bytes of a value, 1, 2, 4 or 8.
    """
    text = Assembly({})
    text.put("\n".join(defines(SORTING, {"OFFSET": _OFFSETS[offset], "VALUE": VALUES[size]})))
    text.include("gather_values.cl")
    return str(text)


def lane_summing(value: str, total: str) -> str:
    """OpenCL C of the kernel `gascl_lane_sums`.

    Args:
        value: the type of the values, in OpenCL C.
        total: that of their sums.
    """
    text = Assembly({})
    text.put("\n".join(defines(SORTING, {"VALUE": value, "TOTAL": total})))
    text.include("lane_sums.cl")
    return str(text)
