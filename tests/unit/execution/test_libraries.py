"""A program in a folder: found, another version, missing, not imported; told to processes."""

import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

from exactdp.audit import audit_claim
from exactdp.claims import Claim, Source, cases, claims_of_paper, term
from exactdp.cli.files import programs_of
from exactdp.errors import DomainError, ParseError
from exactdp.execution import Session, absence, programs, side_by_side, tell_programs
from proofs_check.libraries.promises import Promise

NAME = "some/program"
SOURCE = "def bound(x):\n    return 2 * x\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EXACTDP_PROGRAMS", "")
    made = tmp_path / "checked-out"
    (made / "inner").mkdir(parents=True)
    (made / "inner" / "bounds.py").write_text(SOURCE)
    return made


def files_of(source):
    return {"inner/bounds.py": sha256(source.encode()).hexdigest()}


def test_a_program_is_told_by_its_files(folder):
    files = files_of(SOURCE)
    assert absence(f"{NAME}==1a2b3c4", files) == (
        f"{NAME} is in no folder here (--program {NAME}=FOLDER)"
    )
    tell_programs({NAME: str(folder)})
    assert programs() == {NAME: str(folder)}
    assert absence(f"{NAME}==1a2b3c4", files) == ""
    assert "another version" in absence(f"{NAME}==1a2b3c4", files_of(SOURCE + "\n"))
    tell_programs({NAME: str(folder / "inner")})
    assert "it has no inner/bounds.py" in absence(f"{NAME}==1a2b3c4", files)
    broken = "import no_such_module\n"
    (folder / "inner" / "bounds.py").write_text(broken)
    tell_programs({NAME: str(folder)})
    assert "No module named 'no_such_module'" in absence(f"{NAME}==1a2b3c4", files_of(broken))


def test_a_session_imports_from_the_folder(folder):
    with Session(NAME, "from inner.bounds import bound", folder=str(folder)) as session:
        assert session.ask("bound(1.5)").values == (3.0,)
    with Session(NAME, "from inner.bounds import bound", python=sys.executable) as session:
        assert session.ask("bound(1.5)").failure == "not installed"


def test_its_claims_are_tried_or_absent(folder):
    promise = Promise(
        NAME,
        "from inner.bounds import bound",
        lambda x: f"bound({x!r})",
        "loss",
        None,
        lambda x: term(x) * 3,
        cases(x=(1, 2)),
    )
    claim = Claim(
        "libraries/some/one",
        "s",
        Source("p", "x"),
        promise.readings(),
        about=f"{NAME}==1a2b3c4",
        files=files_of(SOURCE),
    )
    assert audit_claim(claim).label == "absent"
    tell_programs({NAME: str(folder)})
    assert audit_claim(claim).label == "refuted"


def test_the_option_names_a_folder(folder):
    assert programs_of([f"{NAME}={folder}"]) == {NAME: str(folder)}
    for text in (NAME, f"{NAME}={folder / 'none'}"):
        with pytest.raises(ParseError, match=r"is not a folder\. Give NAME=FOLDER"):
            programs_of([text])


def test_a_machine_without_the_folder_says_so(folder, monkeypatch):
    monkeypatch.setenv("EXACTDP_PROGRAMS", f"{NAME}=/nowhere/program")
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(DomainError, match="has no --program=some/program=/nowhere/program"),
    ):
        side_by_side(abs, [1], executor=executor)


@pytest.mark.parametrize("digest, is_read", [("0" * 64, True), ("0" * 63, False)])
def test_a_catalog_names_the_files(tmp_path, digest, is_read):
    place = tmp_path / "p"
    place.mkdir()
    (place / "catalog.toml").write_text(
        f'citation = "c"\nabout = "{NAME}==1"\nfiles = {{ "a.py" = "{digest}" }}\n'
        '[[claims]]\nid = "p/one"\nwhere = "w"\nsays = "s"\n'
    )
    trial = {"p/one": Promise("", "", lambda x: "x", "loss", None, lambda x: x, cases(x=(1,)))}
    statements = {"p/one": trial["p/one"].readings()["a"]}
    if is_read:
        (claim,) = claims_of_paper(place, trials=statements)
        assert claim.files == {"a.py": digest}
    else:
        with pytest.raises(ParseError, match="SHA-256"):
            claims_of_paper(place, trials=statements)
