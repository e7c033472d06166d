"""Writing happens wholly or not at all; what the disk refuses is a problem with a reason."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base import files as archive_disk
from core.base.errors import UserError
from core.document.document import Document
from core.storage.archive import dumps, load, save
from tests.core.documents import make


def same(a: Document, b: Document) -> bool:
    return dumps(a) == dumps(b)


def test_save_replaces_wholly_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "实验 1.attn.json"
    save(make(1), path)
    save(make(2), path)
    assert same(load(path), make(2))
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.attn.json"
    save(make(1), path)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive_disk.os, "fsync", fail)
    with pytest.raises(UserError) as caught:
        save(make(2), path)
    assert caught.value.code == "file.unwritable"
    assert caught.value.data == {
        "path": str(path),
        "reason": "full",
        "detail": "No space left on device",
    }
    assert same(load(path), make(1))
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("name", "code", "reason"),
    [("none/x.json", "file.unreadable", "missing"), ("", "file.unreadable", "folder")],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, name: str, code: str, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        load(tmp_path / name)
    assert (caught.value.code, caught.value.data["reason"]) == (code, reason)
    assert caught.value.data["path"] == str(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "reason"), [("none/x.json", "missing"), ("", "folder"), ("a" * 300, "name")]
)
def test_what_cannot_be_written_says_why(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        save(make(), tmp_path / name)
    assert (caught.value.code, caught.value.data["reason"]) == ("file.unwritable", reason)


def test_a_path_with_a_zero_byte_is_a_problem_too(tmp_path: Path) -> None:
    for call in (load, lambda path: save(make(), path)):
        with pytest.raises(UserError):
            call(f"{tmp_path}/a\0b")


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX knows them")
def test_permissions_stay_and_new_files_follow_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "x.attn.json"
    old = os.umask(0o027)
    try:
        save(make(1), path)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    save(make(2), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@pytest.mark.skipif(os.name != "posix", reason="symbolic links need rights elsewhere")
def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "x.attn.json", tmp_path / "link.attn.json"
    save(make(1), target)
    link.symlink_to(target)
    save(make(2), link)
    assert link.is_symlink()
    assert same(load(target), make(2))


def test_a_file_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.attn.json"
    save(make(), path)
    monkeypatch.setattr(archive_disk, "LARGEST_FILE", 100)
    with pytest.raises(UserError) as caught:
        load(path)
    assert caught.value.code == "file.too_large"


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("paper.pdf", b"%PDF-1.7\n%\xe2\xe3", "file.foreign"),
        ("notes.txt", b"the cat eats fish", "file.foreign"),
        ("picture.png", b"\x89PNG\r\n", "file.foreign"),
        ("cut.attn.json", b"not json", "file.syntax"),
        ("cut.txt", b'\xef\xbb\xbf {"format": ', "file.syntax"),
        ("numbers.csv", b"1,2", "file.numbers"),
        ("empty.pdf", b"", "file.empty"),
    ],
)
def test_what_is_no_file_of_ours_is_told_apart_from_a_broken_one(
    tmp_path: Path, name: str, data: bytes, code: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UserError) as caught:
        load(tmp_path / name)
    assert caught.value.code == code


def link_to_itself(folder: Path) -> Path:
    path = folder / "loop.attn.json"
    path.symlink_to(path.name)
    return path


def pipe(folder: Path) -> Path:
    path = folder / "pipe.attn.json"
    os.mkfifo(path)
    return path


def device(folder: Path) -> Path:
    path = folder / "null.attn.json"
    path.symlink_to("/dev/null")
    return path


@pytest.mark.skipif(os.name != "posix", reason="links, pipes and devices as POSIX knows them")
@pytest.mark.parametrize(
    ("make_path", "reason"), [(link_to_itself, "loop"), (pipe, "special"), (device, "special")]
)
def test_only_files_are_read_and_written(
    tmp_path: Path, make_path: Callable[[Path], Path], reason: str
) -> None:
    path = make_path(tmp_path)
    before = os.lstat(path).st_mode
    for call in (load, lambda path: save(make(), path)):
        with pytest.raises(UserError) as caught:
            call(path)
        assert caught.value.data["reason"] == reason
    assert os.lstat(path).st_mode == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.skipif(os.name != "posix", reason="hard links as POSIX knows them")
def test_every_name_of_a_file_gets_what_is_saved(tmp_path: Path) -> None:
    first, second = tmp_path / "a.attn.json", tmp_path / "b.attn.json"
    save(make(1), first)
    second.hardlink_to(first)
    save(make(2), second)
    assert same(load(first), make(2))
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.skipif(os.name != "posix", reason="hard links as POSIX knows them")
def test_a_failed_write_in_place_leaves_the_old_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.attn.json"
    save(make(1), path)
    (tmp_path / "b.attn.json").hardlink_to(path)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive_disk.os, "fsync", fail)
    with pytest.raises(UserError):
        save(make(2), path)
    assert same(load(path), make(1))


@pytest.mark.parametrize("name", ["文" * 80, "a" * 250])
def test_every_name_that_the_system_takes_can_be_saved(tmp_path: Path, name: str) -> None:
    save(make(), tmp_path / name)
    assert same(load(tmp_path / name), make())
