"""keras.callbacks: what a script does between steps and epochs."""
from __future__ import annotations

import csv
import math
import os
from typing import Any, Callable, Dict, List, Optional

import numpy

from ._errors import NotSimulated
from ._system import logger

Logs = Optional[Dict[str, Any]]

#: All hooks, which callbacks may have.
HOOKS = [f"on_{part}_{end}" for part in ("train", "test", "predict") for end in ("begin", "end")]
HOOKS += [f"on_{part}_batch_{end}" for part in ("train", "test", "predict")
          for end in ("begin", "end")]


class Callback:
    """Base of all; every hook does nothing."""

    def __init__(self) -> None:
        self.model: Any = None
        self.params: Dict[str, Any] = {}
        self.validation_data: Any = None

    def set_model(self, model: Any) -> None:
        """Says which model calls."""
        self.model = model

    def set_params(self, params: Dict[str, Any]) -> None:
        """Epochs and steps."""
        self.params = params

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """After an epoch."""

    def on_train_batch_begin(self, batch: int, logs: Logs = None) -> None:
        """Before an execution; also called on_batch_begin()."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        """After an execution; also called on_batch_end()."""
        self.on_batch_end(batch, logs)

    def on_batch_begin(self, batch: int, logs: Logs = None) -> None:
        """Before an execution."""

    def on_batch_end(self, batch: int, logs: Logs = None) -> None:
        """After an execution."""


def _nothing(self: Any, *args: Any, **kwargs: Any) -> None:
    """A hook that does nothing."""


for _hook in HOOKS:
    if not hasattr(Callback, _hook):
        setattr(Callback, _hook, _nothing)


class CallbackList:
    """Calls a hook of all callbacks."""

    def __init__(self, callbacks: Any, model: Any, **params: Any) -> None:
        given = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
        self.callbacks: List[Callback] = [callback for callback in given if callback is not None]
        for callback in self.callbacks:
            callback.set_model(model)
            callback.set_params(params)

    def call(self, hook: str, *args: Any) -> None:
        """Calls that hook of each."""
        for callback in self.callbacks:
            getattr(callback, hook)(*args)


class History(Callback):
    """The logs of all epochs."""

    def __init__(self) -> None:
        super().__init__()
        self.history: Dict[str, List[float]] = {}
        self.epoch: List[int] = []

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        self.epoch.append(epoch)
        for key, value in (logs or {}).items():
            self.history.setdefault(key, []).append(value)


class LambdaCallback(Callback):
    """Functions as hooks."""

    def __init__(self, **hooks: Callable[..., Any]) -> None:
        super().__init__()
        for hook, function in hooks.items():
            if function is not None:
                setattr(self, hook, function)


class _Watching(Callback):
    """Base of those that compare a value of each epoch with the best so far."""

    def __init__(self, monitor: str, mode: str, min_delta: float = 0.0) -> None:
        super().__init__()
        self.monitor = monitor
        grows = mode == "max" or (mode == "auto" and "acc" in monitor)
        self._sign, self._delta = (1 if grows else -1), abs(min_delta)
        self.forget()

    def forget(self) -> None:
        """Begins anew: no value has been seen."""
        self.best = -math.inf * self._sign

    def improves(self, logs: Logs) -> Optional[bool]:
        """Whether the epoch's value is better; it is the best then. None, and a warning, if there is no such value."""
        value = (logs or {}).get(self.monitor)
        if value is None:
            logger.warning("%s: metric `%s` is not available. Available metrics are: %s", type(self).__name__,
                           self.monitor, ",".join(logs or {}))
            return None
        if self._sign * (value - self.best) <= self._delta:
            return False
        self.best = value
        return True


class EarlyStopping(_Watching):
    """Ends training when a value no longer improves."""

    def __init__(self, monitor: str = "val_loss", min_delta: float = 0, patience: int = 0,
                 verbose: int = 0, mode: str = "auto", baseline: Optional[float] = None,
                 restore_best_weights: bool = False) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience, self._restores, self._baseline = patience, restore_best_weights, baseline
        self.on_train_begin()

    def on_train_begin(self, logs: Logs = None) -> None:
        self.forget()
        if self._baseline is not None:
            self.best = self._baseline
        self.wait = self.stopped_epoch = 0
        self._weights: Any = None

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        better = self.improves(logs)
        if better is None:
            return
        if better:
            self.wait = 0
            self._weights = self.model.get_weights() if self._restores else None
            return
        self.wait += 1
        if self.wait >= max(self.patience, 1):
            self.stopped_epoch, self.model.stop_training = epoch, True
            if self._weights is not None:
                self.model.set_weights(self._weights)


class ModelCheckpoint(_Watching):
    """Saves weights after epochs."""

    def __init__(self, filepath: Any, monitor: str = "val_loss", verbose: int = 0,
                 save_best_only: bool = False, save_weights_only: bool = False, mode: str = "auto",
                 save_freq: Any = "epoch", **unused: Any) -> None:
        super().__init__(monitor, mode)
        if save_freq != "epoch":
            raise NotSimulated("ModelCheckpoint: save_freq is not simulated; weights are saved after "
                               "epochs")
        if not save_weights_only:
            logger.warning("ModelCheckpoint saves weights only, as Model.save() is not simulated.")
        self._path, self._best_only = os.fspath(filepath), save_best_only

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        if self.improves(logs) or not self._best_only:
            self.model.save_weights(self._path.format(epoch=epoch + 1, **(logs or {})))


class LearningRateScheduler(Callback):
    """A step size for each epoch."""

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self._schedule = schedule

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        present = float(self.model.optimizer.learning_rate)
        try:
            rate = self._schedule(epoch, present)
        except TypeError:
            rate = self._schedule(epoch)
        self.model.optimizer.learning_rate = rate

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        if logs is not None:
            logs["lr"] = float(self.model.optimizer.learning_rate)


class ReduceLROnPlateau(_Watching):
    """A smaller step size when a value no longer improves."""

    def __init__(self, monitor: str = "val_loss", factor: float = 0.1, patience: int = 10, verbose: int = 0,
                 mode: str = "auto", min_delta: float = 1e-4, cooldown: int = 0, min_lr: float = 0,
                 **unused: Any) -> None:
        super().__init__(monitor, mode, min_delta)
        if factor >= 1:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0. Got {factor}")
        self.factor, self.patience, self.cooldown, self.min_lr = factor, patience, cooldown, min_lr
        self.on_train_begin()

    def on_train_begin(self, logs: Logs = None) -> None:
        self.forget()
        self.wait = self.cooldown_counter = 0

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        rate = float(self.model.optimizer.learning_rate)
        if logs is not None:
            logs["lr"] = rate
        better = self.improves(logs)
        if better is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if better:
            self.wait = 0
        elif self.cooldown_counter == 0:
            self.wait += 1
            if self.wait >= self.patience and rate > self.min_lr:
                self.model.optimizer.learning_rate = max(rate * self.factor, self.min_lr)
                self.cooldown_counter, self.wait = self.cooldown, 0


class TerminateOnNaN(Callback):
    """Ends training when the loss is no number."""

    def on_batch_end(self, batch: int, logs: Logs = None) -> None:
        loss = (logs or {}).get("loss")
        if loss is not None and not numpy.isfinite(loss):
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class CSVLogger(Callback):
    """A line for each epoch in a file."""

    def __init__(self, filename: str, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self._file, self._separator, self._append = filename, separator, append
        self._begun = False

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        fresh = not self._begun and not self._append
        with open(self._file, "w" if fresh else "a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=self._separator)
            if fresh:
                writer.writerow(["epoch", *(logs or {})])
            writer.writerow([epoch, *(logs or {}).values()])
        self._begun = True
