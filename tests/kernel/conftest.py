"""The program that is extracted from the proved checker, for the tests that ask it."""

import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[2] / "proofs_check" / "coq" / "extracted" / "build"


@pytest.fixture(scope="session")
def program(tmp_path_factory, request):
    """The program, built."""
    if not request.config.getoption("--coq"):
        pytest.skip("Coq takes two minutes: with --coq, as in .ci/run")
    if shutil.which("coqc") is None or shutil.which("ocamlfind") is None:
        pytest.skip("coqc or ocamlfind is not installed: nothing was extracted")
    if subprocess.run(
        ["ocamlfind", "query", "zarith"], capture_output=True, check=False
    ).returncode:
        pytest.skip("zarith is not installed: nothing was extracted")
    folder = tmp_path_factory.mktemp("extracted")
    built = subprocess.run([BUILD, folder], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "checked"
