"""Make wordnet-verbs.txt.gz: which English verbs can mean the same, from WordNet 3.0.

The data is the file usr/share/wordnet/data.verb of Debian's package wordnet-base:

    apt-get download wordnet-base
    dpkg --extract wordnet-base_*.deb wordnet
    python datasets/make_wordnet.py wordnet/usr/share/wordnet/data.verb

A vertex is a verb, written as WordNet writes it, with '_' for a blank ('give_up'); an edge says
that the two verbs stand together in at least one synset, WordNet's set of words with one meaning. A
verb that shares none of its meanings with another verb is in no row. The manual page wndb(5WN) of
WordNet describes the format of data.verb.
"""

import argparse
from itertools import combinations
from pathlib import Path

from _output import write_gzip

HEADER = """\
# Verbs of one meaning: an undirected graph without weights, each edge once.
# verb<TAB>verb: some synset of WordNet has both.
# gascl: undirected, {vertices} vertices, {edges} edges
# {alone} more verbs share no synset and have no row.
# Origin: WordNet 3.0, {origin} of Debian's package wordnet-base 1:3.0-37. Made by make_wordnet.py.
# License: that of WordNet 3.0, which permits use, change and redistribution with this notice:
#
"""


def read_synsets(text: str) -> tuple[list[str], list[set[str]]]:
    """The license that a data file begins with, and the verbs of each of its synsets."""
    license, synsets = [], []
    for line in text.splitlines():
        if line.startswith("  "):
            # '  1 This software and database is being provided ...'
            _, _, words = line.strip().partition(" ")
            license.append(words.strip())
            continue
        # offset, lexicographer file, 'v', number of words in hexadecimal, then word, sense, ...
        items = line.split()
        if len(items) < 6 or items[2] != "v":
            raise SystemExit(f"not WordNet's data.verb: a line of it begins {line[:40]!r}")
        synsets.append(set(items[4 : 4 + 2 * int(items[3], 16) : 2]))
    return license, synsets


def main() -> None:
    """Read the command line and make the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="WordNet's data.verb")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).with_name("wordnet-verbs.txt.gz"),
        help="file to write (default: %(default)s)",
    )
    args = parser.parse_args()
    if not args.data.is_file():
        raise SystemExit(f"{args.data}: no such file; 'apt-get download' gets it, see --help")

    license, synsets = read_synsets(args.data.read_text(encoding="utf-8"))
    if not license or not synsets:
        raise SystemExit(f"{args.data}: WordNet's license or its synsets are missing")
    verbs = set().union(*synsets)
    edges = sorted({pair for synset in synsets for pair in combinations(sorted(synset), 2)})
    vertices = {verb for edge in edges for verb in edge}
    header = HEADER.format(
        vertices=len(vertices),
        edges=len(edges),
        alone=len(verbs) - len(vertices),
        origin=args.data.name,
    )
    header += "".join(f"# {line}".rstrip() + "\n" for line in license)
    write_gzip(
        args.output,
        header + "".join(f"{a}\t{b}\n" for a, b in edges),
        f"{len(vertices)} vertices, {len(edges)} edges",
    )


if __name__ == "__main__":
    main()
