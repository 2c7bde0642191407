"""Folders that are written completely or not at all."""

import os

import pytest

from gascl.errors import FormatError
from gascl.util import atomic_folder
from gascl.util.atomic_folder import check_folder, new_folder, part_name


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
        ("file", "file is a file; name a folder, or for one file, a name that ends in .parquet"),
        ("notes", "notes: this folder has other files, such as thesis.txt; name another"),
        ("no/parts", "there is no folder .*no; create it first"),
    ):
        with pytest.raises(FormatError, match=words):
            written(tmp_path / name, 0)
    assert sorted(content(tmp_path / "notes")) == ["part-00000.parquet", "thesis.txt"]
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    "other", ["thesis.txt", "part-1.parquet", "part-00000-c000.snappy.parquet"]
)
@pytest.mark.parametrize("is_folder", [False, True])
def test_what_comes_while_parts_are_written_is_kept(tmp_path, other, is_folder):
    path = tmp_path / "parts"
    written(path, 0)
    kept = path / other / "mine" if is_folder else path / other

    def write():
        with new_folder(path) as folder:
            (folder / part_name(0)).write_text("new")
            kept.parent.mkdir(exist_ok=True)
            kept.write_text("mine")

    with pytest.raises(FormatError, match=f"parts: this folder has other files, such as {other}"):
        write()
    assert kept.read_text() == "mine"
    assert (path / part_name(0)).read_text() == "0 of 1"
    assert [each.name for each in tmp_path.iterdir()] == ["parts"]
    with pytest.raises(FormatError, match="has other files"):
        written(path, 0)  # before anything is written


def test_a_folder_named_like_a_part_is_no_part(tmp_path):
    inside = tmp_path / "parts" / part_name(3) / "mine"
    inside.parent.mkdir(parents=True)
    inside.write_text("mine")
    with pytest.raises(FormatError, match="has other files, such as part-00003"):
        written(tmp_path / "parts", 0)
    assert inside.read_text() == "mine"


def test_a_folder_is_replaced_where_its_name_is(tmp_path, monkeypatch):
    """The folder itself may be written to, but not the one that it is in."""
    written(tmp_path / "parts", 0)
    tried = []
    monkeypatch.setattr(atomic_folder, "check_writable", lambda path, named: tried.append(path))
    monkeypatch.setattr(os.path, "ismount", lambda path: path.name == "disk")
    (tmp_path / "link").symlink_to("parts")
    check_folder(tmp_path / "link")
    assert [each.parent for each in tried] == [tmp_path]
    (tmp_path / "disk").mkdir()
    with pytest.raises(FormatError, match="disk: a mount point cannot be replaced; name a folder"):
        check_folder(tmp_path / "disk")


def test_a_full_disk(tmp_path):
    with (
        pytest.raises(FormatError, match=r"parts cannot be written: no room; name a folder where"),
        new_folder(tmp_path / "parts"),
    ):
        raise OSError("no room")
    assert not list(tmp_path.iterdir())
