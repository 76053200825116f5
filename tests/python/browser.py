"""A page in Chromium without a window, driven through a pipe: nothing but the browser is needed."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any


def chromium() -> str | None:
    """The browser's program, if it is installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page:
    """One page; ends the browser when it is left."""

    def __init__(self, url: str, home: Path) -> None:
        toRead, self._write = os.pipe()
        self._read, toWrite = os.pipe()

        # The browser reads its commands at 3 and answers at 4.
        def atThree() -> None:
            os.dup2(os.dup(toRead), 13)
            os.dup2(os.dup(toWrite), 14)
            os.dup2(13, 3)
            os.dup2(14, 4)
        self._browser = subprocess.Popen(
            [chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--allow-file-access-from-files", f"--user-data-dir={home}"],
            preexec_fn=atThree, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(toRead)
        os.close(toWrite)
        self._rest = b""
        self._calls = 0
        self.said: list[tuple[str, str]] = []  # the console's lines: kind and text
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._call("Runtime.enable")
        self._call("Page.enable")
        self._call("Page.navigate", url=url)

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        self._browser.terminate()
        self._browser.wait()
        os.close(self._write)
        os.close(self._read)

    def evaluate(self, expression: str) -> Any:
        """What a JavaScript expression gives, when it is a promise what that gives."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def _call(self, method: str, **parameters: object) -> dict:
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": parameters}
        if hasattr(self, "_session"):
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._calls:
                assert "result" in answer, answer
                return answer["result"]
            if answer.get("method") == "Runtime.consoleAPICalled":
                texts = [str(each.get("value", each.get("description"))) for each in answer["params"]["args"]]
                self.said.append((answer["params"]["type"], " ".join(texts)))
            elif answer.get("method") == "Runtime.exceptionThrown":
                self.said.append(("exception", json.dumps(answer["params"])))

    def _next(self) -> dict:
        while b"\0" not in self._rest:
            some = os.read(self._read, 1 << 16)
            assert some, "the browser has ended"
            self._rest += some
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)
