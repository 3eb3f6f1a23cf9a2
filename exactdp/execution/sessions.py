"""A library in a process of its own: expressions go in, answers come out, each within a time.

The print of a call goes nowhere; if it raises, or does not end, that is its answer.
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from types import TracebackType
from typing import Any

__all__ = ["NOT_INSTALLED", "Reply", "Session"]

NOT_INSTALLED = "not installed"

_CHILD = r"""
import json, os, sys, time, warnings
warnings.simplefilter("ignore")
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.path.insert(0, "")
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)  # a call that does not end dies with who asked
library, folder, first = json.loads(sys.stdin.readline())
def say(**reply):
    print(json.dumps(reply), file=out, flush=True)
def described(error):
    return (type(error).__name__ + ": " + " ".join(str(error).split()))[:300]
version, names = "", {}
if folder:
    sys.path.insert(0, folder)
elif library:
    from importlib.metadata import PackageNotFoundError, version as version_of
    try:
        version = version_of(library)
    except PackageNotFoundError:
        say(failure="not installed")
        sys.exit()
def imported(imports):
    try:
        if imports is not None:
            exec(imports, names.setdefault(imports, {}))
        return {}
    except Exception as error:
        return {"failure": described(error)}
say(version=version, **imported(first))
for line in sys.stdin:
    imports, expression = json.loads(line)
    if expression is None:
        say(**imported(imports))
        continue
    start, worked = time.perf_counter(), time.process_time()
    try:
        value = eval(expression, names[imports])
        values = value if isinstance(value, (tuple, list)) else [value]
        if any(one is None for one in values):
            reply = {"failure": "no answer"}
        else:
            reply = {"values": [float(one).hex() for one in values]}
    except Exception as error:
        reply = {"failure": "raised " + described(error)}
    worked = time.process_time() - worked
    say(seconds=time.perf_counter() - start, processor=worked, **reply)
"""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of one call.

    Attributes:
        values: The doubles that it gave, one or two; none where it failed.
        failure: Why it failed; "" if it did not.
        seconds: The time that it took, without its imports.
        processor: The processor time of it.
    """

    values: tuple[float, ...] = ()
    failure: str = ""
    seconds: float = 0.0
    processor: float = 0.0


class Session:
    """One process for all calls of a library; started anew after a call that did not end.

    Args:
        library: The distribution, whose version is told; "" for none.
        imports: The lines to run first, where a call gives no others.
        python: The interpreter that has the library.
        limit: The seconds that a call may take, and the imports.
        call_limit: The seconds of a call, where they are fewer than those of the imports.
        folder: Where a program that is not a distribution stands; its version is not told.

    Example:
        >>> with Session("", "import math") as session:
        ...     session.ask("math.sqrt(2.25)").values, session.ask("math.sqrt(-1)").failure
        ((1.5,), 'raised ValueError: math domain error')
        >>> with Session("") as session:
        ...     session.ask("None").failure
        'no answer'
    """

    def __init__(
        self,
        library: str,
        imports: str = "",
        *,
        python: str = sys.executable,
        limit: float = 60,
        call_limit: float | None = None,
        folder: str = "",
    ) -> None:
        self.version = ""
        self._folder = folder
        self._library, self._imports, self._python, self._limit = library, imports, python, limit
        self._call_limit = limit if call_limit is None else call_limit
        self._child: subprocess.Popen[str] | None = None
        self._closing = Lock()
        self._is_ready = False
        self._failure = ""
        self._failures: dict[str, str] = {}
        self._imported: set[str] = set()

    def begin(self) -> None:
        """Start the process and its imports, and wait for nothing: the first call will."""
        self._start(self._imports)

    def ask(self, expression: str, *, imports: str | None = None) -> Reply:
        """Return the answer of an expression after imports, each of which is run once."""
        first = self._imports if imports is None else imports
        child = self._ready()
        if child is None:
            return Reply(failure=self._failure)
        if first not in self._imported and first not in self._failures:
            self._send(child, [first, None])
            self._note(first, self._reply(child))
        if first in self._failures:
            return Reply(failure=self._failures[first])
        self._send(child, [first, expression])
        found = self._reply(child, self._call_limit)
        if isinstance(found, str):
            self.close()
            return Reply(failure=found, seconds=self._call_limit if "no answer" in found else 0.0)
        values = tuple(float.fromhex(text) for text in found.get("values", ()))
        return Reply(values, found.get("failure", ""), found["seconds"], found["processor"])

    def _start(self, imports: str | None = None) -> subprocess.Popen[str]:
        """Start the child, and send it the library, its folder and its imports."""
        child = self._child = subprocess.Popen(
            [self._python, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._send(child, [self._library, self._folder, imports])
        return child

    def _ready(self) -> subprocess.Popen[str] | None:
        """Return the process, which has told its version; None if it has not the library."""
        if self._is_ready or self._failure:
            return self._child
        has_begun = self._child is not None
        found = self._reply(self._child or self._start())
        if isinstance(found, str) and has_begun:  # its imports ended it
            self._note(self._imports, found)
            return self._ready()
        if isinstance(found, str) or "version" not in found:
            self._failure = found if isinstance(found, str) else found["failure"]
            self.close()
            return None
        self.version, self._is_ready = found["version"], True
        if has_begun:
            self._note(self._imports, found)
        return self._child

    def _note(self, imports: str, found: dict[str, Any] | str) -> None:
        """Keep the values of imports."""
        failure = found if isinstance(found, str) else found.get("failure", "")
        if failure:
            self._failures[imports] = failure
        self._imported.add(imports)
        if isinstance(found, str):
            self.close()

    def _send(self, child: subprocess.Popen[str], message: object) -> None:
        assert child.stdin is not None
        with suppress(BrokenPipeError, ValueError):  # the reply tells that it has ended
            child.stdin.write(json.dumps(message) + "\n")
            child.stdin.flush()

    def _reply(
        self, child: subprocess.Popen[str], limit: float | None = None
    ) -> dict[str, Any] | str:
        """Return the reply to a line, or why there is none."""
        assert child.stdout is not None
        seconds = self._limit if limit is None else limit
        try:
            if not select.select([child.stdout], [], [], seconds)[0]:
                return f"no answer in {seconds:g} s"
            line = child.stdout.readline()
        except (OSError, ValueError):  # closed meanwhile
            line = ""
        if not line.endswith("\n"):
            return f"its process ended with exit code {child.wait()}"
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End the process; while another thread asks, its call fails."""
        with self._closing:
            child, self._child, self._is_ready = self._child, None, False
        if child is not None:
            child.kill()
            child.communicate()
            self._imported.clear()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
