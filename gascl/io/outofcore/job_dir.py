"""A job directory, which records finished stages so that an interrupted conversion can resume."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gascl.errors import FormatError
from gascl.io.outofcore.disk_array import DiskArray
from gascl.util.atomic_file import new_file

NOTES = "gascl-unfinished.json"


class JobDir:
    """A folder with the finished stages of a job.

    Args:
        path: created if it does not exist. Stages that an interrupted run of the same job left
            there are used, those of another job are deleted.
        identity: equal for the same job; as JSON.

    Attributes:
        found: the stages that an earlier run has finished.

    Raises:
        FormatError: something else is there, or the folder cannot be made.
    """

    def __init__(self, path: Path, identity: dict[str, Any]):
        self.path = path
        self._notes: dict[str, Any] = {"identity": identity, "stages": {}}
        try:
            if path.exists():
                self._take_up()
            path.mkdir(exist_ok=True)
        except OSError as error:
            raise FormatError(
                f"{path}: the folder for unfinished work cannot be made ({error.strerror}); name a "
                "target in another folder"
            ) from error
        self._save()
        self.found = self.finished

    def _take_up(self) -> None:
        notes = self.path / NOTES
        if not notes.is_file():
            raise FormatError(
                f"{self.path} is in the way: gascl keeps unfinished work there; move it elsewhere"
            )
        try:
            known = json.loads(notes.read_text("utf-8"))
        except ValueError:
            known = {}
        if known.get("identity") == self._notes["identity"]:
            self._notes = known
        else:
            shutil.rmtree(self.path)

    def stage(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The result of `make`, which must be JSON, or the recorded one of a finished stage."""
        stages = self._notes["stages"]
        if name not in stages:
            stages[name] = make()
            self._save()
        # As it will be found by the next run.
        found: dict[str, Any] = json.loads(json.dumps(stages[name]))
        return found

    @property
    def finished(self) -> list[str]:
        """The stages that are finished."""
        return [*self._notes["stages"]]

    def _save(self) -> None:
        with new_file(self.path / NOTES) as file:
            file.write(json.dumps(self._notes, indent=1).encode())

    def noted(self, array: DiskArray) -> dict[str, Any]:
        """A complete array of this folder, as JSON."""
        array.close()
        return {"file": array.path.name, "dtype": array.dtype.str, "length": len(array)}

    def array(self, noted: dict[str, Any]) -> DiskArray:
        """The array that has been noted."""
        return DiskArray(self.path / noted["file"], noted["dtype"], noted["length"])

    def delete(self, *names: str) -> None:
        """Delete files that no stage needs any more."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.path)
