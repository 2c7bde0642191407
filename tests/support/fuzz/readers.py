"""Feeds gascl's file readers with mutated files, guided by coverage; by hand, not by pytest.

    pip install atheris
    PYTHONPATH=tests python -m support.fuzz.readers --reader metis --minutes 10

Without --reader all of targets.py's take their turn. What must hold of each input is told
there; what does not hold is printed and kept, once for each place in the code, in
OUT/READER/findings, beside the corpus. Mend the reader, and put the input into seeds/READER, where
test_fuzz_seeds.py replays it and later runs begin with it. At the end a line of Markdown tells
minutes, executions, inputs kept, and findings.

Atheris is libFuzzer for Python (https://github.com/google/atheris); it has wheels for Linux and
some of Python's versions, so that it is not among the packages that tests need.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

from support.fuzz.watch import Watched, wait

HERE = Path(__file__).parent
SEEDS = HERE / "seeds"
READERS = sorted(folder.name for folder in SEEDS.iterdir())  # each has a target of this name
INSTRUMENTED = [
    "gascl.io",
    "networkx.readwrite",
    "scipy.sparse._matrix_io",
    "zipfile",
    "support.fuzz.packed",
]

SECONDS = 5  # of processor time that one input may take
MEMORY = 2 << 20  # KiB that one input may add to the most that was held
MOST_BYTES = 16384  # of an input
STUCK = 60  # seconds by the clock that one may take before its process is killed


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--reader", action="append", choices=READERS)
    arguments.add_argument("--minutes", type=float, default=10)
    arguments.add_argument("--out", type=Path, default=Path("build/fuzz"))
    arguments.add_argument("--step", choices=("fuzz",), help=argparse.SUPPRESS)
    taken, others = arguments.parse_known_args()
    if taken.step == "fuzz":
        return fuzz(taken.reader[0], taken.out, others)
    found = 0
    print("| reader | minutes | executions | inputs kept | findings |")
    print("|---|---|---|---|---|")
    for reader in taken.reader or READERS:
        found += run(reader, taken.minutes, taken.out.resolve() / reader)
    return int(found > 0)


def run(reader: str, minutes: float, out: Path) -> int:
    """Fuzz one reader in processes of its own, since some inputs may end them; the findings."""
    from support.fuzz.targets import TARGETS

    corpus = out / "corpus"
    for folder in (corpus, out / "findings", SEEDS / reader):
        folder.mkdir(parents=True, exist_ok=True)
    words = out / "words"
    escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in TARGETS[reader].words)
    words.write_text("".join(f'"{word}"\n' for word in escaped))
    work = out / "work"
    work.unlink(missing_ok=True)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # much faster than a disk
    folder = tempfile.TemporaryDirectory(dir=memory)
    work.symlink_to(folder.name)
    command = [
        sys.executable,
        "-m",
        "support.fuzz.readers",
        "--reader",
        reader,
        "--out",
        str(out),
        "--step",
        "fuzz",
    ]
    began, executions = time.monotonic(), 0
    while (left := began + 60 * minutes - time.monotonic()) > 1:
        before = time.monotonic()
        options = [
            f"-max_total_time={int(left)}",
            f"-timeout={2 * STUCK}",
            "-rss_limit_mb=4096",
            "-malloc_limit_mb=1000000",  # to ask for too much and be refused it does no harm
            f"-max_len={MOST_BYTES}",
        ]
        options.append(f"-artifact_prefix={out}/findings/")
        if TARGETS[reader].words:
            options.append(f"-dict={words}")
        known = len(list((out / "findings").iterdir()))
        (out / "current").unlink(missing_ok=True)
        watched = Watched(out / "current", MOST_BYTES)
        with (out / "log").open("wb") as log:
            process = subprocess.Popen(
                [*command, *options, str(corpus), str(SEEDS / reader)], stderr=log
            )
            stuck = wait(process, watched, STUCK)
        executions += watched.count
        if stuck is not None:
            path = out / "findings" / f"stuck-{hashlib.sha256(stuck).hexdigest()[:12]}"
            path.write_bytes(stuck)
            print(f"{reader}: stuck for {STUCK} seconds\n  {path}", flush=True)
        new = len(list((out / "findings").iterdir())) - known
        if process.returncode and not new and time.monotonic() - before < 5:
            print((out / "log").read_text(errors="replace")[-3000:], file=sys.stderr)
            break
    minutes = (time.monotonic() - began) / 60
    folder.cleanup()
    findings = len(list((out / "findings").iterdir()))
    kept = len(list(corpus.iterdir()))
    print(f"| {reader} | {minutes:.1f} | {executions:,} | {kept:,} | {findings} |")
    return findings


def fuzz(reader: str, out: Path, options: list[str]) -> int:
    """libFuzzer's loop; it ends the process itself."""
    try:
        import atheris
    except ImportError:
        print("this needs Atheris: pip install atheris", file=sys.stderr)
        return 2
    with atheris.instrument_imports(include=INSTRUMENTED):
        from support.fuzz.checks import check_cut_off
        from support.fuzz.mutations import mutators
        from support.fuzz.targets import TARGETS
    target = TARGETS[reader]
    folder = out / "work"
    seen: set[str] = set()
    warnings.simplefilter("error")
    for later in (DeprecationWarning, PendingDeprecationWarning, ResourceWarning):
        warnings.simplefilter("ignore", later)

    watched = Watched(out / "current", MOST_BYTES)

    def take(data: bytes) -> None:
        watched.begin(data)
        began, held = time.process_time(), _most_memory()
        found = None
        try:
            target.check(data, folder)
        except Exception as error:
            found = _place(error)
        if time.process_time() - began > SECONDS:
            found = f"took {time.process_time() - began:.0f} seconds"
        if _most_memory() - held > MEMORY:
            found = f"took {(_most_memory() - held) >> 20} GiB"
        key = re.sub(r"[0-9]+|'.*'|\".*\"", "", found or "")
        if found and key not in seen:
            seen.add(key)
            name = hashlib.sha256(key.encode()).hexdigest()[:12]
            kept = out / "findings" / name
            if not kept.exists():
                kept.write_bytes(data)
                print(f"{reader}: {found}\n  {kept}", file=sys.stdout, flush=True)

    for seed in (SEEDS / reader).glob("[!b]*") if target.suffixes else ():  # no bad ones
        data = seed.read_bytes()
        check_cut_off(data, range(len(data)), reader, target.suffixes, folder)
    mutate = mutators(atheris).get(reader)
    more = {} if mutate is None else {"custom_mutator": mutate}
    atheris.Setup([sys.argv[0], *options], take, **more)
    atheris.Fuzz()
    return 0


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _place(error: Exception) -> str:
    """What an error is and says, and where in gascl it comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "gascl" in Path(frame.filename).parts]
    frame = (own or frames)[-1]
    said = " ".join(str(error).split())[:150]
    return f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}: {said}"


if __name__ == "__main__":
    sys.exit(main())
