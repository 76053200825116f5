"""Events of this process, until they are written when it ends."""
from __future__ import annotations

import atexit
import json
import logging
import os
import shutil
import threading
import time
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

_VARIABLE = "PVTI_OPTIONS"

_MICROSECONDS = 1e6

#: Readers know by it that the category of a counter is its unit (core/import/trace_event_json.h).
_PRODUCER = "libpvti of TileScope"

#: This many events take some 200 MB; later ones are not recorded.
_MOST_EVENTS = 1_000_000


class _Event(NamedTuple):
    kind: str  #: phase in the trace event format: B, E, i, C
    name: str
    category: str  #: a channel, or the unit of a graph
    time: float  #: seconds
    thread: int
    values: Optional[Dict[str, Any]]


class _Map(NamedTuple):
    name: str
    unit: str
    edges: List[float]
    moments: List[Tuple[float, List[int]]]


def _options_of(variable: str) -> Dict[str, Any]:
    """The JSON object of an environment variable."""
    remedy = 'give an object such as {"enable":"true"}, or unset it'
    try:
        options = json.loads(os.environ.get(variable) or "{}")
    except ValueError as error:
        raise ValueError(f"environment variable {variable}: not valid JSON: {error}; "
                         f"{remedy}") from None
    if not isinstance(options, dict):
        raise ValueError(f"environment variable {variable}: a JSON object is needed; {remedy}")
    directory = options.get("directory", ".")
    if not isinstance(directory, str):
        raise ValueError(f"environment variable {variable}, key 'directory': {directory!r} is not the "
                         "name of a folder; name one, or leave it out")
    return options


class Recorder:
    """The recordings of a process, on a clock that calls of its machine may set forward or back."""

    def __init__(self) -> None:
        options = _options_of(_VARIABLE)
        self.enabled = str(options.get("enable", "false")).lower() == "true"
        self.directory = options.get("directory", ".")
        self.disabled_channels: set = set()
        self.channels: List[str] = []
        self._events: List[_Event] = []
        self._maps: List[_Map] = []
        self._threads: Dict[int, str] = {}
        self._latest: Dict[int, float] = {}  #: last time of each thread
        self._shift = 0.0
        self._began = time.time()
        self._lock = threading.Lock()
        atexit.register(self._write_at_exit)

    def now(self) -> float:
        """Seconds on the process's clock, in which calls take their simulated time."""
        return time.monotonic() + self._shift

    @property
    def has_events(self) -> bool:
        """Whether anything is recorded."""
        return bool(self._events)

    def shift(self, seconds: float) -> None:
        """Shifts the clock by how much longer a call takes on the machine than in simulation."""
        self._shift += seconds

    def add(self, kind: str, name: str, category: str, values: Optional[Dict[str, Any]] = None,
            counts: Optional[Tuple[_Map, List[int]]] = None) -> None:
        """An event, now."""
        if not self.enabled or category in self.disabled_channels:
            return
        thread = threading.get_ident()
        with self._lock:
            # The times of a thread never go back, even if the clock does.
            at = self._latest[thread] = max(self.now(), self._latest.get(thread, float("-inf")))
            self._threads.setdefault(thread, threading.current_thread().name)
            if counts is not None:
                counts[0].moments.append((at, counts[1]))
            self._events.append(_Event(kind, name, category, at, thread, values))
            if len(self._events) == _MOST_EVENTS:
                self.enabled = False
                logging.getLogger("libpvti").warning(
                    "%d events are recorded; later ones are left out", _MOST_EVENTS)

    def add_map(self, name: str, unit: str, edges: List[float]) -> _Map:
        """A heat map without counts."""
        made = _Map(name, unit, edges, [])
        self._maps.append(made)
        return made

    @property
    def file(self) -> str:
        """Where events are written: a file of each process, with the time of its start."""
        began = time.strftime("%a_%b_%d_%H:%M:%S_%Y_GMT", time.gmtime(self._began))
        return os.path.join(self.directory, f"{began}_{os.getpid()}.pvti")

    def write(self) -> None:
        """Writes all recordings as trace events.

        Raises:
            OSError: naming the variable and its key, if the file cannot be written.
        """
        if not self._events:
            return
        try:
            self._write()
        except OSError as error:
            raise OSError(f"environment variable {_VARIABLE}, key 'directory': cannot write "
                          f"'{self.file}': {error.strerror}; name a folder that can be "
                          "made") from None

    def _write_at_exit(self) -> None:
        try:
            self.write()
        except OSError as error:
            logging.getLogger("libpvti").error("%s", error)

    def _write(self) -> None:
        os.makedirs(self.directory, exist_ok=True)
        process = os.getpid()
        events: List[Dict[str, Any]] = [
            {"ph": "M", "name": "thread_name", "pid": process, "tid": thread, "args": {"name": name}}
            for thread, name in self._threads.items()
        ]
        for event in self._events:
            item: Dict[str, Any] = {
                "ph": event.kind,
                "name": event.name,
                "cat": event.category,
                "ts": event.time * _MICROSECONDS,
                "pid": process,
                "tid": event.thread
            }
            if event.values is not None:
                item["args"] = event.values
            events.append(item)
        written = self.file + ".part"
        with open(written, "w", encoding="utf-8") as file:
            json.dump({"otherData": {"producer": _PRODUCER}, "traceEvents": events}, file)
        os.replace(written, self.file)
        self._name_latest()

    def _name_latest(self) -> None:
        """Gives the file a second name, that of the last one that was written."""
        latest = os.path.join(self.directory, "libpvti.json")
        link = f"{latest}.{os.getpid()}.part"
        try:
            os.link(self.file, link)
        except OSError:  # not on every file system
            shutil.copyfile(self.file, link)
        os.replace(link, latest)

    def record(self, zero: float) -> Dict[str, List[Any]]:
        """All recordings as stored in a profile, in seconds since `zero` on the clock: ``events`` are
        (thread, channel, name, start, seconds or None), ``series`` (graph, unit, label, points) and
        ``heat_maps`` (name, unit, edges, moments). An open tracepoint is ended now."""
        with self._lock:
            events, now = list(self._events), self.now()
            maps = [(name, unit, edges, [(at - zero, counts) for at, counts in moments])
                    for name, unit, edges, moments in self._maps if moments]
        series: Dict[Tuple[str, str, str], List[Tuple[float, float]]] = {}
        known = {(name, unit) for name, unit, _, _ in maps}
        for event in events:
            if event.kind == "C" and (event.name, event.category) not in known:
                for label, value in (event.values or {}).items():
                    line = series.setdefault((event.name, event.category, label), [])
                    line.append((event.time - zero, value))
        return {
            "events": [(thread, channel, name, start - zero, seconds)
                       for thread, channel, name, start, seconds in self._spans(events, now)],
            "series": [(*names, points) for names, points in series.items()],
            "heat_maps": maps
        }

    def _spans(self, events: List[_Event], now: float
               ) -> List[Tuple[str, str, str, float, Optional[float]]]:
        """Matches each end with the last beginning of the same name in its thread."""
        names = self._names()
        spans = []
        open_ones: Dict[Tuple[int, str, str], List[float]] = {}
        for event in events:
            key = (event.thread, event.category, event.name)
            place = (names[event.thread], event.category, event.name)
            if event.kind == "i":
                spans.append((*place, event.time, None))
            elif event.kind == "B":
                open_ones.setdefault(key, []).append(event.time)
            elif event.kind == "E" and open_ones.get(key):
                start = open_ones[key].pop()
                spans.append((*place, start, event.time - start))
        for (thread, channel, name), starts in open_ones.items():
            spans += [(names[thread], channel, name, start, max(0.0, now - start))
                      for start in starts]
        spans.sort(key=lambda span: (span[3], -(span[4] or 0.0)))
        return spans

    def _names(self) -> Dict[int, str]:
        """Names of threads, numbered where they are equal."""
        names: Dict[int, str] = {}
        for thread, name in self._threads.items():
            same = sum(other == name or other.startswith(name + " #") for other in names.values())
            names[thread] = name if same == 0 else f"{name} #{same + 1}"
        return names


recorder = Recorder()
