"""OpenCL drivers that pip installed, made known to the loader before it first looks."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

#: Where Linux lists the system's drivers, a file each that names a library.
VENDORS = Path("/etc/OpenCL/vendors")
#: Intel's runtime for CPUs: the package and the driver's library, by platform.
INTEL = "intel-opencl-rt"
LIBRARY = {"linux": "libintelocl.so", "win32": "intelocl64.dll"}


@contextmanager
def announced() -> Iterator[None]:
    """Within it, the loader finds Intel's runtime beside the system's drivers, if pip installed it.

    Its own list of drivers names a folder of conda's, whatever the environment. The loader reads
    its variables once, when it is first asked for platforms. Where a user set one, that stands.
    """
    library = _intel()
    variable = "OCL_ICD_FILENAMES" if sys.platform == "win32" else "OCL_ICD_VENDORS"
    if library is None or variable in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="gascl-") as folder:
        if sys.platform == "win32":  # names libraries, besides those of the registry
            os.environ[variable] = str(library)
        else:  # names a folder in place of VENDORS
            for listed in VENDORS.glob("*.icd"):
                shutil.copy(listed, folder)
            Path(folder, "gascl-intel.icd").write_text(f"{library}\n", encoding="utf-8")
            os.environ[variable] = folder
        try:
            yield
        finally:
            del os.environ[variable]


def _intel() -> Path | None:
    """The library of Intel's runtime, where pip put it."""
    try:
        installed = files(INTEL) or []
    except PackageNotFoundError:
        return None
    wanted = LIBRARY.get(sys.platform)
    found = (Path(str(f.locate())) for f in installed if f.name == wanted)
    return next((path.resolve() for path in found if path.exists()), None)
