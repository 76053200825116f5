"""Tracepoints, graphs and heat maps of a program, as libpvti records them.

Recording is on if the environment variable PVTI_OPTIONS has ``"enable": "true"``. Events are
recorded in the host's lanes of the profiles that the process writes, and as trace events in JSON,
which browsers and pva.openTrace() read, in a ``.pvti`` file of the process in the ``"directory"`` of
PVTI_OPTIONS; the latest is ``libpvti.json`` too. Times are the process's own, except that calls of the
machine take as long as on the simulated machine.
"""
from __future__ import annotations

import bisect
import functools
from typing import Any, Callable, Dict, List, Optional, Sequence

from ._recorder import recorder as _recorder

__all__ = [
    "Graph", "HeatmapDouble", "HeatmapScale", "Series", "TraceChannel", "Tracepoint",
    "checkTraceChannel", "checkTracingEnabled", "closeTrace", "createTraceChannel",
    "disableTraceChannels", "disableTracing", "enableTraceChannels", "enableTracing",
    "getCurrentTraceFilename", "instrument", "instrument_fn", "listTraceChannels"
]


def checkTracingEnabled() -> bool:
    """Whether events are recorded."""
    return _recorder.enabled


def enableTracing(*channels: "TraceChannel") -> None:
    """Starts recording."""
    _recorder.enabled = True


def disableTracing(*channels: "TraceChannel") -> None:
    """Stops recording."""
    _recorder.enabled = False


def enableTraceChannels(*channels: "TraceChannel") -> None:
    """Resumes recording of these channels."""
    _recorder.disabled_channels -= {channel.name for channel in channels}


def disableTraceChannels(*channels: "TraceChannel") -> None:
    """Stops recording of these channels."""
    _recorder.disabled_channels |= {channel.name for channel in channels}


def checkTraceChannel(channel: "TraceChannel") -> bool:
    """Whether events of a channel are recorded."""
    return _recorder.enabled and channel.name not in _recorder.disabled_channels


def listTraceChannels() -> List[str]:
    """Names of all channels."""
    return list(_recorder.channels)


def getCurrentTraceFilename() -> str:
    """The file that events are written to when the process ends."""
    return _recorder.file


def closeTrace() -> None:
    """Writes the events recorded so far."""
    _recorder.write()


class TraceChannel:
    """A name that events belong to."""

    def __init__(self, name: str) -> None:
        self.name = name
        if name not in _recorder.channels:
            _recorder.channels.append(name)


def createTraceChannel(name: str) -> TraceChannel:
    """A channel of that name."""
    return TraceChannel(name)


class Tracepoint:
    """A context that is recorded as an event.

    >>> with libpvti.Tracepoint(channel, "load"):
    ...     load()
    """

    def __init__(self, channel: TraceChannel, name: str,
                 metadata: Optional[Dict[str, Any]] = None) -> None:
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
    """A decorator that records calls of the function as events."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with Tracepoint(channel, function.__name__):
                return function(*args, **kwargs)

        return call

    return decorate


def instrument(obj: Any, methods: Sequence[str], channel: TraceChannel) -> Any:
    """Records calls of an object's methods, also special ones, as events; returns the object."""
    kind = type(obj)
    recorded = {name: instrument_fn(channel)(getattr(kind, name)) for name in methods}
    try:
        obj.__class__ = type(kind.__name__, (kind, ), {**recorded, "__module__": kind.__module__})
    except TypeError:  # its class cannot be replaced: built-in or with slots
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
    """The spacing of a heat map's edges."""
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"


class HeatmapDouble:
    """Counts of values between edges, over time.

    >>> heat = libpvti.HeatmapDouble("weights", [-8, -4, 0], "2^x")
    >>> heat.add([-9.5, -1])
    """

    def __init__(self, name: str, edges: Sequence[float], units: str = "",
                 scale: str = HeatmapScale.LINEAR) -> None:
        self._name, self._edges, self._units = name, sorted(set(map(float, edges))), units
        self._map = _recorder.add_map(name, units, self._edges)

    def add(self, values: Sequence[float]) -> None:
        """Counts values, now."""
        if not _recorder.enabled:
            return
        counts = [0] * (len(self._edges) + 1)
        for value in values:
            counts[bisect.bisect_right(self._edges, float(value))] += 1
        shown = {str(edge): count for edge, count in zip([*self._edges, "more"], counts)}
        _recorder.add("C", self._name, self._units, shown, (self._map, counts))
