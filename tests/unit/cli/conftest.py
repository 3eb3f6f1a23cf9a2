"""A paper of one's own, as new-paper writes it, installed for one test."""

import sys
import tomllib

import pytest

from exactdp.audit import run as run_module
from exactdp.bounds.papers import bounds_of
from tests.commands import run

KEY = "smith2024"


@pytest.fixture
def package(tmp_path, monkeypatch, capsys):
    """The folder that new-paper writes, on the path with the metadata of an editable install."""
    folder = tmp_path / KEY
    assert run("new-paper", folder) == 0
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    metadata = folder / f"{KEY}.egg-info"
    metadata.mkdir()
    (metadata / "PKG-INFO").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    lines = [
        f"[{group}]\n{name} = {value}\n"
        for group, entries in project["entry-points"].items()
        for name, value in entries.items()
    ]
    (metadata / "entry_points.txt").write_text("".join(lines))
    monkeypatch.syspath_prepend(folder)
    capsys.readouterr()
    run_module._claims_of.cache_clear()
    bounds_of.cache_clear()
    yield folder / KEY
    for name in [name for name in sys.modules if name.partition(".")[0] == KEY]:
        del sys.modules[name]
    bounds_of.cache_clear()
