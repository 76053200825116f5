"""Tracepoints of the program (libpvti) around what PopTorch does."""
from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Iterator


class Channel:
    """A channel of libpvti under a name.

    >>> with poptorch.profiling.Channel("data").tracepoint("load"):
    ...     load()
    """

    def __init__(self, name: str) -> None:
        import libpvti
        self._name = name
        self._channel = libpvti.createTraceChannel(name)

    @contextlib.contextmanager
    def tracepoint(self, name: str) -> Iterator[None]:
        """A context that is recorded as an event of that name."""
        import libpvti
        with libpvti.Tracepoint(self._channel, name):
            yield

    def instrument(self, obj: Any, *methods: str) -> Any:
        """Records calls of an object's methods; returns the object."""
        for name in methods:
            method: Callable[..., Any] = getattr(obj, name)
            setattr(obj, name, self._recorded(method, name))
        return obj

    def _recorded(self, method: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self.tracepoint(name):
                return method(*args, **kwargs)

        return call
