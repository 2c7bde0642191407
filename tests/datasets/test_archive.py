"""Archives from elsewhere: what is hostile or damaged is one error, and nothing is written."""

import bz2
import gzip
import io
import lzma
import os
import random
import shutil
import tarfile
import zipfile

import pytest
from support.archives import GOOD, TEXT, refused, special, tarred, zipped, zstandard

from gascl.datasets.archive import unpack
from gascl.errors import FormatError


@pytest.mark.parametrize("name", ["../evil.txt", "a/../../evil.txt", "{}/evil.txt"])
@pytest.mark.parametrize("pack", [tarred, zipped])
def test_members_that_would_get_out(tmp_path, name, pack):
    name = name.format(tmp_path)
    hostile(tmp_path, pack(("good.txt", b"0 1\n"), (name, b"0 1\n")), pack, [name])


@pytest.mark.parametrize("name", ["..\\evil.txt", "C:evil.txt", "\\evil.txt"])
def test_members_that_would_get_out_on_windows(tmp_path, name):
    hostile(tmp_path, tarred((name, b"0 1\n")), tarred, ["outside"])


@pytest.mark.parametrize(
    "members",
    [
        [special("evil", tarfile.SYMTYPE, "/tmp"), ("evil/x.txt", b"0 1\n")],
        [special("evil", tarfile.SYMTYPE, "good.txt")],
        [special("evil", tarfile.LNKTYPE, "/etc/passwd")],
        [special("evil", tarfile.FIFOTYPE)],
        [special("evil", tarfile.CHRTYPE)],
        [special("evil", tarfile.BLKTYPE)],
    ],
)
def test_links_and_devices(tmp_path, members):
    hostile(tmp_path, tarred(("good.txt", b"0 1\n"), *members), tarred, ["'evil'"])


def test_links_in_zip(tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        link = zipfile.ZipInfo("evil")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/tmp")
    hostile(tmp_path, packed.getvalue(), zipped, ["'evil'", "link"])


@pytest.mark.parametrize("pack", [tarred, zipped])
def test_more_than_the_limit(tmp_path, pack):
    hostile(tmp_path, pack(("zeros", b"0" * 5000)), pack, ["4,000 bytes"], limit=4000)


@pytest.mark.parametrize(
    "members",
    [
        [("a.txt", b"1"), ("a.txt", b"2")],
        [("a.txt", b"1"), ("a.txt/b", b"2")],
    ],
)
def test_one_name_twice(tmp_path, members):
    hostile(tmp_path, tarred(*members), tarred, ["a.txt", "twice"])


def test_one_name_twice_where_python_looks_where_links_lead(tmp_path, monkeypatch):
    """As Python's own filter has done since mid-2025."""

    def check(member, folder):
        os.path.realpath(
            os.path.join(folder, member.name), strict=os.path.dirname(member.name) != ""
        )
        return member

    monkeypatch.setattr(tarfile, "data_filter", check, raising=False)
    hostile(tmp_path, tarred(("a.txt", b"1"), ("a.txt/b", b"2")), tarred, ["a.txt", "twice"])


def test_more_after_the_end(tmp_path):
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(gzip.compress(tarred(("a.txt", TEXT)) + bytes(2 << 20)))
    refused([str(archive), "after its end"], lambda: unpack(archive, tmp_path / "to"))


@pytest.mark.parametrize("pack", [tarred, zipped])
@pytest.mark.parametrize("share", [0.3, 0.6])
def test_cut_off_archives(tmp_path, pack, share):
    whole = pack(("a.txt", TEXT), ("b.txt", TEXT))
    hostile(tmp_path, whole[: int(share * len(whole))], pack, ["again"])


@pytest.mark.parametrize("pack", [tarred, zipped])
def test_no_archive_at_all(tmp_path, pack):
    hostile(tmp_path, TEXT, pack, ["damaged"])


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tar.bz2", "a.tar.xz", "a.tar.zst", "a.zip"])
def test_damaged_archives(tmp_path, name):
    """Cut off anywhere, or with bytes changed: an error of one line, or the files as they were."""
    if name == "a.zip":
        whole = zipped(*GOOD)
    else:
        plain = tarred(*GOOD[1:])
        kinds = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstandard}
        whole = kinds[name.rpartition(".")[2]](plain)
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


@pytest.mark.parametrize("name", ["a\nb", "a\0b"])
def test_names_that_no_file_has(tmp_path, name):
    info = tarfile.TarInfo("short")
    info.pax_headers = {"path": name}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(info)
    hostile(tmp_path, packed.getvalue(), tarred, ["control characters"])


def hostile(tmp_path, packed, pack, words, limit=None):
    """Refused, with nothing written in the folder or beside it."""
    archive = tmp_path / ("a.zip" if pack is zipped else "a.tar")
    archive.write_bytes(packed)
    refused([str(archive), *words], lambda: unpack(archive, tmp_path / "to", limit))
    assert [path.name for path in tmp_path.rglob("*")] == [archive.name]
