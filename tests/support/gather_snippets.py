"""Forms of gather snippets that search the messages, in C and in Python.

Each form loops over the messages, computes a number (`key`) of each, and finds one number (`found`)
that does not depend on their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

SUM = """
    {T} found = 0;
    for (int i = 0; i < num_messages; i++) {{
        {M} item = messages[i];
        found += {key};
    }}
"""
MOST = """
    {T} found = 0;
    for (int i = num_messages - 1; i >= 0; i--) {{
        {M} item = messages[i];
        {T} key = {key};
        if (i == num_messages - 1 || key > found) found = key;
    }}
"""
# Insertion by key, in place.
SORT = """
    for (int i = 1; i < num_messages; i++) {{
        {M} item = messages[i];
        const {M} moved = item;
        const {T} key = {key};
        int j = i;
        for (; j > 0; j--) {{
            item = messages[j - 1];
            if ({key} <= key) break;
            messages[j] = item;
        }}
        messages[j] = moved;
    }}
"""
MEDIAN = (
    SORT
    + """
    {M} item = messages[num_messages / 2];
    {T} found = {key};
"""
)
DISTINCT = (
    SORT
    + """
    {T} found = 0, before = 0;
    for (int i = 0; i < num_messages; i++) {{
        {M} item = messages[i];
        const {T} key = {key};
        if (i == 0 || key != before) found += 1;
        before = key;
    }}
"""
)
FREQUENT = (
    SORT
    + """
    {T} found = 0, before = 0;
    int run = 0, longest = 0;
    for (int i = 0; i < num_messages; i++) {{
        {M} item = messages[i];
        const {T} key = {key};
        run = i && key == before ? run + 1 : 1;
        if (run > longest) {{
            longest = run;
            found = key;
        }}
        before = key;
    }}
"""
)


def frequent(keys: Sequence[Any]) -> Any:
    """The most frequent, the least of those."""
    counts = Counter(keys)
    return min(counts, key=lambda key: (-counts[key], key))


class Form(NamedTuple):
    text: str
    find: Callable[[Sequence[Any]], Any]


FORMS = {
    "sum": Form(SUM, sum),
    "most": Form(MOST, max),
    "median": Form(MEDIAN, lambda keys: sorted(keys)[len(keys) // 2]),
    "distinct": Form(DISTINCT, lambda keys: len(set(keys))),
    "frequent": Form(FREQUENT, frequent),
}
