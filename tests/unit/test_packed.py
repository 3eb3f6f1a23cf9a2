"""The papers of a wheel are one file: unpacked once, whole, and read as from a checkout."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

ROOT = Path(__file__).parents[2]
STAYS_BEHIND = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")["STAYS_BEHIND"]
PAPERS = sorted(path.parent.name for path in ROOT.glob("proofs_check/*/inventory.json"))
ASKED = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in repr(one)]
import proofs_check
from proofs_check.kernel import check
assert len(proofs_check.__path__) == 1  # for the kernel nothing is unpacked
from proofs_check.feldman2021 import PAPER
from exactdp.audit import kept_evidence
from exactdp.claims.catalog import folder_of
from exactdp.coq.theorems import shipped_folder, stated
from pathlib import Path
assert stated("merged_view") and Path(PAPER.folder).parent == shipped_folder()
kept = kept_evidence(Path(PAPER.folder))
assert kept and all(check(one.content).statement for one in kept.values())
print(shipped_folder())
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder as a wheel has it; packed less well, which is sooner done."""
    folder = tmp_path_factory.mktemp("installed") / "proofs_check"
    copytree(ROOT / "proofs_check", folder, ignore=ignore_patterns("__pycache__"))
    there = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}
    archive = runpy.run_path(str(ROOT / "setup.py"))["pack"](folder, preset=0)
    return folder, archive, there


def unpacked(installed, cache):
    """Return the folder from which a process of its own reads the papers."""
    environment = {"PYTHONPATH": f"{installed[0].parent}{os.pathsep}{ROOT}", "HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        env={"PATH": os.environ["PATH"], **environment},
        cwd=installed[0].parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def test_what_is_unpacked_is_what_was_there(installed, tmp_path):
    folder, archive, there = installed
    left = {path.name for path in folder.iterdir()}
    assert left == {"__init__.py", "accepted.py", "accepted.json", "kernel", archive.name}
    found = unpacked(installed, tmp_path)
    assert found.parent == tmp_path / ".cache" / "exactdp"
    for name, content in there.items():
        place = folder / name if (folder / name).exists() else found / name
        stays = place.suffix == ".md" or place.name in STAYS_BEHIND
        if place == found / name and stays:  # for readers of the repository
            assert not place.exists()
        elif place == found / name and place.suffix == ".json":  # without its layout
            assert json.loads(place.read_text()) == json.loads(content)
        else:
            assert place.read_bytes() == content
    assert sorted(path.parent.name for path in found.glob("*/inventory.json")) == PAPERS
    before = (found / "lemmas" / "__init__.py").stat().st_mtime_ns
    assert unpacked(installed, tmp_path) == found  # once
    assert (found / "lemmas" / "__init__.py").stat().st_mtime_ns == before


def test_where_no_cache_can_be_written_it_is_unpacked_for_one_process(installed, tmp_path):
    (tmp_path / ".cache").write_text("a file, which cannot be a folder")
    found = unpacked(installed, tmp_path)
    assert found.name.startswith("exactdp-") and not found.exists()
