"""A headless Chromium, spoken to over two pipes: what the tests of the page need of it."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from fcntl import F_DUPFD, fcntl
from pathlib import Path
from time import sleep
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page of a browser; console messages and loads are kept."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        there, self._to = os.pipe()
        self._from, back = os.pipe()
        # The browser reads from 3 and writes to 4, which may be anything here.
        ends = [fcntl(end, F_DUPFD, 10) for end in (there, back)]
        options = "--headless=new --no-sandbox --disable-gpu --hide-scrollbars"
        self._process = subprocess.Popen(
            [CHROMIUM, *options.split(), "--remote-debugging-pipe",
             f"--user-data-dir={folder}"],
            pass_fds=(3, 4),
            preexec_fn=lambda: [os.dup2(end, fd) for end, fd in zip(ends, (3, 4), strict=True)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for end in (there, back, *ends):
            os.close(end)
        self._left = b""
        self._count, self._session = 0, ""
        self.events: list[dict[str, Any]] = []
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        attached = self.do("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.do(f"{domain}.enable")

    def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the answer to a command of the DevTools protocol."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def open(self, url: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Show a page, and wait until it is loaded."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.do("Emulation.setEmulatedMedia", features=scheme)
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        self.do("Page.navigate", url="about:blank")
        self.events.clear()
        self.do("Page.navigate", url=url)
        while self.value("document.readyState") != "complete":
            sleep(0.01)

    def value(self, expression: str) -> Any:
        """Return what a JavaScript expression is."""
        found = self.do(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def errors(self) -> list[str]:
        """Return what the console has shown."""
        self.value("1")
        kinds = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [json.dumps(event["params"]) for event in self.events if event["method"] in kinds]

    def requests(self) -> list[str]:
        """Return the addresses that were loaded."""
        sent = (e for e in self.events if e["method"] == "Network.requestWillBeSent")
        return [event["params"]["request"]["url"] for event in sent]

    def screenshot(self, path: Path) -> None:
        """Write what is seen as a PNG file."""
        path.write_bytes(base64.b64decode(self.do("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        """End the browser."""
        os.close(self._to)
        os.close(self._from)
        self._process.terminate()
        self._process.wait(20)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            part = os.read(self._from, 1 << 16)
            assert part, "the browser ended"
            self._left += part
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)
