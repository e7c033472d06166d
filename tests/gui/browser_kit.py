"""A headless Chromium, driven over a pipe in its own protocol: pages, keys, taps, pictures. Standard library only."""

from __future__ import annotations

import base64
import json
import os
import select
import shlex
import shutil
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
KEYS = {
    "ArrowRight": 39,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowDown": 40,
    "Home": 36,
    "End": 35,
    "PageDown": 34,
    "Enter": 13,
    "Escape": 27,
    **{str(digit): 48 + digit for digit in range(1, 10)},
}
SHIFT = 8
# Of the exported page: whether it scrolls sideways, and the numbers of the result as they are written.
FITS = "document.documentElement.scrollWidth <= window.innerWidth"
RESULT = "#operation figure.result"
NUMBERS = (
    f"[...document.querySelectorAll('{RESULT} tbody tr')]"
    ".map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
)
PATIENCE = 60.0  # seconds until a browser that does not answer is given up


def browser_program() -> str:
    """The path of a Chromium; where there is none, the test is skipped, but in CI it fails."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    if os.environ.get("CI") == "true":
        pytest.fail("the page's tests need chromium, which tools/system_needs.py installs in CI")
    pytest.skip("no chromium on this system")


class Browser:
    """One page of a running browser."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], PATIENCE)
            assert ready, "the browser does not answer"
            data = os.read(self._from, 1 << 20)
            assert data, "the browser has ended"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message

    def size(self, width: int, height: int, *, mobile: bool = False) -> None:
        """The size of the screen in its own pixels; a phone has two of them in each direction and is touched."""
        factor = 2 if mobile else 1
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=factor,
            mobile=mobile,
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=mobile)

    def shade(self, on: bool) -> None:
        """What the system says of light and dark."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, path: Path, place: str = "") -> None:
        """Open a file and wait until its program has run."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.as_uri() + place)
        self.wait(
            "document.readyState === 'complete' && location.protocol === 'file:' && 'stage' in document.body.dataset"
        )

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.ask(condition):
            assert time.monotonic() < end, condition
            time.sleep(0.02)

    def ask(self, expression: str) -> Any:
        """The value of an expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        """The text of an element."""
        return str(self.ask(f"document.querySelector({json.dumps(selector)}).textContent"))

    def press(self, key: str, modifiers: int = 0) -> None:
        """Press and release a key."""
        code = KEYS[key]
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                modifiers=modifiers,
            )

    def click(self, selector: str, index: int = 0) -> None:
        """Click the middle of an element with the mouse."""
        x, y = self._middle(selector, index)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def tap(self, selector: str, index: int = 0) -> None:
        """Tap an element with a finger."""
        x, y = self._middle(selector, index)
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def swipe(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Draw a finger over the screen."""
        for kind, (x, y) in (("touchStart", start), ("touchMove", end)):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def choose_file(self, selector: str, path: Path, index: int = 0) -> None:
        """Click what opens a file, and choose one."""
        self.call("Page.setInterceptFileChooserDialog", enabled=True)
        self.events.clear()
        self.click(selector, index)
        end = time.monotonic() + PATIENCE
        while not (found := [e for e in self.events if e["method"] == "Page.fileChooserOpened"]):
            assert time.monotonic() < end, "no file is asked for"
            self.ask("0")
            time.sleep(0.02)
        node = found[0]["params"]["backendNodeId"]
        self.call("DOM.setFileInputFiles", files=[str(path)], backendNodeId=node)

    def saved_file(self, selector: str, index: int = 0) -> str:
        """The text of the file that a click saves."""
        self.ask(
            "URL.createObjectURL = (blob) => { delete window.saved;"
            " blob.text().then((text) => { window.saved = text; }); return '#'; }"
        )
        self.click(selector, index)
        self.wait("'saved' in window")
        return str(self.ask("saved"))

    def _middle(self, selector: str, index: int) -> tuple[float, float]:
        find = f"document.querySelectorAll({json.dumps(selector)})[{index}]"
        self.ask(f"{find}.scrollIntoView({{block: 'center'}})")
        x, y = self.ask(
            f"(r => [r.x + r.width / 2, r.y + r.height / 2])({find}.getBoundingClientRect())"
        )
        return float(x), float(y)

    def picture(self, *, whole: bool = False) -> bytes:
        """What the page looks like, as PNG."""
        return base64.b64decode(
            self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        )

    def complaints(self) -> list[str]:
        """What the page's program or the browser has complained of."""
        found = []
        for event in self.events:
            if event["method"] == "Runtime.exceptionThrown":
                found.append(json.dumps(event["params"]["exceptionDetails"]))
            elif event["method"] == "Log.entryAdded":
                found.append(event["params"]["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """The addresses that were asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event["method"] == "Network.requestWillBeSent"
        ]


@contextmanager
def running(folder: Path) -> Generator[Browser]:
    """A browser with a profile of its own, ended afterwards."""
    program = browser_program()
    (read_here, write_there), (read_there, write_here) = os.pipe(), os.pipe()
    flags = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--hide-scrollbars",
    ]
    flags += [
        "--disable-background-networking",
        "--disable-component-update",
        f"--user-data-dir={folder}",
        "about:blank",
    ]
    command = (
        shlex.join([program, "--remote-debugging-pipe", *flags])
        + f" 3<&{read_there} 4>&{write_there}"
    )
    process = subprocess.Popen(
        ["bash", "-c", "exec " + command],
        pass_fds=(read_there, write_there),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(read_there)
    os.close(write_there)
    try:
        yield Browser(write_here, read_here)
    finally:
        os.close(write_here)
        os.close(read_here)
        process.terminate()
        process.wait(PATIENCE)
