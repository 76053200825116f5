"""The lines that fit() and evaluate() print."""
from __future__ import annotations

import sys
import time
from typing import Any, Dict, Optional

from .callbacks import Callback, Logs

_WIDTH = 30  #: of the bar, in characters
_INTERVAL = 0.05  #: the fewest seconds between two states of a bar (Keras' Progbar)


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) > 1e-3 else f"{value:.4e}"


def _per_step(seconds: float) -> str:
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.0f}s/step"
    return f"{seconds * 1e3:.0f}ms/step" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us/step"


def _duration(seconds: float) -> str:
    whole = int(seconds)
    if whole > 3600:
        return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
    return f"{whole // 60}:{whole % 60:02d}" if whole > 60 else f"{whole}s"


class ProgressBar(Callback):
    """A bar for each epoch that moves with every execution; verbose=2: one line without it."""

    def __init__(self, verbose: int, what: str) -> None:
        super().__init__()
        self._verbose, self._what = verbose, what
        self._steps: Optional[int] = None
        self._start = self._after_first = self._drawn = 0.0
        self._seen = self._first = 0

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        if self._what == "train":
            print(f"Epoch {epoch + 1}/{self.params['epochs']}")
            self.begin()

    def begin(self) -> None:
        """Starts a bar."""
        self._steps = self.params.get("steps")
        self._start, self._seen, self._first = time.time(), 0, 0

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        if self._what == "train":
            self.finish(logs or {})

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        self._move(batch, logs or {})

    def on_test_begin(self, logs: Logs = None) -> None:
        if self._what == "test":
            self.begin()

    def on_test_batch_end(self, batch: int, logs: Logs = None) -> None:
        if self._what == "test":
            self._move(batch, logs or {})

    def on_test_end(self, logs: Logs = None) -> None:
        if self._what == "test":
            self.finish(logs or {})

    def on_predict_begin(self, logs: Logs = None) -> None:
        self.begin()

    def on_predict_batch_end(self, batch: int, logs: Logs = None) -> None:
        self._move(batch, logs or {})

    def on_predict_end(self, logs: Logs = None) -> None:
        self.finish(logs or {})

    def _move(self, batch: int, logs: Dict[str, Any]) -> None:
        self._seen = batch
        if not self._first:
            self._first, self._after_first = batch, time.time()
        done = self._steps is not None and batch >= self._steps
        if self._verbose == 1 and not done and time.time() - self._drawn >= _INTERVAL:
            self._drawn = time.time()
            self._write(f"\r{self._bar()} - ETA: {self._rest()}{self._metrics(logs)}")

    def finish(self, logs: Dict[str, Any]) -> None:
        """The last state of the bar, with the time of a step."""
        steps = self._steps or self._seen
        self._steps = self._seen = steps
        took = time.time() - self._start
        if self._verbose == 1:
            head = f"\r{self._bar()} - {took:.0f}s {_per_step(self._step_time())}"
        else:
            head = f"{steps}/{steps} - {took:.0f}s"
        self._write(f"{head}{self._metrics(logs)}\n")

    def _step_time(self) -> float:
        """Seconds of a step, without the first execution, which compiles."""
        later = self._seen - self._first
        if later > 0:
            return (time.time() - self._after_first) / later
        return (time.time() - self._start) / max(self._seen, 1)

    def _rest(self) -> str:
        return _duration(self._step_time() * ((self._steps or self._seen) - self._seen))

    def _bar(self) -> str:
        if self._steps is None:
            return f"{self._seen:7d}/Unknown"
        done = int(_WIDTH * self._seen / self._steps)
        bar = "=" * _WIDTH if done >= _WIDTH else ("=" * max(done - 1, 0) + ">" * (done > 0) +
                                                   "." * (_WIDTH - done))
        width = len(str(self._steps))
        return f"{self._seen:{width}d}/{self._steps} [{bar}]"

    @staticmethod
    def _metrics(logs: Dict[str, Any]) -> str:
        return "".join(f" - {name}: {_number(value)}" for name, value in logs.items())

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
