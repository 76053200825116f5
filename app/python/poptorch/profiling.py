"""Tracepoints of the program (libpvti) around what PopTorch does.

Without the environment variable PVTI_OPTIONS all of it does nothing.
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
        """A context that is recorded as an event, by its name after the channel's."""
        if self._channel is None:
            return contextlib.nullcontext()
        import libpvti
        return libpvti.Tracepoint(self._channel, f"{self._name}.{name}")

    def instrument(self, obj: Any, *methods: str) -> Any:
        """Records calls of an object's methods by their names; returns the object."""
        if self._channel is None:
            return obj
        import libpvti
        return libpvti.instrument(obj, methods, self._channel)
