"""ipu.ipu_strategy: where models are made and functions run."""
from __future__ import annotations

import contextlib
from typing import Any, Iterator, List, Optional

_active: List["IPUStrategy"] = []


def current_strategy() -> Optional["IPUStrategy"]:
    """The strategy in whose scope the script is, if any."""
    return _active[-1] if _active else None


class IPUStrategy:
    """Models and variables that are made in its scope live on IPUs."""

    def __init__(self, ipu_device: str = "/device:IPU:0", cpu_device: str = "/device:CPU:0",
                 enable_dataset_iterators: bool = True,
                 enable_keras_extensions: bool = True) -> None:
        self._device = ipu_device

    @contextlib.contextmanager
    def scope(self) -> Iterator["IPUStrategy"]:
        """A context in which this strategy is the current one."""
        _active.append(self)
        try:
            yield self
        finally:
            _active.pop()

    @property
    def num_replicas_in_sync(self) -> int:
        """One, as TensorFlow sees it: replicas are within a program."""
        return 1

    def run(self, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        """Compiles a function for the IPU, once for each kind of arguments, and runs it."""
        from ._loops import run_function
        return run_function(fn, tuple(args or ()), dict(kwargs or {}))

    experimental_run_v2 = run


IPUStrategyV1 = IPUStrategy
