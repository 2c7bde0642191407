"""Texts and names have American spelling, as those of NetworkX and PyTorch have."""

import re
from collections import defaultdict
from pathlib import Path

TOP = Path(__file__).parents[1]
PLACES = ("gascl", "programs", "datasets", "docs", "tests", "benchmarks")
ENDINGS = {".py", ".pyi", ".md", ".cl", ".toml", ".ipynb", ".h", ""}
BRITISH = re.compile(
    r"neighbour|colour|behaviour|favour|honour|labour|centre|centring|metre|litre|grey"
    r"|labell|modell|travell|cancell(?!ation)|signall|analys(?:e|ed|er|es|ing)(?![a-z])|licence|defence"
    r"|misspelt|artefact|judgement|catalogue"
    r"|(?:real|initial|normal|optim|recogn|organ|summar|special|general|serial|parallel|minim"
    r"|maxim|visual|util|vector|random|synchron|custom|token)is(?:e|ed|er|es|ing|ation)(?![a-z])"
)
WORD = re.compile(r"[A-Za-z]+")
#: Words that must stay, by file: names of before, what files of others contain, and the names that
#: others gave.
ALLOWED = {
    "gascl/io/column_names.py": {"metres"},  # of a file's column
    "gascl/drawing/colors.py": {"Colour"},  # in the title of an article
    "gascl/drawing/edges.py": {"Greys"},  # a color map of matplotlib
    "CHANGELOG.md": {"GreedyColouring", "Neighbourhoods", "colour", "licence"},
}


def texts():
    """The files of people's writing, by their paths from the top."""
    yield from (path for path in TOP.iterdir() if path.suffix in ENDINGS and path.is_file())
    for place in PLACES:
        yield from (
            path
            for path in (TOP / place).rglob("*")
            if path.suffix in ENDINGS
            and path.is_file()
            and "seeds" not in path.parts
            and not any(part.startswith(".") for part in path.relative_to(TOP).parts)
        )


def test_the_spelling_is_american():
    wrong = defaultdict(list)
    for path in texts():
        name = path.relative_to(TOP).as_posix()
        if path == Path(__file__) or name == "LICENSE":
            continue
        text = path.read_text("utf-8", errors="replace")
        if not BRITISH.search(text.lower()):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for word in WORD.findall(line):
                if BRITISH.search(word.lower()) and word not in ALLOWED.get(name, ()):
                    wrong[word].append(f"{name}:{number}")
    assert not wrong, "\n".join(f"{word}: {', '.join(at)}" for word, at in wrong.items())
