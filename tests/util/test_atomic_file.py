"""Files that are written whole or not at all: what lies there before, meanwhile and after."""

import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from support.filecases import refused

from gascl.util import atomic_file
from gascl.util.atomic_file import is_replaced, new_file, new_files

posix = pytest.mark.skipif(os.name == "nt", reason="links, modes and pipes are those of POSIX")
ROOT = os.name != "nt" and os.geteuid() == 0


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def path(tmp_path):
    """An old file."""
    old = tmp_path / "a.csv"
    old.write_bytes(b"old")
    return old


def save(path, content=b"new"):
    with new_file(path) as file:
        file.write(content)


@pytest.fixture
def open_folder():
    """A folder that all users can get to, as pytest's can't."""
    with tempfile.TemporaryDirectory() as made:
        os.chmod(made, 0o755)
        yield Path(made)


def as_a_user(path):
    """The error when a user without privileges writes to the path."""
    code = """
import os, sys
from pathlib import Path
from gascl.errors import FormatError
from gascl.util.atomic_file import new_file
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    with new_file(Path(sys.argv[1])) as file:
        file.write(b"new")
except FormatError as error:
    print(error)
"""
    command = [sys.executable, "-c", code, str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return ran.stdout


def test_the_old_file_stays_until_the_new_one_is_whole(path, tmp_path):
    with new_file(path) as file:
        file.write(b"new" * 100_000)
        file.flush()
        assert path.read_bytes() == b"old"
        assert len(names(tmp_path)) == 2
    assert path.read_bytes() == b"new" * 100_000
    assert names(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_fails_leaves_the_old_file_and_nothing_else(path, tmp_path, error):
    def fails():
        with new_file(path) as file:
            file.write(b"new")
            raise error

    with pytest.raises(error):
        fails()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.csv"]


def test_ctrl_c_stays_ctrl_c(path, tmp_path):
    """What cleans up may fail in its own way, as zipfile does. What the caller was handling before
    is another matter."""

    def fails(error):
        with new_file(path) as file:
            try:
                file.write(b"new")
                raise error
            finally:
                raise ValueError("there is an open writing handle")

    with pytest.raises(KeyboardInterrupt):
        fails(KeyboardInterrupt)
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        with pytest.raises(ValueError, match="open writing handle"):
            fails(EOFError)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.csv"]


@posix
@pytest.mark.parametrize("bits", [0o600, 0o640, 0o664, 0o755, 0o666])
def test_permissions_stay(path, tmp_path, bits):
    path.chmod(bits)
    before = os.umask(0o077)
    try:
        with new_file(path) as file:
            (part,) = set(tmp_path.iterdir()) - {path}
            assert mode(part) & ~bits == 0  # at no time may anyone read what was not for them
            file.write(b"new")
    finally:
        os.umask(before)
    assert mode(path) == bits
    assert path.read_bytes() == b"new"


@posix
@pytest.mark.parametrize(("umask", "bits"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600)])
def test_a_new_file_has_the_permissions_that_any_has(tmp_path, umask, bits):
    before = os.umask(umask)
    try:
        save(tmp_path / "a.csv")
    finally:
        os.umask(before)
    assert mode(tmp_path / "a.csv") == bits


@pytest.mark.skipif(not ROOT, reason="only root can give files away")
def test_the_owner_stays(path):
    os.chown(path, 1234, 4321)
    save(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)


@posix
def test_links_are_followed_and_stay(path, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "one.csv").symlink_to("folder/two.csv")
    (folder / "two.csv").symlink_to("../a.csv")
    save(tmp_path / "one.csv")
    assert (tmp_path / "one.csv").is_symlink() and (folder / "two.csv").is_symlink()
    assert path.read_bytes() == b"new" and not path.is_symlink()
    (tmp_path / "none.csv").symlink_to("folder/none.csv")
    save(tmp_path / "none.csv", b"newer")
    assert (tmp_path / "none.csv").is_symlink()
    assert (folder / "none.csv").read_bytes() == b"newer"
    assert names(folder) == ["none.csv", "two.csv"]
    (tmp_path / "round.csv").symlink_to("round.csv")
    refused(["round.csv cannot be written: "], lambda: save(tmp_path / "round.csv"))
    assert (tmp_path / "round.csv").is_symlink()


@posix
def test_nobody_can_lay_a_link_where_the_part_will_be(path, tmp_path, monkeypatch):
    """No two names are the same; and if one were guessed, what lies there is left alone."""
    parts = set()
    for _ in range(3):
        with new_file(path) as file:
            file.write(b"old")
            parts |= set(names(tmp_path)) - {"a.csv"}
    assert len(parts) == 3 and all(len(part) > 16 for part in parts)
    monkeypatch.setattr(atomic_file.secrets, "token_hex", lambda size: "guessed")
    (tmp_path / "victim").write_bytes(b"mine")
    (tmp_path / ".gascl-guessed.part").symlink_to("victim")
    refused(["a.csv cannot be written: File exists"], lambda: save(path))
    assert (tmp_path / "victim").read_bytes() == b"mine"
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == [".gascl-guessed.part", "a.csv", "victim"]


@pytest.mark.skipif(not ROOT, reason="only root can give links away")
def test_links_of_others_in_a_shared_folder_are_not_followed(tmp_path):
    """As the system has it, for folders like /tmp."""
    setting = Path("/proc/sys/fs/protected_symlinks")
    if not setting.exists() or setting.read_text().strip() != "1":
        pytest.skip("this system follows them")
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (tmp_path / "victim").write_bytes(b"mine")
    (shared / "a.csv").symlink_to(tmp_path / "victim")
    os.chown(shared / "a.csv", 1234, 1234, follow_symlinks=False)
    refused(["a.csv cannot be written: Permission denied"], lambda: save(shared / "a.csv"))
    assert (tmp_path / "victim").read_bytes() == b"mine"


def test_threads_that_write_one_file(path, tmp_path):
    contents = [bytes([65 + number]) * 50_000 for number in range(4)]
    failed = []

    def work(content):
        try:
            for _ in range(40):
                save(path, content)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert path.read_bytes() in [b"old", *contents]
    assert not failed
    assert names(tmp_path) == ["a.csv"]


@posix
def test_a_pipe_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert not is_replaced(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    save(tmp_path / "pipe", b"new" * 100_000)
    reader.join()
    assert read == [b"new" * 100_000]
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)
    assert names(tmp_path) == ["pipe"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_devices_are_written_to(tmp_path):
    save(Path("/dev/null"))
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    (tmp_path / "a.csv").symlink_to("/dev/full")
    words = ["a.csv cannot be written: No space left on device; make room there"]
    refused(words, lambda: save(tmp_path / "a.csv"))
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
@pytest.mark.parametrize("which", ["stdout", "stderr"])
def test_the_file_that_our_own_output_goes_to_is_written_to(tmp_path, which):
    code = f"""
import sys
from pathlib import Path
from gascl.util.atomic_file import new_file
print("before", file=sys.{which}, flush=True)
with new_file(Path("/dev/{which}")) as file:
    file.write(b"new\\n")
print("after", file=sys.{which})
"""
    with (tmp_path / "out.txt").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], **{which: out}, check=True, timeout=60)
    assert (tmp_path / "out.txt").read_text() == "before\nnew\nafter\n"
    assert names(tmp_path) == ["out.txt"]


def test_folders_that_are_not_there(path, tmp_path):
    words = ["b.csv cannot be written: there is no folder ", "create it first"]
    refused(words, lambda: save(tmp_path / "none" / "b.csv"))
    refused(words, lambda: save(path / "b.csv"))
    refused(["cannot be written: it is a folder; name a file in it"], lambda: save(tmp_path))
    assert names(tmp_path) == ["a.csv"]
    assert path.read_bytes() == b"old"


@posix
def test_a_folder_that_is_read_only(open_folder):
    path = open_folder / "a.csv"
    path.write_bytes(b"old")
    path.chmod(0o666)
    open_folder.chmod(0o555)
    for name in ("a.csv", "b.csv"):
        said = as_a_user(open_folder / name)
        assert f"{open_folder / name} cannot be written: Permission denied; check the perm" in said
        assert "name a file in another folder" in said
    assert path.read_bytes() == b"old"
    assert names(open_folder) == ["a.csv"]


@posix
def test_a_file_that_is_read_only_is_not_replaced(open_folder):
    path = open_folder / "a.csv"
    path.write_bytes(b"old")
    path.chmod(0o444)
    open_folder.chmod(0o777)
    said = as_a_user(path)
    assert f"{path} cannot be written: Permission denied; " in said
    assert path.read_bytes() == b"old"
    assert names(open_folder) == ["a.csv"]


def test_files_that_belong_together(path, tmp_path):
    other = tmp_path / "b.csv"
    with new_files(path, other) as (first, second):
        first.write(b"1")
        second.write(b"2")
        assert path.read_bytes() == b"old" and not other.exists()
    assert (path.read_bytes(), other.read_bytes()) == (b"1", b"2")
    words = ["none/c.csv cannot be written: there is no folder"]

    def wrong():
        with new_files(path, tmp_path / "none" / "c.csv"):
            raise AssertionError("one can't be written")

    refused(words, wrong)
    assert path.read_bytes() == b"1"
    assert names(tmp_path) == ["a.csv", "b.csv"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_where_one_of_them_is_not_whole_none_is_replaced(path, tmp_path):
    """The second's last bytes, which are still to be written at the end, have no room."""
    (tmp_path / "b.csv").symlink_to("/dev/full")

    def wrong():
        with new_files(path, tmp_path / "b.csv") as files:
            for file in files:
                file.write(b"new")

    refused(["b.csv cannot be written: No space left on device"], wrong)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.csv", "b.csv"]
