"""Environments that pip fills, from wheels that are written here."""

import zipfile

import pytest

from exactdp.claims import installed_paper
from exactdp.errors import ParseError
from exactdp.execution import absence, tell_any_version
from exactdp.execution.environments import Environment, environments_in, make_all


def wheel(folder, name, version, asks=()):
    """Write a distribution without code that asks for others."""
    info = f"{name}-{version}.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Requires-Dist: {other}" for other in asks]
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as out:
        out.writestr(f"{info}/METADATA", "\n".join(lines) + "\n")
        out.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        out.writestr(f"{info}/RECORD", "")


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    folder = tmp_path / "wheels"
    folder.mkdir()
    for version in ("1.0", "1.1"):
        wheel(folder, "ours", version)
    wheel(folder, "asks", "2.0", ["ours", "heavy"])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_each_library_is_made_at_its_version_left_as_it_is_and_renewed(wheels, tmp_path):
    asked = [
        Environment("ours", "1.0"),
        Environment("asks", "2.0", beside=("ours",), alone=True),
        Environment("heavy", "3.0"),
    ]
    place = tmp_path / "environments"
    made = list(make_all(asked, place))
    assert [(one.environment.name, one.version) for one in made] == [
        ("ours", "1.0"),
        ("asks", "2.0"),
        ("heavy", ""),
    ]
    assert str(made[2]).startswith("skipped: heavy does not install here: ")
    assert "heavy==3.0" in made[2].problem and made[2].python is None
    mark = place / "ours" / "mark"
    mark.touch()
    (again,) = make_all(asked[:1], place)
    assert (again.version, mark.exists()) == ("1.0", True)
    (newest,) = make_all(asked[:1], place, newest=True)
    assert (newest.version, str(newest).partition(":")[0]) == ("1.1", "ours==1.1")
    (older,) = make_all(asked[:1], place)
    assert older.version == "1.0"


def test_a_claim_is_asked_of_another_version_where_that_is_told(monkeypatch):
    monkeypatch.delenv("EXACTDP_ANY_VERSION", raising=False)
    monkeypatch.delenv("EXACTDP_PYTHONS", raising=False)
    assert "the claim is about 0.0" in absence("pytest==0.0")
    monkeypatch.setenv("EXACTDP_ANY_VERSION", "")  # so that it is taken back afterwards
    tell_any_version()
    assert absence("pytest==0.0") == ""
    assert absence("no-such-library==0.0") == "no-such-library is not installed"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[[environments]]\nname = "x"\n', "version"),
        ('[[environments]]\nname = "x"\nversion = "1"\nalso = 2\n', "also"),
        ("[[environments]", "environments.toml"),
    ],
)
def test_a_file_that_is_none_is_named(text, place, tmp_path):
    assert environments_in(tmp_path) == ()
    (tmp_path / "environments.toml").write_text(text)
    with pytest.raises(ParseError, match=place):
        environments_in(tmp_path)


def test_every_library_that_claims_are_about_has_an_environment_at_its_version():
    from pathlib import Path

    paper = installed_paper("libraries")
    asked = {claim.about for claim in paper.claims() if claim.about and not claim.files}
    listed = [f"{one.name}=={one.version}" for one in environments_in(Path(paper.folder))]
    assert set(listed) >= asked and len(listed) == len(set(listed))
