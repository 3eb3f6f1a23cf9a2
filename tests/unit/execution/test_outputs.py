"""Results are replaced whole: what may be replaced, and who else writes (faults: ``faults/``)."""

import hashlib
import os
import stat
from pathlib import Path

import pytest

from exactdp.errors import DomainError
from exactdp.execution import held_file, held_folder, outputs
from tests.routes.places import HEAD, NEW, OLD, content, foreign_folder, write_file, write_folder

# --- what may be replaced -----------------------------------------------------------------------


def ours(path):
    write_folder(path, OLD)
    return path


def changed(name, change):
    """A folder of ours in which something was changed by others."""

    def make(path):
        change(ours(path) / name)

    return make


def sums_of_mine(path):
    foreign_folder(path)
    digest = hashlib.sha256(b"mine").hexdigest()
    (path / outputs.SUMS).write_text(f"# release 2\n{digest}  verdicts.json\n")


def linked_certificates(path):
    (ours(path) / "certificates").rename(path.parent / "elsewhere")
    (path / "certificates").symlink_to(path.parent / "elsewhere")


REFUSED_FOLDERS = {
    "another's verdicts.json": (foreign_folder, "report/verdicts.json' was not written by exactdp"),
    "another's hashes": (sums_of_mine, "SHA256SUMS' was not written"),
    "a note beside ours": (
        changed("certificates/note.txt", lambda p: p.write_text("mine")),
        "report/certificates/note.txt' was not written",
    ),
    "a folder beside ours": (changed("mine", Path.mkdir), "report/mine' was not written"),
    "ours, edited": (
        changed("verdicts.json", lambda p: p.write_text("edited")),
        "report/verdicts.json' was not written",
    ),
    "hashes lost": (changed(outputs.SUMS, Path.unlink), "was not written"),
    "hashes emptied": (changed(outputs.SUMS, lambda p: p.write_bytes(b"")), "SHA256SUMS' was not"),
    "certificates linked": (linked_certificates, "report/certificates' was not written"),
    "a file": (lambda p: p.write_text("mine"), "report' is a file, not a folder"),
    "a link": (lambda p: p.symlink_to(ours(p.parent / "other")), "is a symbolic link"),
    "a dangling link": (lambda p: p.symlink_to("nowhere"), "is a symbolic link"),
    "a named pipe": (os.mkfifo, "is a named pipe"),
    "below a file": (lambda p: p.parent.rmdir() or p.parent.write_text(""), "Not a directory"),
    "a work folder of others": (
        lambda p: (
            (p.parent / ".report.exactdp").mkdir()
            or foreign_folder(p.parent / ".report.exactdp" / "x")
        ),
        ".report.exactdp' was not written",
    ),
    "a linked work folder": (
        lambda p: (p.parent / ".report.exactdp").symlink_to(p.parent.parent),
        ".report.exactdp' was not written",
    ),
}

CIRCLE = (
    lambda p: p.parent.rmdir() or p.parent.symlink_to(p.parent),
    "cannot be written: Too many levels of symbolic links",
)
REFUSED_FOLDERS["below a link to itself"] = CIRCLE

REFUSED_FILES = {
    "below a link to itself": CIRCLE,
    "another's file": (lambda p: p.write_text("mine"), "report' was not written by exactdp"),
    "a file of problems": (
        lambda p: p.write_text('{"format": "exactdp-problems/1"}'),
        "was not written by exactdp",
    ),
    "a folder": (Path.mkdir, "is a folder, not a file"),
    "a link": (lambda p: p.symlink_to("nowhere"), "is a symbolic link, not a file"),
    "a named pipe": (os.mkfifo, "is a named pipe, not a file"),
    "below a file": (lambda p: p.parent.rmdir() or p.parent.write_text(""), "Not a directory"),
}

REFUSED = [(write_folder, *row) for row in REFUSED_FOLDERS.values()]
REFUSED += [(write_file, *row) for row in REFUSED_FILES.values()]
NAMES = [*REFUSED_FOLDERS, *(f"file: {name}" for name in REFUSED_FILES)]


def everything(folder):
    """Each path below a folder, with its kind and content."""
    return {
        p: (stat.S_IFMT(p.lstat().st_mode), p.read_bytes() if p.is_file() else None)
        for p in folder.rglob("*")
    }


@pytest.mark.parametrize(("write", "make", "words"), REFUSED, ids=NAMES)
def test_what_exactdp_did_not_write_is_refused_by_name(tmp_path, write, make, words):
    place = tmp_path / "folder" / "report"
    place.parent.mkdir()
    make(place)
    before = everything(tmp_path)
    with pytest.raises(DomainError, match=words) as refusal:
        write(place, NEW)
    assert "\n" not in str(refusal.value)
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("", "is the current folder"),
        ("..", "is the current folder, or above it"),
        ("../link/here", "is the current folder"),
        ("/", "or above it"),
        ("/dev/null", "is a device, not a folder"),
        ("/dev/null/x", "Not a directory"),
        ("/dev", "is a mount point"),
        ("/proc/exactdp/x", "cannot be written: No such file"),
        ("x" * 300, "cannot be written: File name too long"),
        ("x\0y", "cannot be written: embedded null byte"),
    ],
)
def test_a_place_that_cannot_be_a_folder_is_refused(tmp_path, monkeypatch, place, words):
    (tmp_path / "here").mkdir()
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path / "here")
    if words == "is a mount point" and not os.path.ismount(place):
        pytest.skip(f"{place} is not a mount point here")
    with pytest.raises(DomainError, match=words):
        write_folder(Path(place), NEW)
    assert {path.name for path in tmp_path.iterdir()} == {"here", "link"}
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize(("write", "old"), [(write_folder, OLD), (write_file, HEAD + b"old")])
def test_what_is_missing_empty_or_ours_is_replaced_and_keeps_its_permissions(tmp_path, write, old):
    place = tmp_path / "a" / "b" / "report"
    write(place, OLD)
    assert content(place) == old
    write(tmp_path / "other", NEW)
    kept = [path for path in (place, *place.rglob("*")) if path.name != "b.json"]
    for path in kept:
        path.chmod(0o700 if path.is_dir() else 0o600)
    write(place, NEW)
    assert content(place) == content(tmp_path / "other")
    for path in kept:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    assert {p.name for p in place.parent.iterdir()} == {"report"}


def test_files_beside_are_all_written_before_one_is_put_in_its_place(tmp_path, monkeypatch):
    place, beside = tmp_path / "inventory", {tmp_path / "a": b"new", tmp_path / "b": b"new"}
    for path in (place, tmp_path / "a", tmp_path / "stale"):
        path.write_bytes(b"old")
    before, write = everything(tmp_path), outputs._write

    def full_at_the_last(path, content, *, like):
        if like == place:
            raise OSError(28, "No space left on device")
        write(path, content, like=like)

    monkeypatch.setattr(outputs, "_write", full_at_the_last)
    for is_full in (True, False):
        with held_file(place) as held:
            if is_full:
                with pytest.raises(DomainError, match="No space left"):
                    held.write(b"new", beside=beside, stale={tmp_path / "stale"})
            else:
                monkeypatch.setattr(outputs, "_write", write)
                held.write(b"new", beside=beside, stale={tmp_path / "stale"})
        if is_full:
            assert everything(tmp_path) == before
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == dict.fromkeys(
        ("inventory", "a", "b"), b"new"
    )


def test_what_is_empty_is_nobodys(tmp_path):
    (tmp_path / "report").mkdir()
    (tmp_path / "file").touch()
    write_folder(tmp_path / "report", NEW)
    write_file(tmp_path / "file", NEW)
    assert content(tmp_path / "report") == NEW and content(tmp_path / "file") == HEAD + b"new"


def test_a_file_that_was_removed_by_hand_comes_back(tmp_path):
    place = ours(tmp_path / "report")
    (place / "certificates" / "a.json").unlink()
    write_folder(place, OLD)
    assert content(place) == OLD


def test_the_sums_are_those_of_sha256sum(tmp_path):
    write_folder(tmp_path / "report", NEW)
    head, *lines = (tmp_path / "report" / outputs.SUMS).read_text().splitlines()
    assert head.startswith("# exactdp run ") and len(lines) == len(NEW)
    for line in lines:
        digest, name = line.split("  ")
        assert hashlib.sha256(NEW[name]).hexdigest() == digest


def test_what_changed_during_the_run_is_seen_at_its_end(tmp_path):
    place = ours(tmp_path / "report")
    with pytest.raises(DomainError, match="note' was not written"), held_folder(place) as held:
        (place / "note").write_text("mine")
        held.write_folder(NEW)
    assert content(place) == {**OLD, "note": b"mine"}


@pytest.mark.parametrize("hold", [held_folder, held_file])
def test_two_runs_do_not_mix(tmp_path, hold):
    place = tmp_path / "report"
    with hold(place):
        with pytest.raises(DomainError, match="another run writes"):
            hold(place).__enter__()
        with hold(tmp_path / "other"):
            pass
    with hold(place):
        pass
    assert list(tmp_path.iterdir()) == []


def test_no_place_is_refused_before_the_run_for_want_of_room(tmp_path):
    resource = pytest.importorskip("resource")
    ours(tmp_path / "report")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(DomainError, match="cannot be written: File too large"):
            held_folder(tmp_path / "report").__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert content(tmp_path / "report") == OLD and len(list(tmp_path.iterdir())) == 1


def test_where_folders_cannot_be_swapped_a_failed_run_puts_the_old_one_back(tmp_path, monkeypatch):
    place, rename = ours(tmp_path / "report"), os.rename

    def fail_once(one, other):
        if Path(one).name == "new":
            monkeypatch.setattr("os.rename", rename)
            raise KeyboardInterrupt
        rename(one, other)

    monkeypatch.setattr("os.rename", fail_once)
    monkeypatch.setattr(outputs, "_swapped", lambda *names: False)
    with pytest.raises(KeyboardInterrupt):
        write_folder(place, NEW)
    assert content(place) == OLD and list(tmp_path.iterdir()) == [place]
    work = tmp_path / ".report.exactdp"  # as a kill between the two renames leaves it
    work.mkdir()
    place.rename(work / "old")
    with held_folder(place):
        assert content(place) == OLD
    write_folder(place, NEW)
    assert content(place) == NEW and list(tmp_path.iterdir()) == [place]
