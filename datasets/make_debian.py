"""Make debian-dependencies.txt.gz: which Debian package depends on which.

A vertex is a binary package, an arc A -> B says that A cannot be installed as it is meant to be
without B, or without one of several packages of which B is one. The rule, exactly:

* arcs come from the fields Pre-Depends and Depends; Recommends, Suggests and the rest do not count;
* every alternative of 'a | b' gives an arc; versions, architectures and build profiles are cut off;
* only packages that the list itself has are vertices: a name that exists only because others
  'Provide' it (a virtual package) gives no arc;
* an arc is listed once however often it is named, and a package's dependency on itself is left out;
* a package that neither depends on any package nor is depended on is in no row: the header says
  how many those are.

Without paths the lists are those of this machine's apt, after 'apt-get update'. A list of another
date gives other counts; what Debian's release it was is in the header of the file made.
"""

import argparse
import gzip
import lzma
import re
import subprocess
from pathlib import Path

from _output import write_gzip

LISTS = Path("/var/lib/apt/lists")
APT_HELPER = Path("/usr/lib/apt/apt-helper")
FIELDS = ("Pre-Depends", "Depends")
HEADER = """\
# Debian package dependencies: a directed graph without weights.
# source<TAB>target: package 'source' has 'target' among its Pre-Depends or Depends.
# Every alternative of 'a | b' is an arc; names that no package has (virtual ones) are left out.
# {vertices} vertices, {arcs} arcs; {alone} more packages have no arc and so no row.
# Origin: Packages lists of {origin}
# License: package names and the relations that the packages' own control files state. All are of
# Debian's section 'main', each under a license that meets the Debian Free Software Guidelines,
# which grants redistribution and change. See README.md.
# Made by make_debian.py.
"""


def read_list(path: Path) -> str:
    """Text of a Packages list: plain, .gz, .xz or, through apt's own helper, .lz4 and others."""
    if path.suffix == ".gz":
        data = gzip.decompress(path.read_bytes())
    elif path.suffix == ".xz":
        data = lzma.decompress(path.read_bytes())
    elif path.suffix in (".lz4", ".zst", ".bz2"):
        if not APT_HELPER.exists():
            raise SystemExit(
                f"{path.name}: needs {APT_HELPER} to unpack it; give a .gz or .xz list"
            )
        command = [str(APT_HELPER), "cat-file", str(path)]
        data = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    else:
        data = path.read_bytes()
    return data.decode("utf-8")


def stanzas(text: str):
    """One dict of the fields that matter for each package of a list."""
    wanted = ("Package", *FIELDS)
    for block in text.split("\n\n"):
        fields, name = {}, None
        for line in block.splitlines():
            if line[:1] in (" ", "\t"):
                # A folded line goes on with the field before it.
                if name in wanted:
                    fields[name] += " " + line.strip()
                continue
            name, _, value = line.partition(":")
            if name in wanted:
                fields[name] = value.strip()
        if "Package" in fields:
            yield fields


def names_in(relation: str) -> list[str]:
    """Package names in the value of a dependency field, alternatives included."""
    # 'libc6:any (>= 2.36) [amd64] <!nocheck>' -> 'libc6'
    parts = (
        re.split(r"[\s:(\[<]", item.strip(), maxsplit=1)[0] for item in re.split("[,|]", relation)
    )
    return [name for name in parts if name]


def describe(path: Path) -> str:
    """Release and date of a list in apt's folder, from the InRelease file that vouches for it."""
    head, found, tail = path.name.partition("_dists_")
    suite, _, rest = tail.partition("_")
    release = path.with_name(f"{head}{found}{suite}_InRelease")
    if not found or not release.exists():
        return path.name
    text = release.read_text(encoding="utf-8")
    fields = dict(re.findall(r"^(Origin|Version|Codename|Date): (.*)$", text, flags=re.MULTILINE))
    what = " ".join(fields.get(key, "") for key in ("Origin", "Version", "Codename"))
    component, _, architecture = rest.partition("_Packages")[0].partition("_binary-")
    return f"{what}, {component}, {architecture}, of {fields.get('Date', 'a date not given')}"


def main() -> None:
    """Read the command line and make the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lists", nargs="*", type=Path, help="Packages lists (default: apt's own)")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).with_name("debian-dependencies.txt.gz"),
        help="file to write (default: %(default)s)",
    )
    args = parser.parse_args()

    paths = sorted(args.lists or LISTS.glob("*_main_binary-*_Packages*"))
    if not paths:
        raise SystemExit(
            f"no Packages list of Debian's main in {LISTS}: run 'apt-get update' on a Debian "
            "machine, or give the path of a Packages file from a Debian mirror"
        )
    for path in paths:
        if not path.is_file():
            raise SystemExit(f"{path}: no such file")

    packages: set[str] = set()
    relations: list[tuple[str, str]] = []
    for path in paths:
        for fields in stanzas(read_list(path)):
            packages.add(fields["Package"])
            for field in FIELDS:
                targets = names_in(fields.get(field, ""))
                relations += [(fields["Package"], target) for target in targets]
    if not packages:
        raise SystemExit(f"{paths[0]}: no 'Package:' field found; is this a Packages list?")

    # Only now is it known which names are packages and which are merely provided.
    arcs = sorted({(a, b) for a, b in relations if b in packages and a != b})
    vertices = {name for arc in arcs for name in arc}
    header = HEADER.format(
        vertices=len(vertices),
        arcs=len(arcs),
        alone=len(packages) - len(vertices),
        origin="; ".join(describe(path) for path in paths),
    )
    body = "".join(f"{a}\t{b}\n" for a, b in arcs)
    summary = f"{len(vertices)} vertices, {len(arcs)} arcs"
    write_gzip(args.output, header + body, summary)


if __name__ == "__main__":
    main()
