"""A paper of one's own: the package that new-paper writes, and what it does when it is broken."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from exactdp import cli
from tests.commands import run

KEY, OTHER = "smith2024", "biswas2023/table-I/C"
FALLS, HOLDS = f"{KEY}/theorem-2", f"{KEY}/lemma-1"


def edit(path, before, after):
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


def verdicts(capsys, code, *arguments):
    """The verdicts that an audit in this process prints, and what stands on standard error."""
    assert run("audit", *(arguments or [KEY]), "--json", "--workers", 1) == code
    captured = capsys.readouterr()
    return {c["id"]: c for c in json.loads(captured.out)["claims"]}, captured.err


def test_it_works_as_written(package, tmp_path, capsys):
    report = tmp_path / "report"
    assert run("audit", KEY, "--out", report, "--workers", 1) == 0
    text = capsys.readouterr().out
    assert "at n=2, x=3, exp_epsilon=2: " in text and "(result falls)" in text
    assert "2 claims: 1 proved, 1 refuted\n1 certificate, 1 accepted by the kernel" in text
    assert f"note: {KEY} keeps no inventory" in text and "untested" not in text
    (certificate,) = (report / "certificates").iterdir()
    assert run("verify", "--full", certificate) == 0
    text = capsys.readouterr().out
    assert "accepted" in text and "Shuffling the reports of n users" in text
    assert run("claims", KEY) == 0
    for style in ("html", "markdown"):
        assert run("report", report, "--format", style, "--workers", 1) == 0
    assert FALLS in (tmp_path / "report.md").read_text()


DRAWN = """
TRIALS["smith2024/theorem-2"] = for_all(
    cases(n=(2,)).within(n=integers(1)), lambda n: at_most(term(n), 3), falls=Falls.RESULT
)
"""


def test_a_refutation_at_a_drawn_witness_is_verified(package, tmp_path, capsys):
    with (package / "trials.py").open("a") as file:
        file.write(DRAWN)
    found, _ = verdicts(capsys, 0, FALLS, "--out", tmp_path / "report")
    assert found[FALLS]["verdict"] == "refuted" and found[FALLS]["witness"] != "n=2"
    (certificate,) = (tmp_path / "report" / "certificates").iterdir()
    assert run("verify", "--full", certificate) == 0
    assert f"at the witness: {found[FALLS]['witness']}" in capsys.readouterr().out
    edit(certificate, '"0x3"', '"0x2"')  # as true, but another statement
    assert run("verify", "--full", certificate) == 1
    assert "the catalog's sentence is another statement" in capsys.readouterr().out


def test_its_own_tests_pass(package):
    path = os.pathsep.join([str(package.parent), str(Path(cli.__file__).parents[2])])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=package.parent,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and "3 passed" in done.stdout, done.stdout + done.stderr


def test_its_style_is_ours(package):
    folder = package.parent
    for command in (["check", "--select", "E,F,I,UP,B"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--isolated", "--line-length", "100", "."],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout


def test_its_inventory_is_kept_in_its_sources_and_compared(package, capsys):
    assert run("audit", KEY, "--update-inventory", "--workers", 1) == 0
    assert "the inventory is reproduced" in capsys.readouterr().out
    assert (package / "inventory.json").exists() and (package / "evidence.jsonl").exists()
    edit(package / "inventory.json", '"verdict": "proved"', '"verdict": "survived"')
    edit(package / "inventory.json", '"verdict": "proved"', '"verdict": "survived"')
    _, err = verdicts(capsys, 1)
    assert f"{HOLDS}: was survived, is proved" in err


@pytest.mark.parametrize("content", ["", "[]", '{"format": "exactdp-inventory/2"}', "entries"])
def test_an_inventory_that_is_none_is_one_line_among_the_others(package, tmp_path, capsys, content):
    entries = {"format": "exactdp-inventory/2", "claims": {HOLDS: {"verdict": "proved"}}}
    content = json.dumps(entries) if content == "entries" else content
    (package / "inventory.json").write_text(content)
    report = tmp_path / "report"
    _, err = verdicts(capsys, 1, FALLS, OTHER, "--out", report)
    assert err.count("inventory.json: not an inventory") == 1 and "2 claims" in err
    assert run("verify", *(report / "certificates").iterdir()) == 0


def test_its_inventory_is_not_written_into_an_installation(package, capsys):
    installed = package.parent / "other-0.1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Name: other\nVersion: 0.1.0\n")
    assert run("audit", KEY, "--update-inventory") == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    assert "is installed in" in captured.err and "pip install -e" in captured.err
    assert not (package / "inventory.json").exists()


# --- a trial that is wrong ----------------------------------------------------------------------

WRONG = "wrong=partial(lemma_1, factor=2)"


def test_a_missing_false_variant_is_said_in_the_verdict_line(package, capsys):
    edit(package / "trials.py", f"{WRONG},", "")
    found, err = verdicts(capsys, 0)
    assert found[HOLDS]["verdict"] == "proved"
    assert found[HOLDS]["untested"] == "it has no false variant"
    assert found[HOLDS]["steps"] and found[HOLDS]["found"] is None
    run("audit", KEY, "--workers", 1)
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "; untested: it has no false variant" in said
    assert found[FALLS]["untested"] is None
    assert "untested verdicts: 1 " in err


def test_a_false_variant_that_is_not_refuted_leaves_nothing_proved(package, capsys):
    edit(package / "trials.py", WRONG, "wrong=lemma_1")
    found, _ = verdicts(capsys, 0)
    assert found[HOLDS]["verdict"] == "undecided"
    assert found[HOLDS]["reason"].endswith("; but its false variant is survived, not refuted")


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ("return equal(hocke", "return 1 / 0 or (hocke", "ZeroDivisionError: division by zero"),
        ("return equal(hocke", "return None and (hocke", "DomainError: the formula of the claim"),
        ("return equal(hocke", "raise SystemExit(0) or (hocke", "SystemExit: 0"),
        ("factor * delta(x, exp_epsilon)", "x.nothing", "AttributeError: 'Fraction' object has no"),
    ],
)
def test_a_trial_that_raises_is_recorded_and_the_others_go_on(
    package, capsys, before, after, error
):
    edit(package / "trials.py", before, after)
    found, _ = verdicts(capsys, 1)
    assert found[HOLDS]["verdict"] == "error"
    assert found[HOLDS]["reason"].startswith(f"the trial raised {error}")
    assert "(trials.py, line " in found[HOLDS]["reason"] or "DomainError" in error
    assert found[FALLS]["verdict"] == "refuted"


def test_workers_record_it_too_and_no_inventory_is_made_of_it(package, capsys):
    edit(package / "trials.py", "return at_most(hocke", "return 1 / 0 or (hocke")
    assert run("audit", KEY, "--json", "--workers", 2, "--update-inventory") == 1
    captured = capsys.readouterr()
    found = {c["id"]: c["verdict"] for c in json.loads(captured.out)["claims"]}
    assert found == {FALLS: "error", HOLDS: "proved"}
    assert f"the inventory of '{KEY}' is not written" in captured.err
    assert not (package / "inventory.json").exists()


# --- a package that is wrong --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "before", "after", "message"),
    [
        ("__init__.py", "PAPER =", "import nowhere\nPAPER =", "ModuleNotFoundError: No module"),
        ("__init__.py", "PAPER =", "raise SystemExit\nPAPER =", "SystemExit"),
        ("__init__.py", "PAPER =", "OTHER =", "AttributeError: module 'smith2024' has no"),
        ("__init__.py", "PAPER = paper_of_package(__name__)", "PAPER = 3", "is 3, not a Paper"),
        ("trials.py", "Trials = {}", "Trials = {{}", "SyntaxError: "),
        ("trials.py", "Trials = {}", "Trials = 1 / 0", "ZeroDivisionError: division by zero ("),
        ("trials.py", 'smith2024/lemma-1"', 'smith2024/lemma-9"', "claims without a trial"),
        ("trials.py", "    proof=", "    proofs=", "TypeError: for_all() got an"),
        ("catalog.toml", "citation", "[claims", "/catalog.toml: Expected"),
        ("catalog.toml", "says =", "say =", '$.claims[0] has the unknown key "say"'),
    ],
)
def test_a_paper_that_cannot_be_read_is_one_line_and_an_exit_code(
    package, capsys, file, before, after, message
):
    edit(package / file, before, after)
    assert run("claims", "--json") == 3  # all papers
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert line.startswith(f"error: paper {KEY} could not be read: ") and message in line
    assert '"id": "wang2024/theorem-1"' in captured.out and KEY not in captured.out


def test_the_audit_goes_on_without_it(package, capsys):
    edit(package / "catalog.toml", "says =", "say =")
    found, err = verdicts(capsys, 3, KEY, OTHER)
    assert {key: claim["verdict"] for key, claim in found.items()} == {OTHER: "proved"}
    assert f"error: paper {KEY} could not be read: ParseError: " in err
    assert "the inventory is reproduced" in err


def test_what_is_broken_beside_it_does_not_touch_a_certificate(package, tmp_path, capsys):
    edit(package / "catalog.toml", "says =", "say =")
    file = tmp_path / "one.json"
    document = {"format": "exactdp-certificate/1", "conclusion": [["<", "0x1", "0x2"]]}
    for claim in (FALLS, "smith2024", "nobody", "balle2019/blanke"):
        file.write_text(json.dumps({**document, "claim": claim}))
        assert run("verify", "--full", file) == 1
        said = capsys.readouterr()
        assert "no catalog that can be read here" in said.out and said.err == ""


def test_two_packages_with_one_key_are_refused(package, capsys):
    edit(
        package.parent / f"{KEY}.egg-info" / "entry_points.txt", KEY, f"{KEY} = other:PAPER\n{KEY}"
    )
    other = package.parent / "other.egg-info"
    other.mkdir()
    (other / "PKG-INFO").write_text("Name: other\nVersion: 1\n")
    (other / "entry_points.txt").write_text(f"[exactdp.papers]\n{KEY} = other:PAPER\n")
    assert run("audit", KEY) == 3
    assert "is brought by several packages" in capsys.readouterr().err


# --- the command --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["2024smith", "Smith2024", "smith-2024", "class", "smith.2024"])
def test_a_folder_that_is_no_package_name_is_refused(tmp_path, capsys, name):
    assert run("new-paper", tmp_path / name) == 2
    assert "is not a name of a package" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten_or_shadowed(tmp_path, capsys):
    (tmp_path / "brown2025").mkdir()
    (tmp_path / "brown2025" / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name, message in [
        ("brown2025", "is there already"),
        ("file", "is there already"),
        ("numpy", "is installed already"),
    ]:
        assert run("new-paper", tmp_path / name) == 2
        captured = capsys.readouterr()
        assert message in captured.err and captured.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["brown2025", "file", "notes.txt"]
