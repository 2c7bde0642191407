"""Turns messages that are written for Python into the shell's own words."""

from __future__ import annotations

import ast
import re
import shlex

from gascl.cli.format_names import reader_options

#: What Python's remedies are called in the shell.
_WORDS = [
    (r"\bconstruct the program with weight='FIELD'", "give --weight FIELD"),
    (
        r"\bconstruct the program with (\w+)='FIELD'",
        r"give --option columns=SOURCE,TARGET,\1=FIELD",
    ),
    (r"\bdirected=False\b", "--undirected"),
    (r"\bdirected=True\b", "--directed"),
    (r"\bdirected=(?=\?)", "--directed"),
    (r"\bdevice=\.\.\.", "--device"),
    (r"\b(duplicates|format|weight)=(?=[\s,;?]|$)", r"--\1"),
    (r"(?<![,(\w-])(duplicates|format|weight|delivery)=['\"]?(\w+)['\"]?", r"--\1 \2"),
    (r"\bleave out weight=(?=\))", "leave out --set weight"),
    (r"\bself_loops=(?=\?)", "--self-loops"),
    (r"\bself_loops=['\"](\w+)['\"]", r"--self-loops \1"),
    (r"\bdtype=['\"](float\w+)['\"]", r"--set dtype=\1"),
    (r"\bmax_supersteps=(\d+)", r"--max-supersteps \1"),
    (r"\bcheckpoint=(\S+), resume=True", r"--checkpoint \1 --resume"),
    (r"\bcheckpoint=", "--checkpoint "),
    (r"\bevery(=| must\b)", r"--every\1"),
    (r"\bresume=True\b", "--resume"),
    (r"(?<!in Python: )\b[A-Z]\w*\((?=\w+=\.\.\.\))(\w+=)\.\.\.\)", r"--set \1..."),
    (r"(?<!--set )(?<!\()\b(sources?=)\[?\.\.\.\]?", r"--set \1..."),
]
_COMPILED = [(re.compile(pattern), words) for pattern, words in _WORDS]
_OPTION = re.compile(
    r"(?<![-\w])(?<!--option )(\w+)=(?!\d)"  # a generator has columns=8
    r"(\([^()]*\)|\[[^][]*\]|'[^']*'|True\b|False\b)?"
)
_LISTED = re.compile(r"""'[^']*'|"[^"]*"|[^\s,'"]+""")


def in_the_shells_words(text: str) -> str:
    """`directed=False` becomes `--undirected`, and so on; lines of a user's file, which are
    indented, stay as they are."""
    first, *quoted = re.split(r"(?=\n    )", text)
    first = _OPTION.sub(_reader_option, first)
    for pattern, words in _COMPILED:
        first = pattern.sub(words, first)
    return "".join([first, *quoted])


def _reader_option(found: re.Match[str]) -> str:
    """`columns=('from', 'to')` as --option takes it: `--option columns=from,to`. What is no option
    of a reader stays as it is."""
    name, value = found[1], found[2] or ""
    if name not in reader_options():
        return found[0]
    if value in ("True", "False"):
        value = value.lower()
    elif value[:1] in ("(", "["):
        value = ",".join(map(_plain, _LISTED.findall(value[1:-1])))
    elif value:
        value = _plain(value)
    return f"--option {shlex.quote(f'{name}={value}') if ' ' in value else f'{name}={value}'}"


def _plain(text: str) -> str:
    """A word without Python's quotes."""
    return str(ast.literal_eval(text)) if text[0] in "'\"" else text
