"""Tracepoints of the program (libpvti) around PopTorch's methods.

Nothing is recorded without the environment variable PVTI_OPTIONS.
"""
from __future__ import annotations

import contextlib
import os
from typing import Any, ContextManager


class Channel:
    """A channel of libpvti under a name.

    >>> with poptorch.profiling.Channel("data").tracepoint("load"):
    ...     load()
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._channel: Any = None
        if os.environ.get("PVTI_OPTIONS"):
            import libpvti
            self._channel = libpvti.createTraceChannel(name)

    def tracepoint(self, name: str) -> ContextManager[Any]:
        """A context recorded as an event; its name follows that of the channel."""
        if self._channel is None:
            return contextlib.nullcontext()
        import libpvti
        return libpvti.Tracepoint(self._channel, f"{self._name}.{name}")

    def instrument(self, obj: Any, *methods: str) -> Any:
        """Records calls of an object's methods by name; returns the object."""
        if self._channel is None:
            return obj
        import libpvti
        return libpvti.instrument(obj, methods, self._channel)
