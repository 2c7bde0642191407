"""The kernels that sort arcs, and their values, on a device; pure functions."""

from __future__ import annotations

from gascl.delivery.assembly import Assembly

#: The bits of a key by which a pass sorts, and the keys that a work-item has at a time.
DIGIT_BITS, EACH = 4, 8
#: OpenCL C's names of types, of places and by the bytes of a value.
_OFFSETS = {"int32": "int", "int64": "long"}
VALUES = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}


def sorting(offset: str, group: int, places: bool) -> str:
    """OpenCL C of the kernels `gascl_sort_...`.

    Args:
        offset: "int32" or "int64", which holds the number of pairs.
        group: the number of items in a work-group, a power of two.
        places: move the position that each pair has had along with it.
    """
    text = Assembly({})
    text.put(
        f"#define GASCL_OFFSET {_OFFSETS[offset]}\n"
        f"#define GASCL_GROUP {group}\n"
        f"#define GASCL_PLACES {int(places)}\n"
        f"#define GASCL_DIGIT_BITS {DIGIT_BITS}\n"
        f"#define GASCL_EACH {EACH}"
    )
    text.include("sort.cl")
    return str(text)


def taking(offset: str, size: int) -> str:
    """OpenCL C of the kernel `gascl_take`.

    Args:
        offset: "int32" or "int64", the type of places.
        size: the bytes of a value, 1, 2, 4 or 8.
    """
    text = Assembly({})
    text.put(f"#define GASCL_OFFSET {_OFFSETS[offset]}\n#define GASCL_VALUE {VALUES[size]}")
    text.include("take.cl")
    return str(text)
