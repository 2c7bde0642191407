"""Folders that are written completely or not at all."""

import pytest

from gascl.errors import FormatError
from gascl.util.atomic_folder import new_folder, part_name


def written(path, *numbers):
    with new_folder(path) as folder:
        for number in numbers:
            (folder / part_name(number)).write_text(f"{number} of {len(numbers)}")


def content(path):
    return {each.name: each.read_text() for each in path.iterdir()}


def test_the_parts_of_an_earlier_folder_are_gone(tmp_path):
    path = tmp_path / "parts"
    written(path, 0, 1, 2)
    assert len(content(path)) == 3
    written(path, 0, 1)
    assert content(path) == {"part-00000.parquet": "0 of 2", "part-00001.parquet": "1 of 2"}
    assert [each.name for each in tmp_path.iterdir()] == ["parts"]


@pytest.mark.parametrize("error", [RuntimeError("no"), KeyboardInterrupt()])
def test_after_an_error_the_old_folder_is_there(tmp_path, error):
    path = tmp_path / "parts"
    written(path, 0)

    def fail():
        with new_folder(path) as folder:
            (folder / part_name(0)).write_text("half")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert content(path) == {"part-00000.parquet": "0 of 1"}
    assert [each.name for each in tmp_path.iterdir()] == ["parts"]


def test_what_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "part-00000.parquet").write_text("")
    (tmp_path / "notes" / "thesis.txt").write_text("mine")
    for name, words in (
        ("file", "file is a file; name a folder, or add .parquet to write one file"),
        ("notes", "notes: this folder has other files, such as thesis.txt; name another"),
        ("no/parts", "there is no folder .*no; create it first"),
    ):
        with pytest.raises(FormatError, match=words):
            written(tmp_path / name, 0)
    assert sorted(content(tmp_path / "notes")) == ["part-00000.parquet", "thesis.txt"]
    assert (tmp_path / "file").read_text() == "mine"


def test_a_full_disk(tmp_path):
    with (
        pytest.raises(FormatError, match=r"parts cannot be written: no room; name a folder where"),
        new_folder(tmp_path / "parts"),
    ):
        raise OSError("no room")
    assert not list(tmp_path.iterdir())
