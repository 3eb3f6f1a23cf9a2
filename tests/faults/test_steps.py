"""A fault at every step that a run makes on the disk leaves the old state or the new, whole.

As a script this file is the drill: it forks a run for each step, and there kills it, interrupts
it, lets the step fail, or lets the disk be full from there on.
"""

import errno
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import exactdp
from exactdp.errors import DomainError
from exactdp.execution import held_file, held_folder, outputs
from tests.routes.places import HEAD, NEW, OLD, content, write_file, write_folder

STEPS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.scandir"}
STEPS |= {"os.listdir", "shutil.rmtree", "fcntl.flock", "ctypes.dlsym", "write"}


def fault_at(step, kind):
    """From here on, this process has a fault at its step-th step on the disk."""
    done = 0

    def hook(event, arguments):
        nonlocal done
        if event not in STEPS:
            return
        done += 1
        if done < step:
            return
        writes = event == "os.mkdir" or (event == "open" and (arguments[2] or 0) & 3)
        if done == step and kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if done == step and kind == "interrupt":
            raise KeyboardInterrupt
        if kind == "full" and writes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if done == step and kind == "error":
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def profile(frame, event, function):
        # Python audits where files are opened, but not where they are written and closed.
        if event == "c_call" and isinstance(getattr(function, "__self__", None), io.IOBase):
            hook("write", ())

    sys.addaudithook(hook)
    sys.setprofile(profile)
    return lambda: done


def drill(folder, kind, write, *, first, every):
    """Return how many steps a run has; raise if a fault at one of them leaves half a state."""
    step = 0
    while True:
        step += every
        place = Path(folder) / f"{kind}-{step}" / "report"
        place.parent.mkdir()
        if not first:
            write(place, OLD)
        child = os.fork()
        if child == 0:
            done, code = fault_at(step, kind), 1
            try:
                write(place, NEW)
                code = 0 if done() >= step else 3
            except (DomainError, KeyboardInterrupt) as error:
                code = 2 if isinstance(error, DomainError) else 130
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == 3:
            return step
        assert code in {"kill": (-9,), "interrupt": (130,)}.get(kind, (0, 2)), (step, code)
        # A system that cannot swap folders has one moment without the name; a run mends it.
        if content(place) is None and not first:
            held = held_folder if write is write_folder else held_file
            assert outputs._swapped is not SWAPPED
            with held(place):
                pass
        allowed = [{**NEW}, None if first else {**OLD}]
        if write is write_file:
            allowed = [HEAD + b"new", None if first else HEAD + b"old"]
        assert content(place) in allowed, (step, content(place))
        write(place, NEW)  # which is refused where a file that stands there is not ours
        assert content(place) == allowed[0], step
        assert [p.name for p in place.parent.iterdir()] == ["report"], step


SWAPPED = outputs._swapped

DRILLS = {
    "a folder": (write_folder, False, True),
    "a folder, for the first time": (write_folder, True, True),
    "a folder that cannot be swapped": (write_folder, False, False),
    "a file": (write_file, False, True),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the drill forks")
@pytest.mark.parametrize("name", DRILLS)
def test_a_fault_at_any_step_leaves_the_old_state_or_the_new(tmp_path, name, request):
    # By default some faults of each kind, and the kills at every step of a folder's.
    every = "1" if request.config.getoption("--deep") else "5"
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path), name, every],
        env={**os.environ, "PYTHONPATH": str(Path(exactdp.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    assert all(steps > 15 for steps in json.loads(done.stdout).values())


if __name__ == "__main__":
    write_, first_, swaps = DRILLS[sys.argv[2]]
    os.fsync = lambda handle: None  # a kill loses no page of the system's
    outputs._ROOM = 1
    if not swaps:
        outputs._swapped = lambda *names: False
    steps = {}
    for kind_ in ("kill", "interrupt", "error", "full"):
        each = 1 if (kind_, sys.argv[2]) == ("kill", "a folder") else int(sys.argv[3])
        steps[kind_] = drill(sys.argv[1], kind_, write_, first=first_, every=each)
    print(json.dumps(steps))
