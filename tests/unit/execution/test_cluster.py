"""A real scheduler with two workers, on this machine: the files are those of a run without it."""

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

import exactdp
from tests.commands import run

PROBLEMS = {
    "format": "exactdp-problems/1",
    "problems": [
        {
            "name": "G",
            "problem": {
                "kind": "gaussian",
                "sigma": {"each": ["1", "2", "3"]},
                "ask": {"hockey_stick": [{"rational": "1/10"}]},
            },
        }
    ],
}
DASK = pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed")


def python(*arguments, **options):
    path = [str(Path(exactdp.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    arguments = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.Popen(arguments, env=environment, stderr=subprocess.PIPE, **options)


@pytest.fixture
def address(request, tmp_path):
    if not request.config.getoption("--cluster"):
        pytest.skip("a scheduler takes half a minute of processor time: with --cluster")
    file, quiet = tmp_path / "scheduler.json", ["--no-dashboard", "--scheduler-file"]
    host = ["--host", "127.0.0.1", "--port", "0"]
    running = [python("distributed.cli.dask_scheduler", *host, *quiet, file)]
    running += [
        python("distributed.cli.dask_worker", "--nthreads", "1", *quiet, file, cwd=tmp_path)
        for _ in range(2)
    ]
    try:
        end = time.monotonic() + 60
        while not file.exists() or not file.read_text():
            assert running[0].poll() is None and time.monotonic() < end
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"]
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.communicate(timeout=60)


@DASK
def test_a_cluster_writes_the_same_files(tmp_path, address):
    problems = tmp_path / "problems.json"
    problems.write_text(json.dumps(PROBLEMS))
    for how in (["--dask", address], ["--workers", "1"]):
        place = tmp_path / how[0]
        place.mkdir()
        assert run("fixtures", problems, "--out", place / "fixtures.json", *how) == 0
        assert run("audit", "biswas2023/remark-1", "--out", place / "report", *how) == 0
    files = {p.relative_to(place) for p in place.rglob("*") if p.is_file()}
    assert len(files) == 4
    for name in files:
        assert (tmp_path / "--dask" / name).read_bytes() == (place / name).read_bytes()


@DASK
@pytest.mark.parametrize("bad", ["tcp://127.0.0.1:1", "x", "http://localhost"])
def test_no_scheduler_is_one_line_within_ten_seconds(tmp_path, capsys, bad):
    (tmp_path / "in.json").write_text(json.dumps(PROBLEMS))
    began = time.process_time(), time.monotonic()
    assert run("fixtures", tmp_path / "in.json", "--out", tmp_path / "out", "--dask", bad) == 2
    assert time.monotonic() - began[1] < 10 + 3 * (time.process_time() - began[0])
    said = capsys.readouterr().err
    assert said.startswith(f"error: --dask={bad!r} is not a scheduler") and said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["in.json"]


def test_without_dask_one_line_says_what_to_install(tmp_path, capsys, monkeypatch):
    (tmp_path / "in.json").write_text(json.dumps(PROBLEMS))
    command = ["fixtures", tmp_path / "in.json", "--out", "-", "--dask", "tcp://127.0.0.1:1"]
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert run(*command) == 2
    assert "Install exactdp[cluster]" in capsys.readouterr().err
    assert run(*command, "--workers", 2) == 2
    assert "Give one of the two" in capsys.readouterr().err
