"""Archives from elsewhere: nothing is written outside of their folder, and what is damaged is one
error."""

import bz2
import gzip
import lzma
import random
import shutil
import tarfile

import pytest
from support.archives import GOOD, TEXT, refused, special, tarred, zstandard

from gascl.datasets.archive import unpack
from gascl.errors import FormatError

OUTSIDE = ["../evil.txt", "a/../../evil.txt", "{}/evil.txt", "..\\evil.txt", "C:evil.txt"]


@pytest.mark.parametrize("name", OUTSIDE)
def test_members_with_a_place_outside(tmp_path, name):
    archive = tmp_path / "a.tar"
    archive.write_bytes(tarred(("a/good.txt", b"0 1\n"), (name.format(tmp_path), b"2 3\n")))
    unpack(archive, tmp_path / "to")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar", "to"]
    found = {path.name: path.read_bytes() for path in (tmp_path / "to").iterdir()}
    assert found == {"good.txt": b"0 1\n", "evil.txt": b"2 3\n"}


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        (tarfile.SYMTYPE, "/tmp"),
        (tarfile.SYMTYPE, "good.txt"),
        (tarfile.LNKTYPE, "/etc/passwd"),
        (tarfile.FIFOTYPE, ""),
        (tarfile.CHRTYPE, ""),
        (tarfile.BLKTYPE, ""),
        (tarfile.DIRTYPE, ""),
    ],
)
def test_links_devices_and_folders_are_left_out(tmp_path, kind, target):
    archive = tmp_path / "a.tar"
    members = ("good.txt", b"0 1\n"), special("evil", kind, target), ("evil/x.txt", b"2 3\n")
    archive.write_bytes(tarred(*members))
    unpack(archive, tmp_path / "to")
    assert sorted(path.name for path in (tmp_path / "to").iterdir()) == ["good.txt", "x.txt"]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([("a.txt", b"1"), ("a.txt", b"2")], ["two files named 'a.txt'"]),
        ([("a.txt", b"1"), ("b/a.txt", b"2")], ["two files named 'a.txt'"]),
        ([("..", b"1")], ["'..'"]),
    ],
)
def test_names_that_a_file_cannot_have(tmp_path, members, words):
    hostile(tmp_path, tarred(*members), words)


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_cut_off_archives(tmp_path, share):
    whole = tarred(("a.txt", TEXT), ("b.txt", TEXT))
    hostile(tmp_path, whole[: int(share * len(whole))], ["again"])


def test_no_archive_at_all(tmp_path):
    hostile(tmp_path, TEXT, ["damaged"])


def test_other_users_can_read_what_is_unpacked(tmp_path):
    """As far as they can read other new folders."""
    (tmp_path / "a.tar").write_bytes(tarred(*GOOD))
    unpack(tmp_path / "a.tar", tmp_path / "new")
    (tmp_path / "usual").mkdir()
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_unpacked_by_another_process_meanwhile(tmp_path):
    archive = tmp_path / "a.tar"
    archive.write_bytes(tarred(*GOOD[1:]))
    for _ in range(2):
        unpack(archive, tmp_path / "to")
    assert (tmp_path / "to" / "star.txt").read_bytes() == TEXT
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar", "to"]


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tar.bz2", "a.tar.xz", "a.tar.zst"])
def test_damaged_archives(tmp_path, name):
    """Cut off anywhere, or with bytes changed: an error of one line, or the files as they were."""
    kinds = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstandard}
    whole = kinds[name.rpartition(".")[2]](tarred(*GOOD[1:]))
    archive, folder, errors = tmp_path / name, tmp_path / "to", []
    chance = random.Random(7)
    for case in range(80):
        bytes_ = bytearray(whole)
        if case % 2:
            del bytes_[chance.randrange(len(whole)) :]
        else:
            for _ in range(chance.choice([1, 4])):
                bytes_[chance.randrange(len(whole))] = chance.randrange(256)
        archive.write_bytes(bytes_)
        try:
            unpack(archive, folder)
        except FormatError as error:
            errors.append(str(error))
        else:
            found = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
            assert all(content in (TEXT, b"1\n") for content in found.values())
            shutil.rmtree(folder)
    assert len(errors) > 40
    assert all(str(archive) in error and "\n" not in error for error in errors)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def hostile(tmp_path, packed, words):
    """Refused, with nothing written in the folder or beside it."""
    archive = tmp_path / "a.tar"
    archive.write_bytes(packed)
    refused([str(archive), *words], lambda: unpack(archive, tmp_path / "to"))
    assert [path.name for path in tmp_path.rglob("*")] == [archive.name]
