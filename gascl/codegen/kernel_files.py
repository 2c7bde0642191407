"""Reads the texts of the kernels from gascl/codegen/kernels/*.cl."""

from __future__ import annotations

from importlib.resources import files


def kernel_text(name: str) -> str:
    """The text of gascl/codegen/kernels/`name`."""
    return (files("gascl.codegen") / "kernels" / name).read_text("utf-8")
