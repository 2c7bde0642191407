"""Registers OpenCL drivers that pip installed with the OpenCL loader."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

#: The folder where Linux lists the system's drivers; each file names a library.
VENDORS = Path("/etc/OpenCL/vendors")
#: Intel's runtime for CPUs: the package, and the driver's library on each platform.
INTEL = "intel-opencl-rt"
LIBRARY = {"linux": "libintelocl.so", "win32": "intelocl64.dll"}
#: The variable that Intel's runtime reads when it builds a kernel, and the value that disables its
#: vectorizer. The vectorizer (2026.2) adds the floats of a loop in another order than written, so
#: that two kernels need not agree, and miscompiles groups of fewer than 16 items. Those of gascl
#: have one.
VECTORIZER, OFF = "CL_CONFIG_CPU_VECTORIZER_MODE", "1"


@contextmanager
def announced() -> Iterator[None]:
    """Inside this context, the loader also finds Intel's runtime if pip installed it.

    The package's own list of drivers names a folder of conda's, in every environment. The loader
    reads its environment variables once, at the first query for platforms. If the user has set
    the variable, it is left alone. Intel's vectorizer stays off.
    """
    os.environ.setdefault(VECTORIZER, OFF)
    library = _intel()
    variable = "OCL_ICD_FILENAMES" if sys.platform == "win32" else "OCL_ICD_VENDORS"
    if library is None or variable in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="gascl-") as folder:
        if sys.platform == "win32":  # lists additional libraries
            os.environ[variable] = str(library)
        else:  # names a folder that replaces VENDORS
            for listed in VENDORS.glob("*.icd"):
                shutil.copy(listed, folder)
            Path(folder, "gascl-intel.icd").write_text(f"{library}\n", encoding="utf-8")
            os.environ[variable] = folder
        try:
            yield
        finally:
            del os.environ[variable]


def _intel() -> Path | None:
    """The path of Intel's library, if pip installed it."""
    try:
        installed = files(INTEL) or []
    except PackageNotFoundError:
        return None
    wanted = LIBRARY.get(sys.platform)
    paths = (Path(str(f.locate())) for f in installed if f.name == wanted)
    return next((path.resolve() for path in paths if path.exists()), None)
