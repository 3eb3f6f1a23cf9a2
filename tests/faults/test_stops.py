"""Commands that are stopped at random moments, or run out of memory or disk.

What is on the disk afterwards is the old state or the new, whole, and the next run completes.
Some stops by default, seeded; many, at new moments, with ``--deep``.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import exactdp
from exactdp import cli
from exactdp.execution import held_folder, outputs, side_by_side

CLAIM = "biswas2023/appendix-A/after-11/line-"
PROBLEM = {"kind": "gaussian", "ask": {"hockey_stick": [{"log": "2"}]}}
SIGNALS = ("SIGKILL", "SIGTERM", "SIGINT")
MEBIBYTE = 1 << 20

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and limits of Linux")


@contextmanager
def started(arguments, *, limits=(), scratch=None, **options):
    """A Python of its own session, of which a test that fails leaves nothing."""

    def prepare():
        # Tests that run in the background ignore Ctrl-C, and what they start would too.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        limited(dict(limits))

    here = str(Path(exactdp.__file__).parents[1])
    run = subprocess.Popen(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": here, "OPENBLAS_NUM_THREADS": "1"}
        | ({} if scratch is None else {"TMPDIR": str(scratch)}),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=prepare,
        **options,
    )
    try:
        yield run
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        raise
    finally:
        run.communicate()


def audited(folder):
    """The claims that a folder of results is about, once it is seen to be whole."""
    assert outputs._foreign(folder) is None
    document = json.loads((folder / "verdicts.json").read_bytes())
    named = [claim["certificate"] for claim in document["claims"] if claim["certificate"]]
    assert sorted(named) == sorted(f"{p.parent.name}/{p.name}" for p in folder.glob("*/*"))
    return sorted(claim["id"][-1] for claim in document["claims"])


def answered(file):
    return [fixture["name"] for fixture in json.loads(file.read_bytes())["fixtures"]]


def audit(names, place):
    return ["audit", *(CLAIM + name for name in names), "--out", str(place)]


def fixtures(names, place):
    problems = [
        {"name": name, "problem": {**PROBLEM, "sigma": str(i + 1)}} for i, name in enumerate(names)
    ]
    file = place.parent.parent / f"{''.join(names)}.json"
    file.write_text(json.dumps({"format": "exactdp-problems/1", "problems": problems}))
    return ["fixtures", str(file), "--out", str(place)]


COMMANDS = {"audit": (audit, audited), "fixtures": (fixtures, answered)}


def finished(command):
    """The exit code of a command, in this process."""
    with pytest.raises(SystemExit) as stop:
        cli.main([*command, "--workers", "1"])
    return stop.value.code or 0


def limited(limits):
    import resource

    for name, most in limits.items():
        resource.setrlimit(getattr(resource, name), (most, most))


def stops(deep):
    """What is done to which command: a signal after the work has begun by so much, or a limit."""
    if not deep:
        yield from [("audit", "SIGKILL", 0.02), ("fixtures", "SIGTERM", 0.01)]
        return
    # New at every run, and the same for all processes of one: they must collect the same tests.
    dice = random.Random(os.environ.get("PYTEST_XDIST_TESTRUNUID") or os.urandom(8))
    for command in COMMANDS:
        for _ in range(12):
            yield from (
                (command, name, dice.choice([0.05, 1, 5]) * dice.random()) for name in SIGNALS
            )
            yield command, {"RLIMIT_AS": dice.randrange(100, 800) * MEBIBYTE}, None
            yield command, {"RLIMIT_FSIZE": dice.randrange(2 * MEBIBYTE)}, None


def pytest_generate_tests(metafunc):
    if "stop" in metafunc.fixturenames:
        rows = list(stops(metafunc.config.getoption("--deep")))
        metafunc.parametrize("stop", rows, ids=map(str, rows))
    if "sent" in metafunc.fixturenames:
        deep = metafunc.config.getoption("--deep")
        metafunc.parametrize("sent", SIGNALS if deep else ("SIGKILL", "SIGINT"))


def test_a_stopped_run_leaves_one_whole_state(tmp_path, stop):
    name, fault, moment = stop
    command, content = COMMANDS[name]
    place = tmp_path / "results" / "report"
    place.parent.mkdir()
    assert finished(command("1", place)) == 0 and content(place) == ["1"]
    limits = fault if moment is None else {}
    arguments = ["-m", "exactdp.cli", *command("12", place), "--workers", "1"]
    with started(arguments, limits=limits, stdout=subprocess.DEVNULL) as run:
        if moment is not None:
            while run.poll() is None and not (place.parent / ".report.exactdp").exists():
                time.sleep(0.002)
            time.sleep(moment)
            if run.poll() is None:
                os.killpg(run.pid, getattr(signal, fault))
        _, said = run.communicate(timeout=100)
    if moment is None and "RLIMIT_FSIZE" in fault:
        assert (run.returncode, said.count("\n")) in [(0, 0), (2, 1)], said
    assert content(place) in (["1"], ["1", "2"])
    assert finished(command("2", place)) == 0 and content(place) == ["2"]
    assert [path.name for path in place.parent.iterdir()] == ["report"]


# --- workers --------------------------------------------------------------------------------


def announce_and_work(folder):
    """A job that says which process does it, and is then in one native call for minutes."""
    (Path(folder) / str(os.getpid())).touch()
    return 3 ** (10**9)


def is_alive(process):
    status = Path(f"/proc/{process}/stat")
    # A process that nobody has asked for its exit code is a zombie: Z.
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_workers_end_with_their_parent(tmp_path, sent):
    place, jobs = tmp_path / "report", tmp_path / "jobs"
    jobs.mkdir()
    with held_folder(place) as held:
        held.write_folder({"verdicts.json": b"old"})
    with started([__file__, str(place), str(jobs)]) as run:
        began = time.monotonic()
        while len(list(jobs.iterdir())) < 2:
            assert run.poll() is None and time.monotonic() < began + 60
            time.sleep(0.01)
        # Ctrl-C is for all processes of a terminal; the other signals are sent to one.
        send = os.killpg if sent == "SIGINT" else os.kill
        send(run.pid, getattr(signal, sent))
        _, said = run.communicate(timeout=30)
        assert sent != "SIGINT" or (run.returncode, said) == (130, "")
        workers, began = [path.name for path in jobs.iterdir()], time.monotonic()
        while any(map(is_alive, workers)):
            assert time.monotonic() < began + 10
            time.sleep(0.01)
    with held_folder(place) as held:
        assert (place / "verdicts.json").read_bytes() == b"old"
        held.write_folder({"verdicts.json": b"new"})
    assert (place / "verdicts.json").read_bytes() == b"new"


ACCOUNTANT = """
import os, pathlib, time
def answer(mechanisms, **asked):
    pathlib.Path("process").write_text(str(os.getpid()))
    time.sleep(float(pathlib.Path("seconds").read_text()))
    return 10.0
"""


def test_compare_writes_no_file_and_leaves_no_process(tmp_path, sent):
    """Its report goes to standard output: the state on the disk is the old one."""
    here, scratch = tmp_path / "here", tmp_path / "scratch"
    here.mkdir()
    scratch.mkdir()
    (here / "mine.py").write_text(ACCOUNTANT)
    (here / "seconds").write_text("600")
    (here / "in.json").write_text(json.dumps({**PROBLEM, "sigma": "1"}))
    command = ["-m", "exactdp.cli", "compare", "in.json", "--with", "mine:answer", "--ci"]
    silent = {"stdout": subprocess.DEVNULL, "cwd": here, "scratch": scratch}
    with started(command, **silent) as run:
        began, process = time.monotonic(), here / "process"
        while not process.exists() or not process.read_text():
            assert run.poll() is None and time.monotonic() < began + 60
            time.sleep(0.01)
        (os.killpg if sent == "SIGINT" else os.kill)(run.pid, getattr(signal, sent))
        _, said = run.communicate(timeout=30)
        assert sent != "SIGINT" or (run.returncode == 130 and said.count("\n") <= 1), said
        library, began = process.read_text(), time.monotonic()
        while is_alive(library):
            assert time.monotonic() < began + 10
            time.sleep(0.01)
    assert list(scratch.iterdir()) == []
    (here / "seconds").write_text("0")
    with started(command, **silent) as run:
        _, said = run.communicate(timeout=60)
    assert (run.returncode, said) == (0, "") and list(scratch.iterdir()) == []
    assert {p.name for p in here.iterdir()} - {"__pycache__"} == {
        "in.json",
        "mine.py",
        "process",
        "seconds",
    }


if __name__ == "__main__":
    try:
        with held_folder(Path(sys.argv[1])):
            side_by_side(announce_and_work, [sys.argv[2]] * 3, workers=2)
    except KeyboardInterrupt:
        sys.exit(130)
