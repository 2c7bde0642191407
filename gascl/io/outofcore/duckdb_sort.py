"""Sorting and numbering of what does not fit in memory, done by DuckDB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gascl.errors import FormatError
from gascl.graph.parallel import cores
from gascl.io.arrow_csv import load_pandas
from gascl.util.extras import imported

ROWS = 1 << 17  # of a batch


class DuckDBSort:
    """A DuckDB that keeps to some memory, and puts what does not fit into a folder.

    Args:
        memory: bytes.

    Raises:
        FormatError: DuckDB or pyarrow is not installed.
    """

    def __init__(self, folder: Path, memory: int):
        # Memory that reading has left in pyarrow's pool would add to DuckDB's.
        imported("pyarrow", "--memory").default_memory_pool().release_unused()
        duckdb = imported("duckdb", "--memory")
        load_pandas()
        self._error = duckdb.Error
        self._database = duckdb.connect()
        for name, value in (
            ("memory_limit", f"{memory >> 10}KiB"),
            ("temp_directory", str(folder / "duckdb")),
            ("threads", cores()),
            ("enable_progress_bar", False),
        ):
            self._database.execute(f"SET {name} = '{value}'")

    def batches(self, query: str, **tables: Iterable[dict[str, Any]]) -> Iterator[list[np.ndarray]]:
        """The columns of a query's result, some rows at a time.

        Args:
            tables: tables that the query names, each read once: batches of columns by name.

        Raises:
            FormatError: there is no room in the folder, or not enough memory.
        """
        for batch in self.arrow(query, **tables):
            yield [column.to_numpy(zero_copy_only=False) for column in batch.columns]

    def arrow(self, query: str, **tables: Iterable[dict[str, Any]]) -> Iterator[Any]:
        """`batches` as record batches."""
        import pyarrow

        pressed: list[KeyboardInterrupt] = []
        for name, table in tables.items():
            batches = (pyarrow.RecordBatch.from_pydict(columns) for columns in table)
            first = next(batches)
            noted = _noting(_with(first, batches), pressed)
            reader = pyarrow.RecordBatchReader.from_batches(first.schema, noted)
            self._database.register(name, reader)
        try:
            found = self._database.sql(query)
            # The name before DuckDB 2.0.
            read = getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader
            yield from read(ROWS)
        except self._error as error:
            if pressed:
                raise KeyboardInterrupt from None
            raise self._explained(error) from error
        except RuntimeError as error:  # which DuckDB makes of Ctrl-C
            if pressed or "interrupted" in str(error):
                raise KeyboardInterrupt from None
            raise

    def _explained(self, error: Exception) -> FormatError:
        return FormatError(
            f"sorting failed: {' '.join(str(error).split())[:300]}; give more with --memory, or "
            "make room on the disk, and run the same command again"
        )

    def close(self) -> None:
        """Free the memory and delete the temporary files."""
        self._database.close()


def _with(first: Any, others: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from others


def _noting(batches: Iterator[Any], pressed: list[KeyboardInterrupt]) -> Iterator[Any]:
    """The batches; a Ctrl-C while one is made is recorded, since DuckDB reports it as an error of
    its own."""
    try:
        yield from batches
    except KeyboardInterrupt as error:
        pressed.append(error)
        raise
