"""Runs a Python script under Oclgrind and reads what it found.

Oclgrind interprets OpenCL kernels and checks every access: bounds always, data races with
`--data-races`. It exits with the script's own status whatever it found, so only its log counts.

What it does not say: a race of writes of one value (`received[target] = 1`) is let pass, and an
atomic after a plain read of the same word, though sound, is taken for a race.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

KERNELS = Path(__file__).parents[2] / "gascl" / "codegen" / "kernels"
#: Why nothing can be run here, or "".
MISSING = "" if shutil.which("oclgrind") else "no oclgrind on PATH (Debian package: oclgrind)"

_KERNEL = re.compile(r"^\s+Kernel:\s+(\w+)\s*$", re.MULTILINE)
_RAN = re.compile(r"^ran (\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Finding:
    """One error of the log.

    Attributes:
        kernel: where it happened; "" for what is no kernel's, such as Oclgrind's own failures.
        message: the first line, as "Invalid read of size 4 at global memory address 0x...".
        text: the whole entry: which work-items, which lines.
    """

    kernel: str
    message: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Report:
    """What a script did under Oclgrind.

    Attributes:
        status: exit status of script and Oclgrind; 0 says nothing about findings; None if they were
            stopped, since they took too long: then the findings are those until then.
        ran: names of the kernels that were enqueued (oclgrind_scripts/recording.py).
        output: the script's standard error.
    """

    status: int | None
    findings: tuple[Finding, ...]
    ran: frozenset[str]
    output: str


def kernel_names() -> list[str]:
    """Every kernel in gascl/codegen/kernels/, sorted by name."""
    texts = [path.read_text() for path in KERNELS.rglob("*.cl")]
    return sorted({n for text in texts for n in re.findall(r"__kernel\s+void\s+(\w+)", text)})


def findings(log: str) -> list[Finding]:
    """The entries of a log: a line at the margin each, with what is indented or empty below it."""
    entries: list[list[str]] = []
    for line in log.splitlines():
        if line.strip() and not line[0].isspace():
            entries.append([])
        if entries:
            entries[-1].append(line)
    found = []
    for lines in entries:
        text = "\n".join(lines).strip()
        kernel = _KERNEL.search(text)
        found.append(Finding(kernel[1] if kernel else "", lines[0], text))
    return found


def run(*script: str | Path, options: tuple[str, ...] = (), seconds: float = 100) -> Report:
    """Run `python *script` under Oclgrind: a file and its arguments, or "-c" and code.

    Args:
        options: more of Oclgrind's own, such as "--uninitialized".
        seconds: after which it is stopped; a loop of a spoilt kernel may never end.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "GASCL_DEVICE": "",  # there is no other than Oclgrind's
        "PYOPENCL_NO_CACHE": "1",
        # Oclgrind 21.10 can't execute the intrinsics that clang's optimizer leaves behind.
        "PYOPENCL_BUILD_OPTIONS": "-cl-opt-disable",
    }
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        command = ["oclgrind", "--log", str(log), "--data-races", "--max-errors", "100000"]
        command += [*options, sys.executable, "recording.py", *map(str, script)]
        process = subprocess.Popen(
            command,
            cwd=Path(__file__).parent / "oclgrind_scripts",
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        status: int | None
        try:
            output, errors = process.communicate(timeout=seconds)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            status = None
        found = findings(log.read_text() if log.exists() else "no log was written")
    return Report(
        status=status,
        findings=tuple(found),
        ran=frozenset(_RAN.findall(output)),
        output=errors,
    )
