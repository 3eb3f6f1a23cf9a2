"""The leavings of a stopped run are used where it decides the same, and nowhere else."""

import pickle
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from exactdp.claims import Falls, Refuted
from exactdp.errors import DomainError, StoppedError
from exactdp.execution import Limits, Store, held_file, side_by_side, store

REFUTED = {"": Refuted("n=1", "1 > 0", None, falls=Falls.STEP)}


def stored(path, **options):
    with closing(Store(path, **options)) as kept:
        return kept.known("f", ["a", "b"])


@pytest.fixture
def path(tmp_path):
    with closing(Store(tmp_path / "store.sqlite")) as kept:
        assert kept.known("f", ["a"]) == {} and list(tmp_path.iterdir()) == []
        kept.keep("f", "b", REFUTED)
        kept.keep("f", "b", REFUTED)
    return tmp_path / "store.sqlite"


def test_a_result_is_known_for_its_job_alone(path):
    assert stored(path) == {1: REFUTED}
    with closing(Store(path)) as kept:
        assert kept.known("g", ["b"]) == {}
    assert stored(path, resume=False) == {} and not path.exists()


def altered(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("update results set result = zeroblob(40)")


def of_another_form(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("pragma user_version = 7")


def copied(path):
    folder = path.parent.rename(path.parent.with_name("before"))
    path.parent.mkdir()
    path.write_bytes((folder / path.name).read_bytes())


DAMAGE = {
    "no database": lambda path: path.write_bytes(b"mine, and long enough to be one" * 99),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:5_000]),
    "empty": lambda path: path.write_bytes(b""),
    "altered": altered,
    "another form": of_another_form,
    "copied": copied,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_what_cannot_be_used_is_as_if_there_were_nothing(path, name):
    DAMAGE[name](path)
    assert stored(path) == {}
    with closing(Store(path)) as kept:
        kept.keep("f", "b", 3)
    assert stored(path) == {1: 3}


@dataclass
class Mine:
    """A record, but not of the library."""


class Calls:
    def __reduce__(self):
        return Path.touch, (Path("called"),)


class Gets:
    """Members of enumerations as Python 3.11.0 to 3.11.3 write them: getattr of class and name."""

    def __init__(self, *whose):
        self.whose = whose

    def __reduce__(self):
        return getattr, self.whose


def test_a_member_of_an_enumeration_is_read_as_each_python_writes_it(path):
    with closing(Store(path)) as kept:
        kept.keep("f", "b", Gets(Falls, "STEP"))
    assert stored(path) == {1: Falls.STEP}


@pytest.mark.parametrize(
    "planted", [Mine(), Calls(), print, sha256, Gets(Limits, "__init__"), Gets(Falls, "mro")]
)
def test_reading_runs_nothing(path, planted, monkeypatch):
    monkeypatch.chdir(path.parent)
    content = pickle.dumps(planted)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        row = [sha256(content).digest() + content]
        database.execute("update results set result = ?", row)
    assert stored(path) == {} and not Path("called").exists()


def test_a_full_disk_is_one_line_and_loses_nothing(path):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with closing(Store(path)) as kept:
            kept.known("f", ["b"])
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
            with pytest.raises(DomainError, match=r"cannot be written: .*goes on where this one"):
                kept.keep("f", "a", b"x" * 10**6)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert stored(path) == {1: REFUTED}


def test_code_decides(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "alone.py").write_text("x = 1")
    found = []
    for text in ("x = 1", "x = 2", "x = 1"):
        (tmp_path / "theirs" / "data.toml").write_text(text)
        store.code_of.cache_clear()
        found.append(store.code_of(("theirs", "alone")))
    assert found[0] == found[2] != found[1] != store.code_of(()) != store.code_of(("alone",))


def third(job):
    if job == 3:
        raise OSError("no")
    return 2**10**9 if job == 4 else job


def test_finished_results_outlive_a_run_until_its_output_is_written(tmp_path, capsys):
    with pytest.raises(OSError, match="no"), held_file(tmp_path / "out") as place:
        side_by_side(third, [1, 2, 3], workers=1, store=Store(place.store))
    assert [path.name for path in tmp_path.iterdir()] == [".out.exactdp"]
    with held_file(tmp_path / "out") as place:
        options = {"workers": 1, "store": Store(place.store), "limits": Limits(seconds=0.3)}
        with pytest.raises(StoppedError):
            side_by_side(third, [2, 1, 4], **options)
        assert "2 of 3 are known from a stopped run" in capsys.readouterr().err
        assert side_by_side(third, [4], stopped=lambda *_: "late", **options) == ["late"]
        assert side_by_side(third, [5], is_final=lambda _: False, **options) == [5]
        assert side_by_side(third, [4, 5], stopped=lambda *_: "late", **options) == ["late", 5]
        assert not capsys.readouterr().err
        place.write(b"done")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
