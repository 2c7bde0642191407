"""Archives made by hand, good and hostile, and the error that each must get."""

import io
import tarfile

import pytest

from gascl.errors import FormatError

TEXT = b"# a star\n" + b"".join(b"0 %d\n" % i for i in range(1, 20_001))


def refused(words, call, error=FormatError):
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert word in text


def tarred(*members, mode="w"):
    """A .tar of (name, content) and of TarInfos."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as tar:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                tar.addfile(member)
            else:
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                tar.addfile(info, io.BytesIO(member[1]))
    return packed.getvalue()


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def zstandard(data):
    return pytest.importorskip("zstandard").ZstdCompressor(write_checksum=True).compress(data)


GOOD = (("star/", b""), ("star/star.txt", TEXT), ("star/star_sources.txt", b"1\n"))
