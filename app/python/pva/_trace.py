"""Traces of programs on the host."""

from __future__ import annotations

from os import PathLike, fspath

from tilescope import _core

_MICROSECONDS = 1e6

#: Seconds that an event may end after the one around it, as sums of decimal numbers are rounded.
_ROUNDING = 1e-9


class Event:
    """A tracepoint, or a moment."""

    __slots__ = ("_children", "channel", "duration", "label", "timestamp")

    def __init__(self, label: str, channel: str, timestamp: float, duration: float) -> None:
        self.label = label
        self.channel = channel
        self.timestamp = timestamp
        """Microseconds on the trace's clock."""
        self.duration = duration
        """Microseconds; 0 for a moment."""
        self._children: list[Event] = []

    def children(self) -> list[Event]:
        """The events of the same thread within this one, without those within others of them."""
        return self._children

    def __repr__(self) -> str:
        return f"<Event {self.label}>"


class Thread:
    """A thread of a process, or its asynchronous events of a category."""

    def __init__(self, tid: int | str, name: str) -> None:
        self.tid = tid
        self.name = name
        self.events: list[Event] = []
        """Those that are within no other one, by time."""

    def __repr__(self) -> str:
        return f"<Thread {self.tid}>"


class Process:
    """A process with its threads."""

    def __init__(self, pid: int | str, name: str) -> None:
        self.pid = pid
        self.name = name
        self.threads: list[Thread] = []

    def thread(self, tid: int | str) -> Thread:
        """The thread of an id. Raises KeyError if there is none."""
        return _of_id(self.threads, "tid", tid)

    def __repr__(self) -> str:
        return f"<Process {self.pid}>"


class Trace:
    """What programs recorded about themselves."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.processes: list[Process] = []
        threads = []
        for pid, tid, process_name, thread_name in (columns := _core.host_trace(path))[0]:
            process = next((p for p in self.processes if p.pid == _number(pid)), None)
            if process is None:
                process = Process(_number(pid), process_name)
                self.processes.append(process)
            process.threads.append(Thread(_number(tid), thread_name))
            threads.append(process.threads[-1])
        _nest(threads, columns)

    def process(self, pid: int | str) -> Process:
        """The process of an id. Raises KeyError if there is none."""
        return _of_id(self.processes, "pid", pid)

    def __repr__(self) -> str:
        return f"<Trace {self._path}>"


def _number(name: str) -> int | str:
    """An id as a number if it is one."""
    return int(name) if name.isascii() and name.isdigit() else name


def _of_id(items: list, kind: str, wanted: int | str):
    for item in items:
        if getattr(item, kind) == wanted:
            return item
    raise KeyError(f"there is no {kind} {wanted!r}; there are {', '.join(repr(getattr(i, kind)) for i in items)}")


def _nest(threads: list[Thread], columns: tuple) -> None:
    """Puts events, which are in order of their beginnings, into those that they are within."""
    _, words, *columns = columns
    open_events: list[list[tuple[float, Event]]] = [[] for _ in threads]  #: with their ends
    for number, channel, name, start, seconds in zip(*(column.tolist() for column in columns)):
        length = 0.0 if seconds != seconds else seconds  # not a number: a moment
        event = Event(words[name], words[channel], start * _MICROSECONDS, length * _MICROSECONDS)
        around = open_events[number]
        while around and (start >= around[-1][0] or start + length > around[-1][0] + _ROUNDING):
            around.pop()
        (around[-1][1].children() if around else threads[number].events).append(event)
        if length > 0:
            around.append((start + length, event))


def openTrace(path: str | PathLike[str]) -> Trace:
    """Opens what libpvti recorded, or any other trace of events in JSON: of Chrome, Perfetto, PyTorch's profiler.

    Raises tilescope.ProfileError for other files, such as those of Graphcore's libpvti, whose form is closed.
    """
    return Trace(fspath(path))
