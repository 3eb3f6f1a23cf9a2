"""The tools that keep the house in order, run as tests. Configuration: pyproject.toml.

mypy, the slowest, runs in ``.ci/run``.
"""

import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = str(ROOT / "pyproject.toml")

TOOLS = {
    "lint": ["-m", "ruff", "check", "--no-fix", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    # import-linter has no __main__: its command is called through Python.
    "floors": [
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
        "--config",
        CONFIGURATION,
        "--no-cache",
    ],
}


@pytest.mark.parametrize("arguments", TOOLS.values(), ids=TOOLS.keys())
def test_tool_has_nothing_to_say(arguments):
    finished = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert finished.returncode == 0, f"{finished.stdout[-5_000:]}{finished.stderr[-5_000:]}"


def test_import_linter_refuses_an_import_upstairs(tmp_path):
    """The contract is alive: a room that imports a higher one breaks it."""
    house = tmp_path / "house"
    for room, text in {"": "", "upstairs": "", "downstairs": "import house.upstairs\n"}.items():
        (house / room).mkdir(parents=True, exist_ok=True)
        (house / room / "__init__.py").write_text(text)
    (tmp_path / "house.toml").write_text(
        '[tool.importlinter]\nroot_package = "house"\n'
        '[[tool.importlinter.contracts]]\nname = "Floors"\ntype = "layers"\n'
        'containers = ["house"]\nlayers = ["(attic)", "upstairs", "downstairs"]\n'
    )
    finished = subprocess.run(
        [sys.executable, *TOOLS["floors"][:2], "--config", "house.toml", "--no-cache"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert finished.returncode == 1
    assert "Floors BROKEN" in finished.stdout


def graph_of(*packages):
    """The imports as they stand: a kept graph would answer for files of another day."""
    return grimp.build_graph(*packages, exclude_type_checking_imports=False, cache_dir=None)


def circle(graph):
    """Return a circle in a graph (node -> its neighbors), or an empty list."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_file_imports_itself_in_a_circle_not_even_for_types():
    graph = graph_of("exactdp", "proofs_check")
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 200
    assert circle(imports) == []


MOST_BELOW_A_VIEW = 42
"""The files that an exact view needs, itself counted: it may fall, and be lowered here."""


def test_an_exact_view_needs_few_files_and_no_engine():
    graph = graph_of("exactdp")
    view = "exactdp.shuffle.views.shuffle_view"
    below = {view, *graph.find_upstream_modules(view)}
    assert len(below) == MOST_BELOW_A_VIEW
    above = ("exactdp.sums", "exactdp.shuffle.at_scale")
    assert not [module for module in below if module.startswith(above)]


def test_a_mechanism_is_loaded_without_ways_to_sums():
    code = "import sys; from exactdp.mechanisms import *; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert "exactdp.sums.laws.loss_law" in loaded
    ways = ("exactdp.sums.lattices", "exactdp.sums.lines", "exactdp.sums.choose")
    assert not [module for module in loaded if module.startswith(ways)]


def test_a_circle_is_seen():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) != []
    assert circle({"a": {"b", "c"}, "b": {"c"}}) == []


SUITE = {
    "tests/test_some.py": "import pytest\n\ndef test_runs():\n    pass\n\n"
    "def test_fails():\n    assert False\n\n"
    "def test_is_skipped():\n    pytest.skip('not here')\n",
    "tests/test_none.py": "import pytest\npytest.skip('no library', allow_module_level=True)\n",
}


@pytest.mark.parametrize("workers", ["0", "1"])
def test_what_ran_and_what_was_skipped_is_on_record(tmp_path, workers):
    (tmp_path / "tests").mkdir()
    for name, text in SUITE.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "tests" / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    file = tmp_path / "ran.txt"
    file.write_text("ran\tof an earlier step\n")
    command = [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir=.", "-n", workers]
    subprocess.run([*command, "--ran", str(file), "tests"], cwd=tmp_path, capture_output=True)
    assert sorted(file.read_text().splitlines()) == [
        "ran\tof an earlier step",
        "ran\ttests/test_some.py",
        "ran\ttests/test_some.py::test_fails",
        "ran\ttests/test_some.py::test_runs",
        "skipped\ttests/test_none.py\tno library",
        "skipped\ttests/test_some.py::test_is_skipped\tnot here",
    ]
