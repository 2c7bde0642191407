"""Turns messages that are written for Python into the shell's own words."""

from __future__ import annotations

import re

#: What Python's remedies are called in the shell.
_WORDS = [
    (r"\bdirected=False\b", "--undirected"),
    (r"\bdirected=True\b", "--directed"),
    (r"\bduplicates=['\"](\w+)['\"]", r"--duplicates \1"),
    (r"\bself_loops=['\"](\w+)['\"]", r"--self-loops \1"),
    (r"\bdtype=['\"](float\w+)['\"]", r"--set dtype=\1"),
    (r"(?<!--option )\bcolumns=", "--option columns="),
    (r"\bmax_supersteps=(\d+)", r"--max-supersteps \1"),
    (r"\bformat=,", "--format,"),
    (r"\bcheckpoint=(\S+), resume=True", r"--checkpoint \1 --resume"),
    (r"\bcheckpoint=", "--checkpoint "),
    (r"\bevery(=| must\b)", r"--every\1"),
    (r"\bresume=True\b", "--resume"),
    (r"\bdelivery=['\"](\w+)['\"]", r"--delivery \1"),
]
_COMPILED = [(re.compile(pattern), words) for pattern, words in _WORDS]


def in_the_shells_words(text: str) -> str:
    """`directed=False` becomes `--undirected`, and so on; lines of a user's file, which are
    indented, stay as they are."""
    first, *quoted = re.split(r"(?=\n    )", text)
    for pattern, words in _COMPILED:
        first = pattern.sub(words, first)
    return "".join([first, *quoted])
