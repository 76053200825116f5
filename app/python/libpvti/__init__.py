"""Tracepoints, graphs and heat maps of a program, as libpvti records them.

Recording is on if the environment variable PVTI_OPTIONS has ``"enable": "true"``; the file that it
names by ``"directory"`` gets them as trace events (``libpvti.json``) that browsers show.
"""
from __future__ import annotations

import atexit
import functools
import json
import os
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence

__all__ = [
    "Graph", "HeatmapDouble", "HeatmapScale", "Series", "TraceChannel", "Tracepoint",
    "checkTracingEnabled", "createTraceChannel", "enableTracing", "disableTracing",
    "instrument", "instrument_fn"
]

_MICROSECONDS = 1e6


class _Recorder:
    """Events of the process until they are written in the end."""

    def __init__(self) -> None:
        options = json.loads(os.environ.get("PVTI_OPTIONS") or "{}")
        self.enabled = str(options.get("enable", "false")).lower() == "true"
        self._directory = options.get("directory", ".")
        self._events: List[Dict[str, Any]] = []
        self._lock = threading.Lock()
        atexit.register(self.write)

    def add(self, kind: str, name: str, category: str, values: Optional[Dict[str, Any]] = None
            ) -> None:
        if not self.enabled:
            return
        event: Dict[str, Any] = {
            "ph": kind,
            "name": name,
            "cat": category,
            "ts": time.monotonic() * _MICROSECONDS,
            "pid": os.getpid(),
            "tid": threading.get_ident()
        }
        if values is not None:
            event["args"] = values
        with self._lock:
            self._events.append(event)

    def write(self) -> None:
        if not self._events:
            return
        os.makedirs(self._directory, exist_ok=True)
        with open(os.path.join(self._directory, "libpvti.json"), "w", encoding="utf-8") as file:
            json.dump({"traceEvents": self._events}, file)


_recorder = _Recorder()


def checkTracingEnabled() -> bool:
    """Whether events are recorded."""
    return _recorder.enabled


def enableTracing(*channels: "TraceChannel") -> None:
    """Records from now on."""
    _recorder.enabled = True


def disableTracing(*channels: "TraceChannel") -> None:
    """Records no more."""
    _recorder.enabled = False


class TraceChannel:
    """A name that events belong to."""

    def __init__(self, name: str) -> None:
        self.name = name


def createTraceChannel(name: str) -> TraceChannel:
    """A channel of that name."""
    return TraceChannel(name)


class Tracepoint:
    """A context that is recorded as an event.

    >>> with libpvti.Tracepoint(channel, "load"):
    ...     load()
    """

    def __init__(self, channel: TraceChannel, name: str) -> None:
        self._channel, self._name = channel, name

    def __enter__(self) -> "Tracepoint":
        self.begin(self._channel, self._name)
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        self.end(self._channel, self._name)

    @staticmethod
    def begin(channel: TraceChannel, name: str) -> None:
        """The beginning of an event."""
        _recorder.add("B", name, channel.name)

    @staticmethod
    def end(channel: TraceChannel, name: str) -> None:
        """The end of the event of that name."""
        _recorder.add("E", name, channel.name)

    @staticmethod
    def event(channel: TraceChannel, name: str) -> None:
        """An event without a length."""
        _recorder.add("i", name, channel.name)


def instrument_fn(channel: TraceChannel) -> Callable[[Callable], Callable]:
    """A decorator: calls of the function are events."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with Tracepoint(channel, function.__name__):
                return function(*args, **kwargs)

        return call

    return decorate


def instrument(obj: Any, methods: Sequence[str], channel: TraceChannel) -> Any:
    """Calls of an object's methods are events; returns the object."""
    for name in methods:
        setattr(obj, name, instrument_fn(channel)(getattr(obj, name)))
    return obj


class Series:
    """Numbers of a graph over time."""

    def __init__(self, graph: "Graph", label: str) -> None:
        self._graph, self._label = graph, label

    def add(self, value: float) -> None:
        """A value, now."""
        _recorder.add("C", self._graph.name, self._graph.units, {self._label: float(value)})


class Graph:
    """A plot of numbers over time."""

    def __init__(self, name: str, units: str = "") -> None:
        self.name, self.units = name, units

    def addSeries(self, label: str) -> Series:
        """A line of the plot."""
        return Series(self, label)


class HeatmapScale:
    """How a heat map's edges lie."""
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"


class HeatmapDouble:
    """Counts of values between edges, over time."""

    def __init__(self, name: str, edges: Sequence[float], units: str = "",
                 scale: str = HeatmapScale.LINEAR) -> None:
        self._name, self._edges, self._units = name, [float(edge) for edge in edges], units

    def add(self, values: Sequence[float]) -> None:
        """Counts values, now."""
        if not _recorder.enabled:
            return
        counts = [0] * (len(self._edges) + 1)
        for value in values:
            counts[sum(value >= edge for edge in self._edges)] += 1
        _recorder.add("C", self._name, self._units,
                      {str(edge): count for edge, count in zip([*self._edges, "more"], counts)})
